import type { MergeOperation } from '../../model/operation.ts';
import { Rejection } from '../../model/rejection.ts';
import type { Admitted } from '../admission.ts';
import type { BranchState } from '../branch-state.ts';
import { journalledParts, OperationParts } from './parts.ts';

/**
 * Applies a merge to the state that it was computed from; protected ranges and rules were checked
 * when it was reviewed. `state` must be a fork: after a rejection it is half changed, and must be
 * thrown away.
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
