import type { FormulaService } from '../../model/formula-service.ts';
import type { Mutation } from '../../model/mutation.ts';
import { foldName } from '../../model/names.ts';
import { columnCount, rangeName, type Range } from '../../model/range.ts';
import { moveFormula, type FormulaMove } from '../formulas/formula-text.ts';
import { LineMap } from '../structure/line-map.ts';
import type { LineId, Piece } from '../ids/order.ts';
import type { Axis, SheetOutline, Structure } from '../structure/structure.ts';
import {
  emptiedMutation,
  rangeOf,
  sameLine,
  tableMutation,
  type StoredColumn,
  type StoredTable,
  type TableList,
} from '../structure/tables.ts';

/** Moved lines, in positions before the edit. */
export interface MovedLines {
  readonly axis: Axis;
  readonly spans: readonly { readonly from: number; readonly count: number }[];
}

/** An edit of the rows or columns of one sheet. */
export interface SheetEdit {
  readonly before: SheetOutline;
  readonly after: SheetOutline;
  readonly moved?: MovedLines | undefined;
}

/** Range and columns of a table at one moment. */
export interface TableShape<Column extends { readonly name: string }> {
  /** The range with header and totals rows. */
  readonly range: Range;
  /** The columns from left to right. */
  readonly columns: readonly Column[];
  readonly headerRow: boolean;
  readonly totalsRow: boolean;
}

/**
 * Makes a column for one that was inserted into the table; its id is that of the sheet's column.
 */
type MakeColumn<Column> = (name: string, position: number) => Column;

/** Returns a shape after an edit of lines; undefined when nothing of it is left. */
export function carryShape<Column extends { readonly name: string }>(
  shape: TableShape<Column>,
  { before, after, moved }: SheetEdit,
  make: MakeColumn<Column>,
): TableShape<Column> | undefined {
  const { range } = shape;
  const rowMap = new LineMap(before, after, 'row');
  const columnMap = new LineMap(before, after, 'column');
  const movedOf = (axis: Axis) => (moved?.axis === axis ? moved.spans : []);
  const rows = carryLines(rowMap, [range.row0, range.row1], {
    moved: movedOf('row'),
    growsAtEnd: !shape.totalsRow,
  });
  const columns = carryLines(columnMap, [range.column0, range.column1], {
    moved: movedOf('column'),
    growsAtEnd: true,
  });
  if (!rows || !columns) return undefined;
  const carried = { row0: rows[0], column0: columns[0], row1: rows[1], column1: columns[1] };
  return {
    range: carried,
    columns: columnMap.unchanged ? shape.columns : carryColumns(shape, columnMap, carried, make),
    headerRow: shape.headerRow && rowMap.position(range.row0) === carried.row0,
    totalsRow: shape.totalsRow && rowMap.position(range.row1) === carried.row1,
  };
}

/**
 * Returns the first and last remaining line. Lines that were moved out of the block no longer
 * belong to it, inserted ones do, and reordering within the block changes nothing.
 */
function carryLines(
  map: LineMap,
  [from, to]: readonly [from: number, to: number],
  { moved, growsAtEnd }: { moved: MovedLines['spans']; growsAtEnd: boolean },
): readonly [number, number] | undefined {
  if (map.unchanged) return [from, to];
  const all = map.pieces(from, to - from + 1);
  const ends = endsOf(all);
  if (!ends) return undefined;
  const lineCount = all.reduce((sum, { length }) => sum + length, 0);
  if (ends[1] - ends[0] + 1 === lineCount) return ends;
  const stayed = all.flatMap((piece) => withoutMoved(piece, from, moved));
  const kept = endsOf(stayed) ?? ends;
  return growsAtEnd ? [kept[0], grownEnd(kept[1], all)] : kept;
}

function endsOf(pieces: readonly Piece[]): readonly [number, number] | undefined {
  if (pieces.length === 0) return undefined;
  let [first, last] = [Infinity, -1];
  for (const { position, length } of pieces) {
    first = Math.min(first, position);
    last = Math.max(last, position + length - 1);
  }
  return [first, last];
}

/** Returns the parts of a piece that were not moved. */
function withoutMoved(piece: Piece, from: number, moved: MovedLines['spans']): Piece[] {
  let parts = [piece];
  for (const span of moved) {
    const start = span.from - from;
    parts = parts.flatMap((part) => cutOut(part, start, start + span.count));
  }
  return parts;
}

function cutOut({ position, length, skipped }: Piece, start: number, end: number): Piece[] {
  const before = Math.min(length, Math.max(0, start - skipped));
  const rest = Math.min(length, Math.max(0, end - skipped));
  const parts: Piece[] = [];
  if (before > 0) parts.push({ position, length: before, skipped });
  if (rest < length) {
    const from = Math.max(before, rest);
    parts.push({ position: position + from, length: length - from, skipped: skipped + from });
  }
  return parts;
}

/** Extends the block by own lines that were moved directly behind its end. */
function grownEnd(last: number, pieces: readonly Piece[]): number {
  const next = pieces.find(
    ({ position, length }) => position <= last + 1 && position + length > last + 1,
  );
  return next ? grownEnd(next.position + next.length - 1, pieces) : last;
}

/** Returns the columns after an edit; inserted ones get new names. */
function carryColumns<Column extends { readonly name: string }>(
  { range, columns }: TableShape<Column>,
  map: LineMap,
  carried: Range,
  make: MakeColumn<Column>,
): Column[] {
  const kept = new Map<number, Column>();
  for (const [index, column] of columns.entries()) {
    const position = map.position(range.column0 + index);
    if (position !== undefined) kept.set(position, column);
  }
  const names = new ColumnNames([...kept.values()].map(({ name }) => name));
  return Array.from({ length: columnCount(carried) }, (_, index) => {
    const position = carried.column0 + index;
    return kept.get(position) ?? make(names.fresh(`Column${index + 1}`), position);
  });
}

/** Makes column names that are unique regardless of case. */
export class ColumnNames {
  readonly #taken: Set<string>;

  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken.map(foldName));
  }

  /** Returns the name, with a number at its end if it is taken. */
  fresh(name: string): string {
    let free = name;
    for (let count = 2; this.#taken.has(foldName(free)); count++) free = `${name}${count}`;
    this.#taken.add(foldName(free));
    return free;
  }
}

/** Returns the tables after an edit of one sheet, without those that lost all rows or columns. */
export function followTables(tables: TableList, before: Structure, edit: SheetEdit): TableList {
  let followed = tables;
  for (const table of tables.all) {
    if (table.sheetId !== edit.after.id) continue;
    const carried = followTable(table, before, edit);
    if (carried === table) continue;
    followed = carried ? followed.with(carried) : followed.without(new Set([table.id]));
  }
  return followed;
}

function followTable(
  table: StoredTable,
  before: Structure,
  edit: SheetEdit,
): StoredTable | undefined {
  const { after } = edit;
  const make = (name: string, position: number): StoredColumn => {
    const line = after.columns.idAt(position);
    return { name, id: freshId(table, line), line };
  };
  const shape = { ...table, range: rangeOf(table, before) };
  const carried = carryShape(shape, edit, make);
  if (!carried) return undefined;
  const { range, columns, headerRow, totalsRow } = carried;
  const firstRow = after.rows.idAt(range.row0);
  const lastRow = after.rows.idAt(range.row1);
  const isSame =
    sameLine(firstRow, table.firstRow) &&
    sameLine(lastRow, table.lastRow) &&
    headerRow === table.headerRow &&
    totalsRow === table.totalsRow &&
    sameColumns(columns, table.columns);
  if (isSame) return table;
  const { key } = table;
  const isKeyed = columns.some(({ id }) => id === key);
  const ends = { firstRow, lastRow, headerRow, totalsRow };
  return { ...table, ...ends, columns, key: isKeyed ? key : undefined };
}

/**
 * Returns an id for a table column: that of the sheet's column, unless a column that moved from
 * there has it.
 */
export function freshId({ columns }: StoredTable, { branch, sequence, offset }: LineId): string {
  let id = `${branch}.${sequence}.${offset}`;
  while (columns.some((column) => column.id === id)) id += '.0';
  return id;
}

function sameColumns(a: readonly StoredColumn[], b: readonly StoredColumn[]): boolean {
  return a.length === b.length && a.every((column, index) => column === b[index]);
}

/** Rewrites the formulas of calculated columns after each edit of lines. */
export function carryTableFormulas(
  tables: TableList,
  moves: readonly Omit<FormulaMove, 'sheetId'>[],
  formulas: FormulaService,
): TableList {
  let carried = tables;
  if (moves.every(({ from, to }) => from.sheets === to.sheets)) return tables;
  for (const table of tables.all) {
    if (!table.columns.some(({ formula }) => formula?.includes('$'))) continue;
    const columns = table.columns.map((column) => {
      const { formula } = column;
      if (formula === undefined) return column;
      const { sheetId } = table;
      const moved = moves.reduce(
        (text, move) => moveFormula(text, { ...move, sheetId }, formulas),
        formula,
      );
      return moved === formula ? column : { ...column, formula: moved };
    });
    if (!sameColumns(columns, table.columns)) carried = carried.with({ ...table, columns });
  }
  return carried;
}

/** Returns mutations that tell a kernel of changed and moved tables. */
export function tableMutations(before: Structure, after: Structure): Mutation[] {
  const gone: Mutation[] = [];
  const changed: Mutation[] = [];
  for (const [known, table] of pairsOf(before, after)) {
    const sheet = known && before.withId(known.sheetId);
    if (sheet && !after.tables.named(known.name)) gone.push(emptiedMutation(known.name, sheet));
    if (!table) continue;
    const isSame = known && isUnmoved(known, table, { before, after });
    if (!isSame) changed.push(tableMutation(table, after));
  }
  return [...gone, ...changed];
}

type Pair = readonly [known?: StoredTable | undefined, table?: StoredTable | undefined];

/** Yields the tables that may have changed or moved, by id: without an edit of lines few do. */
function* pairsOf(before: Structure, after: Structure): Generator<Pair> {
  if (before.sheets === after.sheets) {
    yield* before.tables.unlike(after.tables);
    return;
  }
  for (const known of before.tables.all) {
    if (!after.tables.withId(known.id)) yield [known, undefined];
  }
  for (const table of after.tables.all) yield [before.tables.withId(table.id), table];
}

function isUnmoved(
  known: StoredTable,
  table: StoredTable,
  { before, after }: { before: Structure; after: Structure },
): boolean {
  if (known === table && before.withId(table.sheetId) === after.withId(table.sheetId)) return true;
  // A kernel moves tables by itself at each edit, and may get other ends than the state.
  return (
    known.name === table.name &&
    known.headerRow === table.headerRow &&
    known.totalsRow === table.totalsRow &&
    sameLine(known.firstRow, table.firstRow) &&
    sameLine(known.lastRow, table.lastRow) &&
    namesOf(known) === namesOf(table) &&
    rangeName(rangeOf(known, before)) === rangeName(rangeOf(table, after))
  );
}

function namesOf({ columns }: StoredTable): string {
  return JSON.stringify(columns.map(({ line, name }) => [line, name]));
}
