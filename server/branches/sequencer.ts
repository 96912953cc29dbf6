import { Slow } from '../model/newest.ts';
import { outageOf } from '../model/outage.ts';
import { within } from '../model/deadline.ts';
import type { Scale } from '../state/ids/scale.ts';
import { appendSurely, type AppendFate } from './append-surely.ts';
import { Batch } from './batch.ts';
import { BranchHead, type HeadOptions } from './branch-head.ts';
import type { BranchAddress } from './journal-store.ts';
import type { Tags } from './tags.ts';
import { Glances, type Glance } from './glances.ts';
import type { LiveBranch } from './live-branch.ts';
import { lookAtHead, LookQueue, type Look } from './looks.ts';
import { noOthers, type OtherWriters } from './newest-rows.ts';
import { Contest, Pace } from './pace.ts';
import { PendingSubmission } from './pending.ts';
import { BranchRejections } from './rejections/branch-rejections.ts';
import type { RejectionStore } from './rejections/store.ts';
import { SubmissionQueue } from './submission-queue.ts';
import type { SubmissionAnswer, SubmissionRequest } from './submission.ts';
import { FoundUndone } from './undone.ts';

/** Milliseconds that a reader of the head waits for a commit. */
const headMilliseconds = 1_000;

/** Bytes of an empty sequencer with its entries in maps, as measured. */
const sequencerBytes = 2_500;

export interface SequencerOptions extends HeadOptions {
  /** Finds where merges were applied; no operation can refer to one if left out. */
  readonly tags?: Pick<Tags, 'findMerge'>;
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
  readonly #head: BranchHead;
  readonly #contest: Contest;
  /** Head up to which the state is safe; operations of others may be read before they are. */
  #confirmedSeq = 0;
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
    const queue = new SubmissionQueue(options.environment);
    const rejections = new BranchRejections(address, options);
    this.#queue = queue;
    this.#rejections = rejections;
    this.#head = new BranchHead(address, options, { queue, rejections });
  }

  /** Adds the sequencer to the memory accounting. */
  *weigh(scale: Scale): Generator<void, void> {
    scale.add(sequencerBytes + this.#rejections.outcomes.byteCount);
    if (this.#head.live) yield* this.#head.live.weigh(scale);
  }

  get isIdle(): boolean {
    return this.#running === undefined;
  }

  /** Last operation known to be durable; undefined before the first load. */
  get knownHead(): number | undefined {
    return this.#head.known;
  }

  /** Makes later readers see at least the operations up to this one. */
  reach(head: number): void {
    this.#head.reach(head);
  }

  /** Does as `reach`, and loads the operations into memory now. */
  follow(head: number): void {
    if (this.#head.live === undefined || head <= (this.#head.known ?? head)) return;
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
    return this.#glances.take(glance, this.#head.least) ?? this.read(glance);
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
    const told = this.#head.known;
    const isBehind = told === undefined || told < this.#head.least;
    if (isBehind || (this.#head.live !== undefined && !isWriting)) return reading;
    const milliseconds = store.isStuck ? 0 : headMilliseconds;
    const otherwise = (): Error => new Slow();
    try {
      return await (isWriting
        ? within(reading, { environment, milliseconds, otherwise })
        : reading);
    } catch (error) {
      if (error instanceof Slow || outageOf(error)) return this.#head.known ?? told;
      throw error;
    }
  }

  #wake(): void {
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0 || this.#looks.length > 0 || this.#head.isBehind) {
      try {
        let live = await this.#head.loaded();
        // No other work comes between this and the reads, so each sees what it must.
        while (this.#head.isBehind) live = await this.#head.loaded();
        this.#pace.begin();
        await this.#looks.run(live);
        // Operations that are not attempted leave the state valid for readers.
        if (this.#options.store.isStuck) this.#queue.refuseUnsent();
        if (this.#queue.length > 0) await this.#commitNext(live);
      } catch (error) {
        this.#head.drop();
        this.#queue.failAll(error);
        this.#looks.failAll(error);
      }
      await this.#glances.end(this.#head.live?.state);
    }
    this.#running = undefined;
    if (!this.#head.hasGrown) return;
    this.#head.hasGrown = false;
    this.#options.loader.memory.changed(this.address.workbookId);
  }

  async #commitNext(live: LiveBranch): Promise<void> {
    this.#head.hasGrown = true;
    const reached = await this.#head.reachBack(live);
    this.#glances.begin(reached.state, this.#queue.isLarge);
    const batch = await this.#admitWaiting(reached, await this.#findUndone(reached));
    if (!batch) return;
    try {
      if (!batch.isEmpty) await this.#append(batch);
      else await this.#settleEmpty(batch);
    } catch (error) {
      // The batch may still become durable, so the state is dropped.
      this.#head.drop();
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
        this.#head.drop();
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
    const keeping = this.#rejections.keep(batch, this.#head.epoch, milliseconds);
    if (await this.#queue.whileRefusing(keeping)) return true;
    await this.#head.isOvertaken(batch.expectedHead);
    await this.#contest.lost();
    return false;
  }

  async #isOvertaken(batch: Batch): Promise<boolean> {
    return !this.#others.isAlone && this.#head.isOvertaken(batch.expectedHead);
  }

  async #append(batch: Batch): Promise<void> {
    await this.#queue.giveWay(this.#pace);
    const append = batch.toAppend(this.address, this.#head.epoch);
    const appending = appendSurely(
      append,
      this.#options,
      this.#queue.appendMilliseconds(this.#options.environment.now()),
    );
    const fate: AppendFate = await this.#queue.whileRefusing(appending);
    await this.#others.stayKnown();
    if (fate !== 'written') this.#head.drop();
    if (fate === 'lost') {
      batch.restore();
      return this.#contest.lost();
    }
    this.#contest.won();
    const { all: records, senders, mutations, expectedHead, lastSeq, hash } = batch.written;
    const { isWatched } = batch;
    this.#head.wrote(lastSeq);
    this.#confirmedSeq = lastSeq;
    this.#glances.close();
    const written = { firstSeq: expectedHead + 1, lastSeq, records, senders, mutations, hash };
    this.#options.onCommit({ ...this.address, ...written, isWatched });
    if (this.#head.live) await this.#options.growth?.note(this.address, this.#head.live);
    batch.settle();
    if (this.#head.live) this.#options.loader.keepNowAndThen(this.address, this.#head.live);
  }
}
