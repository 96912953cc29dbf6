import type { Operation } from '../model/operation.ts';
import type { Admitted } from '../state/admission.ts';
import type { OperationResult } from './submission.ts';

/** The result with the id first, if the operation has one of its own. */
export function named({ id }: Operation, result: OperationResult): OperationResult {
  return id === undefined ? result : { id, ...result };
}

export function resultOf(operation: Operation, admitted: Admitted, seq: number): OperationResult {
  const { status, kind, payload, clipped } = admitted;
  if (status === 'rebased') {
    const parts = { status, seq, kind, payload, ...(clipped.length > 0 && { clipped }) };
    const { record, comment } = admitted.resolved;
    return named(operation, { ...parts, ...made(record, comment) });
  }
  const { id } = operation;
  if (clipped.length > 0) return named(operation, { status, seq, clipped });
  const { record, comment } = admitted.resolved;
  if (record !== undefined) return named(operation, { status, seq, ...made(record, comment) });
  return id === undefined ? { status, seq } : { id, status, seq };
}

/** Ids that an operation made, which its sender needs to go on. */
function made(record: string | undefined, comment: string | undefined) {
  return { ...(record !== undefined && { record }), ...(comment !== undefined && { comment }) };
}
