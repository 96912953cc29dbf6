import type { UndoOperation } from '../../model/operation.ts';
import { Rejection } from '../../model/rejection.ts';
import { checkBranch, checkConflict, type Admitted, type StrictSpan } from '../admission.ts';
import type { BranchState } from '../branch-state.ts';
import type { ClientView } from '../client-view.ts';
import { checkExpectations } from '../expectation.ts';
import type { Plan } from '../plan/plan.ts';
import { checkProtection, type Author } from '../operations/protection.ts';
import { checkValidation } from '../operations/validation-check.ts';
import { recordKey, type StoredRecord } from '../records/stored-record.ts';
import { isSame } from '../compare/merged-members.ts';
import { OperationParts } from '../merge/parts.ts';
import type { Change } from '../merge/merging.ts';
import { undoSpans } from './undo.ts';

/** The operations that an undo takes back, and the states around them. */
export interface Undone {
  /** The operations to undo, latest first. */
  readonly spans: readonly Change[];
  /**
   * Set when the operation asked to undo the last change: the change that was found, as the answer
   * names it.
   */
  readonly of?: number | string;
  readonly lastSeq?: number;
}

interface UndoOptions {
  readonly view: ClientView;
  readonly strict: StrictSpan;
  readonly undone: Undone;
  readonly author?: Author;
}

/**
 * Undoes operations, and returns the parts by which that was done. `state` must be a fork: after a
 * rejection it is half changed, and must be thrown away.
 */
export function* admitUndo(
  state: BranchState,
  operation: UndoOperation,
  options: UndoOptions,
): Generator<void, Admitted | Rejection> {
  try {
    return yield* carryOut(state, operation, options);
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
}

function* carryOut(
  state: BranchState,
  operation: UndoOperation,
  { view, strict, undone, author }: UndoOptions,
): Generator<void, Admitted> {
  checkBranch(state, operation);
  checkExpectations(operation, state.contextAt(view.structure), state);
  // Values that were there before a rule stay when it comes, and so they come back.
  const isOlder = (rule: StoredRecord) =>
    undone.spans.some(({ theirs }) => {
      const known = theirs.records.get(recordKey(rule));
      return isSame(known?.value, rule.value);
    });
  const check = (plan: Plan) => {
    checkProtection(plan, state, author);
    checkValidation(plan, state, isOlder);
    if (strict) checkConflict(state, { plan }, strict);
  };
  state.begin();
  const parts = new OperationParts(state, check);
  const skipped = yield* undoSpans(undone.spans, parts);
  const isNoop = parts.parts.length === 0;
  if (isNoop && !skipped.isEmpty) {
    const why = `changed since: ${skipped.list.join(', ')}`;
    throw new Rejection('nothing_to_undo', why, undone.lastSeq);
  }
  view.see(state.structure);
  const { kind } = operation;
  const clipped = skipped.list;
  const payload = { of: undone.of ?? operation.payload.of, ops: parts.parts };
  return {
    status: isNoop ? 'noop' : 'applied',
    kind,
    payload: skipped.isEmpty ? payload : { ...payload, skipped: clipped },
    resolved: isNoop ? { noop: true } : parts.resolved,
    clipped,
    mutations: parts.mutations,
  };
}
