import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { Slow } from '../model/newest.ts';
import { outageOf } from '../model/outage.ts';
import { within } from '../model/deadline.ts';
import type { Scale } from '../state/ids/scale.ts';
import { appendSurely, type AppendFate } from './append-surely.ts';
import { Batch } from './batch.ts';
import { archived, unreadable } from './append-refusals.ts';
import type { Commit } from './commit.ts';
import type { BranchAddress, BranchRow, JournalStore } from './journal-store.ts';
import type { Tags } from './tags.ts';
import { Glances, type Glance } from './glances.ts';
import type { Growth } from './growth.ts';
import type { LiveBranch } from './live-branch.ts';
import { lookAtHead, LookQueue, type Look } from './looks.ts';
import { noOthers, type OtherWriters } from './newest-rows.ts';
import { Contest, Pace } from './pace.ts';
import { PendingSubmission } from './pending.ts';
import { BranchRejections } from './rejections/branch-rejections.ts';
import type { RejectionStore } from './rejections/store.ts';
import type { Loader, LoadRange } from './loader.ts';
import { fillIds } from './older-ids.ts';
import { endedEarly, replayJournal } from './replay.ts';
import { oldestBase, SubmissionQueue } from './submission-queue.ts';
import type { SubmissionAnswer, SubmissionRequest } from './submission.ts';
import { FoundUndone } from './undone.ts';

/** Milliseconds that a reader of the head waits for a commit. */
const headMilliseconds = 1_000;

/** Bytes of an empty sequencer with its entries in maps, as measured. */
const sequencerBytes = 2_500;

export interface SequencerOptions {
  readonly store: JournalStore;
  readonly loader: Loader;
  readonly environment: Environment;
  /** Called with each durable batch, in order and without gaps, before its senders are answered. */
  readonly onCommit: (commit: Commit) => void;
  /** Finds where merges were applied; no operation can refer to one if left out. */
  readonly tags?: Pick<Tags, 'findMerge'>;
  /** Limits of growth; none if left out. */
  readonly growth?: Growth | undefined;
  /** Store of rejections, for other and later processes; none if left out. */
  readonly rejections?: RejectionStore | undefined;
  /** Other processes that write to the branch; none if left out. */
  readonly others?: OtherWriters;
}

/**
 * Orders the operations of one branch: takes all that arrived during the last commit, applies them,
 * makes them durable with one append, and only then answers.
 */
export class Sequencer {
  readonly address: BranchAddress;
  readonly #options: SequencerOptions;
  readonly #others: OtherWriters;
  readonly #pace: Pace;
  readonly #rejections: BranchRejections;
  readonly #queue: SubmissionQueue;
  readonly #looks: LookQueue;
  readonly #glances: Glances;
  /** Branch in memory, changed only by the loop; undefined until needed, and when in doubt. */
  #live: LiveBranch | undefined;
  #epoch = 0;
  /** Last operation sent to listeners; undefined before the first load. */
  #emittedThrough: number | undefined;
  readonly #contest: Contest;
  /** Least head that readers must see, because somebody has seen it in the journal. */
  #leastHead = 0;
  /** Head up to which the state is safe; operations of others may be read before they are. */
  #confirmedSeq = 0;
  /** True if it was loaded or written since it was last weighed. */
  #hasGrown = false;
  /** The running loop, of which there is at most one. */
  #running: Promise<void> | undefined;

  constructor(address: BranchAddress, options: SequencerOptions) {
    this.address = address;
    this.#options = options;
    this.#others = options.others ?? noOthers;
    this.#pace = new Pace(options.environment);
    this.#contest = new Contest(options.environment);
    this.#looks = new LookQueue(this.#pace);
    this.#glances = new Glances(options.environment);
    this.#queue = new SubmissionQueue(options.environment);
    this.#rejections = new BranchRejections(address, options);
  }

  /** Adds the sequencer to the memory accounting. */
  *weigh(scale: Scale): Generator<void, void> {
    scale.add(sequencerBytes + this.#rejections.outcomes.byteCount);
    if (this.#live) yield* this.#live.weigh(scale);
  }

  get isIdle(): boolean {
    return this.#running === undefined;
  }

  /** Last operation known to be durable; undefined before the first load. */
  get knownHead(): number | undefined {
    return this.#emittedThrough;
  }

  /** Makes later readers see at least the operations up to this one. */
  reach(head: number): void {
    this.#leastHead = Math.max(this.#leastHead, head);
  }

  /** Does as `reach`, and loads the operations into memory now. */
  follow(head: number): void {
    if (this.#live === undefined || head <= (this.#emittedThrough ?? head)) return;
    this.reach(head);
    this.#wake();
  }

  /** Resolves once everything submitted before is answered. */
  async settled(): Promise<void> {
    await this.#running;
  }

  submit(request: SubmissionRequest): Promise<SubmissionAnswer> {
    const pending = new PendingSubmission(request, this.#options.environment.now());
    this.#queue.add(pending);
    this.#wake();
    return pending.answered;
  }

  /** Reads the branch between two batches, when all of it is durable. */
  read<Result>(look: Look<Result>): Promise<Result> {
    const reading = this.#looks.add(look);
    this.#wake();
    return reading;
  }

  /** Reads the branch without a wait for a batch that is under way. */
  glance<Result>(glance: Glance<Result>): Promise<Result> {
    return this.#glances.take(glance, this.#leastHead) ?? this.read(glance);
  }

  /**
   * Returns the last operation. While the database is slow it is the last one that was answered, as
   * nothing after it is known to be durable.
   */
  async head(): Promise<number> {
    const { environment, store } = this.#options;
    const isWriting = !this.isIdle;
    // Between batches a glance would only make the next batch keep a state.
    const reading = isWriting ? this.glance(lookAtHead) : this.read(lookAtHead);
    const told = this.#emittedThrough;
    const isBehind = told === undefined || told < this.#leastHead;
    if (isBehind || (this.#live !== undefined && !isWriting)) return reading;
    const milliseconds = store.isStuck ? 0 : headMilliseconds;
    const otherwise = (): Error => new Slow();
    try {
      return await (isWriting
        ? within(reading, { environment, milliseconds, otherwise })
        : reading);
    } catch (error) {
      if (error instanceof Slow || outageOf(error)) return this.#emittedThrough ?? told;
      throw error;
    }
  }

  #wake(): void {
    this.#running ??= this.#run();
  }

  get #isBehind(): boolean {
    return this.#live !== undefined && this.#live.state.head < this.#leastHead;
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0 || this.#looks.length > 0 || this.#isBehind) {
      try {
        let live = await this.#loaded();
        // No other work comes between this and the reads, so each sees what it must.
        while (this.#isBehind) live = await this.#loaded();
        this.#pace.begin();
        await this.#looks.run(live);
        // Operations that are not attempted leave the state valid for readers.
        if (this.#options.store.isStuck) this.#queue.refuseUnsent();
        if (this.#queue.length > 0) await this.#commitNext(live);
      } catch (error) {
        this.#live = undefined;
        this.#queue.failAll(error);
        this.#looks.failAll(error);
      }
      await this.#glances.end(this.#live?.state);
    }
    this.#running = undefined;
    if (!this.#hasGrown) return;
    this.#hasGrown = false;
    this.#options.loader.memory.changed(this.address.workbookId);
  }

  async #loaded(): Promise<LiveBranch> {
    const known = this.#live;
    if (known && !this.#isBehind) return known;
    const required = this.#leastHead;
    const row = await this.#queue.whileRefusing(this.#findBranch());
    if (row.archived) this.#queue.failAll(archived(this.address, row));
    this.#epoch = row.epoch;
    this.#rejections.outcomes.saw(row.rejectedNo);
    this.#live = undefined;
    const live = await (known ? this.#followed(known, row) : this.#rebuild({ row }));
    const { head } = live.state;
    if (head < row.head) throw await endedEarly(this.#options, this.address, head);
    // Nothing later than the journal can be required, unless it was heard of after the look at it.
    if (this.#leastHead === required) this.#leastHead = Math.min(required, head);
    this.#live = live;
    this.#hasGrown = true;
    this.#emittedThrough = head;
    return live;
  }

  /** Reads the row of the branch, and for a write what the plan leaves, at one time. */
  async #findBranch(): Promise<BranchRow> {
    const { store, growth } = this.#options;
    const ahead = this.#queue.length > 0 ? growth?.ahead(this.address) : undefined;
    const both = Promise.all([store.branch(this.address), ahead]);
    const [row] = await both.catch((cause: unknown) => Promise.reject(unreadable(cause)));
    if (!row) throw new Failure('branchNotFound');
    return row;
  }

  /** Loads the branch; sends listeners only operations of other nodes since the last load. */
  async #rebuild(range: LoadRange): Promise<LiveBranch> {
    const emittedThrough = this.#emittedThrough ?? Infinity;
    try {
      const startMost = Math.min(range.startMost ?? Infinity, emittedThrough);
      return await this.#options.loader.load(this.address, { ...range, startMost }, (step) => {
        if (step.firstSeq <= emittedThrough) return;
        this.#options.onCommit({ ...this.address, ...step, isForeign: true });
      });
    } catch (cause) {
      throw cause instanceof Failure ? cause : unreadable(cause);
    }
  }

  /** Brings a state, and listeners, to the head of a branch. */
  async #followed(live: LiveBranch, { head }: BranchRow): Promise<LiveBranch> {
    try {
      const options = { ...this.#options, through: head };
      for await (const step of replayJournal(live, this.address, options)) {
        this.#emittedThrough = step.lastSeq;
        this.#options.onCommit({ ...this.address, ...step, isForeign: true });
      }
      // The cells were counted by the process that wrote them.
      if (live.cells) live.cells.slack = Infinity;
      return live;
    } catch (cause) {
      throw cause instanceof Failure ? cause : unreadable(cause);
    }
  }

  /**
   * Loads earlier operations for submissions that need them, if the state starts at a snapshot: an
   * older base, whose structure is unknown, or operation ids.
   */
  async #reachBack(live: LiveBranch): Promise<LiveBranch> {
    let reached = live;
    const waiting = this.#queue.snapshot();
    const oldest = oldestBase(waiting, live);
    if (oldest < live.startSeq) {
      reached = await this.#rebuild({ startMost: oldest });
      this.#live = reached;
      this.#emittedThrough = reached.state.head;
    }
    const hasIds = waiting.some(({ request }) => request.ops.some(({ id }) => id !== undefined));
    const hasKeys = waiting.some(({ request }) => request.idempotencyKey !== undefined);
    if ((hasIds || hasKeys) && !reached.hasAllIds) {
      await fillIds(reached, this.address, this.#options);
    }
    await this.#rejections.catchUp();
    return reached;
  }

  async #commitNext(live: LiveBranch): Promise<void> {
    this.#hasGrown = true;
    const reached = await this.#reachBack(live);
    this.#glances.begin(reached.state, this.#queue.isLarge);
    const batch = await this.#admitWaiting(reached, await this.#findUndone(reached));
    if (!batch) return;
    try {
      if (!batch.isEmpty) await this.#append(batch);
      else await this.#settleEmpty(batch);
    } catch (error) {
      // The batch may still become durable, so the state is dropped.
      this.#live = undefined;
      for (const pending of batch.restore()) pending.fail(error);
    }
    this.#queue.sweep();
  }

  /** Admits the submissions that wait now; later ones are for the next batch. */
  async #admitWaiting(live: LiveBranch, undone: FoundUndone): Promise<Batch | undefined> {
    const now = this.#options.environment.now();
    live.ids.forget(now);
    const room = await this.#options.growth?.roomFor(this.address, live);
    await this.#queue.giveWay(this.#pace);
    const batch = new Batch({ live, outcomes: this.#rejections.outcomes, now, undone, room });
    for (const pending of this.#queue.snapshot()) {
      if (!batch.takes(pending) || !undone.hasAll(pending)) break;
      try {
        await this.#pace.run(batch.admit(pending));
      } catch (error) {
        // A fault of the service may have left the state half changed; only this sender gets it.
        this.#live = undefined;
        batch.restore();
        pending.fail(error);
        this.#queue.sweep();
        return undefined;
      }
    }
    return batch;
  }

  /** Finds operations to be undone; a submission whose history cannot be read fails. */
  async #findUndone({ state }: LiveBranch): Promise<FoundUndone> {
    const { store, loader, tags } = this.#options;
    const findMerge = tags?.findMerge.bind(tags) ?? (async () => undefined);
    const found = new FoundUndone({ address: this.address, state }, { store, loader, findMerge });
    await found.findAll(this.#queue.snapshot());
    this.#queue.sweep();
    return found;
  }

  /**
   * Answers a batch that writes nothing. The answers depend on the state that was read, so it must
   * still be current. New rejections become durable before.
   */
  async #settleEmpty(batch: Batch): Promise<void> {
    const isKept = this.#rejections.mustKeep(batch);
    const isTold = isKept ? await this.#keepRejections(batch) : !(await this.#isOvertaken(batch));
    if (!isTold) {
      batch.restore();
      return;
    }
    const { lastSeq } = batch.written;
    if (!isKept && lastSeq > this.#confirmedSeq) {
      await this.#queue.whileRefusing(this.#options.store.confirm());
      this.#confirmedSeq = lastSeq;
    }
    batch.settle();
  }

  /** Makes rejections durable; returns false if others wrote meanwhile. */
  async #keepRejections(batch: Batch): Promise<boolean> {
    const milliseconds = this.#queue.appendMilliseconds(this.#options.environment.now());
    const keeping = this.#rejections.keep(batch, this.#epoch, milliseconds);
    if (await this.#queue.whileRefusing(keeping)) return true;
    await this.#lookForOthers(batch);
    await this.#contest.lost();
    return false;
  }

  async #isOvertaken(batch: Batch): Promise<boolean> {
    return !this.#others.isAlone && this.#lookForOthers(batch);
  }

  async #lookForOthers({ expectedHead }: Batch): Promise<boolean> {
    const row = await this.#queue.whileRefusing(this.#findBranch());
    this.reach(row.head);
    this.#rejections.outcomes.saw(row.rejectedNo);
    if (row.head > expectedHead || this.#rejections.outcomes.isBehind) return true;
    if (row.epoch !== this.#epoch || row.archived) this.#live = undefined;
    return this.#live === undefined;
  }

  async #append(batch: Batch): Promise<void> {
    await this.#queue.giveWay(this.#pace);
    const append = batch.toAppend(this.address, this.#epoch);
    const appending = appendSurely(
      append,
      this.#options,
      this.#queue.appendMilliseconds(this.#options.environment.now()),
    );
    const fate: AppendFate = await this.#queue.whileRefusing(appending);
    await this.#others.stayKnown();
    if (fate !== 'written') this.#live = undefined;
    if (fate === 'lost') {
      batch.restore();
      return this.#contest.lost();
    }
    this.#contest.won();
    const { all: records, senders, mutations, expectedHead, lastSeq, hash } = batch.written;
    const { isWatched } = batch;
    this.#emittedThrough = lastSeq;
    this.#confirmedSeq = lastSeq;
    this.#glances.close();
    const written = { firstSeq: expectedHead + 1, lastSeq, records, senders, mutations, hash };
    this.#options.onCommit({ ...this.address, ...written, isWatched });
    if (this.#live) await this.#options.growth?.note(this.address, this.#live);
    batch.settle();
    if (this.#live) this.#options.loader.keepNowAndThen(this.address, this.#live);
  }
}
