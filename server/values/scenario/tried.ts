import { Failure } from '../../model/failure.ts';
import type { Mutation } from '../../model/mutation.ts';
import type { Operation } from '../../model/operation.ts';
import { Rejection, rejectionError } from '../../model/rejection.ts';
import { admit } from '../../state/admission.ts';
import type { BranchState } from '../../state/branch-state.ts';
import { ClientView } from '../../state/client-view.ts';

/** Carries operations out on a state of its own; the first that cannot be done fails. */
export function* tried(
  state: BranchState,
  ops: readonly Operation[],
  pointerOf: (index: number) => string,
): Generator<void, { readonly mutations: readonly Mutation[] }> {
  const view = new ClientView(state.structure);
  const mutations: Mutation[] = [];
  for (const [index, operation] of ops.entries()) {
    const outcome = yield* admit(state, operation, { view, strict: undefined });
    if (outcome instanceof Rejection) throw refused(outcome, pointerOf(index));
    mutations.push(...outcome.mutations);
  }
  return { mutations };
}

function refused(rejection: Rejection, at: string): Failure {
  const { code, message, hint, pointer = '' } = rejectionError(rejection);
  return new Failure('submissionRejected', {
    detail: `${at}: ${message}`,
    hint,
    errors: [{ pointer: `${at}${pointer}`, code, message }],
  });
}
