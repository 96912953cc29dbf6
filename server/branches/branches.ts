import type { Snapshots, WrittenSnapshot } from '../history/snapshots.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { newestOr, type LookOptions } from '../model/newest.ts';
import type { Reference } from '../model/reference.ts';
import type { BranchState } from '../state/branch-state.ts';
import { CommitBus } from './commit-bus.ts';
import type { Commit, CommitListener } from './commit.ts';
import type { Glance } from './glances.ts';
import type { Growth } from './growth.ts';
import { readHistory, readHistoryBefore, readLatest } from './history.ts';
import type { HistoryPage, PageBefore } from './history.ts';
import { branchKey, type BranchAddress, type JournalStore } from './journal-store.ts';
import type { Loader } from './loader.ts';
import type { StateMemory } from './memory.ts';
import { Pace } from './pace.ts';
import { NewestRows, noOthers, type OtherWriters } from './newest-rows.ts';
import { afterHead, madeAnew, noSuchBranch, type Place } from './place.ts';
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
import { Sequencer } from './sequencer.ts';
import type { SubmissionAnswer, SubmissionRequest } from './submission.ts';
import type { Tags } from './tags.ts';

const knownNamesMost = 10_000;

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
  /**
   * Sequencers by branch; an idle one may be dropped, as all is in the journal; the loader says
   * when.
   */
  readonly #live = new Map<string, Sequencer>();
  /** Branch numbers by workbook and name. */
  readonly #numbers = new Map<string, number>();
  /** Durable batches, from any process. */
  readonly bus: CommitBus;
  /**
   * Keeps the head that a look sees for a branch that begins there, with which it shares all
   * blocks.
   */
  readonly keepHead: Loader['keepHead'];
  readonly #leftListeners = new Set<(address: BranchAddress) => void>();
  readonly #newest: NewestRows;
  readonly #look: LookOptions & { readonly others: OtherWriters };

  constructor(options: BranchesOptions) {
    this.#options = options;
    this.bus = new CommitBus(options.report);
    this.keepHead = options.loader.keepHead.bind(options.loader);
    this.#newest = new NewestRows(options.store);
    const { others = noOthers, environment } = options;
    const hint = 'Try again in a moment, or read a position that you know, such as ref=main@42.';
    this.#look = { others, environment, hint };
  }

  /** Fails with `branch_not_found` unless the workbook has a branch of that name. */
  async address(workbookId: string, name: string): Promise<BranchAddress> {
    const branchNo = await this.#numberOf(workbookId, name);
    if (branchNo !== undefined) return { workbookId, branchNo };
    throw new Failure('branchNotFound', {
      detail: `The workbook has no branch called ${name}.`,
      hint: 'The branch that every workbook has is main.',
    });
  }

  /** Looks up a name, which another process may have given to another branch by now. */
  async #numberOf(workbookId: string, name: string, isPinned = false): Promise<number | undefined> {
    const key = `${workbookId}/${name}`;
    const known = this.#numbers.get(key);
    if (known !== undefined && this.#look.others.isAlone) return known;
    const asking = this.#newest.named(workbookId, name);
    const look = { ...this.#look, isPinned };
    const row = known === undefined ? await asking : await newestOr(asking, look);
    if (row === 'unknown') return known;
    if (known !== undefined && known !== row?.branchNo) {
      this.forgetBranch({ workbookId, branchNo: known }, name);
    }
    if (!row) return undefined;
    if (this.#numbers.size >= knownNamesMost) this.#numbers.clear();
    this.#numbers.set(key, row.branchNo);
    this.#reach({ workbookId, branchNo: row.branchNo }, row.head);
    return row.branchNo;
  }

  /** Holds reads of a branch in memory until it has reached a head. */
  #reach(address: BranchAddress, head: number): void {
    this.#live.get(branchKey(address))?.reach(head);
  }

  /** Catches up with other processes, unless this is the only one that writes. */
  async #catchUp(address: BranchAddress): Promise<void> {
    if (this.#look.others.isAlone || !this.isLive(address)) return;
    const row = await newestOr(this.#newest.numbered(address), this.#look);
    if (row === undefined) throw new Failure('branchNotFound');
    if (row !== 'unknown') this.#reach(address, row.head);
  }

  /**
   * Finds the operation that a reference means now; fails with `ref_not_found` if there is none.
   */
  async locate(workbookId: string, reference: Reference): Promise<Place> {
    if ('tag' in reference) return this.#locateTag(workbookId, reference.tag);
    if ('merge' in reference) return this.#locateMerge(workbookId, reference.merge);
    const { branch, sequence } = reference;
    const branchNo = await this.#numberOf(workbookId, branch, sequence !== undefined);
    if (branchNo === undefined) throw noSuchBranch(reference);
    const isExact = reference.branchNo !== undefined;
    if (isExact && reference.branchNo !== branchNo) throw madeAnew(reference);
    const address = { workbookId, branchNo };
    if (sequence !== undefined && this.#isKnown(address, sequence)) {
      return { address, branch, seq: sequence, isPinned: true, isExact };
    }
    const head = await this.#headOf(address);
    if (sequence !== undefined && sequence > head) throw afterHead(branch, sequence, head);
    return { address, branch, seq: sequence ?? head, isPinned: sequence !== undefined, isExact };
  }

  /** Returns whether an operation is known to be durable, which saves a look. */
  #isKnown(address: BranchAddress, sequence: number): boolean {
    return sequence <= (this.#live.get(branchKey(address))?.knownHead ?? -1);
  }

  /** Returns the head without loading the branch, for readers of older positions. */
  async #headOf(address: BranchAddress): Promise<number> {
    await this.#catchUp(address);
    if (this.isLive(address)) return this.#sequencer(address).head();
    const row = await this.#options.store.branch(address);
    if (!row) throw new Failure('branchNotFound');
    return row.head;
  }

  async #locateTag(workbookId: string, tag: string): Promise<Place> {
    const found = await this.#options.tags.find(workbookId, tag);
    if (found) {
      const { branchNo, branch, seq } = found;
      return { address: { workbookId, branchNo }, branch, seq, isPinned: true };
    }
    throw new Failure('refNotFound', {
      detail: `The workbook has no commit with the tag ${tag}.`,
      hint: 'GET /v1/workbooks/{id}/commits lists them.',
    });
  }

  async #locateMerge(workbookId: string, mergeId: string): Promise<Place> {
    const found = await this.#options.tags.findMerge(workbookId, mergeId);
    if (found) {
      const { branchNo, branch, seq } = found;
      return { address: { workbookId, branchNo }, branch, seq, isPinned: true };
    }
    throw new Failure('refNotFound', {
      detail: `No merge ${mergeId} was applied in the workbook.`,
      hint: `An open one can only be read, as in GET /v1/workbooks/{id}/slice?ref=merge:${mergeId}&range=A1:C10. Ask all else, as who wrote a cell, of its source or target: GET /v1/workbooks/{id}/merges/${mergeId} names them.`,
    });
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
  forgetBranch({ workbookId, branchNo }: BranchAddress, name: string): void {
    this.#numbers.delete(`${workbookId}/${name}`);
    this.#drop(branchKey({ workbookId, branchNo }));
    for (const listener of this.#leftListeners) listener({ workbookId, branchNo });
  }

  /** Adds a listener for branches that were deleted, archived or restored in this process. */
  whenForgotten(listener: (address: BranchAddress) => void): void {
    this.#leftListeners.add(listener);
  }

  /** Submits operations; resolves when all that were accepted are durable. */
  submit(address: BranchAddress, request: SubmissionRequest): Promise<SubmissionAnswer> {
    return this.#sequencer(address).submit(request);
  }

  /** Reads the head between two commits, when all of it is durable. */
  async read<Result>(address: BranchAddress, look: Look<Result>): Promise<Result> {
    await this.#catchUp(address);
    return this.#sequencer(address).read(look);
  }

  /** Reads the head as of the last commit, without a wait for the next one. */
  async glance<Result>(address: BranchAddress, glance: Glance<Result>): Promise<Result> {
    await this.#catchUp(address);
    return this.#sequencer(address).glance(glance);
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
    if (seq !== undefined && seq !== (await this.#headOf(address))) {
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
    const prefix = `${workbookId}/`;
    for (const key of this.#numbers.keys()) if (key.startsWith(prefix)) this.#numbers.delete(key);
    for (const [key, sequencer] of this.#live) {
      if (!key.startsWith(prefix)) continue;
      // A second sequencer beside a running one would report the same commits twice.
      if (sequencer.isIdle) this.#drop(key);
      else void sequencer.settled().then(() => this.forget(workbookId));
    }
  }

  isLive(address: BranchAddress): boolean {
    return this.#live.has(branchKey(address));
  }

  /** Returns the newest position that is known without a look; undefined if none is in memory. */
  knownHead(workbookId: string, name: string): number | undefined {
    const branchNo = this.#numbers.get(`${workbookId}/${name}`) ?? -1;
    return this.#live.get(branchKey({ workbookId, branchNo }))?.knownHead;
  }

  /** Yields the heads of branches in memory. */
  *liveHeads(): Generator<BranchAddress & { readonly head: number }> {
    for (const { address, knownHead } of this.#live.values()) {
      if (knownHead !== undefined) yield { ...address, head: knownHead };
    }
  }

  /** Follows another process that has written up to a head: branches in memory catch up now. */
  hear({ head, ...address }: BranchAddress & { readonly head: number }): void {
    this.#live.get(branchKey(address))?.follow(head);
  }

  /** Number of branches in memory. */
  get liveCount(): number {
    return this.#live.size;
  }

  /** Used share of the memory for states, from 0 to 1. */
  get load(): number {
    return Math.min(1, this.#memory.bytes / this.#memory.bytesMost);
  }

  /** Adds a listener for commits, in order for each branch; returns a function that removes it. */
  subscribe(listener: CommitListener): () => void {
    return this.bus.subscribe(listener);
  }

  /** Stops; resolves when everything that was accepted is answered. */
  async stop(): Promise<void> {
    await Promise.all([...this.#live.values()].map((sequencer) => sequencer.settled()));
  }

  #sequencer(address: BranchAddress): Sequencer {
    const key = branchKey(address);
    const known = this.#live.get(key);
    if (known) {
      this.#memory.touch(key);
      return known;
    }
    const onCommit = (commit: Commit): void => this.bus.tell(commit);
    const { others } = this.#look;
    const sequencer = new Sequencer(address, { ...this.#options, others, onCommit });
    this.#live.set(key, sequencer);
    this.#memory.enter(key, {
      workbookId: address.workbookId,
      get isIdle() {
        return sequencer.isIdle;
      },
      weigh: (scale) => sequencer.weigh(scale),
      leave: () => void this.#live.delete(key),
    });
    return sequencer;
  }

  #drop(key: string): void {
    this.#live.delete(key);
    this.#memory.remove(key);
  }

  get #memory(): StateMemory {
    return this.#options.loader.memory;
  }
}
