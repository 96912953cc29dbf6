import { Failure } from '../model/failure.ts';
import { checkOperationCount } from '../model/operation-count.ts';
import { submissionSchema, type Submission } from '../model/operation.ts';
import { isPlainSubmission } from '../model/plain-submission.ts';
import { faultsOf } from '../model/schema/compile.ts';
import { bodyFailure } from '../model/schema/refusal.ts';
import type { SubmitOps } from './client-messages.ts';

/**
 * Returns the operations of a frame, checked as those of a request; fails when they are invalid.
 */
export function readSubmission(message: SubmitOps, writer: string): Submission {
  const { ops, baseSeq, mode, group } = message;
  checkOperationCount(ops.length);
  const own = message.writer ?? writer;
  const isPlain = mode === undefined && group === undefined && isSequence(baseSeq);
  if (isPlain && isPlainSubmission({ ops, writer: own }) && ops.every(hasId)) {
    // The schema would return the same.
    return { ops: ops as Submission['ops'], writer: own as string, baseSeq };
  }
  const failure = faultyMembers(message, own);
  if (failure) throw failure;
  if (baseSeq === undefined) {
    throw missing('/baseSeq', 'baseSeq says which state the addresses refer to, and is missing');
  }
  const nameless = ops.findIndex((op) => !hasId(op));
  if (nameless >= 0) throw missing(`/ops/${nameless}/id`, 'each operation of a socket has an id');
  return submissionSchema.parse(membersOf(message, own));
}

/** Returns the members of a submission in a frame. */
function membersOf({ ops, baseSeq, mode, group }: SubmitOps, writer: unknown): object {
  const given = Object.entries({ ops, writer, baseSeq, mode, group });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** Returns the failure for invalid members; undefined when they are valid. */
export function faultyMembers(message: SubmitOps, writer = message.writer): Failure | undefined {
  const walk = faultsOf(submissionSchema, membersOf(message, writer));
  return walk.faults.length > 0 ? bodyFailure(walk) : undefined;
}

function isSequence(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function hasId(op: unknown): boolean {
  return typeof op === 'object' && op !== null && 'id' in op && typeof op.id === 'string';
}

function missing(pointer: string, message: string): Failure {
  const errors = [{ pointer, code: 'required', message }];
  return new Failure('invalidRequest', { detail: `${pointer}: ${message}.`, errors });
}
