import { Failure } from '../model/failure.ts';
import { operationLimits as limits } from '../model/operation-limits.ts';
import { Rejection, rejectionError, type RejectionError } from '../model/rejection.ts';
import { placeOfKeyed } from './keyed-id.ts';
import type { LiveBranch } from './live-branch.ts';
import { idTime, operationKey } from './operation-ids.ts';
import type { PendingSubmission } from './pending.ts';
import { isToKeep, type RejectedOutcomes } from './rejections/outcomes.ts';
import type { AddedRejections } from './rejections/store.ts';
import { anonymous, type Entry, type Identity, type Trial } from './trial.ts';

/** The operation ids that a branch knows: written, rejected, and in the batch. */
export class KnownIds {
  readonly #live: LiveBranch;
  readonly #outcomes: RejectedOutcomes;
  readonly #now: number;
  /** Rejections of this batch. */
  readonly #rejected = new Map<string, RejectionError>();

  constructor(live: LiveBranch, outcomes: RejectedOutcomes, now: number) {
    this.#live = live;
    this.#outcomes = outcomes;
    this.#now = now;
  }

  /** New rejections, which are repeated to a retry. */
  get rejections(): AddedRejections {
    return this.#outcomes.adding(this.#rejected, this.#now);
  }

  /** Returns what is known of the id of the next operation of a submission. */
  identify(pending: PendingSubmission, trial: Trial | undefined): Identity {
    const index = pending.results.length;
    const id = pending.idOf(index);
    if (id === undefined) return anonymous;
    const key = keyOf(pending, id);
    const earlier = this.#live.ids.get(key) ?? this.#seqOfPlain(pending, index, id);
    return { id, key, earlier: earlier ?? trial?.ids.get(key) };
  }

  /** Returns whether all operations of a submission were written before, under the same ids. */
  areWritten(pending: PendingSubmission): boolean {
    const { ops } = pending.request;
    return ops.length > 0 && ops.every((_, index) => this.#seqOf(pending, index) !== undefined);
  }

  /** Fails if a place under the Idempotency-Key has another operation. */
  checkRepeat(pending: PendingSubmission): void {
    const { comparesRepeats, idempotencyKey, ops } = pending.request;
    if (comparesRepeats !== true || idempotencyKey === undefined) return;
    const isOther = (index: number): boolean => {
      const plain = pending.plainIdOf(index);
      if (plain === undefined || this.#seqOf(pending, index) !== undefined) return false;
      return this.#live.ids.get(keyOf(pending, placeOfKeyed(plain))) !== undefined;
    };
    const index = ops.findIndex((_, at) => isOther(at));
    if (index < 0) return;
    throw new Failure('idempotencyMismatch', {
      detail: `/ops/${index} is not what was sent under this Idempotency-Key before.`,
      hint: 'Use a new key for a new request.',
    });
  }

  #seqOf(pending: PendingSubmission, index: number): number | undefined {
    const id = pending.idOf(index);
    if (id === undefined) return undefined;
    return this.#live.ids.get(keyOf(pending, id)) ?? this.#seqOfPlain(pending, index, id);
  }

  /** Returns the sequence under an id of only key and place, as former versions made them. */
  #seqOfPlain(pending: PendingSubmission, index: number, id: string): number | undefined {
    const plain = pending.plainIdOf(index);
    if (plain === undefined || plain === id) return undefined;
    return this.#live.ids.get(keyOf(pending, plain));
  }

  /** Rejects an operation whose id was used, is too old or was rejected; undefined lets it in. */
  refusal({ id, key, earlier }: Identity): Rejection | RejectionError | undefined {
    if (id === undefined || key === undefined) return undefined;
    if (earlier !== undefined) {
      return new Rejection('id_reused', `the id ${id} is that of operation ${earlier}`);
    }
    const time = idTime(id);
    if (time !== undefined && time < this.#now - limits.idempotencyMilliseconds) {
      return new Rejection('id_too_old', `the id ${id} was made more than 30 days ago`);
    }
    return this.#rejected.get(key) ?? this.#outcomes.get(key, this.#now);
  }

  /** Keeps a rejection for retries, and returns it as retries will get it. */
  reject(outcome: Rejection | RejectionError, { key, earlier }: Identity): RejectionError {
    const error = outcome instanceof Rejection ? rejectionError(outcome) : outcome;
    if (key !== undefined && isToKeep(outcome, earlier)) this.#rejected.set(key, error);
    return error;
  }

  /** Makes the id of a record known. */
  write({ record, key }: Entry): void {
    this.#live.noteId(record, key);
  }

  /** Notes that the batch is durable through a sequence; undefined if it wrote nothing. */
  settle(lastSeq: number | undefined): void {
    if (lastSeq !== undefined) this.#live.ids.segmentWritten(lastSeq, this.#now);
    this.#outcomes.added(this.rejections);
  }
}

function keyOf({ request: { principalId, writer } }: PendingSubmission, id: string): string {
  return operationKey(principalId, writer, id);
}
