import { Failure } from '../../model/failure.ts';
import type { Mutation } from '../../model/mutation.ts';
import type { Operation } from '../../model/operation.ts';
import { Rejection, rejectionError } from '../../model/rejection.ts';
import { admit } from '../../state/admission.ts';
import type { BranchState } from '../../state/branch-state.ts';
import { ClientView } from '../../state/client-view.ts';
import { sheetNotFound } from '../../branches/sheet-not-found.ts';

/** Pointers to what a request says of a cell: its sheet, and what is written there. */
export interface CellPlaces {
  readonly sheet: string;
  readonly input: string;
}

/** Carries operations out on a state of its own; the first that cannot be done fails. */
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

/** Returns the answer for what the state refuses, at its place in the request. */
export function refused(rejection: Rejection, at: string): Failure {
  const { code, message, hint } = rejectionError(rejection);
  // A text that is no formula is a fault of the request, whatever the state is.
  return new Failure(code === 'bad_formula' ? 'invalidRequest' : 'submissionRejected', {
    detail: `${at}: ${message}`,
    hint,
    errors: [{ pointer: at, code, message }],
  });
}
