import type { Mutation } from '../../model/mutation.ts';
import type { Range } from '../../model/range.ts';
import type { LineChange } from '../structure/area.ts';
import { cellTag } from '../cells/block.ts';
import { spansOf } from '../plan/execute.ts';
import type { FormulaRun } from '../cells/formula-runs.ts';
import type { LaneColumn, LaneCount } from '../cells/lanes.ts';
import type { DefinedName } from './names.ts';
import type { ReferenceMap } from '../formulas/reference-map.ts';
import type { SheetCells } from '../cells/sheet-cells.ts';
import type { RecordChange } from '../records/stored-record.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';

export interface ClearedArea {
  readonly sheet: SheetOutline;
  readonly area: Range;
  readonly values: boolean;
  readonly formats: boolean;
}

/** Content to write to cleared cells. */
export interface RewrittenCells {
  readonly sheet: SheetOutline;
  readonly lanes: readonly LaneColumn[];
}

/** A sorted block: row n of the range gets what row `rows[n]` held. */
export interface SortedRows {
  readonly sheet: SheetOutline;
  readonly range: Range;
  readonly rows: Uint32Array;
}

/** An area that the operation writes to, for finding conflicts. */
export interface WrittenArea {
  readonly sheet: SheetOutline;
  readonly range: Range;
}

/**
 * Cells that get new contents or places, with the formulas, names and tables of the workbook that
 * follow them. Applied in the order of the members.
 */
export interface RewritePlan {
  readonly type: 'rewrite';
  readonly written: readonly WrittenArea[];
  readonly clears: readonly ClearedArea[];
  /** Number of filled cells that are cleared. */
  readonly held: LaneCount;
  readonly cells: RewrittenCells | undefined;
  /** New formulas of other cells. */
  readonly runs: readonly FormulaRun[];
  readonly names: readonly DefinedName[];
  /** The structure after the operation; the same object when it does not change. */
  readonly after: Structure;
  /** The sheet whose rows are reordered as a whole; undefined for none. */
  readonly order: SheetOutline | undefined;
  /** Maps old places of cells to new ones; undefined when no cell moved. */
  readonly map: ReferenceMap | undefined;
  readonly sorted: SortedRows | undefined;
  /** Changes of records on the cells; undefined when there are none. */
  readonly records: RecordChange | undefined;
  readonly mutations: readonly Mutation[];
}

/** Returns the change of lines by a sort of whole rows; undefined for other plans. */
export function sortOf({ order: before, sorted, after }: RewritePlan): LineChange | undefined {
  const sheet = before && after.withId(before.id);
  if (!before || !sorted || !sheet) return undefined;
  const { row0, row1 } = sorted.range;
  return { before, after: sheet, axis: 'row', moved: [{ from: row0, count: row1 - row0 + 1 }] };
}

type CellsOf = (sheet: SheetOutline) => SheetCells;

/** Runs of formulas that are written between two pauses. */
const runsBetweenPauses = 64;

export function* rewriteCells(plan: RewritePlan, cellsOf: CellsOf): Generator<void, void> {
  for (const { sheet, area, values, formats } of plan.clears) {
    const { rows, columns } = spansOf(sheet, area);
    yield* cellsOf(sheet).clear(rows, columns, { values, formats });
  }
  if (plan.cells) {
    const { sheet, lanes } = plan.cells;
    for (const column of lanes) {
      writeLanes(column, sheet, cellsOf(sheet));
      yield;
    }
  }
  for (const [index, run] of plan.runs.entries()) {
    writeRun(run, cellsOf(run.sheet));
    if (index % runsBetweenPauses === 0) yield;
  }
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
