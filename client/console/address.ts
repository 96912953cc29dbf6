/** A screen of the console, as its address names it: every state worth sharing has an address. */
export type Screen =
  | { readonly name: 'books' }
  | ({
      readonly name: 'sheet';
      readonly book: string;
      readonly at: Position;
      readonly sheet?: string;
      readonly cell?: string;
      readonly beside?: Beside;
      /** Position whose differences are marked in the cells. */
      readonly compare?: string;
    } & HistoryView)
  | ({ readonly name: 'diff'; readonly book: string } & DiffPlace)
  | { readonly name: 'merges'; readonly book: string }
  | { readonly name: 'review'; readonly book: string; readonly merge: string }
  | {
      readonly name: 'proof';
      readonly book: string;
      readonly branch: string;
      /** Sequence number of the operation; the newest one by default. */
      readonly seq?: number;
      /** Name of another entry about that position: of a commit, a merge or an approval. */
      readonly entry?: string;
    }
  | ({ readonly name: 'tables'; readonly book: string } & Position)
  | ({ readonly name: 'table'; readonly book: string } & TablePlace)
  | { readonly name: 'matches'; readonly book: string }
  | {
      readonly name: 'match';
      readonly book: string;
      readonly match: string;
      /** Band of the listed pairs; the accepted ones by default. */
      readonly band?: string;
    }
  | { readonly name: 'settings'; readonly book: string }
  | { readonly name: 'usage' }
  | { readonly name: 'log' }
  | { readonly name: 'lost' };

/** Filter of the history beside the cells: an author, a family of kinds, a sheet or the cell. */
export interface HistoryView {
  readonly by?: string;
  readonly only?: string;
  readonly on?: string;
}

/** The panel beside the cells. */
export type Beside = 'cell' | 'history';

/** Query for the rows of a table: a position, a filter, an order, groups. */
export interface TablePlace {
  readonly table: string;
  readonly at: Position;
  readonly view?: string;
  readonly where?: string;
  readonly order?: string;
  readonly group?: string;
  /** Position where the changes that are shown begin. */
  readonly from?: string;
}

/** Two positions, and what is listed and shown of their differences; all of it by default. */
export interface DiffPlace {
  readonly from: string;
  readonly to: string;
  readonly kind?: string;
  readonly show?: 'formulas' | 'values';
  /** Lists what is calculated anew as well. */
  readonly also?: 'calculated';
}

/** A branch, and a sequence number if it is an older position. */
export interface Position {
  readonly branch: string;
  readonly seq?: number;
}

const root = '/console';

/** Reads `/console/{owner}/{name}/…` or `/console/wb_…/…`. */
export function parseScreen({ pathname, search }: Pick<Location, 'pathname' | 'search'>): Screen {
  const query = new URLSearchParams(search);
  const segments = pathname
    .slice(root.length)
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const [first, ...rest] = segments;
  if (first === undefined) return { name: 'books' };
  if (first === '-') return { name: ofNoBook(rest[0]) };
  const isId = first.startsWith('wb_');
  const book = isId ? first : `${first}/${rest.shift() ?? ''}`;
  return screenOf(book, rest, query) ?? { name: 'lost' };
}

/** Pages that belong to no workbook lie below `-`, which no owner is named. */
function ofNoBook(segment: string | undefined): 'usage' | 'log' | 'lost' {
  return segment === 'usage' || segment === 'log' ? segment : 'lost';
}

type Reader = (book: string, id: string | undefined, query: URLSearchParams) => Screen;

const readers: Readonly<Record<string, Reader>> = {
  diff: (book, _, query) => ({
    name: 'diff',
    book,
    from: query.get('from') ?? 'main',
    to: query.get('to') ?? 'main',
    ...diffViewOf(query),
  }),
  proof: (book, _, query) => {
    const entry = query.get('entry');
    return { name: 'proof', book, ...positionOf(query), ...(entry !== null && { entry }) };
  },
  settings: (book) => ({ name: 'settings', book }),
  merges: (book, id) =>
    id === undefined ? { name: 'merges', book } : { name: 'review', book, merge: id },
  matches: (book, id, query) =>
    id === undefined
      ? { name: 'matches', book }
      : { name: 'match', book, match: id, ...textsOf(query, ['band']) },
  tables: tableScreen,
};

function screenOf(
  book: string,
  [kind, id]: readonly string[],
  query: URLSearchParams,
): Screen | undefined {
  if (kind !== undefined) return readers[kind]?.(book, id, query);
  const beside = query.get('beside');
  return {
    name: 'sheet',
    book,
    at: positionOf(query),
    ...textsOf(query, ['sheet', 'cell', 'compare', 'by', 'only', 'on']),
    ...((beside === 'cell' || beside === 'history') && { beside }),
  };
}

/** Returns the members of an address that are there. */
function textsOf<Name extends string>(
  query: URLSearchParams,
  names: readonly Name[],
): { readonly [Member in Name]?: string } {
  const known = names.flatMap((name) => {
    const value = query.get(name);
    return value === null || value === '' ? [] : [[name, value] as const];
  });
  return Object.fromEntries(known) as { readonly [Member in Name]?: string };
}

function positionOf(query: URLSearchParams): Position {
  return parsePosition(query.get('at') ?? 'main');
}

function diffViewOf(query: URLSearchParams): Omit<DiffPlace, 'from' | 'to'> {
  const [kind, show] = [query.get('kind') ?? '', query.get('show')];
  return {
    ...(kind !== '' && { kind }),
    ...((show === 'formulas' || show === 'values') && { show }),
    ...(query.get('also') === 'calculated' && { also: 'calculated' }),
  };
}

function tableScreen(book: string, table: string | undefined, query: URLSearchParams): Screen {
  const at = positionOf(query);
  if (table === undefined) return { name: 'tables', book, ...at };
  const asked = textsOf(query, ['view', 'where', 'order', 'group', 'from']);
  return { name: 'table', book, table, at, ...asked };
}

/** Reads `main` or `main@118`. */
export function parsePosition(text: string): Position {
  const split = /^(.*)@(\d+)$/u.exec(text);
  return split ? { branch: split[1] ?? '', seq: Number(split[2]) } : { branch: text };
}

export function positionText({ branch, seq }: Position): string {
  return seq === undefined ? branch : `${branch}@${seq}`;
}

/** Returns the address of a screen. */
export function screenPath(screen: Screen): string {
  if (screen.name === 'books' || screen.name === 'lost') return root;
  if (screen.name === 'usage' || screen.name === 'log') return `${root}/-/${screen.name}`;
  const path = `${root}/${screen.book.split('/').map(encodeURIComponent).join('/')}`;
  return `${path}${tailOf(screen)}`;
}

function tailOf(screen: Extract<Screen, { readonly book: string }>): string {
  switch (screen.name) {
    case 'sheet': {
      const { at, sheet, cell, beside, compare, by, only, on } = screen;
      const place = { at: positionText(at), sheet, cell, beside, compare };
      return `?${queryText({ ...place, by, only, on })}`;
    }
    case 'diff':
      return `/diff?${queryText(diffQuery(screen))}`;
    case 'proof':
      return `/proof?${queryText({ at: positionText(screen), entry: screen.entry })}`;
    case 'review':
      return `/merges/${encodeURIComponent(screen.merge)}`;
    case 'match':
      return `/matches/${encodeURIComponent(screen.match)}${bandQuery(screen)}`;
    case 'tables':
      return `/tables?${queryText({ at: positionText(screen) })}`;
    case 'table': {
      const { at, view, where, order, group, from } = screen;
      const query = queryText({ at: positionText(at), view, where, order, group, from });
      return `/tables/${encodeURIComponent(screen.table)}?${query}`;
    }
    default:
      return `/${screen.name}`;
  }
}

function bandQuery({ band }: { readonly band?: string }): string {
  return band === undefined ? '' : `?${queryText({ band })}`;
}

function diffQuery({ from, to, kind, show, also }: DiffPlace) {
  return { from, to, kind, show, also };
}

function queryText(members: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) query.set(name, value);
  }
  return query.toString();
}
