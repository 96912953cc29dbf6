import { Failure } from '../model/failure.ts';
import { operationLimits as limits } from '../model/operation-limits.ts';
import { isParted, isUndo, type Operation } from '../model/operation.ts';
import { Rejection, type RejectionError } from '../model/rejection.ts';
import {
  admit,
  admitAtOnce,
  type AdmissionOptions,
  type Admitted,
  type StrictSpan,
} from '../state/admission.ts';
import type { BranchState } from '../state/branch-state.ts';
import { ClientView } from '../state/client-view.ts';
import { admitMerge } from '../state/merge/admit-merge.ts';
import { admitUndo } from '../state/undo/admit-undo.ts';
import { BatchRecords } from './batch-records.ts';
import type { Append, BranchAddress } from './journal-store.ts';
import type { CellRoom } from './cell-room.ts';
import { KnownIds } from './known-ids.ts';
import type { LiveBranch } from './live-branch.ts';
import { mergedPosition, namedPosition } from './named-positions.ts';
import type { PendingSubmission } from './pending.ts';
import type { RejectedOutcomes } from './rejections/outcomes.ts';
import type { AddedRejections } from './rejections/store.ts';
import { named, passedResult, resultOf } from './results.ts';
import { packPayload } from './segment.ts';
import { recordOf, refused, Trial, type Entry, type Identity } from './trial.ts';
import type { FoundUndone } from './undone.ts';

/** Bytes of a submission from which its payloads are packed with pauses. */
const packedBytes = 1 << 15;

export interface BatchContext {
  readonly live: LiveBranch;
  /** Rejections that earlier batches answered. */
  readonly outcomes: RejectedOutcomes;
  /** Milliseconds since the Unix epoch: the time of all operations of the batch. */
  readonly now: number;
  /** Operations to be undone, if they were looked up before the batch. */
  readonly undone?: FoundUndone;
  /** Cells by which the branch may grow; unlimited if left out. */
  readonly room?: CellRoom | undefined;
}

/**
 * A group commit that is applied to the state and not yet durable. Until then nobody may see any of
 * it, not even its rejections, which were judged by a state that is not durable either.
 */
export class Batch {
  readonly written: BatchRecords;
  /** Submissions in the batch; incomplete ones continue in the next batch. */
  readonly #admitted: PendingSubmission[] = [];
  readonly #refused = new Map<PendingSubmission, Failure>();
  readonly #context: BatchContext;
  readonly #ids: KnownIds;
  #isWatched = false;

  constructor(context: BatchContext) {
    const { live, outcomes, now } = context;
    this.#context = context;
    this.written = new BatchRecords(live.state.head, live.hash);
    this.#ids = new KnownIds(live, outcomes, now);
  }

  get isFull(): boolean {
    const isCounted = this.#context.room?.isFull === true && !this.isEmpty;
    return this.written.isFull || isCounted;
  }

  /** True if a sender asks for the changed values; its submission is then the whole batch. */
  get isWatched(): boolean {
    return this.#isWatched;
  }

  /** Returns whether a submission may join the batch. */
  takes({ request, undoesLast }: PendingSubmission): boolean {
    const isAlone = request.isWatched === true || undoesLast;
    return !this.isFull && !this.#isWatched && (!isAlone || this.isEmpty);
  }

  /** True if there is nothing to make durable. */
  get isEmpty(): boolean {
    return this.written.isEmpty;
  }

  get expectedHead(): number {
    return this.written.expectedHead;
  }

  /** New rejections, which are repeated to a retry. */
  get rejections(): AddedRejections {
    return this.#ids.rejections;
  }

  toAppend({ workbookId, branchNo }: BranchAddress, epoch: number): Append {
    const { all, expectedHead } = this.written;
    const { rejections } = this;
    const at = this.#context.now;
    const commits = all.flatMap(namedPosition);
    const merges = all.flatMap(mergedPosition);
    const noted = { commits, merges, rejections, at, usage: this.written.usage() };
    const segments = this.written.close();
    return { workbookId, branchNo, expectedHead, epoch, segments, ...noted };
  }

  /** Answers complete submissions; called once the batch is durable. */
  settle(): void {
    const { hash, lastSeq } = this.written;
    this.#context.live.hash = hash;
    this.#ids.settle(this.isEmpty ? undefined : lastSeq);
    for (const [pending, failure] of this.#refused) pending.fail(failure);
    for (const pending of this.#admitted) {
      if (pending.isComplete) pending.settle(lastSeq);
      else pending.save();
    }
  }

  /** Resets all submissions to their durable progress, and returns them in order. */
  restore(): PendingSubmission[] {
    const all = [...this.#admitted, ...this.#refused.keys()];
    for (const pending of all) pending.restore();
    return all;
  }

  /** Admits as much of a submission as fits; yields where the thread may do other work. */
  *admit(pending: PendingSubmission): Generator<void, void> {
    try {
      if (pending.results.length === 0) this.#checkFirst(pending);
      pending.view ??= this.#viewOf(pending);
      if (pending.request.isWatched === true) this.#isWatched = true;
      const { group, mode = group === undefined ? 'rebase' : 'atomic' } = pending.request;
      if (mode === 'rebase') yield* this.#admitEach(pending);
      else yield* this.#admitWhole(pending, mode === 'strict');
      this.#admitted.push(pending);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#refused.set(pending, error);
    }
  }

  #checkFirst(pending: PendingSubmission): void {
    this.#ids.checkRepeat(pending);
    this.#checkHead(pending);
  }

  /**
   * Checks If-Match. A repetition of operations that were written under the same If-Match does not
   * conflict with itself.
   */
  #checkHead(pending: PendingSubmission): void {
    const { expectedHead } = pending.request;
    const { head } = this.#context.live.state;
    if (expectedHead === undefined || expectedHead === head) return;
    if (this.#ids.areWritten(pending)) return;
    throw new Failure('headMoved', {
      detail: `The head is ${head}, and If-Match says ${expectedHead}.`,
      hint: 'GET the state of the branch, look at what changed, and send its ETag as If-Match.',
      extra: { head },
    });
  }

  #viewOf({ request }: PendingSubmission): ClientView {
    const { state } = this.#context.live;
    const base = request.baseSeq ?? state.head;
    if (base > state.head) {
      throw new Failure('baseAhead', {
        detail: `baseSeq is ${base}, the head is ${state.head}.`,
        hint: 'GET the state of the branch and use its head.',
        extra: { head: state.head },
      });
    }
    // A base out of the window rejects each operation, so the view is irrelevant.
    return new ClientView(state.history.at(base, state.head) ?? state.structure);
  }

  *#admitEach(pending: PendingSubmission): Generator<void, void> {
    for (let next = pending.next; next && this.#hasRoom; next = pending.next) {
      const steps = this.#admitNext(pending, { operation: next, strict: undefined });
      if (steps) yield* steps;
      yield;
    }
  }

  /** True while the batch has room; a watched submission is one commit of any length. */
  get #hasRoom(): boolean {
    return this.#isWatched || !this.isFull;
  }

  /** Admits a submission all or nothing, on a fork of the state that replaces it on success. */
  *#admitWhole(pending: PendingSubmission, isStrict: boolean): Generator<void, void> {
    const { live } = this.#context;
    const kept = live.state;
    const base = pending.request.baseSeq ?? kept.head;
    const strict = isStrict ? { base, through: kept.head } : undefined;
    const trial = new Trial();
    live.state = kept.fork();
    for (let next = pending.next; next; next = pending.next) {
      const steps = this.#admitNext(pending, { operation: next, strict, trial });
      if (steps) yield* steps;
      yield;
    }
    if (pending.results.every(({ status }) => status !== 'rejected')) {
      for (const entry of trial.entries) this.#write(entry);
      return;
    }
    live.state = kept;
    throw refused(pending);
  }

  /** Admits the next operation, or returns the steps to do so if they may take long. */
  #admitNext(pending: PendingSubmission, step: Step): Generator<void, void> | undefined {
    const { live } = this.#context;
    const { operation } = step;
    const identity = this.#ids.identify(pending, step.trial);
    const { earlier } = identity;
    if (earlier !== undefined && !pending.hasWritten(earlier)) {
      pending.results.push(named(operation, { status: 'duplicate', seq: earlier }));
      return undefined;
    }
    const options = pending.optionsOf(step.strict, identity.id);
    if (isParted(operation)) return this.#admitParts(pending, step, { ...options, identity });
    const refusal = this.#refusal(pending, identity) ?? this.#context.room?.check(operation);
    if (refusal === 'trial') return this.#admitCounted(pending, step, { ...options, identity });
    const outcome = refusal ?? admitAtOnce(live.state, operation, options);
    if (!outcome) return this.#admitSlowly(pending, step, { ...options, identity });
    this.#note(pending, step, { outcome, identity });
    return undefined;
  }

  *#admitSlowly(
    pending: PendingSubmission,
    step: Step,
    { identity, ...options }: AdmissionOptions & { identity: Identity },
  ): Generator<void, void> {
    const outcome = yield* admit(this.#context.live.state, step.operation, options);
    yield;
    const payload = yield* packedOf(outcome, pending);
    this.#note(pending, step, { outcome, identity, payload });
  }

  /** Admits on a fork, because the result may have more cells than allowed. */
  *#admitCounted(
    pending: PendingSubmission,
    step: Step,
    { identity, ...options }: AdmissionOptions & { identity: Identity },
  ): Generator<void, void> {
    const { live, room } = this.#context;
    const trial = live.state.fork();
    const tried = yield* admit(trial, step.operation, options);
    const refusal = 'mutations' in tried ? room?.checkTrial(live.state, trial) : undefined;
    if ('mutations' in tried && !refusal) live.state = trial;
    const outcome = refusal ?? tried;
    const payload = yield* packedOf(outcome, pending);
    this.#note(pending, step, { outcome, identity, payload });
  }

  /** Admits on a fork, because any of the parts may be rejected. */
  *#admitParts(
    pending: PendingSubmission,
    step: Step,
    { identity, ...options }: { view: ClientView; strict: StrictSpan; identity: Identity },
  ): Generator<void, void> {
    const { live } = this.#context;
    const trial = live.state.fork();
    const room = this.#context.room?.check(step.operation);
    const refusal = this.#refusal(pending, identity) ?? (room === 'trial' ? undefined : room);
    const tried = refusal ?? (yield* this.#carryOut(pending, step, trial, options));
    const outcome =
      ('mutations' in tried ? this.#context.room?.checkTrial(live.state, trial) : undefined) ??
      tried;
    const payload = yield* packedOf(outcome, pending);
    if ('mutations' in outcome) live.state = trial;
    this.#note(pending, step, { outcome, identity, payload });
  }

  *#carryOut(
    { request }: PendingSubmission,
    { operation }: Step,
    trial: BranchState,
    options: { view: ClientView; strict: StrictSpan },
  ): Generator<void, Outcome> {
    if (operation.kind === 'merge') return yield* admitMerge(trial, operation);
    if (!isUndo(operation)) throw new Error(`${operation.kind} has no parts`);
    const undone = this.#context.undone?.of(operation, request);
    if (!undone) throw new Error('what is to be undone was not looked up');
    if (!('spans' in undone)) return undone;
    return yield* admitUndo(trial, operation, { ...options, author: request, undone });
  }

  #note(
    pending: PendingSubmission,
    { operation, trial }: Step,
    { outcome, identity, payload }: Noted,
  ): void {
    if (!('mutations' in outcome)) {
      const error = this.#ids.reject(outcome, identity);
      pending.results.push(named(operation, { status: 'rejected', error }));
      return;
    }
    if (outcome.isPassed === true) {
      pending.results.push(passedResult(operation, outcome));
      return;
    }
    const { live, now } = this.#context;
    const { id, key } = identity;
    const record = recordOf(outcome, pending, { id, at: now, seq: live.state.head });
    const { sender } = pending.request;
    const entry = { record, payload, key, mutations: outcome.mutations, sender };
    if (trial) trial.add(entry);
    else this.#write(entry);
    pending.wrote(record.seq);
    pending.results.push(resultOf(operation, outcome, record.seq));
  }

  /** Returns the reason to reject an operation before planning; undefined if there is none. */
  #refusal(
    { request }: PendingSubmission,
    identity: Identity,
  ): Rejection | RejectionError | undefined {
    const refusal = this.#ids.refusal(identity);
    if (refusal) return refusal;
    const { head } = this.#context.live.state;
    const base = request.baseSeq ?? head;
    if (base >= head - limits.baseWindowOperations) return undefined;
    return new Rejection('base_too_old', `${head - base} operations were applied since`);
  }

  #write(entry: Entry): void {
    this.written.add(entry);
    this.#ids.write(entry);
  }
}

type Outcome = Admitted | Rejection | RejectionError;

interface Noted {
  readonly outcome: Outcome;
  readonly identity: Identity;
  /** The payload as the journal has it; undefined for one that is packed in no time. */
  readonly payload?: Uint8Array | undefined;
}

/** Packs the payload of a large submission with pauses, which would take milliseconds at once. */
function* packedOf(
  outcome: Outcome,
  { request }: PendingSubmission,
): Generator<void, Uint8Array | undefined> {
  if (request.byteCount < packedBytes || !('mutations' in outcome)) return undefined;
  return outcome.isPassed === true ? undefined : yield* packPayload(outcome.payload);
}

interface Step {
  readonly operation: Operation;
  readonly strict: StrictSpan;
  readonly trial?: Trial;
}
