import { Failure } from '../../model/failure.ts';
import type { Mutation } from '../../model/mutation.ts';
import type { Operation } from '../../model/operation.ts';
import { Rejection, rejectionError } from '../../model/rejection.ts';
import { admit } from '../../state/admission.ts';
import type { BranchState } from '../../state/branch-state.ts';
import { ClientView } from '../../state/client-view.ts';
import { sheetNotFound } from '../../branches/sheet-not-found.ts';

/** Pointers to a cell's sheet and input in a request. */
export interface CellPlaces {
  readonly sheet: string;
  readonly input: string;
}

/** Applies operations to an own state; fails at the first that is rejected. */
export function* tried(
  state: BranchState,
  ops: readonly Operation[],
  placesOf: (index: number) => CellPlaces,
): Generator<void, { readonly mutations: readonly Mutation[] }> {
  const view = new ClientView(state.structure);
  const mutations: Mutation[] = [];
  for (const [index, operation] of ops.entries()) {
    const outcome = yield* admit(state, operation, { view, strict: undefined });
    if (outcome instanceof Rejection) {
      const places = placesOf(index);
      if (outcome.code !== 'sheet_not_found') throw refused(outcome, places.input);
      const { sheet } = operation.payload as { sheet?: string };
      throw sheetNotFound(sheet, state.structure.sheets, places.sheet);
    }
    mutations.push(...outcome.mutations);
  }
  return { mutations };
}

/** Makes the failure of a rejection, at its place in the request. */
export function refused(rejection: Rejection, at: string): Failure {
  const { code, message, hint } = rejectionError(rejection);
  // A malformed formula is a fault of the request, regardless of the state.
  return new Failure(code === 'bad_formula' ? 'invalidRequest' : 'submissionRejected', {
    detail: `${at}: ${message}`,
    hint,
    errors: [{ pointer: at, code, message }],
  });
}
