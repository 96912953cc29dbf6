import { cellName } from '../model/address.ts';
import type { WireInput } from '../model/input.ts';
import type { OperationParts } from '../state/merge/parts.ts';
import type { Choices, StoredChoice } from './merge-record.ts';

/** What a reviewer wants a cell to hold that neither side made wrong alone. */
export interface WrittenInput {
  readonly place: NonNullable<StoredChoice['place']>;
  readonly input: WireInput;
}

export function writtenInputs(choices: Choices): WrittenInput[] {
  const written: WrittenInput[] = [];
  for (const { choice, place } of choices.values()) {
    if (!place || typeof choice !== 'object' || !('input' in choice)) continue;
    written.push({ place, input: choice.input });
  }
  return written;
}

/** Writes them over what was merged, as far as their cells are there. */
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
