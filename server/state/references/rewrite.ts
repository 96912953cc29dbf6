import type { Mutation } from '../../model/mutation.ts';
import type { Range } from '../../model/range.ts';
import type { LineChange } from '../structure/area.ts';
import { cellTag } from '../cells/block.ts';
import { spansOf } from '../plan/execute.ts';
import type { FormulaRun } from '../cells/formula-runs.ts';
import { countLanes, type LaneColumn, type LaneCount } from '../cells/lanes.ts';
import type { DefinedName } from './names.ts';
import type { ReferenceMap } from '../formulas/reference-map.ts';
import type { SheetCells, Stretch } from '../cells/sheet-cells.ts';
import type { RecordChange } from '../records/stored-record.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';

export interface ClearedArea {
  readonly sheet: SheetOutline;
  readonly area: Range;
  readonly values: boolean;
  readonly formats: boolean;
}

/** Content that is written over cleared cells. */
export interface RewrittenCells {
  readonly sheet: SheetOutline;
  readonly lanes: readonly LaneColumn[];
}

/** Rows of a block that changed places: place n of the range holds what row `rows[n]` of it held. */
export interface SortedRows {
  readonly sheet: SheetOutline;
  readonly range: Range;
  readonly rows: Uint32Array;
}

/** An area that the operation writes to, for telling conflicts. */
export interface WrittenArea {
  readonly sheet: SheetOutline;
  readonly range: Range;
}

/**
 * Cells that get new content or places, and the formulas, names and tables anywhere in the workbook
 * that follow them: done in this order.
 */
export interface RewritePlan {
  readonly type: 'rewrite';
  readonly written: readonly WrittenArea[];
  readonly clears: readonly ClearedArea[];
  /** Cells with something that the clearing removes. */
  readonly held: LaneCount;
  readonly cells: RewrittenCells | undefined;
  /** Formulas of other cells that now read differently. */
  readonly runs: readonly FormulaRun[];
  readonly names: readonly DefinedName[];
  /** The structure once all is done; the same object when it stays as it is. */
  readonly after: Structure;
  /** The sheet whose rows change places, all their cells with them. */
  readonly order: SheetOutline | undefined;
  /** Maps the old places of cells to the new ones; undefined where no cell moved. */
  readonly map: ReferenceMap | undefined;
  readonly sorted: SortedRows | undefined;
  /** Changes of the records on the cells; undefined where all stay. */
  readonly records: RecordChange | undefined;
  readonly mutations: readonly Mutation[];
}

/** The change that a sort of whole rows makes to lines; undefined where none were sorted. */
export function sortOf({ order: before, sorted, after }: RewritePlan): LineChange | undefined {
  const sheet = before && after.withId(before.id);
  if (!before || !sorted || !sheet) return undefined;
  const { row0, row1 } = sorted.range;
  return { before, after: sheet, axis: 'row', moved: [{ from: row0, count: row1 - row0 + 1 }] };
}

type CellsOf = (sheet: SheetOutline) => SheetCells;

export function rewriteCells(plan: RewritePlan, cellsOf: CellsOf): void {
  for (const { sheet, area, values, formats } of plan.clears) {
    const { rows, columns } = spansOf(sheet, area);
    cellsOf(sheet).clear(rows, columns, { values, formats });
  }
  if (plan.cells) {
    const { sheet, lanes } = plan.cells;
    for (const column of lanes) writeLanes(column, sheet, cellsOf(sheet));
  }
  for (const run of plan.runs) writeRun(run, cellsOf(run.sheet));
}

function writeLanes(lanes: LaneColumn, sheet: SheetOutline, cells: SheetCells): void {
  const { row, column, tags, numbers, formats } = lanes;
  const rows = sheet.rows.spansAt(row, tags.length);
  const id = sheet.columns.idAt(column);
  for (const { block, from, to, skipped } of cells.stretchesForWrite(rows, id)) {
    let at = skipped;
    for (let lane = from; lane < to; lane++, at++) {
      const tag = tags[at] ?? cellTag.blank;
      const format = formats[at] ?? 0;
      if (tag !== cellTag.blank) block.set(lane, tag, numbers[at] ?? 0);
      if (format !== 0) block.fillFormat(lane, lane + 1, format);
    }
  }
}

export function writeRun(
  { sheet, row, column, count, index }: FormulaRun,
  cells: SheetCells,
): void {
  const rows = sheet.rows.spansAt(row, count);
  for (const { block, from, to } of cells.stretchesForWrite(rows, sheet.columns.idAt(column))) {
    block.fill(from, to, cellTag.formula, index);
  }
}

/** Returns whether all is already as the plan wants it. */
export function isRewritten(plan: RewritePlan, head: Structure, cellsOf: CellsOf): boolean {
  if (plan.after !== head || plan.runs.length + plan.names.length > 0) return false;
  const lanes = plan.cells?.lanes ?? [];
  if (plan.cells && !lanes.every((column) => isWritten(column, plan.cells, cellsOf))) return false;
  const wanted = countLanes(lanes);
  return plan.held.values === wanted.values && plan.held.formats === wanted.formats;
}

function isWritten(
  lanes: LaneColumn,
  target: RewrittenCells | undefined,
  cellsOf: CellsOf,
): boolean {
  if (!target) return true;
  const { sheet } = target;
  const rows = sheet.rows.spansAt(lanes.row, lanes.tags.length);
  const id = sheet.columns.idAt(lanes.column);
  const held = { values: 0, formats: 0 };
  for (const stretch of cellsOf(sheet).stretches(rows, id)) {
    const equal = countEqual(lanes, stretch);
    held.values += equal.values;
    held.formats += equal.formats;
  }
  const wanted = countLanes([lanes]);
  return held.values === wanted.values && held.formats === wanted.formats;
}

/** Lanes that are to hold something, and do. */
function countEqual(lanes: LaneColumn, { block, from, to, skipped }: Stretch): LaneCount {
  let values = 0;
  let formats = 0;
  for (let lane = from, at = skipped; lane < to; lane++, at++) {
    const tag = lanes.tags[at];
    const format = lanes.formats[at];
    if (tag !== cellTag.blank && tag === block.tagAt(lane)) {
      if (lanes.numbers[at] === block.numberAt(lane)) values++;
    }
    if (format !== 0 && format === block.formatAt(lane)) formats++;
  }
  return { values, formats };
}
