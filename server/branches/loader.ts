import { StorageFault } from '../history/envelope.ts';
import type { WorkbookContents } from '../history/content.ts';
import type { DamageList } from '../history/damage.ts';
import type { SnapshotPlace, Snapshots } from '../history/snapshots.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { ownBytes } from '../model/own-bytes.ts';
import { within } from '../model/deadline.ts';
import { BranchState } from '../state/branch-state.ts';
import type { Scale } from '../state/ids/scale.ts';
import { NodeFault } from '../state/nodes/bytes.ts';
import {
  branchKey,
  positionKey,
  type BranchAddress,
  type BranchRow,
  type JournalStore,
} from './journal-store.ts';
import { KeptPositions } from './kept-positions.ts';
import { LiveBranch, type LiveStart } from './live-branch.ts';
import type { Resident, StateMemory } from './memory.ts';
import { Pace } from './pace.ts';
import { endedEarly, replayJournal, type ReplayStep } from './replay.ts';
import { hashAfter } from './segment.ts';

export interface LoaderOptions {
  readonly store: JournalStore;
  readonly snapshots: Snapshots;
  readonly contents: WorkbookContents;
  readonly environment: Environment;
  /** Memory in which states stay while there is room. */
  readonly memory: StateMemory;
  /** Returns whether PostgreSQL still has every operation after one. */
  readonly hasTail: (address: BranchAddress, after: number) => Promise<boolean>;
  /** List of missing and damaged snapshots. */
  readonly damage: Pick<DamageList, 'note'>;
  /** Called if a snapshot cannot be read. */
  readonly report: (step: string, error: unknown) => void;
}

export interface LoadRange {
  /** Last operation to apply; the head if left out. */
  readonly through?: number;
  /** Latest operation after which the state may start. */
  readonly startMost?: number;
  /** The branch as it was just read; looked up when left out. */
  readonly row?: BranchRow;
}

/**
 * Most operations replayed for a read, if all states on the way are kept: some 40 ms. Each state
 * costs as much memory as is written after it.
 */
const strideOperations = 512;
/** Milliseconds after which a store counts as slow. */
const slowMilliseconds = 2_000;
const slowForMilliseconds = 10_000;
/** Most older positions of a branch that are kept. */
const positionsMost = 2_048;

/** Loads branches and their older positions from the nearest stored state. */
export class Loader {
  readonly #options: LoaderOptions;
  /** Positions kept of each branch. */
  readonly #positions = new Map<string, KeptPositions>();
  /** Positions being loaded, which all requests share. */
  readonly #loading = new Map<string, Promise<LiveStart>>();
  /** Time until which a slow store is not used, if PostgreSQL has what is needed. */
  #slowUntil = 0;

  constructor(options: LoaderOptions) {
    this.#options = options;
  }

  get memory(): StateMemory {
    return this.#options.memory;
  }

  /** Number of older positions in memory. */
  get positionCount(): number {
    let count = 0;
    for (const positions of this.#positions.values()) count += positions.count;
    return count;
  }

  /** Loads a branch for writes. */
  async load(
    address: BranchAddress,
    range: LoadRange,
    onStep?: (step: ReplayStep) => void,
  ): Promise<LiveBranch> {
    const row = await this.#rowOf(address, range);
    const live = new LiveBranch(await this.#start(address, row, range));
    // Whatever was written after the look at the row is as good as not there yet.
    const { through = row.head } = range;
    const steps = replayJournal(live, address, { ...this.#options, through });
    for await (const step of steps) onStep?.(step);
    return live;
  }

  /** Loads the head for a single read. */
  async startAtHead(address: BranchAddress): Promise<LiveStart> {
    const row = await this.#rowOf(address, {});
    const { state, content, hash, packs } = await this.load(address, { row });
    if (state.head < row.head) throw await endedEarly(this.#options, address, state.head);
    return { state, content, hash, packs };
  }

  /** Returns the state after an operation, which must not be changed. */
  async stateAt(address: BranchAddress, seq: number): Promise<BranchState> {
    return (await this.#position(address, seq)).state;
  }

  /**
   * Returns the state after an operation with what is needed to store it; it must not be changed.
   */
  startAt(address: BranchAddress, seq: number): Promise<LiveStart> {
    return this.#position(address, seq);
  }

  /** Keeps a state for later readers of it or of a later position. */
  keep(address: BranchAddress, start: LiveStart, { isPassing = false } = {}): void {
    const branch = branchKey(address);
    const seq = start.state.head;
    if (this.#known(address, seq)) return;
    const positions = this.#positions.get(branch) ?? new KeptPositions();
    this.#positions.set(branch, positions);
    const passed = positions.add({ ...start, hash: ownBytes(start.hash) }, { isPassing });
    this.memory.enter(`${branch}@${seq}`, this.#resident(address, seq, positions));
    if (passed !== undefined) this.#drop(branch, passed);
    const { leastUsed } = positions;
    if (positions.count > positionsMost && leastUsed !== undefined) this.#drop(branch, leastUsed);
  }

  /** Keeps a state at intervals, so that reads of old positions need not begin at a snapshot. */
  keepNowAndThen(address: BranchAddress, live: LiveBranch): void {
    if (live.state.head - live.keptSeq >= strideOperations) this.keepHead(address, live);
  }

  /** Keeps the current head, whose blocks are shared until they are written. */
  keepHead(address: BranchAddress, live: LiveBranch): void {
    const { state, content, hash, packs } = live;
    live.keptSeq = state.head;
    this.keep(address, { state: state.still(), content, hash, packs });
  }

  /** Drops a workbook from memory. */
  forget(workbookId: string): void {
    for (const [branch, positions] of this.#positions) {
      if (!branch.startsWith(`${workbookId}/`)) continue;
      for (const seq of positions.seqs()) this.#drop(branch, seq);
    }
  }

  /**
   * Makes the memory entry of a position, which can leave at any time: its readers hold the state.
   */
  #resident(address: BranchAddress, seq: number, positions: KeptPositions): Resident {
    const { workbookId } = address;
    return {
      workbookId,
      isIdle: true,
      weigh: (scale) => this.#weigh(seq, positions, { workbookId, scale }),
      leave: () => this.#drop(branchKey(address), seq),
    };
  }

  *#weigh(
    seq: number,
    positions: KeptPositions,
    { workbookId, scale }: { workbookId: string; scale: Scale },
  ): Generator<void, void> {
    if (yield* positions.weigh(seq, scale)) this.memory.changed(workbookId);
  }

  #drop(branch: string, seq: number): void {
    const positions = this.#positions.get(branch);
    positions?.drop(seq);
    if (positions?.count === 0) this.#positions.delete(branch);
    this.memory.remove(`${branch}@${seq}`);
  }

  /** Returns the state after exactly this operation, if kept, and marks it as used. */
  #known(address: BranchAddress, seq: number): LiveStart | undefined {
    const nearest = this.#nearest(address, seq);
    return nearest?.state.head === seq ? nearest : undefined;
  }

  #position(address: BranchAddress, seq: number): Promise<LiveStart> {
    const key = positionKey(address, seq);
    const known = this.#known(address, seq);
    if (known) return Promise.resolve(known);
    const loading = this.#loading.get(key);
    if (loading) return loading;
    const done = this.#loadPosition(address, seq).finally(() => this.#loading.delete(key));
    this.#loading.set(key, done);
    return done;
  }

  async #loadPosition(address: BranchAddress, seq: number): Promise<LiveStart> {
    const range = { startMost: seq, through: seq };
    const row = await this.#rowOf(address, range);
    const live = new LiveBranch(await this.#start(address, row, range));
    live.keptSeq = live.state.head;
    const steps = replayJournal(live, address, { ...this.#options, through: seq });
    for await (const { lastSeq } of steps) {
      if (lastSeq !== seq) this.keepNowAndThen(address, live);
    }
    if (live.state.head !== seq) throw await endedEarly(this.#options, address, live.state.head);
    const { content, hash, packs } = live;
    const start = { state: live.state.still(), content, hash, packs };
    this.keep(address, start, { isPassing: true });
    return start;
  }

  async #rowOf(address: BranchAddress, { row }: LoadRange): Promise<BranchRow> {
    const found = row ?? (await this.#options.store.branch(address));
    if (!found) throw new Failure('branchNotFound');
    return found;
  }

  /** Finds the nearest state in a range. */
  async #start(address: BranchAddress, row: BranchRow, range: LoadRange): Promise<LiveStart> {
    const most = Math.min(range.startMost ?? Infinity, range.through ?? Infinity);
    const near = this.#nearest(address, most);
    const nearSeq = near?.state.head ?? -1;
    const wanted = { most, above: nearSeq };
    const snapshot = await this.#openUnlessSlow(address, row, wanted);
    if (snapshot) return snapshot;
    return near ? { ...near, state: near.state.fork() } : this.#begin(address, row);
  }

  /**
   * Opens a snapshot, but does not wait for a slow store if PostgreSQL has all that is needed, and
   * then avoids it for a while.
   */
  async #openUnlessSlow(
    address: BranchAddress,
    row: BranchRow,
    range: { most: number; above: number },
  ): Promise<LiveStart | undefined> {
    const { environment, hasTail } = this.#options;
    const start = Math.max(range.above, row.from?.seq ?? 0);
    const canDoWithout = (): Promise<boolean> => hasTail(address, start);
    if (environment.elapsed() < this.#slowUntil && (await canDoWithout())) return undefined;
    const opening = this.#openSnapshot(address, row, range);
    const milliseconds = slowMilliseconds;
    try {
      return await within(opening, { environment, milliseconds, otherwise: () => new Slow() });
    } catch (error) {
      if (!(error instanceof Slow)) throw error;
      if (!(await canDoWithout())) return opening;
      this.#slowUntil = environment.elapsed() + slowForMilliseconds;
      return undefined;
    }
  }

  /**
   * Opens the nearest readable snapshot. Undefined if none is nearer than the state at hand, or the
   * store does not answer. Damaged ones are noted and skipped, as the journal has all.
   */
  async #openSnapshot(
    address: BranchAddress,
    row: BranchRow,
    { most, above }: { most: number; above: number },
  ): Promise<LiveStart | undefined> {
    const { snapshots, report } = this.#options;
    let seq = Math.min(most, row.head);
    try {
      for (;;) {
        // The store is asked only if the branch ever had a snapshot.
        const place = await snapshots.find(address, seq, row.snapshotSeq > 0);
        if (!place || place.seq <= above) return undefined;
        const start = await this.#openSound(address, place, row);
        if (start) return start;
        seq = place.seq - 1;
      }
    } catch (error) {
      report('open a snapshot', error);
      // The journal has all, unless its beginning is in that store only, which does not answer.
      const isAway = error instanceof Failure && error.key === 'unavailable';
      const start = Math.max(above, row.from?.seq ?? 0);
      if (isAway && !(await this.#options.hasTail(address, start))) throw error;
      return undefined;
    }
  }

  /** Opens a snapshot; undefined, and noted, if it is missing or damaged. */
  async #openSound(
    address: BranchAddress,
    place: SnapshotPlace,
    row: BranchRow,
  ): Promise<LiveStart | undefined> {
    const { damage, report } = this.#options;
    try {
      const start = await this.#open(address, place);
      const due = await this.#hashAt(address, place, row);
      if (due === undefined || due.equals(start.hash)) return start;
      throw new StorageFault(place.objectKey, 'is of another history than the journal');
    } catch (error) {
      if (!(error instanceof StorageFault || error instanceof NodeFault)) throw error;
      const { objectKey } = error instanceof StorageFault ? error : place;
      damage.note({ ...address, objectKey });
      report(`open the snapshot ${place.objectKey}`, error);
      return undefined;
    }
  }

  /**
   * Hash that the journal has at a snapshot, where nothing else tells whether the two are of one
   * history: at the head, which nothing is replayed after, and for what the store alone knows of.
   */
  async #hashAt(
    address: BranchAddress,
    { seq, isListed = false }: SnapshotPlace,
    row: BranchRow,
  ): Promise<Buffer | undefined> {
    if (seq === row.head) return row.headHash;
    if (!isListed) return undefined;
    const [segment] = await this.#options.store.segments(address, seq - 1, seq);
    if (segment === undefined) return undefined;
    return hashAfter(segment.body, segment.previousHash, seq - segment.firstSeq + 1);
  }

  async #open(address: BranchAddress, { objectKey }: SnapshotPlace): Promise<LiveStart> {
    const { snapshots, contents, environment } = this.#options;
    const snapshot = await snapshots.read(objectKey);
    const content = contents.of(address.workbookId);
    const pace = new Pace(environment);
    const state = await snapshots.open(address, { snapshot, content, run: pace.run.bind(pace) });
    const { packs, chainHash } = snapshot;
    return { state, content, hash: Buffer.from(chainHash, 'hex'), packs };
  }

  /** Makes the start of a branch: empty, or at a position of its parent. */
  async #begin(address: BranchAddress, { from, baseHash }: BranchRow): Promise<LiveStart> {
    const { workbookId, branchNo } = address;
    const content = this.#options.contents.of(workbookId);
    if (!from) {
      const state = new BranchState(branchNo, content.coding);
      return { state, content, hash: baseHash, packs: [] };
    }
    const parent = await this.#position({ workbookId, branchNo: from.branchNo }, from.seq);
    return { ...parent, state: parent.state.branchOff(branchNo), hash: baseHash };
  }

  #nearest(address: BranchAddress, most: number): LiveStart | undefined {
    const nearest = this.#positions.get(branchKey(address))?.nearest(most);
    if (!nearest) return undefined;
    this.memory.touch(positionKey(address, nearest.state.head));
    // A read of the state may load more blocks.
    this.memory.changed(address.workbookId);
    return nearest;
  }
}

class Slow extends Error {
  override readonly name = 'Slow';
}
