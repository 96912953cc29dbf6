import { Failure } from '../model/failure.ts';
import { newestOr, type LookOptions } from '../model/newest.ts';
import { branchKey, type BranchAddress } from './journal-store.ts';
import type { StateMemory } from './memory.ts';
import type { NewestRows, OtherWriters } from './newest-rows.ts';
import { Sequencer, type SequencerOptions } from './sequencer.ts';

/** How the row of a branch is looked up while other processes may write to it. */
export type RowLook = LookOptions & { readonly others: OtherWriters };

/** The branches in memory: one sequencer each. */
export class Sequencers {
  readonly #options: SequencerOptions;
  readonly #newest: NewestRows;
  readonly #look: RowLook;
  /** An idle one may be dropped, as all is in the journal; the loader's memory says when. */
  readonly #live = new Map<string, Sequencer>();

  constructor(options: SequencerOptions, newest: NewestRows, look: RowLook) {
    this.#options = options;
    this.#newest = newest;
    this.#look = look;
  }

  /** Number of branches in memory. */
  get count(): number {
    return this.#live.size;
  }

  has(address: BranchAddress): boolean {
    return this.#live.has(branchKey(address));
  }

  of(address: BranchAddress): Sequencer {
    const key = branchKey(address);
    const known = this.#live.get(key);
    if (known) {
      this.#memory.touch(key);
      return known;
    }
    const sequencer = new Sequencer(address, this.#options);
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

  /** Returns the last operation known to be durable; undefined if the branch is not in memory. */
  knownHead(address: BranchAddress): number | undefined {
    return this.#live.get(branchKey(address))?.knownHead;
  }

  /** Yields the known heads. */
  *heads(): Generator<BranchAddress & { readonly head: number }> {
    for (const { address, knownHead } of this.#live.values()) {
      if (knownHead !== undefined) yield { ...address, head: knownHead };
    }
  }

  /** Returns the head without loading the branch, for readers of older positions. */
  async headOf(address: BranchAddress): Promise<number> {
    await this.catchUp(address);
    if (this.has(address)) return this.of(address).head();
    const row = await this.#options.store.branch(address);
    if (!row) throw new Failure('branchNotFound');
    return row.head;
  }

  /** Catches up with other processes, unless this is the only one that writes. */
  async catchUp(address: BranchAddress): Promise<void> {
    if (this.#look.others.isAlone || !this.has(address)) return;
    const row = await newestOr(this.#newest.numbered(address), this.#look);
    if (row === undefined) throw new Failure('branchNotFound');
    if (row !== 'unknown') this.reach(address, row.head);
  }

  /** Holds reads of a branch in memory until it has reached a head. */
  reach(address: BranchAddress, head: number): void {
    this.#live.get(branchKey(address))?.reach(head);
  }

  /** Does as `reach`, and loads the operations into memory now. */
  follow(address: BranchAddress, head: number): void {
    this.#live.get(branchKey(address))?.follow(head);
  }

  drop(address: BranchAddress): void {
    this.#dropKey(branchKey(address));
  }

  /** Drops the idle branches of a workbook, and calls back when another one has become idle. */
  forget(workbookId: string, again: () => void): void {
    const prefix = `${workbookId}/`;
    for (const [key, sequencer] of this.#live) {
      if (!key.startsWith(prefix)) continue;
      // A second sequencer beside a running one would report the same commits twice.
      if (sequencer.isIdle) this.#dropKey(key);
      else void sequencer.settled().then(again);
    }
  }

  /** Resolves when everything that was accepted is answered. */
  async settled(): Promise<void> {
    await Promise.all([...this.#live.values()].map((sequencer) => sequencer.settled()));
  }

  #dropKey(key: string): void {
    this.#live.delete(key);
    this.#memory.remove(key);
  }

  get #memory(): StateMemory {
    return this.#options.loader.memory;
  }
}
