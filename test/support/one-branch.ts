import type { Input } from '../../server/model/cell-value.ts';
import { inputsEqual } from '../../server/model/input.ts';
import { operationSchema } from '../../server/model/operation.ts';
import { admit } from '../../server/state/admission.ts';
import type { BranchState } from '../../server/state/branch-state.ts';
import type { CellPlace } from '../../server/state/cells/cell-coding.ts';
import { ClientView } from '../../server/state/client-view.ts';
import { positionIn } from '../../server/state/merge/relocation.ts';
import { drive, type StateDriver } from './state-driver.ts';

// An oracle of merges: what both sides did, one after the other on one branch.

/** Edits of one side and then of the other, by a client that has not seen the first. */
export function oneAfterTheOther(
  base: BranchState,
  first: StateDriver,
  second: StateDriver,
): BranchState {
  const state = first.state.fork();
  const view = new ClientView(base.structure);
  for (const { kind, payload } of second.admitted) {
    const operation = operationSchema.parse({ kind, payload });
    drive(admit(state, operation, { view, strict: undefined }));
  }
  return state;
}

/** Undefined where a state has no such cell. */
export function inputIn(state: BranchState, { sheetId, ...lines }: CellPlace): Input | undefined {
  const sheet = state.structure.withId(sheetId);
  const row = sheet && positionIn(sheet, 'row', lines.row);
  const column = sheet && positionIn(sheet, 'column', lines.column);
  if (!sheet || row === undefined || column === undefined) return undefined;
  return state.inputAt(sheet, row, column);
}

/**
 * Returns whether a cell of the merged state looks the same in another state, at its place there.
 */
export function isAsIn(other: BranchState, merged: BranchState, place: CellPlace): boolean {
  const [sheet, there] = [merged, other].map(({ structure }) => structure.withId(place.sheetId));
  const row = sheet && positionIn(sheet, 'row', place.row);
  const column = sheet && positionIn(sheet, 'column', place.column);
  if (!sheet || !there || row === undefined || column === undefined) return false;
  return inputsEqual(merged.inputAt(sheet, row, column), other.inputAt(there, row, column));
}
