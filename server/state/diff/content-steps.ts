import { rowLimit, columnLimit } from '../../model/address.ts';
import type { Mutation } from '../../model/mutation.ts';
import type { BranchState } from '../branch-state.ts';
import { mergedAreas } from '../operations/merged-areas.ts';
import { hiddenRows } from '../records/row-visibility.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { changedNames } from './changed-names.ts';
import { changedLanes } from './changed-runs.ts';
import { lineDifferences, type LinesAt } from './line-differences.ts';
import { RenamedNames } from './renamed-names.ts';
import type { Sides } from './sides.ts';

/** Deletions of lines, at most: for each, the kernel looks at all of its formulas. */
const lineStepsMost = 64;
/** Cells between two pauses. */
const cellsBetweenPauses = 256;

/**
 * Yields the mutations that turn a kernel model of one state into a model of another: deletions of
 * lines, then contents of cells. Yields undefined first when this is not possible, because anything
 * else differs, lines were added or reordered, or values depend on history: then a new model is
 * needed.
 */
export function* contentSteps(sides: Sides): Generator<void, Mutation[] | undefined> {
  const { from, to } = sides;
  if (!haveOneFrame(sides) || changedNames(sides).length > 0) return undefined;
  const steps: Mutation[] = [];
  for (const is of to.structure.sheets) {
    const was = from.structure.withId(is.id);
    const lines = was && lineSteps(was, is);
    if (!was || !lines || !showTheSame(sides, { was, is, haveLinesMoved: lines.length > 0 })) {
      return undefined;
    }
    steps.push(...lines);
    if (steps.length > lineStepsMost) return undefined;
  }
  if (steps.length > 0) {
    for (const table of to.tables.mutations(to.structure)) steps.push(inKeysOf(from, to, table));
  }
  for (const is of to.structure.sheets) yield* pushCells(sides, is, steps);
  return steps;
}

/**
 * Returns whether both states have the same sheets, tables and settings, without iterative
 * calculation.
 */
function haveOneFrame({ from, to }: Sides): boolean {
  if (to.settings.get('iteration.enabled') === true) return false;
  const frame = (state: BranchState) => [
    state.structure.sheets.map(({ id, name }) => [id, name]),
    state.settings.mutations(),
    state.tables.all.map(({ id, name, sheetId }) => [id, name, sheetId]),
  ];
  return JSON.stringify(frame(from)) === JSON.stringify(frame(to));
}

/**
 * Returns the deletions of lines; undefined when lines were added or reordered, because a formula
 * that lost an end with a line would not get it back.
 */
function lineSteps(was: SheetOutline, is: SheetOutline): Mutation[] | undefined {
  const steps: Mutation[] = [];
  for (const axis of ['row', 'column'] as const) {
    const [from, to, limit] =
      axis === 'row' ? [was.rows, is.rows, rowLimit] : [was.columns, is.columns, columnLimit];
    const { deleted, inserted, moved } = lineDifferences(from, to, limit);
    if (moved.length + inserted.filter(isWithin(limit)).length > 0) return undefined;
    // From the bottom up, so that positions stay valid.
    for (const { position, count } of deleted.toReversed()) {
      steps.push({ kind: 'delete', axis, sheet: was.key, from: position, count });
    }
  }
  return steps;
}

/**
 * Lines that only enter or leave at the end of the grid, because others were deleted, do not count.
 */
function isWithin(limit: number): (lines: LinesAt) => boolean {
  return ({ position, count }) => position + count < limit;
}

interface ShownSheets {
  readonly was: SheetOutline;
  readonly is: SheetOutline;
  readonly haveLinesMoved: boolean;
}

/** Returns whether both states have the same hidden rows, merged cells and tables. */
function showTheSame({ from, to }: Sides, { was, is, haveLinesMoved }: ShownSheets): boolean {
  const shown = (sheet: SheetOutline, state: BranchState) => {
    const outline = { ...sheet, key: was.key };
    return [...hiddenRows(outline, state), ...mergedAreas(outline, state.records)];
  };
  const [before, after] = [shown(was, from), shown(is, to)];
  if (haveLinesMoved) return before.length + after.length === 0;
  const tables = [from, to].map((state) =>
    state.tables.mutations(state.structure).map((table) => ({ ...table, sheet: 0 })),
  );
  return (
    JSON.stringify(before) === JSON.stringify(after) &&
    JSON.stringify(tables[0]) === JSON.stringify(tables[1])
  );
}

/** Replaces the sheet key by the one that the model of `from` uses. */
function inKeysOf(from: BranchState, to: BranchState, table: Mutation): Mutation {
  if (table.kind !== 'tableSet') return table;
  const sheet = to.structure.sheets.find(({ key }) => key === table.sheet);
  const key = sheet && from.structure.withId(sheet.id)?.key;
  return key === undefined ? table : { ...table, sheet: key };
}

function* pushCells(sides: Sides, is: SheetOutline, steps: Mutation[]): Generator<void, void> {
  const { from, to } = sides;
  const was = from.structure.withId(is.id);
  if (!was) return;
  const wanted = { cells: true, formats: false, renamed: new RenamedNames(from, []) };
  const { runs } = yield* changedLanes(sides, { id: is.id, was, is }, wanted);
  let seen = 0;
  for (const { toRow, count, block } of runs) {
    // Cells of deleted lines went with them.
    if (toRow < 0) continue;
    const { toColumn: column } = block;
    for (let row = toRow; row < toRow + count; row++) {
      const input = to.inputAt(is, row, column);
      steps.push({ kind: 'cell', sheet: was.key, row, column, input });
      if (++seen % cellsBetweenPauses === 0) yield;
    }
  }
}
