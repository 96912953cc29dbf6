import { writeInput } from '../../model/input.ts';
import { cellCount, overlaps, rangeName, type Range } from '../../model/range.ts';
import type { RecordType } from '../../model/record.ts';
import { areaText, lineText } from '../structure/area.ts';
import type { BranchState } from '../branch-state.ts';
import type { LineId, Order } from '../ids/order.ts';
import { flatten } from '../plan/resolved.ts';
import { valueInIds } from '../records/record-formulas.ts';
import { recordKey, type StoredRecord } from '../records/stored-record.ts';
import { orderOf, type Axis, type SheetOutline } from '../structure/structure.ts';
import { isBlankArea } from '../tables/table-cells.ts';
import { dataRange, rangeOf, sheetOfTable, type StoredTable } from '../structure/tables.ts';
import { hasArray, isBareArea } from './bare-areas.ts';
import { entryOf } from './carried-table.ts';
import type { OperationParts } from './parts.ts';
import type { RestoredRecord } from './restoration.ts';

/** A line of a table, and the line that its cells shall be on. */
export interface Relocation {
  readonly from: LineId;
  readonly to: LineId;
}

/** The rows or the columns of one table. */
export interface TableLines {
  readonly tableId: string;
  readonly axis: Axis;
  /** Another side, whose columns of the table belong to the rows as well. */
  readonly known?: BranchState;
  /** Lines that this state has not are of one side alone, and go with all that stands on them. */
  readonly base?: BranchState;
}

export type OwnLines = TableLines & Required<Pick<TableLines, 'base'>>;

/** Records that lie on whole areas, whichever rows these have. */
const ruleTypes: readonly RecordType[] = ['validation', 'cf', 'protection', 'filter'];
const rowsPerMove = 5_000;

export function tableIn({ tables }: BranchState, id: string): StoredTable {
  const table = tables.withId(id);
  if (!table) throw new Error(`the table ${id} is not there`);
  return table;
}

export function positionIn(sheet: SheetOutline, axis: Axis, line: LineId): number | undefined {
  return orderOf(sheet, axis).positionOf(line.branch, line.sequence, line.offset);
}

/**
 * Cuts the cells of lines of a table and pastes them on other ones, with all that names them: those
 * of its own columns, or rows, and of lines that the base has not also those beside it, unless
 * something else stands in the way. Lines that the state has not are added behind the table; where
 * a line to be moved is gone, nothing is.
 */
export function* relocate(
  parts: OperationParts,
  lines: TableLines,
  relocations: readonly Relocation[],
): Generator<void, void> {
  const { tableId, axis } = lines;
  const sheet = sheetOfTable(tableIn(parts.state, tableId), parts.state.structure);
  const there = relocations.filter(
    ({ from, to }) =>
      positionIn(sheet, axis, from) !== undefined && lineText(from) !== lineText(to),
  );
  if (there.length === 0) return;
  const missing = there.filter(({ to }) => positionIn(sheet, axis, to) === undefined);
  yield* addLines(
    parts,
    lines,
    missing.map(({ to }) => to),
  );
  const rules = rulesOn(parts.state, sheet.id);
  const placed = placesOf(parts.state, lines, there);
  const targets = new Set(placed.map(({ to }) => to));
  if (placed.some(({ from }) => targets.has(from))) {
    // A target is also a source: all cells wait in free lines first.
    const free = placed.reduce(
      (most, { to }) => Math.max(most, to + 1),
      freeLine(parts.state, lines),
    );
    const waiting = placed.map((one, at) => ({ ...one, to: free + at }));
    yield* moveCells(parts, lines, waiting);
    yield* moveCells(
      parts,
      lines,
      placed.map((one, at) => ({ ...one, from: free + at })),
    );
  } else yield* moveCells(parts, lines, placed);
  yield* putBack(parts, sheet.id, rules);
  const whole = placed.flatMap(({ isWhole, relocation }) => (isWhole ? relocation : []));
  const others = axis === 'row' ? parts.state.tables.onSheet(sheet.id) : [];
  for (const { id } of others) if (id !== tableId) yield* fitRows(parts, id, whole);
}

interface Places {
  readonly from: number;
  readonly to: number;
}

/** Where a line stands, and where it goes. */
interface PlacedLine extends Places {
  readonly relocation: Relocation;
  /** True where all that stands on it goes along. */
  readonly isWhole: boolean;
}

function placesOf(
  state: BranchState,
  lines: TableLines,
  relocations: readonly Relocation[],
): PlacedLine[] {
  const { tableId, axis } = lines;
  const sheet = sheetOfTable(tableIn(state, tableId), state.structure);
  return relocations.flatMap((relocation) => {
    const [from, to] = [relocation.from, relocation.to].map((line) =>
      positionIn(sheet, axis, line),
    );
    if (from === undefined || to === undefined) return [];
    const isWhole = isOwn(relocation.from, lines, sheet) && isMovable(state, lines, { from, to });
    return [{ from, to, relocation, isWhole }];
  });
}

function isOwn(line: LineId, { base, axis }: TableLines, { id }: SheetOutline): boolean {
  const sheet = base?.structure.withId(id);
  return sheet !== undefined && positionIn(sheet, axis, line) === undefined;
}

/** Returns whether a line has cells beside the table, and all of it can go to a blank one. */
function isMovable(state: BranchState, { tableId, axis }: TableLines, places: Places): boolean {
  const sheet = sheetOfTable(tableIn(state, tableId), state.structure);
  const whole = usedRange(state, tableId);
  const [source, target] = [places.from, places.to].map((from) =>
    areaAt(whole, axis, { from, count: 1 }),
  );
  if (!source || !target || !isBareArea(state, sheet, target)) return false;
  const { row0, column0, row1, column1 } = rangeOf(tableIn(state, tableId), state.structure);
  const beside =
    axis === 'row'
      ? [
          { ...source, column1: column0 - 1 },
          { ...source, column0: column1 + 1 },
        ]
      : [
          { ...source, row1: row0 - 1 },
          { ...source, row0: row1 + 1 },
        ];
  // A range that ends at the line goes on ending there unless all of that goes.
  if (beside.every((area) => cellCount(area) <= 0 || isBareArea(state, sheet, area))) return false;
  const tables = state.tables.onSheet(sheet.id).filter((table) => {
    return table.id !== tableId && overlaps(rangeOf(table, state.structure), source);
  });
  const isOfRows = axis === 'row' && tables.every(({ totalsRow }) => !totalsRow);
  const isMerged = state.records.meeting('cellmerge', sheet, source).length > 0;
  return !isMerged && (tables.length === 0 || isOfRows) && !hasArray(state, sheet, source);
}

/** All that a sheet holds from its first cell, a table of it at least. */
function usedRange(state: BranchState, tableId: string): Range {
  const table = tableIn(state, tableId);
  const { row1, column1 } = rangeOf(table, state.structure);
  const used = state.used(sheetOfTable(table, state.structure));
  return {
    row0: 0,
    column0: 0,
    row1: Math.max(row1, used?.row1 ?? 0),
    column1: Math.max(column1, used?.column1 ?? 0),
  };
}

/** Position behind those lines that stand before a position of another order. */
export function placeBehind(
  sheet: SheetOutline,
  axis: Axis,
  { order, position }: { readonly order: Order; readonly position: number },
): number {
  for (let at = position - 1; at >= 0; at--) {
    const found = positionIn(sheet, axis, order.idAt(at));
    if (found !== undefined) return found + 1;
  }
  return 0;
}

/** Adds lines behind the last data row or the last column of a table. */
export function* addLines(
  parts: OperationParts,
  { tableId, axis }: TableLines,
  lines: readonly LineId[],
): Generator<void, void> {
  if (lines.length === 0) return;
  const { structure } = parts.state;
  const table = tableIn(parts.state, tableId);
  const range = rangeOf(table, structure);
  const last = axis === 'row' ? dataRange(table, range).row1 : range.column1;
  const ids = flatten(lines.map((line) => ({ ...line, length: 1 })));
  const payload = { sheet: table.sheetId, axis, before: last + 2, ids };
  yield* parts.add({ kind: 'restore.lines', payload });
}

/** Returns the position of a free line behind all content of the sheet. */
function freeLine(state: BranchState, { tableId, axis }: TableLines): number {
  const sheet = sheetOfTable(tableIn(state, tableId), state.structure);
  const used = state.used(sheet);
  const ranges = [
    ...(used ? [used] : []),
    ...state.tables.onSheet(sheet.id).map((table) => rangeOf(table, state.structure)),
  ];
  const last = ranges.map((range) => (axis === 'row' ? range.row1 : range.column1));
  return Math.max(...last) + 2;
}

function* moveCells(
  parts: OperationParts,
  lines: TableLines,
  places: readonly PlacedLine[],
): Generator<void, void> {
  const { tableId, axis } = lines;
  const table = tableIn(parts.state, tableId);
  const own =
    axis === 'row' ? columnRanges(parts.state, lines) : [rangeOf(table, parts.state.structure)];
  const all = [usedRange(parts.state, tableId)];
  for (const isWhole of [false, true]) {
    for (const { from, to, count } of runsOf(places.filter((one) => one.isWhole === isWhole))) {
      for (const range of isWhole ? all : own) {
        const source = areaAt(range, axis, { from, count });
        const corner = areaAt(range, axis, { from: to, count });
        const payload = { sheet: table.sheetId, source: rangeName(source), to: rangeName(corner) };
        yield* parts.add({ kind: 'range.move', payload });
      }
    }
  }
}

/**
 * Returns the ranges of columns that a table has on either side. Before the merge they need not be
 * contiguous: columns of the other side, or columns moved out of the table, may stand apart.
 */
export function columnRanges(
  state: BranchState,
  { tableId, known = state }: Pick<TableLines, 'tableId' | 'known'>,
): Range[] {
  const table = tableIn(state, tableId);
  const sheet = sheetOfTable(table, state.structure);
  const range = rangeOf(table, state.structure);
  const columns = [...table.columns, ...tableIn(known, tableId).columns];
  const positions = columns.flatMap(({ line }) => positionIn(sheet, 'column', line) ?? []);
  const places = [...new Set(positions)].map((at) => ({ from: at, to: at }));
  return runsOf(places).map(({ from, count }) => areaAt(range, 'column', { from, count }));
}

export function areaAt(
  range: Range,
  axis: Axis,
  { from, count }: { from: number; count: number },
): Range {
  return axis === 'row'
    ? { ...range, row0: from, row1: from + count - 1 }
    : { ...range, column0: from, column1: from + count - 1 };
}

/** Joins lines that are contiguous both before and after. */
function runsOf(places: readonly Places[]): (Places & { count: number })[] {
  const runs: { from: number; to: number; count: number }[] = [];
  for (const { from, to } of places.toSorted((a, b) => a.from - b.from)) {
    const last = runs.at(-1);
    const isNext =
      last?.from === from - (last?.count ?? 0) &&
      last.to === to - last.count &&
      last.count < rowsPerMove;
    if (isNext) last.count++;
    else runs.push({ from, to, count: 1 });
  }
  return runs;
}

export function rulesOn({ records }: BranchState, sheetId: string): StoredRecord[] {
  return ruleTypes.flatMap((type) => records.on(type, { id: sheetId }));
}

/** Returns a record as it is put where it is, on the same cells. */
export function restoredRecord(record: StoredRecord, state: BranchState): RestoredRecord {
  const { type, id, sheetId: sheet, areas } = record;
  const value = valueInIds(record, state.structure, state.coding.formulas);
  return { type, id, sheet, areas: areas.map(areaText), value, inIds: true };
}

/** Puts the rules of a sheet back on their areas after cells were moved. */
export function* putBack(
  parts: OperationParts,
  sheet: string,
  rules: readonly StoredRecord[],
): Generator<void, void> {
  const { state } = parts;
  const known = new Set(rules.map(recordKey));
  const put = rules
    .filter((rule) => state.records.get(recordKey(rule)) !== rule)
    .map((rule) => restoredRecord(rule, state));
  const gone = rulesOn(state, sheet)
    .map(recordKey)
    .filter((key) => !known.has(key));
  if (put.length + gone.length === 0) return;
  yield* parts.add({ kind: 'restore.records', payload: { sheet, put, delete: gone } });
}

/** Ends a table at its last occupied row, after rows were relocated. */
export function* fitRows(
  parts: OperationParts,
  tableId: string,
  relocations: readonly Relocation[],
): Generator<void, void> {
  const { state } = parts;
  const table = tableIn(state, tableId);
  if (table.totalsRow || relocations.length === 0) return;
  const sheet = sheetOfTable(table, state.structure);
  const { row0, row1 } = dataRange(table, rangeOf(table, state.structure));
  const taken = new Set(relocations.map(({ to }) => lineText(to)));
  const left = new Set(relocations.map(({ from }) => lineText(from)));
  const isLeft = (position: number) => {
    const line = lineText(sheet.rows.idAt(position));
    return left.has(line) && !taken.has(line);
  };
  let last = row1;
  while (last > row0 && isLeft(last)) last--;
  for (const { to } of relocations) last = Math.max(last, positionIn(sheet, 'row', to) ?? -1);
  if (last === row1) return;
  const put = [entryOf({ ...table, lastRow: sheet.rows.idAt(last) })];
  yield* parts.add({ kind: 'restore.tables', payload: { put, delete: [] } });
}

/** Returns ids for new lines, of the operation under way, that none of the orders has. */
export function freshLines(
  { branchNo: branch, head: sequence }: BranchState,
  orders: readonly Order[],
  count: number,
): LineId[] {
  const isKnown = (offset: number) =>
    orders.some((order) => order.positionOf(branch, sequence, offset) !== undefined);
  let first = 0;
  while (isKnown(first)) first++;
  return Array.from({ length: count }, (_, at) => ({ branch, sequence, offset: first + at }));
}

/** Pairs two lists of lines; the longer one is cut. */
export function relocated(from: readonly LineId[], to: readonly LineId[]): Relocation[] {
  return from.flatMap((line, at) => {
    const target = to[at];
    return target ? [{ from: line, to: target }] : [];
  });
}

/** Content of a table row; `calculated` when it holds only formulas of calculated columns. */
export type RowContent = 'blank' | 'calculated' | 'filled';

/**
 * Returns a function that classifies the content of a row in the columns of a table; undefined for
 * a row that the state has not.
 */
export function rowContents(
  state: BranchState,
  lines: Pick<TableLines, 'tableId' | 'known'>,
): (line: LineId) => RowContent | undefined {
  const table = tableIn(state, lines.tableId);
  const sheet = sheetOfTable(table, state.structure);
  const ranges = columnRanges(state, lines);
  const cells = state.cellsOf(sheet);
  const formulas = new Map(
    table.columns.map(({ line, formula }) => [positionIn(sheet, 'column', line), formula]),
  );
  const isBlank = (row: number, { column0, column1 }: Pick<Range, 'column0' | 'column1'>) =>
    isBlankArea(sheet, { row0: row, row1: row, column0, column1 }, cells);
  const isCalculated = (row: number, column: number) => {
    const formula = formulas.get(column);
    return formula !== undefined && writeInput(state.inputAt(sheet, row, column)) === formula;
  };
  return (line) => {
    const row = positionIn(sheet, 'row', line);
    if (row === undefined) return undefined;
    const held = ranges.filter((range) => !isBlank(row, range));
    if (held.length === 0) return 'blank';
    const columns = held.flatMap(({ column0, column1 }) =>
      Array.from({ length: column1 - column0 + 1 }, (_, at) => column0 + at),
    );
    const isBare = (at: number) =>
      isCalculated(row, at) || isBlank(row, { column0: at, column1: at });
    return columns.every(isBare) ? 'calculated' : 'filled';
  };
}
