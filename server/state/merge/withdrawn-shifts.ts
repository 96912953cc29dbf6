import { cellName, columnLimit, rowLimit } from '../../model/address.ts';
import { writeInput, type WireInput } from '../../model/input.ts';
import { rangeName, type Range } from '../../model/range.ts';
import type { BranchState } from '../branch-state.ts';
import type { CellPlace } from '../cells/cell-coding.ts';
import { inputOf, sameCell, sideAt } from '../compare/same-lanes.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { keyColumnOf } from '../structure/tables.ts';
import {
  cross,
  isShift,
  originOf,
  takenBack,
  type CellMove,
  type ShiftMove,
} from './cell-shifts.ts';
import { meetIn } from './crossing-paths.ts';
import type { LineMove } from './line-moves.ts';
import type { Change } from './merging.ts';
import type { MovedBase } from './moved-base.ts';
import { rangeOf, type Block } from './moved-block.ts';
import type { AlignedSides, OperationParts } from './parts.ts';
import { placeAt, spotOf } from './side-cells.ts';
import { headerAt, tablePlace } from './table-place.ts';

/** Takes a change back on a side, and leaves everything else that the side did. */
export type Revert = (
  change: Pick<Change, 'base' | 'theirs' | 'moves'>,
  parts: OperationParts,
) => Generator<void, void>;

/** The side that takes a shift back. */
export interface Withdrawing {
  readonly base: MovedBase;
  readonly parts: OperationParts;
  /** Moves of lines on the side; undefined when its journal was not read. */
  readonly lines: readonly LineMove[] | undefined;
  readonly revert: Revert;
  readonly strays: StrayCells;
}

/**
 * Takes a shift back on the side that made it: what that side wrote to shifted cells goes where
 * they were, and so do its later moves. Returns the moves that are left. A later shift that cannot
 * be without it is taken back before it.
 */
export function* withdrawShift(
  moves: readonly CellMove[],
  shift: ShiftMove,
  side: Withdrawing,
): Generator<void, readonly CellMove[]> {
  const around = yield* side.base.around(moves, shift);
  if (!around) return moves;
  const { before: theirs, after: base } = around;
  const at = moves.indexOf(shift);
  const later = moves.slice(at + 1);
  const back = takenBack(shift);
  const crossing = cross(back, later, meetIn(base, theirs, side.parts.state));
  const bound = new Set(crossing.stuck.map(([, other]) => originOf(other)));
  const last = later.findLast((one) => bound.has(originOf(one)));
  if (last && isShift(last)) {
    const left = yield* withdrawShift(moves, last, side);
    return left === moves ? moves : yield* withdrawShift(left, shift, side);
  }
  for (const { there } of crossing.made) {
    const area = there?.shift?.kind === 'range.delete' ? there.shift.area : undefined;
    if (area) yield* side.strays.takeFrom(area, side.parts);
  }
  const lines = side.lines && { ours: side.lines, theirs: [] };
  const made = { ours: later, theirs: [back], ...(lines && { lines }) };
  yield* side.revert({ base, theirs, moves: made }, side.parts);
  return [...moves.slice(0, at), ...crossing.others];
}

interface Stray {
  readonly parts: OperationParts;
  readonly place: CellPlace;
  /** The cell in which it waits, where no shift comes. */
  readonly kept: CellPlace;
}

/**
 * Cells that a side wrote to where it had inserted them, when that is taken back. They wait at the
 * end of the sheet, where their formulas follow all that is moved yet, and are then put where the
 * side wrote them; another cell there is asked about.
 */
export class StrayCells {
  readonly #strays: Stray[] = [];

  *takeFrom(area: Block, parts: OperationParts): Generator<void, void> {
    const { structure } = parts.state;
    const [range, sheet] = [rangeOf(area, parts.state), structure.withId(area.sheetId)];
    if (!range || !sheet) return;
    const cells: WrittenCell[] = [];
    for (const { row, column, input } of filledIn(range, sheet, parts.state)) {
      const last = rowLimit - 1 - this.#strays.length;
      const kept = placeAt(sheet, { row: last, column: columnLimit - 1 });
      this.#strays.push({ parts, place: placeAt(sheet, { row, column }), kept });
      cells.push({ a1: cellName(last, columnLimit - 1), input: writeInput(input) });
      yield;
    }
    if (cells.length === 0) return;
    yield* parts.add({ kind: 'cells.set', payload: { sheet: sheet.id, cells } });
    const cleared = { sheet: sheet.id, range: rangeName(range), what: ['values' as const] };
    yield* parts.add({ kind: 'range.clear', payload: cleared });
  }

  /** Puts what waited where it was written. */
  *putBack({ base, ours, theirs }: AlignedSides): Generator<void, void> {
    for (const { parts, place, kept } of this.#strays) {
      const input = inputOf(sideAt(parts.state, kept), kept);
      const other = parts === ours ? theirs : ours;
      yield* enter(parts, kept, null);
      if (isNameOrKey(base.state, place) || isNameOrKey(parts.state, place)) continue;
      const [was, is] = [base, other].map(({ state }) => sideAt(state, place));
      // The cell of the base counts as written by the other side, and so is not lost unasked.
      if (was && is && sameCell(was, is, place)) yield* enter(base, place, null);
      yield* enter(parts, place, writeInput(input));
    }
  }
}

interface WrittenCell {
  readonly a1: string;
  readonly input: WireInput;
}

function* filledIn({ row0, row1, column0, column1 }: Range, sheet: SheetOutline, on: BranchState) {
  for (let row = row0; row <= row1; row++) {
    for (let column = column0; column <= column1; column++) {
      const input = on.inputAt(sheet, row, column);
      if (input !== null) yield { row, column, input };
    }
  }
}

/** Enters something in a cell of a side that has it. */
export function* enter(
  parts: OperationParts,
  place: CellPlace,
  input: WireInput,
): Generator<void, void> {
  const sheet = parts.state.structure.withId(place.sheetId);
  const spot = sheet && spotOf(sheet, place);
  if (!spot) return;
  const cells = [{ a1: cellName(spot.row, spot.column), input }];
  yield* parts.add({ kind: 'cells.set', payload: { sheet: place.sheetId, cells } });
}

/** Returns whether a cell holds the name of a column, or the key of a row. */
function isNameOrKey(state: BranchState, place: CellPlace): boolean {
  const sheet = state.structure.withId(place.sheetId);
  const spot = sheet && spotOf(sheet, place);
  if (!spot) return false;
  if (headerAt(state, { sheetId: place.sheetId, ...spot }) !== undefined) return true;
  const { tableId, field } = tablePlace(state, place) ?? {};
  const table = tableId === undefined ? undefined : state.tables.withId(tableId);
  return field !== undefined && table !== undefined && keyColumnOf(table)?.name === field;
}
