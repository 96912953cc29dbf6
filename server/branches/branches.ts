import type { Snapshots, WrittenSnapshot } from '../history/snapshots.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { Reference } from '../model/reference.ts';
import type { BranchState } from '../state/branch-state.ts';
import { CommitBus } from './commit-bus.ts';
import type { Commit, CommitListener } from './commit.ts';
import type { Glance } from './glances.ts';
import type { Growth } from './growth.ts';
import { readHistory, readHistoryBefore, readLatest } from './history.ts';
import type { HistoryPage, PageBefore } from './history.ts';
import { type BranchAddress, type JournalStore } from './journal-store.ts';
import type { Loader } from './loader.ts';
import { Pace } from './pace.ts';
import { NewestRows, noOthers, type OtherWriters } from './newest-rows.ts';
import { type Place } from './place.ts';
import type { JournalRecord } from './record.ts';
import type { RejectionStore } from './rejections/store.ts';
import { endedEarly } from './replay.ts';
import { hashAfter } from './segment.ts';
import {
  forkHere,
  hashAtHead,
  outlineOf,
  startHere,
  summarize,
  type BranchSummary,
  type Look,
} from './looks.ts';
import { Locator } from './locator.ts';
import { Sequencers } from './sequencers.ts';
import type { SubmissionAnswer, SubmissionRequest } from './submission.ts';
import type { Tags } from './tags.ts';
import { Turns, type Turn } from './turns.ts';

export type { BranchSummary } from './looks.ts';

export interface BranchesOptions {
  readonly store: JournalStore;
  readonly loader: Loader;
  readonly snapshots: Snapshots;
  readonly tags: Tags;
  readonly environment: Environment;
  /** Called if a listener fails, which does not affect the others. */
  readonly report: (step: string, error: unknown) => void;
  readonly growth?: Growth;
  readonly rejections?: RejectionStore;
  /** Other processes that write to these branches; none if left out. */
  readonly others?: OtherWriters;
}

/** Access to all branches of all workbooks: submissions, reads and subscriptions. */
export class Branches {
  readonly #options: BranchesOptions;
  readonly #sequencers: Sequencers;
  readonly #locator: Locator;
  /** Durable batches, from any process. */
  readonly bus: CommitBus;
  /** Writers that others wait for. */
  readonly turns: Turns;
  /**
   * Keeps the head that a look sees for a branch that begins there, with which it shares all
   * blocks.
   */
  readonly keepHead: Loader['keepHead'];

  constructor(options: BranchesOptions) {
    this.#options = options;
    const { store, tags, others = noOthers, environment } = options;
    this.bus = new CommitBus(options.report);
    this.turns = new Turns(environment);
    this.keepHead = options.loader.keepHead.bind(options.loader);
    const newest = new NewestRows(store);
    const hint = 'Try again in a moment, or read a position that you know, such as ref=main@42.';
    const look = { others, environment, hint };
    const onCommit = (commit: Commit): void => this.bus.tell(commit);
    this.#sequencers = new Sequencers({ ...options, others, onCommit }, newest, look);
    this.#locator = new Locator({ sequencers: this.#sequencers, tags, newest, look });
  }

  /** Fails with `branch_not_found` unless the workbook has a branch of that name. */
  address(workbookId: string, name: string): Promise<BranchAddress> {
    return this.#locator.address(workbookId, name);
  }

  /**
   * Finds the operation that a reference means now; fails with `ref_not_found` if there is none.
   */
  locate(workbookId: string, reference: Reference): Promise<Place> {
    return this.#locator.locate(workbookId, reference);
  }

  isFirstOfName(address: BranchAddress): Promise<boolean> {
    return this.#options.tags.isFirstOfName(address);
  }

  /** The journal's hash chain after an operation. */
  async hashAt(address: BranchAddress, seq: number): Promise<Buffer> {
    const { store } = this.#options;
    // The last segment may be long and would have to be hashed.
    const known = this.isLive(address) ? await this.read(address, hashAtHead) : undefined;
    if (known?.seq === seq) return known.hash;
    if (seq === 0) {
      const row = await store.branch(address);
      if (!row) throw new Failure('branchNotFound');
      return row.baseHash;
    }
    const [segment] = await store.segments(address, seq - 1, seq);
    const found =
      segment && hashAfter(segment.body, segment.previousHash, seq - segment.firstSeq + 1);
    if (!found) throw await endedEarly({ store }, address, seq - 1);
    return found;
  }

  /** Writes a snapshot of the head, from which the branch is loaded next time. */
  async snapshot(address: BranchAddress): Promise<WrittenSnapshot> {
    const { environment, snapshots, loader } = this.#options;
    const pace = new Pace(environment);
    const run = pace.run.bind(pace);
    // A branch is not loaded for a snapshot, which would push others out of memory.
    const isLive = this.isLive(address);
    const start = isLive ? await this.read(address, startHere) : await loader.startAtHead(address);
    const { state, content, hash: chainHash, packs } = start;
    const written = await snapshots.write(address, { content, state, chainHash, packs, run });
    if (!this.isLive(address)) return written;
    await this.read(address, function* (_state, live) {
      yield* [];
      if (live.packs === packs) live.packs = written.packs;
    });
    return written;
  }

  /** Forgets what is known of a branch that was deleted, archived or restored. */
  forgetBranch(address: BranchAddress, name: string): void {
    this.#locator.forgetBranch(address, name);
  }

  /** Adds a listener for branches that were deleted, archived or restored in this process. */
  whenForgotten(listener: (address: BranchAddress) => void): void {
    this.#locator.whenForgotten(listener);
  }

  /**
   * Submits operations; resolves when all that were accepted are durable. They wait while somebody
   * else holds the branch.
   */
  async submit(
    address: BranchAddress,
    request: SubmissionRequest,
    turn?: Turn,
  ): Promise<SubmissionAnswer> {
    const before = this.turns.before(address, turn);
    if (before) await before;
    return this.#sequencers.of(address).submit(request);
  }

  /** Reads the head between two commits, when all of it is durable. */
  async read<Result>(address: BranchAddress, look: Look<Result>): Promise<Result> {
    await this.#sequencers.catchUp(address);
    return this.#sequencers.of(address).read(look);
  }

  /** Reads the head as of the last commit, without a wait for the next one. */
  async glance<Result>(address: BranchAddress, glance: Glance<Result>): Promise<Result> {
    await this.#sequencers.catchUp(address);
    return this.#sequencers.of(address).glance(glance);
  }

  /** Reads an older position. */
  async readAt<Result>(
    address: BranchAddress,
    seq: number,
    look: (state: BranchState) => Generator<void, Result>,
  ): Promise<Result> {
    const state = await this.stateAt(address, seq);
    return new Pace(this.#options.environment).run(look(state));
  }

  /** Returns the state after an operation, by default the latest; it must not be changed. */
  async stateAt(address: BranchAddress, seq?: number): Promise<BranchState> {
    if (seq !== undefined && seq !== (await this.#sequencers.headOf(address))) {
      return this.#options.loader.stateAt(address, seq);
    }
    const state = await this.read(address, forkHere);
    return seq === undefined || state.head === seq ? state : this.stateAt(address, seq);
  }

  /**
   * Returns the time at which an operation was accepted, in milliseconds since the epoch; 0 if
   * there is none.
   */
  async timeOf(address: BranchAddress, seq: number): Promise<number> {
    const { store } = this.#options;
    if (seq > 0)
      return (await readHistory(store, address, { after: seq - 1, limit: 1 })).records[0]?.at ?? 0;
    const from = (await store.branch(address))?.from;
    return from ? this.timeOf({ ...address, branchNo: from.branchNo }, from.seq) : 0;
  }

  /** Summarizes the head or an older position. */
  summary(address: BranchAddress, seq?: number): Promise<BranchSummary> {
    return seq === undefined ? this.read(address, summarize) : this.readAt(address, seq, summarize);
  }

  /** Returns head and sheets, which are known without work. */
  outline(address: BranchAddress): Promise<Pick<BranchSummary, 'head' | 'sheets'>> {
    return this.glance(address, outlineOf);
  }

  /** Reads the operations of the journal after a sequence. */
  history(address: BranchAddress, page: { after: number; limit: number }): Promise<HistoryPage> {
    return readHistory(this.#options.store, address, page);
  }

  /** Reads the operations before a sequence, the newest first. */
  historyBefore(address: BranchAddress, page: PageBefore): Promise<HistoryPage> {
    return readHistoryBefore(this.#options.store, address, page);
  }

  /** Reads the last operation of the journal, from any process. */
  latest(address: BranchAddress): Promise<JournalRecord | undefined> {
    return readLatest(this.#options.store, address);
  }

  /** Resolves once all that was read from journals before is as safe as what was acknowledged. */
  confirmSeen(): Promise<void> {
    return this.#options.store.confirm();
  }

  /** Drops a workbook from memory, and each branch in use as soon as it is idle. */
  forget(workbookId: string): void {
    this.#options.loader.forget(workbookId);
    this.#locator.forget(workbookId);
    this.#sequencers.forget(workbookId, () => this.forget(workbookId));
  }

  isLive(address: BranchAddress): boolean {
    return this.#sequencers.has(address);
  }

  /** Returns the newest position that is known without a look; undefined if none is in memory. */
  knownHead(workbookId: string, name: string): number | undefined {
    const branchNo = this.#locator.knownNumber(workbookId, name) ?? -1;
    return this.#sequencers.knownHead({ workbookId, branchNo });
  }

  /** Yields the heads of branches in memory. */
  liveHeads(): Generator<BranchAddress & { readonly head: number }> {
    return this.#sequencers.heads();
  }

  /** Follows another process that has written up to a head: branches in memory catch up now. */
  hear({ head, ...address }: BranchAddress & { readonly head: number }): void {
    this.#sequencers.follow(address, head);
  }

  /** Number of branches in memory. */
  get liveCount(): number {
    return this.#sequencers.count;
  }

  /** Used share of the memory for states, from 0 to 1. */
  get load(): number {
    const { bytes, bytesMost } = this.#options.loader.memory;
    return Math.min(1, bytes / bytesMost);
  }

  /** Adds a listener for commits, in order for each branch; returns a function that removes it. */
  subscribe(listener: CommitListener): () => void {
    return this.bus.subscribe(listener);
  }

  /** Stops; resolves when everything that was accepted is answered. */
  stop(): Promise<void> {
    return this.#sequencers.settled();
  }
}
