import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { operationLimits as limits } from '../model/operation-limits.ts';
import type { Scale } from '../state/scale.ts';
import type { BranchState } from '../state/branch-state.ts';
import { appendSurely, type AppendFate } from './append-surely.ts';
import { Batch } from './batch.ts';
import type { Commit } from './commit.ts';
import type { BranchAddress, BranchRow, JournalStore } from './journal-store.ts';
import type { LiveBranch } from './live-branch.ts';
import { RejectedOutcomes } from './outcomes.ts';
import { Pace } from './pace.ts';
import { PendingSubmission } from './pending.ts';
import { strideOperations, type Loader, type LoadRange } from './loader.ts';
import { fillIds } from './older-ids.ts';
import { endedEarly, JournalFault } from './replay.ts';
import { SubmissionQueue } from './submission-queue.ts';
import type { SubmissionAnswer, SubmissionRequest } from './submission.ts';
import { FoundUndone } from './undone.ts';

/** Times in a row that batches may lose their place to other nodes before the senders hear of it. */
const lostTriesMost = 5;

/** Measured: one that has loaded nothing, with its entries in maps. */
const sequencerBytes = 2_500;

export interface SequencerOptions {
  readonly store: JournalStore;
  readonly loader: Loader;
  readonly environment: Environment;
  /** Told of each durable batch, in order and without holes, before its senders are. */
  readonly onCommit: (commit: Commit) => void;
}

/** Looks at a state without changing it; yields wherever the thread may do something else. */
export type Look<Result> = (state: BranchState, live: LiveBranch) => Generator<void, Result>;

interface WaitingLook {
  run(live: LiveBranch): Promise<void>;
  fail(reason: unknown): void;
}

/**
 * Gives the operations of one branch their order. It takes what piled up while the last commit was
 * under way, applies it, makes it durable with one append, and only then answers.
 */
export class Sequencer {
  readonly #address: BranchAddress;
  readonly #options: SequencerOptions;
  readonly #pace: Pace;
  readonly #outcomes = new RejectedOutcomes();
  readonly #queue = new SubmissionQueue();
  #looks: WaitingLook[] = [];
  /** Changed by the loop alone. Undefined until needed, and after anything that puts it in doubt. */
  #live: LiveBranch | undefined;
  #epoch = 0;
  /** Last operation that listeners have heard of; undefined before the first load. */
  #emittedThrough: number | undefined;
  #lostCount = 0;
  /** Head of the latest state that was kept for readers of older positions. */
  #keptSeq = 0;
  /** Whether it was loaded, or written to, since its weight was asked for. */
  #hasGrown = false;
  /** The loop while it runs: there is never more than one. */
  #running: Promise<void> | undefined;

  constructor(address: BranchAddress, options: SequencerOptions) {
    this.#address = address;
    this.#options = options;
    this.#pace = new Pace(options.environment);
  }

  /** What it keeps in memory. */
  weigh(scale: Scale): void {
    scale.add(sequencerBytes + this.#outcomes.byteCount);
    this.#live?.weigh(scale);
  }

  get isIdle(): boolean {
    return this.#running === undefined;
  }

  /** Resolves once everything that was handed in before is answered. */
  async settled(): Promise<void> {
    await this.#running;
  }

  submit(request: SubmissionRequest): Promise<SubmissionAnswer> {
    const pending = new PendingSubmission(request);
    this.#queue.add(pending);
    this.#wake();
    return pending.answered;
  }

  /** Looks at the branch between two batches, so that it sees nothing that is not durable. */
  read<Result>(look: Look<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const run = (live: LiveBranch) =>
        this.#pace.run(look(live.state, live)).then(resolve, reject);
      this.#looks.push({ run, fail: reject });
      this.#wake();
    });
  }

  #wake(): void {
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0 || this.#looks.length > 0) {
      try {
        const live = await this.#loaded();
        this.#pace.begin();
        const looks = this.#looks;
        this.#looks = [];
        for (const look of looks) await look.run(live);
        if (this.#queue.length > 0) await this.#commitNext(live);
      } catch (error) {
        this.#live = undefined;
        this.#queue.failAll(error);
        for (const look of this.#looks) look.fail(error);
        this.#looks = [];
      }
    }
    this.#running = undefined;
    if (!this.#hasGrown) return;
    this.#hasGrown = false;
    this.#options.loader.memory.changed(this.#address.workbookId);
  }

  async #loaded(): Promise<LiveBranch> {
    if (this.#live) return this.#live;
    const row = await this.#findBranch();
    if (!row) throw new Failure('branchNotFound');
    if (row.archived) this.#queue.failAll(archived(this.#address, row));
    this.#epoch = row.epoch;
    const emittedThrough = this.#emittedThrough;
    const live = await this.#rebuild(emittedThrough);
    const { head } = live.state;
    if (head < row.head) throw await endedEarly(this.#options, this.#address, head);
    this.#live = live;
    this.#hasGrown = true;
    this.#emittedThrough = head;
    return live;
  }

  async #findBranch(): Promise<BranchRow | undefined> {
    try {
      return await this.#options.store.branch(this.#address);
    } catch (cause) {
      throw unreadable(cause);
    }
  }

  /** What other nodes wrote since the last load is news to listeners; the first load is not. */
  async #rebuild(emittedThrough = Infinity, range: LoadRange = {}): Promise<LiveBranch> {
    try {
      const startMost = Math.min(range.startMost ?? Infinity, emittedThrough);
      return await this.#options.loader.load(this.#address, { startMost }, (step) => {
        if (step.firstSeq > emittedThrough) this.#options.onCommit({ ...this.#address, ...step });
      });
    } catch (cause) {
      if (cause instanceof Failure || cause instanceof JournalFault) throw cause;
      throw unreadable(cause);
    }
  }

  /**
   * What was submitted may refer to what the state has not seen, because it starts at a snapshot:
   * an older base, whose structure it does not know, or operation ids.
   */
  async #reachBack(live: LiveBranch): Promise<LiveBranch> {
    let reached = live;
    const waiting = this.#queue.snapshot();
    const oldest = oldestBase(waiting, live);
    if (oldest < live.startSeq) {
      reached = await this.#rebuild(this.#emittedThrough, { startMost: oldest });
      this.#live = reached;
      this.#emittedThrough = reached.state.head;
    }
    const hasIds = waiting.some(({ request }) => request.ops.some(({ id }) => id !== undefined));
    const hasKeys = waiting.some(({ request }) => request.idempotencyKey !== undefined);
    if ((hasIds || hasKeys) && !reached.hasAllIds) {
      await fillIds(reached, this.#address, this.#options);
    }
    return reached;
  }

  async #commitNext(live: LiveBranch): Promise<void> {
    this.#hasGrown = true;
    const reached = await this.#reachBack(live);
    const batch = await this.#admitWaiting(reached, await this.#findUndone(reached));
    if (!batch) return;
    try {
      if (!batch.isEmpty) await this.#append(batch);
      else batch.settle();
    } catch (error) {
      // It may become durable after all, so nothing may be built on either outcome.
      this.#live = undefined;
      for (const pending of batch.restore()) pending.fail(error);
    }
    this.#queue.sweep();
  }

  /** Takes what waits now: what arrives meanwhile is for the next batch. */
  async #admitWaiting(live: LiveBranch, undone: FoundUndone): Promise<Batch | undefined> {
    const now = this.#options.environment.now();
    live.ids.forget(now);
    const batch = new Batch({ live, outcomes: this.#outcomes, now, undone });
    for (const pending of this.#queue.snapshot()) {
      if (!batch.takes(pending) || !undone.hasAll(pending)) break;
      try {
        await this.#pace.run(batch.admit(pending));
      } catch (error) {
        // A mistake of ours, which may have left the state half changed: only this sender hears it.
        this.#live = undefined;
        batch.restore();
        pending.fail(error);
        this.#queue.sweep();
        return undefined;
      }
    }
    return batch;
  }

  /** What waits to be undone; a submission whose history cannot be read hears of it. */
  async #findUndone({ state }: LiveBranch): Promise<FoundUndone> {
    const found = new FoundUndone({ address: this.#address, state }, this.#options);
    for (const pending of this.#queue.snapshot()) {
      try {
        await found.find(pending);
      } catch (error) {
        pending.fail(error instanceof Failure ? error : unreadable(error));
      }
    }
    this.#queue.sweep();
    return found;
  }

  async #append(batch: Batch): Promise<void> {
    const append = batch.toAppend(this.#address, this.#epoch);
    const fate: AppendFate = await appendSurely(append, this.#options);
    if (fate !== 'written') this.#live = undefined;
    if (fate === 'lost') {
      batch.restore();
      if (++this.#lostCount <= lostTriesMost) return;
      this.#lostCount = 0;
      throw contended();
    }
    this.#lostCount = 0;
    const { records, mutations, lastSeq, isWatched } = batch;
    const firstSeq = batch.expectedHead + 1;
    this.#emittedThrough = lastSeq;
    const commit = { ...this.#address, firstSeq, lastSeq, records, mutations, isWatched };
    this.#options.onCommit(commit);
    batch.settle();
    this.#keepNow();
  }

  /** So that a look far back need not begin at the last snapshot. */
  #keepNow(): void {
    const live = this.#live;
    if (!live || live.state.head - this.#keptSeq < strideOperations) return;
    const { state, content, hash, packs } = live;
    this.#keptSeq = state.head;
    this.#options.loader.keep(this.#address, { state: state.still(), content, hash, packs });
  }
}

/** The oldest base that is still within the window, or the start of the state. */
function oldestBase(
  waiting: readonly PendingSubmission[],
  { startSeq, state }: LiveBranch,
): number {
  let oldest = startSeq;
  for (const { request } of waiting) {
    const base = request.baseSeq ?? state.head;
    if (base >= state.head - limits.baseWindowOperations) oldest = Math.min(oldest, base);
  }
  return oldest;
}

function archived(
  { workbookId }: BranchAddress,
  { name, isArchivedWithWorkbook }: Pick<BranchRow, 'name' | 'isArchivedWithWorkbook'>,
): Failure {
  if (!isArchivedWithWorkbook) {
    const branch = encodeURIComponent(name);
    return new Failure('branchArchived', {
      detail: `The branch ${name} is archived, and only read.`,
      hint: `POST /v1/workbooks/${workbookId}/branches/${branch}/restore makes it writable again.`,
    });
  }
  return new Failure('workbookArchived', {
    hint: `POST /v1/workbooks/${workbookId}/restore makes it writable again.`,
  });
}

function unreadable(cause: unknown): Failure {
  return new Failure('unavailable', {
    detail: 'The journal cannot be read right now.',
    hint: 'Send the same request again.',
    headers: { 'Retry-After': '1' },
    cause,
  });
}

function contended(): Failure {
  return new Failure('unavailable', {
    detail: 'Other nodes write to this branch so fast that these operations found no place.',
    hint: 'Send the same operations again, with the same ids.',
    headers: { 'Retry-After': '1' },
  });
}
