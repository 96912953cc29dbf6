import { cellName } from '../../model/address.ts';
import type { Input } from '../../model/cell-value.ts';
import {
  cellCount,
  columnCount,
  parseRange,
  rangeName,
  rowCount,
  type Range,
} from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import type { BranchState } from '../branch-state.ts';
import { cellTag } from '../cells/block.ts';
import type { Dictionary } from '../cells/dictionary.ts';
import type { Stretch } from '../cells/sheet-cells.ts';
import { contains, overlaps, spanOf } from '../formulas/reference-map.ts';
import { without } from '../ids/range-index.ts';
import type { Plan, PlannedBlock, PlannedCell } from '../plan/plan.ts';
import { isCellPlan, type CellPlan } from '../plan/registers.ts';
import type { RewritePlan } from '../references/rewrite.ts';
import { isLinePlan, type LinePlan } from '../structure/line-steps.ts';
import type { Axis, SheetOutline } from '../structure/structure.ts';

// A legacy array formula fills a fixed range. Its cells are written, moved and cleared together, so
// that none of them ever holds something else.

type PlanOf<Type extends Plan['type']> = Extract<Plan, { type: Type }>;

/** Throws a rejection if the plan changes a part of the range of a legacy array formula. */
export function checkArrayParts(plan: Plan, state: BranchState): void {
  if (plan.type === 'cells') checkNewArrays(plan.cells);
  if (!state.coding.dictionary.largestArray) return;
  if (isCellPlan(plan)) checkCellPlan(plan, state);
  else if (isLinePlan(plan)) checkLines(plan, state);
  else if (plan.type === 'rewrite') checkRewrite(plan, state);
  // Lines that a table edits next stand in the addresses of these, and within the table.
  else if (plan.type === 'table' && plan.lines[0]) checkLines(plan.lines[0], state);
}

function checkCellPlan(plan: CellPlan, state: BranchState): void {
  if (plan.type === 'cells') checkCells(plan, state);
  if (plan.type === 'blocks') checkBlocks(plan, state);
  const isWritten = plan.type === 'fill' || (plan.type === 'clear' && plan.values);
  if (isWritten) checkAreas(plan.sheet, plan.areas, state);
}

function checkBlocks({ sheet, blocks }: PlanOf<'blocks'>, state: BranchState): void {
  for (const block of blocks) {
    for (const array of arraysIn(sheet, block.range, state)) {
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

/** Cells of an operation that also writes an array over them. */
function checkNewArrays(cells: readonly PlannedCell[]): void {
  for (const { sheet, input, row, column } of cells) {
    const array = arrayOf(input);
    const part =
      array &&
      cells.find((cell) => {
        const isOther = cell.row !== row || cell.column !== column;
        return isOther && cell.sheet === sheet && contains(array, rangeAt(cell));
      });
    if (part) throw partOf(sheet, array, rangeAt(part));
  }
}

/** A formula with the range of its array writes all of that. */
function writtenBy(cell: PlannedCell): Range {
  return arrayOf(cell.input) ?? rangeAt(cell);
}

function arrayOf(input: Input | undefined): Range | undefined {
  if (typeof input !== 'object' || input === null || !('formula' in input)) return undefined;
  const array = input.array === undefined ? undefined : parseRange(input.array);
  return array && cellCount(array) > 1 ? array : undefined;
}

function rangeAt({ row, column }: Pick<PlannedCell, 'row' | 'column'>): Range {
  return { row0: row, column0: column, row1: row, column1: column };
}

/** The cells of a block within an array that are written, and not left. */
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
  for (const area of areas) {
    for (const array of arraysIn(sheet, area, state)) checkCover(sheet, array, areas);
  }
}

/** Throws a rejection if areas have some cells of an array and not all. */
function checkCover(sheet: SheetOutline, array: Range, areas: readonly Range[]): void {
  const part = areas.find((area) => overlaps(area, array));
  if (!part) return;
  let left = [array];
  for (const area of areas) {
    if (left.length === 0) return;
    if (overlaps(area, array)) left = left.flatMap((range) => without(range, area));
  }
  if (left.length > 0) throw partOf(sheet, array, part);
}

/** Rows or columns that come between those of an array, or go, or are moved without the others. */
function checkLines(plan: LinePlan, state: BranchState): void {
  const { axis, sheet } = plan;
  for (const gap of gapsOf(plan)) {
    for (const array of arraysIn(sheet, linesAt(axis, gap, 1), state)) {
      const [from] = spanOf(array, axis);
      const isAmong =
        plan.type === 'move' && plan.spans.some((span) => isWithin(array, axis, span));
      if (from < gap && !isAmong) throw partOf(sheet, array, array);
    }
  }
  if (plan.type === 'insert') return;
  for (const span of plan.spans) {
    const lines = linesAt(axis, span.from, span.count);
    for (const array of arraysIn(sheet, lines, state)) {
      const isWhole = plan.type === 'delete' ? isCovered(array, plan) : isWithin(array, axis, span);
      if (!isWhole) throw partOf(sheet, array, lines);
    }
  }
}

/** Positions before which lines come in. */
function gapsOf(plan: LinePlan): number[] {
  if (plan.type === 'delete') return [];
  return [plan.type === 'insert' ? plan.position : plan.before];
}

function isCovered(array: Range, { axis, spans }: PlanOf<'delete'>): boolean {
  let left = [array];
  for (const { from, count } of spans) {
    left = left.flatMap((range) => without(range, linesAt(axis, from, count)));
  }
  return left.length === 0;
}

function isWithin(array: Range, axis: Axis, { from, count }: { from: number; count: number }) {
  return contains(linesAt(axis, from, count), array);
}

function linesAt(axis: Axis, from: number, count: number): Range {
  const last = from + count - 1;
  return axis === 'row'
    ? { row0: from, row1: last, column0: 0, column1: Infinity }
    : { row0: 0, row1: Infinity, column0: from, column1: last };
}

function checkRewrite(plan: RewritePlan, state: BranchState): void {
  for (const { sheet, range } of plan.written) {
    for (const array of arraysIn(sheet, range, state)) {
      const isCut = !contains(range, array) || isTorn(plan, sheet, array);
      if (isCut) throw partOf(sheet, array, range);
    }
  }
}

/** Returns whether the cells of an array would not stand beside each other any more. */
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

/** Ranges of the legacy array formulas of several cells that have some in a range. */
function* arraysIn(sheet: SheetOutline, range: Range, state: BranchState): Generator<Range> {
  const { dictionary } = state.coding;
  const most = dictionary.largestArray;
  const used = state.used(sheet);
  if (!most || !used) return;
  const cells = state.cellsOf(sheet);
  const first = Math.max(used.row0, range.row0 - most.rowCount + 1);
  const rows = sheet.rows.spansAt(first, Math.max(0, Math.min(used.row1, range.row1) - first + 1));
  for (const id of cells.columnIds()) {
    const column = sheet.columns.positionOf(id.branch, id.sequence, id.offset);
    if (column === undefined || column > range.column1) continue;
    if (column <= range.column0 - most.columnCount) continue;
    for (const stretch of cells.stretches(rows, id)) {
      const found = arraysOf(stretch, { row: first, column }, dictionary);
      yield* found.filter((array) => overlaps(array, range));
    }
  }
}

/** Ranges of the arrays whose first cells lie in a stretch of the rows from one on. */
function arraysOf(
  { block, from, to, skipped }: Stretch,
  first: { readonly row: number; readonly column: number },
  dictionary: Dictionary,
): Range[] {
  const arrays: Range[] = [];
  const column0 = first.column;
  for (let lane = from; lane < to; lane++) {
    if (block.tagAt(lane) !== cellTag.formula) continue;
    const { array } = dictionary.formula(block.numberAt(lane));
    if (!array || array.rowCount * array.columnCount === 1) continue;
    const row0 = first.row + skipped + lane - from;
    const [row1, column1] = [row0 + array.rowCount - 1, column0 + array.columnCount - 1];
    arrays.push({ row0, column0, row1, column1 });
  }
  return arrays;
}

function partOf(sheet: SheetOutline, array: Range, part: Range): Rejection {
  const range = `${sheet.name}!${rangeName(array)}`;
  const shared = {
    row0: Math.max(array.row0, part.row0),
    column0: Math.max(array.column0, part.column0),
    row1: Math.min(array.row1, part.row1),
    column1: Math.min(array.column1, part.column1),
  };
  const corner = cellName(array.row0, array.column0);
  return new Rejection(
    'array_part',
    `${rangeName(shared)} is a part of ${range}, which the array formula in ${corner} fills`,
  );
}
