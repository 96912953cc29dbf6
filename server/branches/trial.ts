import type { Mutation } from '../model/mutation.ts';
import { Failure } from '../model/failure.ts';
import type { RejectionError } from '../model/rejection.ts';
import type { Admitted } from '../state/admission.ts';
import type { PendingSubmission } from './pending.ts';
import type { JournalRecord } from './record.ts';
import { fieldErrorOf } from './results.ts';

/** The id of an operation, and what is known about it. */
export interface Identity {
  readonly id: string | undefined;
  readonly key: string | undefined;
  /** Sequence under which the id was written before. */
  readonly earlier: number | undefined;
}

export const anonymous: Identity = { id: undefined, key: undefined, earlier: undefined };

/** An applied operation on its way into the journal. */
export interface Entry {
  readonly record: JournalRecord;
  /** The payload as the journal has it, if it was packed before. */
  readonly payload?: Uint8Array | undefined;
  readonly key: string | undefined;
  readonly mutations: readonly Mutation[];
  readonly sender: object | undefined;
}

/**
 * The records that an all-or-nothing submission would write, and their ids, which the branch does
 * not know yet.
 */
export class Trial {
  readonly ids = new Map<string, number>();
  readonly entries: Entry[] = [];

  add(entry: Entry): void {
    this.entries.push(entry);
    if (entry.key !== undefined) this.ids.set(entry.key, entry.record.seq);
  }
}

/** Makes the journal record of an operation. */
export function recordOf(
  admitted: Admitted,
  { request, results }: PendingSubmission,
  { id, at, seq }: { id: string | undefined; at: number; seq: number },
): JournalRecord {
  const { kind, payload, resolved } = admitted;
  const { writer, principalId } = request;
  const { group } = request;
  const envelope = { seq, id: id ?? null, writer, principalId, kind, payload, resolved, at };
  const record = group === undefined ? envelope : { ...envelope, group };
  const sent = request.ops[results.length];
  if (!sent || admitted.status !== 'rebased') return record;
  const base = request.baseSeq ?? seq - 1;
  return { ...record, submitted: { base, kind: sent.kind, payload: sent.payload } };
}

/** The operation that made all be refused, as the cause of the failure. */
export class RefusingOperation extends Error {
  readonly index: number;
  readonly error: RejectionError;

  constructor(index: number, error: RejectionError) {
    super(error.message);
    this.index = index;
    this.error = error;
  }
}

/** Makes the failure of an all-or-nothing submission. */
export function refused(pending: PendingSubmission): Failure {
  const errors = pending.results.flatMap(({ error }, index) =>
    error ? [fieldErrorOf(index, error)] : [],
  );
  const index = pending.results.findIndex(({ error }) => error !== undefined);
  const first = pending.results[index]?.error;
  pending.restore();
  const [place] = errors;
  return new Failure('submissionRejected', {
    ...(place && { detail: `${place.pointer}: ${place.message}` }),
    ...(first && { hint: first.hint, cause: new RefusingOperation(index, first) }),
    errors,
  });
}
