import { parseSheetRange, rangeName } from '../../../server/model/range.ts';
import type { Screen } from '../address.ts';
import { parsePosition, type Position } from '../address.ts';
import { loadNamedPositions, type NamedPosition } from '../history/named-positions.ts';
import type { Service } from '../service.ts';

/** A line of the palette: a link, or an action. */
export interface Entry {
  readonly kind:
    | 'command'
    | 'sheet'
    | 'cell'
    | 'branch'
    | 'position'
    | 'table'
    | 'merge'
    | 'name'
    | 'workbook';
  readonly label: string;
  readonly keys?: string;
  readonly to?: Screen;
  readonly run?: () => void;
}

/** Lists in which the palette searches. */
export interface Findable {
  readonly books: readonly { readonly id: string; readonly name: string }[];
  readonly branches: readonly string[];
  readonly sheets: readonly string[];
  readonly tables: readonly { readonly id: string; readonly name: string }[];
  readonly merges: readonly { readonly id: string; readonly label: string }[];
  readonly positions: readonly NamedPosition[];
  /** Defined names with their formulas: `=Plan!$B$2`. */
  readonly names: readonly { readonly name: string; readonly formula: string }[];
}

const most = 40;

type Named = Pick<Findable, 'names'> & { readonly sheets: readonly { readonly name: string }[] };

interface Merge {
  readonly id: string;
  readonly title: string;
  readonly source: { readonly branch: string };
  readonly target: { readonly branch: string };
}

const nothing: Named = { names: [], sheets: [] };

/** Loads a list; one that fails to load is empty. */
async function list<Row>(service: Service, path: string, member: string): Promise<readonly Row[]> {
  const answer = await service
    .ask<Record<string, readonly Row[]>>(path)
    .catch((): Record<string, readonly Row[]> => ({}));
  return answer[member] ?? [];
}

/** Loads the merges of a workbook, which the service may have to compute first. */
export async function loadMerges(service: Service, screen: Screen): Promise<Findable['merges']> {
  const book = bookOf(screen);
  if (book === undefined) return [];
  const merges = await list<Merge>(service, `/v1/workbooks/${book}/merges?limit=50`, 'merges');
  return merges.map(({ id, title, source, target }) => ({
    id,
    label: title || `${source.branch} into ${target.branch}`,
  }));
}

/** Loads what else the palette can find. */
export async function loadFindable(
  service: Service,
  screen: Screen,
): Promise<Omit<Findable, 'merges'>> {
  const book = bookOf(screen);
  const path = `/v1/workbooks/${book}`;
  const branch = encodeURIComponent(atOf(screen).branch);
  const [books, branches, state, tables, positions] = await Promise.all([
    list<{ id: string; name: string }>(service, '/v1/workbooks?limit=200', 'workbooks'),
    book === undefined ? [] : list<{ name: string }>(service, `${path}/branches`, 'branches'),
    book === undefined
      ? nothing
      : service.ask<Named>(`${path}/branches/${branch}/state`).catch(() => nothing),
    book === undefined
      ? []
      : list<Findable['tables'][number]>(service, `${path}/tables?ref=${branch}`, 'tables'),
    book === undefined ? [] : loadNamedPositions(service, book).catch(() => []),
  ]);
  const namesOf = (rows: readonly { name: string }[]) => rows.map(({ name }) => name);
  const { sheets, names } = state;
  return {
    books,
    branches: namesOf(branches),
    sheets: namesOf(sheets),
    tables,
    names,
    positions,
  };
}

export function bookOf(screen: Screen): string | undefined {
  return 'book' in screen ? screen.book : undefined;
}

/** Returns the position that a screen shows. */
function atOf(screen: Screen): Position {
  return 'at' in screen ? screen.at : { branch: 'main' };
}

/** Returns the entries that match a text; `>` searches commands only, `@` positions only. */
export function entriesFor(
  text: string,
  {
    screen,
    commands,
    offered,
    found,
  }: Readonly<Record<'screen', Screen>> & {
    readonly commands: readonly Entry[];
    /** Commands of the screen, which come last because there are many. */
    readonly offered: readonly Entry[];
    readonly found: Findable | undefined;
  },
): readonly Entry[] {
  if (text.startsWith('=')) return [];
  if (text.startsWith('>')) {
    return matching([...commands, ...offered], text.slice(1)).slice(0, most);
  }
  const places = placesOf(screen, found);
  if (text.startsWith('@')) {
    const asked = text.slice(1).trim();
    const branches = places.filter(({ kind }) => kind === 'branch' || kind === 'position');
    return [...positionEntry(screen, asked, found), ...matching(branches, asked)].slice(0, most);
  }
  return [
    ...cellEntry(screen, text, found),
    ...matching([...commands, ...places, ...offered], text),
  ].slice(0, most);
}

function matching(entries: readonly Entry[], text: string): readonly Entry[] {
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  return entries.filter(({ label, kind }) => {
    const line = `${kind} ${label}`.toLowerCase();
    return words.every((word) => line.includes(word));
  });
}

function placesOf(screen: Screen, found: Findable | undefined): readonly Entry[] {
  if (!found) return [];
  const book = bookOf(screen);
  const at = atOf(screen);
  const inBook =
    book === undefined
      ? []
      : [
          ...found.sheets.map<Entry>((sheet) => ({
            kind: 'sheet',
            label: sheet,
            to: { name: 'sheet', book, at, sheet },
          })),
          ...found.names.flatMap(({ name, formula }): Entry[] => {
            const place = parseSheetRange(formula.slice(1));
            const [range] = place?.areas ?? [];
            if (!range || place?.sheet === undefined) return [];
            const to: Screen = {
              name: 'sheet',
              book,
              at,
              sheet: place.sheet,
              cell: rangeName(range),
            };
            return [{ kind: 'name', label: name, to }];
          }),
          ...found.tables.map<Entry>(({ id, name }) => ({
            kind: 'table',
            label: name,
            to: { name: 'table', book, table: id, at },
          })),
          ...found.branches.map<Entry>((branch) => ({
            kind: 'branch',
            label: branch,
            to: { name: 'sheet', book, at: { branch } },
          })),
          ...found.positions.map<Entry>(({ branch, seq, name }) => ({
            kind: 'position',
            label: `${name} (${branch}@${seq})`,
            to: { name: 'sheet', book, at: { branch, seq } },
          })),
          ...found.merges.map<Entry>(({ id, label }) => ({
            kind: 'merge',
            label,
            to: { name: 'review', book, merge: id },
          })),
        ];
  const books = found.books.map<Entry>(({ id, name }) => ({
    kind: 'workbook',
    label: name || id,
    to: { name: 'sheet', book: id, at: { branch: 'main' } },
  }));
  return [...inBook, ...books];
}

/** Returns the link to `B7` or `Plan!B7:C9`; none if the text is no such place. */
function cellEntry(screen: Screen, text: string, found: Findable | undefined): readonly Entry[] {
  const book = bookOf(screen);
  const place = /^(?:'?([^!]+?)'?!)?([a-z]{1,3}[1-9]\d*(?::[a-z]{1,3}[1-9]\d*)?)$/iu.exec(text);
  if (book === undefined || !place) return [];
  const [, given, cell = ''] = place;
  const known = found?.sheets.find((name) => name.toLowerCase() === given?.toLowerCase());
  const sheet = known ?? given ?? (screen.name === 'sheet' ? screen.sheet : undefined);
  const at = atOf(screen);
  const to: Screen = {
    name: 'sheet',
    book,
    at,
    cell: cell.toUpperCase(),
    ...(sheet !== undefined && { sheet }),
  };
  return [{ kind: 'cell', label: `Go to ${cell.toUpperCase()}`, to }];
}

/** Returns the link to `main@118`, if the workbook has the branch. */
function positionEntry(
  screen: Screen,
  text: string,
  found: Findable | undefined,
): readonly Entry[] {
  const book = bookOf(screen);
  const at = parsePosition(text);
  if (book === undefined || at.seq === undefined) return [];
  if (found && !found.branches.includes(at.branch)) return [];
  return [{ kind: 'position', label: `Look at ${text}`, to: { name: 'sheet', book, at } }];
}
