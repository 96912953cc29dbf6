import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { archived, unreadable } from './append-refusals.ts';
import type { Commit } from './commit.ts';
import type { Growth } from './growth.ts';
import type { BranchAddress, BranchRow, JournalStore } from './journal-store.ts';
import type { LiveBranch } from './live-branch.ts';
import type { Loader, LoadRange } from './loader.ts';
import { fillIds } from './older-ids.ts';
import type { BranchRejections } from './rejections/branch-rejections.ts';
import { endedEarly, replayJournal } from './replay.ts';
import { oldestBase, type SubmissionQueue } from './submission-queue.ts';

export interface HeadOptions {
  readonly store: JournalStore;
  readonly loader: Loader;
  readonly environment: Environment;
  /** Called with each durable batch, in order and without gaps, before its senders are answered. */
  readonly onCommit: (commit: Commit) => void;
  /** Limits of growth; none if left out. */
  readonly growth?: Growth | undefined;
}

interface HeadParts {
  /** Submissions of the branch, which are refused where its row cannot be read in time. */
  readonly queue: SubmissionQueue;
  readonly rejections: BranchRejections;
}

/** One branch in memory at its head, which follows what other processes write. */
export class BranchHead {
  readonly #address: BranchAddress;
  readonly #options: HeadOptions;
  readonly #queue: SubmissionQueue;
  readonly #rejections: BranchRejections;
  /** Changed only by the loop of the sequencer; undefined until needed, and when in doubt. */
  #live: LiveBranch | undefined;
  #epoch = 0;
  /** Last operation sent to listeners; undefined before the first load. */
  #emittedThrough: number | undefined;
  /** Least head that readers must see, because somebody has seen it in the journal. */
  #least = 0;
  /** True if it was loaded or written since it was last weighed. */
  hasGrown = false;

  constructor(address: BranchAddress, options: HeadOptions, { queue, rejections }: HeadParts) {
    this.#address = address;
    this.#options = options;
    this.#queue = queue;
    this.#rejections = rejections;
  }

  get live(): LiveBranch | undefined {
    return this.#live;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** Last operation known to be durable; undefined before the first load. */
  get known(): number | undefined {
    return this.#emittedThrough;
  }

  get least(): number {
    return this.#least;
  }

  get isBehind(): boolean {
    return this.#live !== undefined && this.#live.state.head < this.#least;
  }

  /** Makes later readers see at least the operations up to this one. */
  reach(head: number): void {
    this.#least = Math.max(this.#least, head);
  }

  /** Drops the state, which may not be what the journal has. */
  drop(): void {
    this.#live = undefined;
  }

  /** Notes that own operations are durable up to this one. */
  wrote(lastSeq: number): void {
    this.#emittedThrough = lastSeq;
  }

  async loaded(): Promise<LiveBranch> {
    const known = this.#live;
    if (known && !this.isBehind) return known;
    const required = this.#least;
    const row = await this.#queue.whileRefusing(this.#findBranch());
    if (row.archived) this.#queue.failAll(archived(this.#address, row));
    this.#epoch = row.epoch;
    this.#rejections.outcomes.saw(row.rejectedNo);
    this.#live = undefined;
    const live = await (known ? this.#followed(known, row) : this.#rebuild({ row }));
    const { head } = live.state;
    if (head < row.head) throw await endedEarly(this.#options, this.#address, head);
    // Nothing later than the journal can be required, unless it was heard of after the look at it.
    if (this.#least === required) this.#least = Math.min(required, head);
    this.#live = live;
    this.hasGrown = true;
    this.#emittedThrough = head;
    return live;
  }

  /**
   * Loads earlier operations for submissions that need them, if the state starts at a snapshot: an
   * older base, whose structure is unknown, or operation ids.
   */
  async reachBack(live: LiveBranch): Promise<LiveBranch> {
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
      await fillIds(reached, this.#address, this.#options);
    }
    await this.#rejections.catchUp();
    return reached;
  }

  /** Looks whether other processes have written after a head, or changed what may be written. */
  async isOvertaken(expectedHead: number): Promise<boolean> {
    const row = await this.#queue.whileRefusing(this.#findBranch());
    this.reach(row.head);
    this.#rejections.outcomes.saw(row.rejectedNo);
    if (row.head > expectedHead || this.#rejections.outcomes.isBehind) return true;
    if (row.epoch !== this.#epoch || row.archived) this.#live = undefined;
    return this.#live === undefined;
  }

  /** Reads the row of the branch, and for a write what the plan leaves, at one time. */
  async #findBranch(): Promise<BranchRow> {
    const { store, growth } = this.#options;
    const ahead = this.#queue.length > 0 ? growth?.ahead(this.#address) : undefined;
    const both = Promise.all([store.branch(this.#address), ahead]);
    const [row] = await both.catch((cause: unknown) => Promise.reject(unreadable(cause)));
    if (!row) throw new Failure('branchNotFound');
    return row;
  }

  /** Loads the branch; sends listeners only operations of other nodes since the last load. */
  async #rebuild(range: LoadRange): Promise<LiveBranch> {
    const emittedThrough = this.#emittedThrough ?? Infinity;
    try {
      const startMost = Math.min(range.startMost ?? Infinity, emittedThrough);
      return await this.#options.loader.load(this.#address, { ...range, startMost }, (step) => {
        if (step.firstSeq <= emittedThrough) return;
        this.#options.onCommit({ ...this.#address, ...step, isForeign: true });
      });
    } catch (cause) {
      throw cause instanceof Failure ? cause : unreadable(cause);
    }
  }

  /** Brings a state, and listeners, to the head of a branch. */
  async #followed(live: LiveBranch, { head }: BranchRow): Promise<LiveBranch> {
    try {
      const options = { ...this.#options, through: head };
      for await (const step of replayJournal(live, this.#address, options)) {
        this.#emittedThrough = step.lastSeq;
        this.#options.onCommit({ ...this.#address, ...step, isForeign: true });
      }
      // The cells were counted by the process that wrote them.
      if (live.cells) live.cells.slack = Infinity;
      return live;
    } catch (cause) {
      throw cause instanceof Failure ? cause : unreadable(cause);
    }
  }
}
