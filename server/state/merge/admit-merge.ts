import type { MergeOperation } from '../../model/operation.ts';
import { Rejection } from '../../model/rejection.ts';
import type { Admitted } from '../admission.ts';
import type { BranchState } from '../branch-state.ts';
import { journalledParts, OperationParts } from './parts.ts';

/**
 * Carries out a merge that was made from this very state. Protected ranges and rules were judged
 * when it was reviewed. `state` is to be a fork: after a rejection it is worth nothing.
 */
export function* admitMerge(
  state: BranchState,
  operation: MergeOperation,
): Generator<void, Admitted | Rejection> {
  state.begin();
  const parts = new OperationParts(state);
  try {
    for (const part of journalledParts(operation)) yield* parts.add(part);
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
  const { kind, payload } = operation;
  const { resolved, mutations } = parts;
  return { status: 'applied', kind, payload, resolved, clipped: [], mutations };
}
