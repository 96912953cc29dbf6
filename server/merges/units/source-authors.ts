import { foldName } from '../../model/names.ts';
import type { OperationKind } from '../../model/operation.ts';
import type { OperationPart } from '../../state/merge/parts.ts';
import type { ChangeKind, ScopedChange } from '../../state/merge/scope.ts';
import type { FlatSpans, Resolved } from '../../state/plan/resolved.ts';
import { placeIn, writtenCells } from '../../state/written-cells.ts';
import type { PlacedRecord } from '../journal-since.ts';
import type { ChangeAuthor, SourceAuthors } from '../../state/outcome/units/change-authors.ts';
import { WrittenPlaces } from './written-places.ts';

interface Done {
  readonly kind: OperationKind;
  readonly payload: unknown;
  readonly resolved: Resolved;
}

/**
 * Reads the authors of the source's operations since the base, given from the last to the first.
 */
export async function readAuthors(records: AsyncIterable<PlacedRecord>): Promise<SourceAuthors> {
  const authors = new JournalAuthors();
  for await (const { record, branch, branchNo } of records) {
    const { writer, group = `${branch ?? `#${branchNo}`}@${record.seq}` } = record;
    authors.note(record, { writer, group });
  }
  return authors;
}

class JournalAuthors implements SourceAuthors {
  readonly #inputs = new WrittenPlaces<ChangeAuthor>();
  readonly #formats = new WrittenPlaces<ChangeAuthor>();
  /** Authors of records that are identified by place, by noun of the kinds that write them. */
  readonly #marks = new Map<string, WrittenPlaces<ChangeAuthor>>();
  readonly #lines = new Map<
    string,
    { readonly spans: FlatSpans; readonly author: ChangeAuthor }[]
  >();
  /** Authors of everything else, by its register in words. */
  readonly #registers = new Map<string, ChangeAuthor>();

  note({ kind, payload, resolved }: Done, author: ChangeAuthor): void {
    const { values, formats } = writtenCells(kind, payload, resolved);
    this.#inputs.note(values, author);
    this.#formats.note(formats, author);
    this.#noteParts({ kind, payload, resolved }, author);
  }

  of(change: ScopedChange): ChangeAuthor | undefined {
    const { sheetId, row, column } = change.place;
    const cell = sheetId !== undefined && row && column ? { sheetId, row, column } : undefined;
    const found = cell && this.#cellsOf(change.kind)?.lastTo(cell);
    return found ?? this.#lineAuthor(change) ?? this.#registers.get(registerOf(change));
  }

  #cellsOf(kind: ChangeKind): WrittenPlaces<ChangeAuthor> | undefined {
    if (kind === 'cell.input') return this.#inputs;
    return kind === 'format.cell' ? this.#formats : this.#marks.get(nounOf(kind));
  }

  #lineAuthor(change: ScopedChange): ChangeAuthor | undefined {
    const line = change.place.row ?? change.place.column;
    const noted = this.#lines.get(lineRegisterOf(change) ?? '');
    return line && noted?.find(({ spans }) => placeIn(spans, line) >= 0)?.author;
  }

  /** Notes the parts of an operation, whose author is that of the whole. */
  #noteParts({ kind, payload, resolved }: Done, author: ChangeAuthor): void {
    if (!resolved.parts) {
      this.#noteRest({ kind, payload, resolved }, author);
      return;
    }
    const { ops = [] } = payload as { readonly ops?: readonly OperationPart[] };
    for (const [index, part] of [...ops.entries()].toReversed()) {
      if (part.kind.startsWith('restore.')) continue;
      const own = { kind: part.kind as OperationKind, payload: part.payload };
      this.#noteParts({ ...own, resolved: resolved.parts[index] ?? {} }, author);
    }
  }

  #noteRest(done: Done, author: ChangeAuthor): void {
    for (const register of writtenRegisters(done)) {
      if (!this.#registers.has(register)) this.#registers.set(register, author);
    }
    const { register, spans } = writtenLines(done);
    const lines = this.#lines.get(register) ?? [];
    this.#lines.set(register, lines);
    if (spans.length > 0) lines.push({ spans, author });
    this.#noteMarks(done, author);
  }

  #noteMarks(done: Done, author: ChangeAuthor): void {
    const { sheet, areas, cells, sheets } = done.resolved;
    const noun = done.kind.slice(0, done.kind.indexOf('.'));
    if (!markNouns.has(noun)) return;
    const marks = this.#marks.get(noun) ?? new WrittenPlaces<ChangeAuthor>();
    this.#marks.set(noun, marks);
    const always = (): boolean => true;
    if (areas) marks.note({ type: 'areas', sheet, areas, isWritten: always }, author);
    const sheetOf = (index: number) => sheets?.[index] ?? sheet;
    if (cells) marks.note({ type: 'cells', ids: cells, sheetOf, isWritten: always }, author);
  }
}

const markNouns: ReadonlySet<string> = new Set(['note', 'cellmerge', 'hyperlink', 'filter']);

/** Noun of the kinds that write a kind of change, such as `note` for `record.note`. */
function nounOf(kind: ChangeKind): string {
  return kind.slice(kind.indexOf('.') + 1);
}

/** Operations on a sheet as a whole, and the kind of change that each makes. */
const sheetRegisters: Readonly<Partial<Record<OperationKind, ChangeKind>>> = {
  'sheet.add': 'sheet.add',
  'sheet.delete': 'sheet.delete',
  'sheet.rename': 'sheet.rename',
  'sheet.move': 'sheet.order',
  'sheet.props': 'sheet.property',
  'cf.move': 'record.cforder',
};

interface NamedThing {
  readonly name?: string;
  readonly from?: string;
  readonly to?: string;
  readonly path?: string;
  readonly id?: string;
}

/** Registers beside cells that an operation writes, in words. */
function writtenRegisters({ kind, payload, resolved }: Done): string[] {
  const { sheet, table, record } = resolved;
  const { name, from, to, path, id } = payload as NamedThing;
  const ofSheet = sheetRegisters[kind];
  const names = kind.startsWith('name.') ? [name, from, to] : [];
  return [
    // The order of sheets is one register, whichever sheet moved.
    ...(ofSheet ? [`${ofSheet} ${ofSheet === 'sheet.order' ? '' : (sheet ?? '')}`] : []),
    ...(table === undefined || kind.startsWith('rows.') ? [] : [`table ${table}`]),
    ...(record === undefined ? [] : [`record ${record}`]),
    ...names.flatMap((one) => (one === undefined ? [] : [`name ${foldName(one)}`])),
    ...(kind === 'settings.set' ? [`setting ${path ?? ''}`] : []),
    ...(kind.startsWith('style.') ? [`style ${id ?? ''}`] : []),
  ];
}

/** Rows or columns that an operation inserts, deletes, moves or formats. */
function writtenLines({ kind, resolved }: Done): { register: string; spans: FlatSpans } {
  const { sheet = '', lines = [], added = [] } = resolved;
  const axis = kind.startsWith('cols.') || kind.startsWith('table.column') ? 'cols' : 'rows';
  const what = /\.(?:size|hide|group)$/u.test(kind) ? 'format.lines' : 'structure';
  return { register: `${what} ${axis} ${sheet}`, spans: [...lines, ...added] };
}

/** Register of a line's author; undefined for a change of something else. */
function lineRegisterOf({ kind, place }: ScopedChange): string | undefined {
  const { sheetId = '', row } = place;
  const axis = row ? 'rows' : 'cols';
  if (kind === 'format.lines') return `${kind} ${axis} ${sheetId}`;
  return kind.startsWith('structure.') ? `structure ${axis} ${sheetId}` : undefined;
}

/** Register of a change of something other than a line. */
function registerOf({ kind, place }: ScopedChange): string {
  const { sheetId = '', tableId = '', name = '', record } = place;
  if (record !== undefined) return `record ${record.slice(record.lastIndexOf('/') + 1)}`;
  if (kind === 'table') return `table ${tableId}`;
  if (kind === 'name') return `name ${foldName(name)}`;
  return kind === 'setting' || kind === 'style' ? `${kind} ${name}` : `${kind} ${sheetId}`;
}
