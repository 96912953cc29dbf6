import type { Mutation } from '../../model/mutation.ts';
import { columnCount, rowCount, type Range } from '../../model/range.ts';
import { cellTag } from '../cells/block.ts';
import type { CellCoding } from '../cells/cell-coding.ts';
import type { LinePlan, LineStep } from '../structure/line-steps.ts';
import { columnIds } from '../ids/id-span.ts';
import { leaveCell, type Plan, type PlannedBlock, type PlannedCell } from './plan.ts';
import type { SheetCells, Stretch } from '../cells/sheet-cells.ts';
import { orderOf, type SheetOutline } from '../structure/structure.ts';

type PlanOf<Type extends Plan['type']> = Extract<Plan, { type: Type }>;
type CellsOf = (sheet: SheetOutline) => SheetCells;

export function spansOf(sheet: SheetOutline, area: Range) {
  return {
    rows: sheet.rows.spansAt(area.row0, rowCount(area)),
    columns: sheet.columns.spansAt(area.column0, columnCount(area)),
  };
}

/** Cells that are written between two pauses. */
const cellsBetweenPauses = 64;

export function* writeCells(
  cells: readonly PlannedCell[],
  cellsOf: CellsOf,
): Generator<void, Mutation[]> {
  const mutations: Mutation[] = [];
  for (const { sheet, row, column, rowId, columnId, input, coded, format } of cells) {
    const block = cellsOf(sheet).blockForWrite(rowId, columnId);
    const lane = rowId.offset & 1023;
    if (format !== undefined) block.fillFormat(lane, lane + 1, format);
    if (coded === undefined || input === undefined) continue;
    block.set(lane, coded.tag, coded.number);
    mutations.push({ kind: 'cell', sheet: sheet.key, row, column, input });
    if (mutations.length % cellsBetweenPauses === 0) yield;
  }
  return mutations;
}

export function* writeBlocks(
  plan: PlanOf<'blocks'>,
  cells: SheetCells,
): Generator<void, Mutation[]> {
  const mutations: Mutation[] = [];
  for (const block of plan.blocks) {
    yield* writeBlock(plan.sheet, block, cells);
    const { range, inputs } = block;
    const at = { sheet: plan.sheet.key, row: range.row0, column: range.column0 };
    mutations.push({ kind: 'block', ...at, inputs });
  }
  return mutations;
}

function* writeBlock(
  sheet: SheetOutline,
  planned: PlannedBlock,
  cells: SheetCells,
): Generator<void, void> {
  const { rows, columns } = spansOf(sheet, planned.range);
  let column = 0;
  for (const id of columnIds(columns)) {
    for (const stretch of cells.stretchesForWrite(rows, id)) {
      writeStretch(planned, column, stretch);
    }
    column++;
    yield;
  }
}

function writeStretch(planned: PlannedBlock, column: number, stretch: Stretch): void {
  const { range, tags, numbers, formats } = planned;
  const { block, from, to, skipped } = stretch;
  const width = columnCount(range);
  let index = skipped * width + column;
  const written = writtenLanes(planned, { index, width, from, to });
  if (written) block.reserve(written.from, written.to);
  for (let lane = from; lane < to; lane++, index += width) {
    const tag = tags[index] ?? leaveCell;
    if (tag !== leaveCell) block.set(lane, tag, numbers[index] ?? 0);
    const format = formats?.[index] ?? -1;
    if (format >= 0) block.fillFormat(lane, lane + 1, format);
  }
}

interface Lanes {
  readonly index: number;
  readonly width: number;
  readonly from: number;
  readonly to: number;
}

/** Returns the first and the last lane that a block writes to; undefined when there are none. */
function writtenLanes({ tags }: PlannedBlock, { index, width, from, to }: Lanes) {
  let first = -1;
  let last = -1;
  for (let lane = from, at = index; lane < to; lane++, at += width) {
    const tag = tags[at] ?? leaveCell;
    if (tag === leaveCell || tag === cellTag.blank) continue;
    if (first < 0) first = lane;
    last = lane;
  }
  return first < 0 ? undefined : { from: first, to: last + 1 };
}

export function* fillAreas(
  plan: PlanOf<'fill'>,
  cells: SheetCells,
  coding: CellCoding,
): Generator<void, Mutation[]> {
  const [first] = plan.areas;
  const { sheet, coded, input } = plan;
  const mutations: Mutation[] = [];
  for (const area of plan.areas) {
    const { rows, columns } = spansOf(sheet, area);
    for (const id of columnIds(columns)) {
      for (const { block, from, to } of cells.stretchesForWrite(rows, id)) {
        block.fill(from, to, coded.tag, coded.number);
      }
      yield;
    }
    const here = area === first ? input : shifted(plan, area, coding);
    const at = { sheet: sheet.key, row: area.row0, column: area.column0 };
    const size = { rowCount: rowCount(area), columnCount: columnCount(area) };
    mutations.push({ kind: 'fill', ...at, ...size, input: here });
  }
  return mutations;
}

/** Returns the input of a fill as it reads in the first cell of another area. */
function shifted({ input, coded }: PlanOf<'fill'>, area: Range, coding: CellCoding) {
  if (coded.tag !== cellTag.formula) return input;
  const { r1c1, legacy } = coding.dictionary.formula(coded.number);
  const formula = coding.formulas.fromR1C1(r1c1, area.row0, area.column0);
  return legacy ? { formula, legacy: true as const } : { formula };
}

export function* clearAreas(plan: PlanOf<'clear'>, cells: SheetCells): Generator<void, Mutation[]> {
  const { sheet, areas, values } = plan;
  if (!values) return [];
  for (const area of areas) {
    const { rows, columns } = spansOf(sheet, area);
    yield* cells.clear(rows, columns, { values, formats: false });
  }
  return areas.map((area) => ({
    kind: 'fill',
    sheet: sheet.key,
    row: area.row0,
    column: area.column0,
    rowCount: rowCount(area),
    columnCount: columnCount(area),
    input: null,
  }));
}

/** Applies inserted, deleted or moved lines to the cells; returns the mutations for a kernel. */
export function* editLineCells(
  plan: LinePlan,
  steps: readonly LineStep[],
  cellsOf: CellsOf,
): Generator<void, Mutation[]> {
  const { axis, sheet } = plan;
  if (plan.type === 'delete') return yield* forgetLines(plan, cellsOf(sheet));
  if (plan.type === 'insert') {
    return [{ kind: 'insert', axis, sheet: sheet.key, from: plan.position, count: plan.count }];
  }
  return steps.flatMap(({ leaving, target }) =>
    leaving.map(({ from, count }): Mutation => {
      return { kind: 'move', axis, sheet: sheet.key, from, count, before: target ?? from };
    }),
  );
}

/** Sets the style of cells as a whole, whatever their rows and columns have. */
export function* writeLanes(
  { sheet, areas, format }: PlanOf<'lanes'>,
  cells: SheetCells,
): Generator<void, void> {
  for (const area of areas) {
    const { rows, columns } = spansOf(sheet, area);
    if (format === 0) {
      yield* cells.clear(rows, columns, { values: false, formats: true });
      continue;
    }
    for (const id of columnIds(columns)) {
      for (const { block, from, to } of cells.stretchesForWrite(rows, id)) {
        block.fillFormat(from, to, format);
      }
      yield;
    }
  }
}

/** Removes the cells of deleted lines. An undo writes their content again. */
function* forgetLines(
  { sheet, axis, spans }: PlanOf<'delete'>,
  cells: SheetCells,
): Generator<void, Mutation[]> {
  const order = orderOf(sheet, axis);
  const ids = spans.flatMap(({ from, count }) => order.spansAt(from, count));
  if (axis === 'column') cells.dropColumns(ids);
  else {
    const columns = [...cells.columnIds()].map((id) => ({ ...id, length: 1 }));
    yield* cells.clear(ids, columns, { values: true, formats: true });
  }
  return spans
    .toReversed()
    .map(({ from, count }) => ({ kind: 'delete', axis, sheet: sheet.key, from, count }));
}
