import type { FieldError } from '../model/failure.ts';
import { isUndo, type Operation } from '../model/operation.ts';
import type { RejectionError } from '../model/rejection.ts';
import type { Admitted } from '../state/admission.ts';
import type { OperationResult } from './submission.ts';

/** Turns the rejection of an operation into an error of the request, with the member at fault. */
export function fieldErrorOf(
  index: number,
  { code, message, pointer }: RejectionError,
): FieldError {
  const within = pointer === undefined ? '' : `/payload${pointer}`;
  return { pointer: `/ops/${index}${within}`, code, message };
}

/** Puts the operation's own id, if any, first into the result. */
export function named({ id }: Operation, result: OperationResult): OperationResult {
  return id === undefined ? result : { id, ...result };
}

export function resultOf(operation: Operation, admitted: Admitted, seq: number): OperationResult {
  const { status, kind, payload, clipped } = admitted;
  if (status === 'rebased') {
    const parts = { status, seq, kind, payload, ...(clipped.length > 0 && { clipped }) };
    return named(operation, { ...parts, ...madeBy(operation, admitted) });
  }
  if (isUndo(operation)) {
    const cut = clipped.length > 0 && { clipped };
    return named(operation, { status, seq, kind, payload, ...cut });
  }
  const { id } = operation;
  if (clipped.length > 0) {
    return named(operation, { status, seq, clipped, ...madeBy(operation, admitted) });
  }
  const made = madeBy(operation, admitted);
  if (made !== undefined) return named(operation, { status, seq, ...made });
  return id === undefined ? { status, seq } : { id, status, seq };
}

/** Makes the result of an operation that changed nothing and is not in the journal. */
export function passedResult(operation: Operation, admitted: Admitted): OperationResult {
  const { clipped } = admitted;
  const cut = clipped.length > 0 && { clipped };
  return named(operation, { status: 'noop', ...cut, ...madeBy(operation, admitted) });
}

/** Returns ids that an operation made and its sender needs; undefined for most. */
function madeBy({ kind }: Operation, { resolved, rows }: Admitted) {
  const { record, comment, sheet, table } = resolved;
  if (kind === 'sheet.add') return { ...(sheet !== undefined && { sheet }) };
  if (kind === 'table.create') return { ...(table !== undefined && { table }) };
  if (rows !== undefined) return { rows };
  if (record === undefined) return undefined;
  return { record, ...(comment !== undefined && { comment }) };
}
