import { cellName, columnLimit, rowLimit } from '../../model/address.ts';
import { writeInput, type WireInput } from '../../model/input.ts';
import { rangeName, type Range } from '../../model/range.ts';
import type { BranchState } from '../branch-state.ts';
import type { CellPlace } from '../cells/cell-coding.ts';
import { inputOf, sameCell, sideAt } from '../compare/same-lanes.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { keyColumnOf } from '../structure/tables.ts';
import { rangeOf, type Block } from './moved-block.ts';
import type { AlignedSides, OperationParts } from './parts.ts';
import { placeAt, spotOf } from './side-cells.ts';
import { headerAt, tablePlace } from './table-place.ts';

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
