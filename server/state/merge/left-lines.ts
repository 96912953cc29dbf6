import { columnLimit, rowLimit } from '../../model/address.ts';
import { overlaps, rangeName, type Range } from '../../model/range.ts';
import type { RecordType } from '../../model/record.ts';
import type { BranchState } from '../branch-state.ts';
import type { LineId } from '../ids/order.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { arrayArea } from '../operations/array-parts.ts';
import { rangeOf, sheetOfTable } from '../structure/tables.ts';
import { isBlankArea } from '../tables/table-cells.ts';
import { spansOfPositions } from '../tables/table-draft.ts';
import type { OperationParts } from './parts.ts';
import {
  areaAt,
  columnRanges,
  fitRows,
  positionIn,
  putBack,
  rulesOn,
  tableIn,
  type Relocation,
  type TableLines,
} from './relocation.ts';

// When alignment puts a row or column of a table on another line, the line that a side had made for
// it may be left over. Cells beside the table on such a line still belong to that side.

/** Types of records that are deleted with the line they lie on. */
export const recordsOnLines: readonly RecordType[] = ['note', 'thread', 'hyperlink', 'cellmerge'];

const wholeSheet = { row0: 0, column0: 0, row1: rowLimit - 1, column1: columnLimit - 1 };

/** Returns whether nothing would be lost if the lines of an area were deleted. */
export function isBareArea(state: BranchState, sheet: SheetOutline, area: Range): boolean {
  return (
    isBlankArea(sheet, area, state.cellsOf(sheet)) &&
    recordsOnLines.every((type) => state.records.meeting(type, sheet, area).length === 0)
  );
}

/** Lines of one table on a side, with the base to compare with. */
interface LeftLines extends TableLines {
  readonly base: BranchState;
}

/** Cells beside a table on a line that is left over, and where they go. */
interface Rest {
  readonly source: Range;
  readonly target: Range;
}

/**
 * Moves what a side wrote beside a table along with rows or columns that were put on other lines,
 * if the line is one that this side added and nothing is in the way.
 */
export function* carryRest(
  parts: OperationParts,
  { base, ...lines }: LeftLines,
  relocations: readonly Relocation[],
): Generator<void, void> {
  const { tableId, axis } = lines;
  const { sheetId } = tableIn(parts.state, tableId);
  const was = base.structure.withId(sheetId);
  const own = relocations.filter(({ from }) => !was || positionIn(was, axis, from) === undefined);
  const rules = rulesOn(parts.state, sheetId);
  const carried: Relocation[] = [];
  for (const relocation of own) {
    const rest = restOf(parts.state, lines, relocation);
    if (!isMovable(parts.state, lines, rest)) continue;
    for (const { source, target } of rest) {
      const payload = { sheet: sheetId, source: rangeName(source), to: rangeName(target) };
      yield* parts.add({ kind: 'range.move', payload });
    }
    if (rest.length > 0) carried.push(relocation);
  }
  if (carried.length === 0) return;
  yield* putBack(parts, sheetId, rules);
  const others = parts.state.tables.onSheet(sheetId).filter(({ id }) => id !== tableId);
  if (axis === 'row') for (const { id } of others) yield* fitRows(parts, id, carried);
}

/** Finds the cells with content on a line, beside the columns or rows of a table. */
function restOf(
  state: BranchState,
  { tableId, axis, known }: TableLines,
  { from, to }: Relocation,
): Rest[] {
  const table = tableIn(state, tableId);
  const sheet = sheetOfTable(table, state.structure);
  const [was, is] = [positionIn(sheet, axis, from), positionIn(sheet, axis, to)];
  const used = state.used(sheet);
  if (was === undefined || is === undefined || !used) return [];
  const range = rangeOf(table, state.structure);
  const taken =
    axis === 'row'
      ? columnRanges(state, { tableId, ...(known && { known }) }).map((one): Stretch => [
          one.column0,
          one.column1,
        ])
      : [[range.row0, range.row1] satisfies Stretch];
  const end = axis === 'row' ? used.column1 : used.row1;
  return stretchesBeside(taken, end).flatMap(([first, last]) => {
    const across =
      axis === 'row'
        ? { ...range, column0: first, column1: last }
        : { ...range, row0: first, row1: last };
    const [source, target] = [was, is].map((at) => areaAt(across, axis, { from: at, count: 1 }));
    return !source || !target || isBareArea(state, sheet, source) ? [] : [{ source, target }];
  });
}

type Stretch = readonly [first: number, last: number];

/** The stretches from 0 to `end` that lie outside all given ones. */
function stretchesBeside(taken: readonly Stretch[], end: number): Stretch[] {
  const found: Stretch[] = [];
  let next = 0;
  for (const [first, last] of taken.toSorted((a, b) => a[0] - b[0])) {
    if (first > next) found.push([next, Math.min(first - 1, end)]);
    next = Math.max(next, last + 1);
  }
  if (next <= end) found.push([next, end]);
  return found.filter(([first, last]) => first <= last);
}

/**
 * Returns whether cells can be moved: the targets are empty, and no merged cells, arrays or totals
 * are involved.
 */
function isMovable(
  state: BranchState,
  { tableId, axis }: TableLines,
  rest: readonly Rest[],
): boolean {
  const sheet = sheetOfTable(tableIn(state, tableId), state.structure);
  const others = state.tables.onSheet(sheet.id).filter(({ id }) => id !== tableId);
  return rest.every(({ source, target }) => {
    const isMerged = state.records.meeting('cellmerge', sheet, source).length > 0;
    const tables = others.filter((table) => overlaps(rangeOf(table, state.structure), source));
    const isOfRows = axis === 'row' && tables.every(({ totalsRow }) => !totalsRow);
    if (isMerged || (tables.length > 0 && !isOfRows)) return false;
    return isBareArea(state, sheet, target) && !hasArray(state, sheet, source);
  });
}

function hasArray(state: BranchState, sheet: SheetOutline, area: Range): boolean {
  for (let row = area.row0; row <= area.row1; row++) {
    for (let column = area.column0; column <= area.column1; column++) {
      if (arrayArea(state.inputAt(sheet, row, column))) return true;
    }
  }
  return false;
}

/** Deletes those of the lines that are not in the base and hold nothing. */
export function* deleteOwn(
  parts: OperationParts,
  { tableId, axis, base }: LeftLines,
  lines: readonly LineId[],
): Generator<void, void> {
  const { state } = parts;
  const sheet = sheetOfTable(tableIn(state, tableId), state.structure);
  const was = base.structure.withId(sheet.id);
  const positions = lines.flatMap((line) => {
    const at = positionIn(sheet, axis, line);
    if (at === undefined || !was || positionIn(was, axis, line) !== undefined) return [];
    const area = areaAt(wholeSheet, axis, { from: at, count: 1 });
    return isBareArea(state, sheet, area) ? at : [];
  });
  if (positions.length === 0) return;
  const spans = spansOfPositions(positions.sort((a, b) => a - b)).map(({ from, count }) => ({
    from: from + 1,
    count,
  }));
  const kind = axis === 'row' ? 'rows.delete' : 'cols.delete';
  yield* parts.add({ kind, payload: { sheet: sheet.id, spans } });
}
