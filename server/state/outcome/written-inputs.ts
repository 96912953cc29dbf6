import { cellName } from '../../model/address.ts';
import type { Input } from '../../model/cell-value.ts';
import type { WireInput } from '../../model/input.ts';
import type { BranchState } from '../branch-state.ts';
import type { OperationParts } from '../merge/parts.ts';
import { cellIn } from '../compare/same-lanes.ts';
import { digest } from './digest.ts';
import type { Choices, StoredChoice } from './stored-choice.ts';

/** An input that a reviewer wrote for a cell that is wrong only after the merge. */
export interface WrittenInput {
  readonly place: NonNullable<StoredChoice['place']>;
  readonly input: WireInput;
}

/** Finds written inputs whose cells are unchanged on both sides since the choice. */
export function writtenInputs(choices: Choices, sides: CellSides): WrittenInput[] {
  const written: WrittenInput[] = [];
  for (const { choice, place, sides: chosenFor } of choices.values()) {
    if (!place || typeof choice !== 'object' || !('input' in choice)) continue;
    if (chosenFor === cellSides(place, sides)) written.push({ place, input: choice.input });
  }
  return written;
}

interface CellSides {
  readonly ours: BranchState;
  readonly theirs: BranchState;
}

/** Digest of a cell's content on both sides. */
export function cellSides(place: WrittenInput['place'], { ours, theirs }: CellSides): string {
  return digest(JSON.stringify([ours, theirs].map((state) => inputIn(state, place))));
}

function inputIn(state: BranchState, { sheetId, row, column }: WrittenInput['place']): Input {
  if (sheetId === undefined || !row || !column) return null;
  const place = { sheetId, row, column };
  return state.coding.decode(cellIn(state, place), place, state.structure);
}

/** Writes the inputs into the merged cells that are still there. */
export function* writeInputs(
  written: readonly WrittenInput[],
  parts: OperationParts,
): Generator<void, void> {
  for (const { place, input } of written) {
    const { sheetId = '', row, column } = place;
    const sheet = parts.state.structure.withId(sheetId);
    const down = row && sheet?.rows.positionOf(row.branch, row.sequence, row.offset);
    const across =
      column && sheet?.columns.positionOf(column.branch, column.sequence, column.offset);
    if (down === undefined || across === undefined) continue;
    const cells = [{ a1: cellName(down, across), input }];
    yield* parts.add({ kind: 'cells.set', payload: { sheet: sheetId, cells } });
  }
}
