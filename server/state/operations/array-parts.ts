import { firstAfter } from '../ids/first-after.ts';
import { cellName } from '../../model/address.ts';
import { isFormulaInput, type Input } from '../../model/cell-value.ts';
import {
  cellCount,
  columnCount,
  holdsRange,
  intersection,
  parseRange,
  rangeName,
  rowCount,
  type Range,
} from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import type { BranchState } from '../branch-state.ts';
import { cellTag } from '../cells/block.ts';
import type { Stretch } from '../cells/sheet-cells.ts';
import { spanOf } from '../formulas/reference-map.ts';
import type { Order } from '../ids/order.ts';
import { RangeIndex, without } from '../ids/range-index.ts';
import type { Plan, PlannedBlock, PlannedCell } from '../plan/plan.ts';
import { isCellPlan, type CellPlan } from '../plan/registers.ts';
import type { RewritePlan } from '../references/rewrite.ts';
import { isLinePlan, type LinePlan } from '../structure/line-steps.ts';
import type { Axis, SheetOutline } from '../structure/structure.ts';

// A legacy array formula fills a fixed range. Its cells are written, moved and cleared together, so
// that none of them ever holds something else.

type PlanOf<Type extends Plan['type']> = Extract<Plan, { type: Type }>;

/** Returns whether the dictionary has all legacy arrays of the sheets that a plan writes to. */
export function knowsArrays(plan: Plan, state: BranchState): boolean {
  return [...sheetsOf(plan)].every((sheet) => state.cellsOf(sheet).knowsArrays);
}

/** Reads these arrays from storage; needed before `checkArrayParts` where they are not known. */
export function* readArrays(plan: Plan, state: BranchState): Generator<void, void> {
  for (const sheet of sheetsOf(plan)) yield* state.cellsOf(sheet).readArrays();
}

/** Sheets whose array formulas a plan may touch. */
function sheetsOf(plan: Plan): ReadonlySet<SheetOutline> {
  if (plan.type === 'cells') return new Set(plan.cells.map(({ sheet }) => sheet));
  if (plan.type === 'rewrite') return new Set(plan.written.map(({ sheet }) => sheet));
  if (plan.type === 'table') return new Set(linesOf(plan).map(({ sheet }) => sheet));
  if (plan.type === 'format' || plan.type === 'lanes') return new Set();
  return new Set(isCellPlan(plan) || isLinePlan(plan) ? [plan.sheet] : []);
}

function linesOf({ lines: [first], asked }: PlanOf<'table'>): LinePlan[] {
  return [first, asked].flatMap((plan) => plan ?? []);
}

/** Throws a rejection if the plan changes a part of the range of a legacy array formula. */
export function checkArrayParts(plan: Plan, state: BranchState): void {
  if (plan.type === 'cells') checkNewArrays(plan.cells);
  if (!state.coding.dictionary.largestArray) return;
  if (isCellPlan(plan)) checkCellPlan(plan, state);
  else if (isLinePlan(plan)) checkLines(plan, state);
  else if (plan.type === 'rewrite') checkRewrite(plan, state);
  // Further line edits of a table are in the addresses after these, and inside the table.
  else if (plan.type === 'table') checkTable(plan, state);
}

function checkTable(plan: PlanOf<'table'>, state: BranchState): void {
  for (const lines of new Set(linesOf(plan))) checkLines(lines, state);
}

function checkCellPlan(plan: CellPlan, state: BranchState): void {
  if (plan.type === 'cells') checkCells(plan, state);
  if (plan.type === 'blocks') checkBlocks(plan, state);
  const isWritten = plan.type === 'fill' || (plan.type === 'clear' && plan.values);
  if (isWritten) checkAreas(plan.sheet, plan.areas, state);
}

function checkBlocks({ sheet, blocks }: PlanOf<'blocks'>, state: BranchState): void {
  for (const block of blocks) {
    for (const { array } of arraysMet(sheet, [block.range], state)) {
      checkCover(sheet, array, writtenRanges(block, array));
    }
  }
}

function checkCells({ cells }: PlanOf<'cells'>, state: BranchState): void {
  const bySheet = new Map<SheetOutline, Range[]>();
  for (const cell of cells) {
    if (cell.input === undefined) continue;
    const areas = bySheet.get(cell.sheet);
    if (areas) areas.push(writtenBy(cell));
    else bySheet.set(cell.sheet, [writtenBy(cell)]);
  }
  for (const [sheet, areas] of bySheet) checkAreas(sheet, areas, state);
}

/** Throws a rejection if an operation writes an array and also a cell within its range. */
function checkNewArrays(cells: readonly PlannedCell[]): void {
  const isNew = ({ input }: PlannedCell): boolean => arrayArea(input) !== undefined;
  for (const sheet of new Set(cells.filter(isNew).map((cell) => cell.sheet))) {
    // The plan blanks the other cells of the range itself.
    const own = cells.filter(({ sheet: at, input }) => at === sheet && (input ?? null) !== null);
    const arrays = own.flatMap(({ input }) => arrayArea(input) ?? []);
    for (const { array, areas } of meetings(arrays, own.map(rangeAt))) {
      const part = areas.find(({ row0, column0 }) => {
        return row0 !== array.row0 || column0 !== array.column0;
      });
      if (part) throw partOf(sheet, array, part);
    }
  }
}

/** Returns the cells that a planned cell writes: the whole range if it enters an array. */
function writtenBy(cell: PlannedCell): Range {
  return arrayArea(cell.input) ?? rangeAt(cell);
}

/** Returns the range of a legacy array formula; undefined for one that fills its own cell only. */
export function arrayArea(input: Input | undefined): Range | undefined {
  if (!isFormulaInput(input)) return undefined;
  const array = input.array === undefined ? undefined : parseRange(input.array);
  return array && cellCount(array) > 1 ? array : undefined;
}

function rangeAt({ row, column }: Pick<PlannedCell, 'row' | 'column'>): Range {
  return { row0: row, column0: column, row1: row, column1: column };
}

/** Returns the ranges in an array that a block writes, without the cells that it leaves alone. */
function writtenRanges({ range, inputs }: PlannedBlock, array: Range): Range[] {
  const written: Range[] = [];
  for (let row = Math.max(range.row0, array.row0); row <= Math.min(range.row1, array.row1); row++) {
    const from = Math.max(range.column0, array.column0);
    for (let column = from; column <= Math.min(range.column1, array.column1); column++) {
      const input = inputs[row - range.row0]?.[column - range.column0];
      if (input !== undefined) written.push(rangeAt({ row, column }));
    }
  }
  return written;
}

function checkAreas(sheet: SheetOutline, areas: readonly Range[], state: BranchState): void {
  for (const met of arraysMet(sheet, areas, state)) checkCover(sheet, met.array, met.areas);
}

/** Throws a rejection if areas have some cells of an array and not all. */
function checkCover(sheet: SheetOutline, array: Range, areas: readonly Range[]): void {
  const [part] = areas;
  if (!part || areas.some((area) => holdsRange(area, array))) return;
  // Cutting in order of position keeps the rest in few pieces.
  let left = [array];
  for (const area of areas.toSorted((a, b) => a.row0 - b.row0 || a.column0 - b.column0)) {
    if (left.length === 0) return;
    left = left.flatMap((range) => without(range, area));
  }
  if (left.length > 0) throw partOf(sheet, array, part);
}

/** Throws a rejection if inserted, deleted or moved lines would take an array apart. */
function checkLines(plan: LinePlan, state: BranchState): void {
  const { axis, sheet } = plan;
  for (const gap of gapsOf(plan)) {
    for (const { array } of arraysMet(sheet, [linesAt(axis, gap, 1)], state)) {
      const [from] = spanOf(array, axis);
      const isAmong =
        plan.type === 'move' && plan.spans.some((span) => isWithin(array, axis, span));
      if (from < gap && !isAmong) throw partOf(sheet, array, array);
    }
  }
  if (plan.type === 'insert') return;
  const lines = plan.spans.map(({ from, count }) => linesAt(axis, from, count));
  if (plan.type === 'delete') return checkAreas(sheet, lines, state);
  for (const { array, areas } of arraysMet(sheet, lines, state)) {
    const [part = array] = areas;
    if (!areas.some((area) => holdsRange(area, array))) throw partOf(sheet, array, part);
  }
}

/** Positions before which a plan inserts or puts lines. */
function gapsOf(plan: LinePlan): number[] {
  if (plan.type === 'delete') return [];
  return [plan.type === 'insert' ? plan.position : plan.before];
}

function isWithin(array: Range, axis: Axis, { from, count }: { from: number; count: number }) {
  return holdsRange(linesAt(axis, from, count), array);
}

function linesAt(axis: Axis, from: number, count: number): Range {
  const last = from + count - 1;
  return axis === 'row'
    ? { row0: from, row1: last, column0: 0, column1: Infinity }
    : { row0: 0, row1: Infinity, column0: from, column1: last };
}

function checkRewrite(plan: RewritePlan, state: BranchState): void {
  for (const { sheet, range } of plan.written) {
    for (const { array } of arraysMet(sheet, [range], state)) {
      const isCut = !holdsRange(range, array) || isTorn(plan, sheet, array);
      if (isCut) throw partOf(sheet, array, range);
    }
  }
}

/** Returns whether an edit of lines would part the cells of an array. */
function isTorn(
  { map, sorted }: RewritePlan,
  { id: sheetId }: SheetOutline,
  array: Range,
): boolean {
  if (sorted) return rowCount(array) > 1;
  const moved = map?.map({ sheetId, range: array });
  if (moved === undefined || moved === 'gone') return false;
  return (
    rowCount(moved.range) !== rowCount(array) || columnCount(moved.range) !== columnCount(array)
  );
}

interface Met {
  readonly array: Range;
  /** Areas that share cells with the array. */
  readonly areas: readonly Range[];
}

/** Finds the legacy arrays of several cells that share cells with areas, each with those areas. */
function arraysMet(sheet: SheetOutline, areas: readonly Range[], state: BranchState): Met[] {
  return meetings([...arraysNear(sheet, areas, state)], areas);
}

/** Finds which areas share cells with which arrays; those of no area are left out. */
function meetings(arrays: readonly Range[], areas: readonly Range[]): Met[] {
  const met = arrays.map((array) => ({ array, areas: new Array<Range>() }));
  const index = new RangeIndex();
  for (const [at, { array }] of met.entries()) index.add(String(at), [array]);
  for (const area of areas) {
    for (const at of index.meeting(area)) met[Number(at)]?.areas.push(area);
  }
  return met.filter((one) => one.areas.length > 0);
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Yields the ranges of arrays whose first cells are near enough to areas to have some in them. */
function* arraysNear(
  sheet: SheetOutline,
  areas: readonly Range[],
  state: BranchState,
): Generator<Range> {
  const cells = state.cellsOf(sheet);
  for (const { id, column, spans } of columnsNear(sheet, areas, state)) {
    for (const { from, to } of merged(spans)) {
      for (const stretch of cells.stretches(sheet.rows.spansAt(from, to - from + 1), id)) {
        yield* arraysOf(stretch, { row: from, column }, { sheet, state });
      }
    }
  }
}

/** Finds the columns, and the rows in them, where an array that reaches into areas may begin. */
function columnsNear(sheet: SheetOutline, areas: readonly Range[], state: BranchState) {
  const most = state.coding.dictionary.largestArray;
  const used = state.used(sheet);
  if (!most || !used) return [];
  const columns = [...state.cellsOf(sheet).columnIds()].flatMap((id) => {
    const column = sheet.columns.positionOf(id.branch, id.sequence, id.offset);
    return column === undefined ? [] : [{ id, column, spans: new Array<Span>() }];
  });
  columns.sort((a, b) => a.column - b.column);
  const high = reachOf(sheet.rows, most.rowCount);
  const wide = reachOf(sheet.columns, most.columnCount);
  for (const { row0, column0, row1, column1 } of areas) {
    const span = {
      from: Math.max(used.row0, row0 - high + 1),
      to: Math.min(used.row1, row1),
    };
    if (span.from > span.to) continue;
    const first = firstAt(columns, column0 - wide + 1);
    for (const { spans } of columns.slice(first, firstAt(columns, column1 + 1))) spans.push(span);
  }
  return columns;
}

/**
 * Returns the most lines that an array can cover: a merge may have put other lines among its own,
 * which count too.
 */
function reachOf(order: Order, most: number): number {
  if (order.isUntouched) return most;
  const runs = new Set<string>();
  let [others, next] = [0, 0];
  for (const { branch, sequence, offset, length } of order.spans()) {
    const run = `${branch}.${sequence}`;
    const isFirst = run === '0.0';
    // Lines that were moved may be anywhere.
    if (isFirst ? offset < next : runs.has(run)) return Infinity;
    runs.add(run);
    if (isFirst) next = offset + length;
    else others += length;
  }
  return most + others;
}

/** Index of the first column at or right of a position. */
function firstAt(columns: readonly { readonly column: number }[], position: number): number {
  return firstAfter(columns.length, (at) => (columns[at]?.column ?? 0) >= position);
}

/** Returns the spans sorted, with touching ones joined. */
function merged(spans: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = found.at(-1);
    if (!last || span.from > last.to + 1) found.push(span);
    else if (span.to > last.to) found[found.length - 1] = { from: last.from, to: span.to };
  }
  return found;
}

/** Yields the ranges of arrays whose first cells lie in a stretch of rows of a column. */
function arraysOf(
  { block, from, to, skipped }: Stretch,
  first: { readonly row: number; readonly column: number },
  { sheet, state }: { readonly sheet: SheetOutline; readonly state: BranchState },
): Range[] {
  const arrays: Range[] = [];
  const { coding, structure } = state;
  for (let lane = from; lane < to; lane++) {
    if (block.tagAt(lane) !== cellTag.formula) continue;
    const number = block.numberAt(lane);
    if (!coding.dictionary.formula(number).array) continue;
    const row = sheet.rows.idAt(first.row + skipped + lane - from);
    const place = { sheetId: sheet.id, row, column: sheet.columns.idAt(first.column) };
    // The range is read at the head, because a merge may have put lines among its own.
    const array = arrayArea(coding.decode({ tag: cellTag.formula, number }, place, structure));
    if (array) arrays.push(array);
  }
  return arrays;
}

function partOf(sheet: SheetOutline, array: Range, part: Range): Rejection {
  const range = `${sheet.name}!${rangeName(array)}`;
  const shared = intersection(array, part) ?? array;
  const corner = cellName(array.row0, array.column0);
  return new Rejection(
    'array_part',
    `${rangeName(shared)} is a part of ${range}, which the array formula in ${corner} fills`,
  );
}
