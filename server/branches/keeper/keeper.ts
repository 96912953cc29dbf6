import type { Metrics } from '../../metrics.ts';
import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import type { Branches } from '../branches.ts';
import type { Commit } from '../commit.ts';
import { branchKey, type BranchAddress } from '../journal-store.ts';
import type { KeeperTable } from './sql.ts';
import type { Upkeep } from './upkeep.ts';

export interface KeeperSettings {
  /** A branch is kept up each time so many operations more were written to it. */
  readonly sealOperations: number;
  /** Milliseconds without a write after which it is kept up too. */
  readonly idleMilliseconds: number;
  /** Operations before the head of a branch whose rows PostgreSQL keeps. */
  readonly hotOperations: number;
}

export interface KeeperOptions extends KeeperSettings {
  readonly upkeep: Pick<Upkeep, 'run'>;
  readonly table: Pick<KeeperTable, 'due'>;
  readonly branches: Pick<Branches, 'subscribe'>;
  readonly environment: Environment;
  readonly metrics: Metrics;
  readonly report: (step: string, error: unknown) => void;
}

/** Branches kept up at one time: they share the thread and the store with those who wait. */
const runsMost = 2;
/** Waits before a branch that failed is tried again: twice as long each time. */
const retryMilliseconds = { first: 1_000, most: 300_000 };
/** Interval between looks for branches that other processes left. */
const lookMilliseconds = { least: 1_000, most: 600_000 };
const tickMilliseconds = { least: 50, most: 10_000 };
const pageBranches = 200;
/** Branches that wait at most; more are forgotten, and found again by a look at the table. */
const waitingMost = 50_000;
/** A stop does not wait longer for a store that hangs: the next start goes on. */
const stopMilliseconds = 2_000;

/** Operations after a snapshot that are worth another one when a branch goes idle. */
const snapshotOperations = 256;
/** The part of the hot window that is deleted at once. */
const trimShare = 8;

/** Settings that upkeep and table share. */
export function upkeepSettings({ sealOperations, hotOperations }: KeeperSettings) {
  return {
    hotOperations,
    snapshotOperations: Math.min(snapshotOperations, sealOperations),
    trimOperations: Math.ceil(hotOperations / trimShare),
  };
}

/** A branch that was written to. */
interface Waiting {
  readonly address: BranchAddress;
  dueAt: number;
  /** Wait before the next try; 0 unless the last one failed. */
  delayMilliseconds: number;
  /** The try that is queued or under way. */
  running: Promise<void> | undefined;
}

/**
 * Background compaction: brings the history of every branch into object storage, and has PostgreSQL
 * let go of what is there. It works behind the writers: a store that fails delays it, never them.
 */
export class Keeper {
  readonly #options: KeeperOptions;
  /** Waiting branches by key, the latest written last. */
  readonly #waiting = new Map<string, Waiting>();
  /** Starts the next in line. */
  #line: (() => void)[] = [];
  #runCount = 0;
  #isFailing = false;
  #isStopped = false;
  #looking: Promise<void> | undefined;
  #cancelTick: (() => void) | undefined;
  #cancelLook: (() => void) | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** Listens to commits, and continues what an earlier process left. */
  start(): void {
    this.#unsubscribe = this.#options.branches.subscribe((commit) => this.#hear(commit));
    this.#look();
  }

  /** Makes a stored part of a branch anew, because it was found damaged. */
  mend({ workbookId, branchNo }: BranchAddress): void {
    if (this.#isStopped) return;
    const waiting = this.#note({ workbookId, branchNo });
    // A branch that has just failed is tried again in its time, however often the damage is met
    // until then.
    if (waiting.delayMilliseconds > 0) return;
    if (waiting.running) waiting.dueAt = this.#options.environment.elapsed();
    else void this.#start(waiting);
  }

  /** Stops; a run under way may go on for a moment, as all of it can be repeated. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe?.();
    this.#cancelTick?.();
    this.#cancelLook?.();
    // Runs in line start, see that the keeper stopped, and end.
    for (const start of this.#line.splice(0)) start();
    const running = [...this.#waiting.values()].flatMap((one) => one.running ?? []);
    if (this.#looking) running.push(this.#looking);
    if (running.length === 0) return;
    let cancel: (() => void) | undefined;
    const late = new Promise<void>((resolve) => {
      cancel = this.#options.environment.after(stopMilliseconds, resolve);
    });
    await Promise.race([Promise.allSettled(running), late]);
    cancel?.();
  }

  /** Forgets a workbook that was purged: nothing is to be done for it. */
  forget(workbookId: string): void {
    for (const [key, { address, running }] of this.#waiting) {
      if (address.workbookId === workbookId && !running) this.#waiting.delete(key);
    }
    this.#count();
  }

  #hear({ workbookId, branchNo, firstSeq, lastSeq }: Commit): void {
    const { environment, idleMilliseconds, sealOperations } = this.#options;
    const waiting = this.#note({ workbookId, branchNo });
    const dueAt = environment.elapsed() + Math.max(idleMilliseconds, waiting.delayMilliseconds);
    if (waiting.delayMilliseconds === 0) waiting.dueAt = dueAt;
    // Counted from the first operation on, so that a restart does not put it off.
    const isFull =
      Math.floor(lastSeq / sealOperations) > Math.floor((firstSeq - 1) / sealOperations);
    if (isFull && waiting.delayMilliseconds === 0) waiting.dueAt = environment.elapsed();
    if (isFull && waiting.delayMilliseconds === 0 && !waiting.running) void this.#start(waiting);
    this.#tickLater();
  }

  /** The branch, at the end of those that wait. */
  #note(address: BranchAddress): Waiting {
    const key = branchKey(address);
    const known = this.#waiting.get(key);
    const dueAt = this.#options.environment.elapsed();
    const waiting = known ?? { address, dueAt, delayMilliseconds: 0, running: undefined };
    this.#waiting.delete(key);
    this.#waiting.set(key, waiting);
    if (this.#waiting.size > waitingMost) this.#dropOldest();
    this.#count();
    return waiting;
  }

  #dropOldest(): void {
    for (const [key, { running }] of this.#waiting) {
      if (running) continue;
      this.#waiting.delete(key);
      return;
    }
  }

  #count(): void {
    this.#options.metrics.keeperWaiting.set(this.#waiting.size);
  }

  #tickLater(): void {
    if (this.#cancelTick || this.#isStopped || this.#waiting.size === 0) return;
    const { environment, idleMilliseconds } = this.#options;
    this.#cancelTick = environment.after(within(idleMilliseconds / 10, tickMilliseconds), () => {
      this.#cancelTick = undefined;
      const now = environment.elapsed();
      for (const waiting of this.#waiting.values()) {
        if (waiting.dueAt <= now && !waiting.running) void this.#start(waiting);
      }
      this.#tickLater();
    });
  }

  /**
   * Starts a run, one of a branch at a time, and few of all. Never fails: the table tells what is
   * left.
   */
  #start(waiting: Waiting): Promise<void> {
    waiting.running ??= this.#turn()
      .then(() => this.#run(waiting))
      .finally(() => {
        waiting.running = undefined;
        this.#runCount--;
        this.#line.shift()?.();
        // A branch that became due meanwhile goes to the end of the line.
        const isThere = this.#waiting.get(branchKey(waiting.address)) === waiting;
        const isDue = waiting.dueAt <= this.#options.environment.elapsed();
        if (isThere && isDue && !this.#isStopped) void this.#start(waiting);
        this.#tickLater();
      });
    return waiting.running;
  }

  async #turn(): Promise<void> {
    if (this.#runCount >= runsMost && !this.#isStopped) {
      await new Promise<void>((resolve) => this.#line.push(resolve));
    }
    this.#runCount++;
  }

  async #run(waiting: Waiting): Promise<void> {
    const { upkeep, environment, metrics, report, idleMilliseconds } = this.#options;
    const key = branchKey(waiting.address);
    if (this.#isOver()) return;
    // A commit that comes meanwhile moves it on.
    waiting.dueAt = Infinity;
    try {
      await upkeep.run(waiting.address);
      this.#isFailing = false;
      waiting.delayMilliseconds = 0;
      if (waiting.dueAt === Infinity) this.#waiting.delete(key);
    } catch (error) {
      if (error instanceof Failure && error.key === 'branchNotFound') {
        this.#waiting.delete(key);
        return;
      }
      if (this.#isOver()) return;
      metrics.keeperFailures.inc();
      // One line of the log for a store that is away, not one for each branch.
      if (!this.#isFailing) report(`keep up ${key}`, error);
      this.#isFailing = true;
      const { first, most } = retryMilliseconds;
      waiting.delayMilliseconds = Math.min(Math.max(first, waiting.delayMilliseconds * 2), most);
      waiting.dueAt = environment.elapsed() + waiting.delayMilliseconds;
    } finally {
      if (waiting.dueAt === Infinity) waiting.dueAt = environment.elapsed() + idleMilliseconds;
      this.#count();
    }
  }

  #isOver(): boolean {
    return this.#isStopped;
  }

  #look(): void {
    this.#looking = this.#lookThrough().finally(() => {
      this.#looking = undefined;
      if (this.#isStopped) return;
      const { environment, idleMilliseconds } = this.#options;
      const delay = within(idleMilliseconds, lookMilliseconds);
      this.#cancelLook = environment.after(delay, () => this.#look());
    });
  }

  /** A page at a time, so that what many branches left does not fill the memory. */
  async #lookThrough(): Promise<void> {
    const { table, report } = this.#options;
    const { idleMilliseconds, sealOperations } = this.#options;
    const settings = { idleMilliseconds, sealOperations, ...upkeepSettings(this.#options) };
    let after: BranchAddress | undefined;
    try {
      while (!this.#isStopped) {
        const page = await table.due({ ...settings, after, limit: pageBranches });
        await Promise.all(page.map((address) => this.#startFound(address)));
        after = page.at(-1);
        if (page.length < pageBranches) return;
      }
    } catch (error) {
      if (!this.#isStopped) report('look for branches to keep up', error);
    }
  }

  /** Starts a branch that was found, unless it waits because it failed. */
  async #startFound(address: BranchAddress): Promise<void> {
    const waiting = this.#waiting.get(branchKey(address)) ?? this.#note(address);
    if (waiting.delayMilliseconds === 0) await this.#start(waiting);
  }
}

function within(value: number, { least, most }: { least: number; most: number }): number {
  return Math.min(Math.max(value, least), most);
}
