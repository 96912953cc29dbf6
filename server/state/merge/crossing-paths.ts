import { columnLimit, rowLimit } from '../../model/address.ts';
import type { Range } from '../../model/range.ts';
import type { BranchState } from '../branch-state.ts';
import { cellTag } from '../cells/block.ts';
import type { Stretch } from '../cells/sheet-cells.ts';
import { rangeOf as rangeOfTable } from '../structure/tables.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { axisOf, type Meet, type ShiftMove } from './cell-shifts.ts';
import { apartIn } from './filled-reach.ts';
import { lineCount, partOfBlock, sharedParts } from './final-moves.ts';
import { rangeOf, type Block } from './moved-block.ts';
import type { Spot } from './side-cells.ts';

/** Most cells of the base whose ways are followed. */
const cellsMost = 50_000;

/**
 * Lets shifts along different axes meet. Both are made where they share only blank cells, and
 * where every cell of the base comes to the same place whichever of them is first: a block that
 * one side shifts up and the other one to the left goes both ways.
 */
export function meetIn(base: BranchState, ours: BranchState, theirs: BranchState): Meet {
  const isApart = apartIn([base, ours, theirs]);
  return (a, b) => {
    if (isApart(a, b)) return [a, b];
    const cells = reachedBy([a, b], base)?.concat(cornersOfTables(a, base));
    const pairs = placesAfter(a, b).flatMap((mine) =>
      placesAfter(b, a).map((its) => [mine, its] as const),
    );
    return cells && pairs.find((after) => areSame(cells, base, { before: [a, b], after }));
  };
}

/** A shift after another one: where it was, and where its cells are if the other one moved them. */
function placesAfter(move: ShiftMove, { from, to }: ShiftMove): ShiftMove[] {
  const { area } = move.shift;
  const [part] = sharedParts(area, from);
  const isMoved =
    part?.rows.own.count === lineCount(area.rows) &&
    part.columns.own.count === lineCount(area.columns);
  if (!isMoved) return [move];
  const across = axisOf(move.shift) === 'row' ? 'columns' : 'rows';
  const lines = partOfBlock(to, part.rows.other, part.columns.other)[across];
  const put = (block: Block): Block => ({ ...block, [across]: lines });
  const shift = { ...move.shift, area: put(area) };
  return [move, { ...move, from: put(move.from), to: put(move.to), shift }];
}

interface Ways {
  readonly before: readonly [ShiftMove, ShiftMove];
  readonly after: readonly [ShiftMove, ShiftMove];
}

/** Returns whether cells come to the same places in either order. */
function areSame(cells: readonly Spot[], base: BranchState, { before, after }: Ways): boolean {
  const [a, b, mine, its] = [...before, ...after].map((move) => stepOf(move, base));
  if (!a || !b || !mine || !its) return false;
  return cells.every((cell) => {
    const [one, other] = [its(a(cell)), mine(b(cell))];
    return one?.row === other?.row && one?.column === other?.column;
  });
}

/** A shift of positions; undefined where it deletes the cell. */
type Step = (spot: Spot | undefined) => Spot | undefined;

function stepOf({ shift }: ShiftMove, base: BranchState): Step | undefined {
  const range = rangeOf(shift.area, base);
  if (!range) return undefined;
  const { row0, row1, column0, column1 } = range;
  const isDown = axisOf(shift) === 'row';
  const [first, last] = isDown ? [row0, row1] : [column0, column1];
  const count = last - first + 1;
  return (spot) => {
    if (!spot) return undefined;
    const { row, column } = spot;
    const [at, beside] = isDown ? [row, column] : [column, row];
    const isBeside = isDown
      ? beside >= column0 && beside <= column1
      : beside >= row0 && beside <= row1;
    if (!isBeside || at < first) return spot;
    if (shift.kind === 'range.delete' && at <= last) return undefined;
    const to = shift.kind === 'range.insert' ? at + count : at - count;
    return isDown ? { row: to, column } : { row, column: to };
  };
}

/** The filled cells that either of two shifts moves or deletes; undefined when there are too many. */
function reachedBy(moves: readonly ShiftMove[], base: BranchState): Spot[] | undefined {
  const found: Spot[] = [];
  for (const { shift } of moves) {
    const [range, sheet] = [rangeOf(shift.area, base), base.structure.withId(shift.area.sheetId)];
    if (!range || !sheet) return undefined;
    const { row0, column0 } = range;
    const row1 = axisOf(shift) === 'row' ? rowLimit - 1 : range.row1;
    const column1 = axisOf(shift) === 'row' ? range.column1 : columnLimit - 1;
    for (const spot of filledSpots({ row0, column0, row1, column1 }, sheet, base)) {
      found.push(spot);
      if (found.length > cellsMost) return undefined;
    }
  }
  return found;
}

function cornersOfTables({ shift }: ShiftMove, { tables, structure }: BranchState): Spot[] {
  return tables.onSheet(shift.area.sheetId).flatMap((table) => {
    const { row0, row1, column0, column1 } = rangeOfTable(table, structure);
    return [row0, row1].flatMap((row) => [column0, column1].map((column) => ({ row, column })));
  });
}

function* filledSpots(
  { row0, row1, column0, column1 }: Range,
  sheet: SheetOutline,
  state: BranchState,
): Generator<Spot> {
  const cells = state.cellsOf(sheet);
  const rows = sheet.rows.spansAt(row0, row1 - row0 + 1);
  for (const id of cells.columnIds()) {
    const column = sheet.columns.positionOf(id.branch, id.sequence, id.offset);
    if (column === undefined || column < column0 || column > column1) continue;
    for (const stretch of cells.stretches(rows, id)) {
      for (const row of filledRows(stretch)) yield { row: row0 + row, column };
    }
  }
}

function* filledRows({ block, from, to, skipped }: Stretch): Generator<number> {
  for (let lane = from; lane < to; lane++) {
    if (block.tagAt(lane) !== cellTag.blank) yield skipped + lane - from;
  }
}
