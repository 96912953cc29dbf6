import type { Environment } from '../../model/environment.ts';
import { LeaseLost, LogHalted } from './halted.ts';
import { Leader, type LeaderParts } from './leader.ts';
import type { LogMemory } from './memory.ts';
import type { LogTable, SignedTree } from './sql.ts';
import type { LogFiles } from './log-files.ts';
import type { TileStore } from './tile-store.ts';
import type { Cosigners } from './witnesses.ts';

/** Events of the log, for metrics and messages. */
export interface LogEvents {
  /**
   * Called with the tree and how long the oldest entry had waited; null if nothing was new here.
   */
  readonly published: (tree: { size: number; lagMilliseconds: number | null }) => void;
  readonly halted: (reason: string) => void;
  readonly failed: (step: string, error: unknown) => void;
}

export interface SequencerParts extends Omit<LeaderParts, 'crashPoint'> {
  readonly table: LogTable;
  readonly tiles: TileStore;
  readonly files: LogFiles;
  readonly memory: LogMemory;
  readonly witnesses: Cosigners;
  readonly environment: Environment;
  readonly events: LogEvents;
}

/**
 * Milliseconds in which leaves pile up for one checkpoint; a leaf that comes after a rest waits so
 * long.
 */
const gatherMilliseconds = 20;
const publishMilliseconds = 1_000;
/** Interval between looks for entries that other processes put into the outbox. */
const restMilliseconds = 1_000;
const retryMilliseconds = { first: 250, most: 10_000 };
const freshMilliseconds = 600_000;
/** Time between signing and publishing in which no other process takes over. */
const promptMilliseconds = 250;
/** A third of the lease. */
const renewMilliseconds = 2_000;
/** Batches that one checkpoint waits for at most. */
const batchesMost = 16;

/** Runs the log: at most one process does, and of that at most one pass at a time. */
export class LogSequencer {
  readonly #parts: SequencerParts;
  readonly #leaderParts: LeaderParts;
  #leader: Leader | undefined;
  #renewedAt = -Infinity;
  #running: Promise<void> | undefined;
  /** True when the next pass was due before this one ended. */
  #isWanted = false;
  #isStopped = false;
  #cancelPass: (() => void) | undefined;
  /** Time at which the next pass begins; changed together with the timer. */
  #passAt = Infinity;
  /** Time at which the last pass began. */
  #begunAt = -Infinity;
  #cosignedAt = -Infinity;
  #retryMilliseconds = retryMilliseconds.first;
  #haltedReason: string | undefined;

  constructor(parts: SequencerParts) {
    this.#parts = parts;
    const { environment } = parts;
    const crashPoint = async (place: string): Promise<void> => environment.checkpoint?.(place);
    this.#leaderParts = { ...parts, crashPoint };
  }

  /** Reason why the log halted; undefined while it runs. */
  get haltedReason(): string | undefined {
    return this.#haltedReason;
  }

  /** True while this process writes the log. */
  get isLeading(): boolean {
    return this.#leader !== undefined;
  }

  /** Stops the log in this process; it stays readable. */
  halt(reason: string): void {
    this.#haltedReason = reason;
    this.#parts.events.halted(reason);
  }

  start(): void {
    this.#passWithin(0);
  }

  /** Tells that there is something in the outbox. */
  wake(): void {
    const { environment } = this.#parts;
    const rest = this.#begunAt + publishMilliseconds - environment.elapsed();
    this.#passWithin(Math.max(gatherMilliseconds, rest));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelPass?.();
    await this.#running;
    await this.#drop();
  }

  #passWithin(milliseconds: number): void {
    const { environment } = this.#parts;
    const at = environment.elapsed() + milliseconds;
    if (this.#isStopped || at >= this.#passAt) return;
    this.#cancelPass?.();
    this.#passAt = at;
    this.#cancelPass = environment.after(milliseconds, () => {
      this.#passAt = Infinity;
      if (this.#running) this.#isWanted = true;
      else this.#running = this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#begunAt = this.#parts.environment.elapsed();
    this.#isWanted = false;
    let waitMilliseconds = restMilliseconds;
    try {
      const isLeft = await this.#passSurely();
      this.#retryMilliseconds = retryMilliseconds.first;
      if (isLeft) this.#isWanted = true;
    } catch (error) {
      waitMilliseconds = await this.#fail(error);
    }
    this.#running = undefined;
    if (this.#isWanted) this.wake();
    this.#passWithin(waitMilliseconds);
  }

  /** Answers when to try again. */
  async #fail(error: unknown): Promise<number> {
    const { events } = this.#parts;
    this.#isWanted = false;
    await this.#drop();
    if (error instanceof LogHalted) {
      this.halt(error.message);
      return restMilliseconds;
    }
    if (!(error instanceof LeaseLost) && !this.#isStopped) {
      events.failed('go on with the transparency log', error);
    }
    const wait = this.#retryMilliseconds;
    this.#retryMilliseconds = Math.min(wait * 2, retryMilliseconds.most);
    return wait;
  }

  async #drop(): Promise<void> {
    const leader = this.#leader;
    this.#leader = undefined;
    try {
      await leader?.release();
    } catch (error) {
      // Others wait until the lease is over.
      this.#parts.events.failed('let go of the transparency log', error);
    }
  }

  /**
   * Runs a pass. A process that has lost the log to another one sees it changed, and may not call
   * that a fault.
   */
  async #passSurely(): Promise<boolean> {
    try {
      return await this.#pass();
    } catch (error) {
      if (error instanceof LogHalted) await this.#leader?.renew();
      throw error;
    }
  }

  /** Returns whether there is more to do at once. */
  async #pass(): Promise<boolean> {
    if (this.#haltedReason !== undefined) return false;
    const leader = await this.#lead();
    if (leader === undefined) {
      await this.#follow();
      return false;
    }
    const isIdle = !(await leader.hasWork()) && this.#isShown(leader.size) && !this.#isStale;
    if (isIdle) return false;
    const { isLeft, oldestMilliseconds } = await this.#gather(leader);
    await leader.integrate();
    const signed = await leader.sign();
    const signedAt = this.#parts.environment.elapsed();
    const isNew = !this.#isShown(signed.size);
    if (!isNew && !this.#isStale) return isLeft;
    const note = await this.#cosign(leader, signed);
    if (note === undefined) return isLeft;
    // A process that hung must not replace a newer checkpoint by an older one.
    if (this.#parts.environment.elapsed() - signedAt > promptMilliseconds) await leader.renew();
    await this.#publish(signed, note);
    const { events } = this.#parts;
    if (!isNew) return isLeft;
    const lagMilliseconds =
      oldestMilliseconds === null
        ? null
        : oldestMilliseconds + this.#parts.environment.elapsed() - this.#begunAt;
    events.published({ size: signed.size, lagMilliseconds });
    return isLeft;
  }

  /** Shows what another process has published. */
  async #follow(): Promise<void> {
    const { published, memory } = this.#parts;
    await published.refresh();
    if (published.newest) await memory.note(published.newest);
  }

  async #lead(): Promise<Leader | undefined> {
    const { published, environment } = this.#parts;
    const now = environment.elapsed();
    if (this.#leader === undefined) {
      this.#leader = await Leader.take(this.#leaderParts);
      this.#renewedAt = now;
      if (this.#leader) await published.refresh();
    } else if (now - this.#renewedAt >= renewMilliseconds) {
      await this.#leader.renew();
      this.#renewedAt = now;
    }
    return this.#leader;
  }

  #isShown(size: number): boolean {
    const { newest } = this.#parts.published;
    return newest !== undefined && newest.size >= size;
  }

  /** True when signatures of witnesses are so old that they say little of today. */
  get #isStale(): boolean {
    const { witnesses, environment } = this.#parts;
    return witnesses.count > 0 && environment.elapsed() - this.#cosignedAt >= freshMilliseconds;
  }

  async #gather(leader: Leader): Promise<{ isLeft: boolean; oldestMilliseconds: number | null }> {
    let oldest: number | null = null;
    for (let count = 0; count < batchesMost; count++) {
      const { isAll, oldestMilliseconds } = await leader.sequence();
      oldest ??= oldestMilliseconds;
      if (isAll) return { isLeft: false, oldestMilliseconds: oldest };
    }
    return { isLeft: true, oldestMilliseconds: oldest };
  }

  /** The note with what witnesses signed; undefined if they are too few to show it. */
  async #cosign(leader: Leader, signed: SignedTree): Promise<string | undefined> {
    const { witnesses, table, environment, events } = this.#parts;
    if (witnesses.count === 0) return signed.note;
    const prove = (oldSize: number): Promise<Uint8Array[]> => leader.proveGrowth(oldSize, signed);
    const { note, cosigned, isEnough } = await witnesses.cosign(signed, prove);
    for (const { witness, line, timeSeconds } of cosigned) {
      const cosignedAt = new Date(timeSeconds * 1000);
      await table.noteCosignature({ witness, size: signed.size, line, cosignedAt });
    }
    await environment.checkpoint?.('tlog.cosigned');
    if (!isEnough) {
      events.failed('publish a checkpoint', new Error('too few witnesses have signed it'));
      return undefined;
    }
    this.#cosignedAt = environment.elapsed();
    return note;
  }

  /** Publishes a tree, which PostgreSQL already has as signed. */
  async #publish(signed: SignedTree, note: string): Promise<void> {
    const { tiles, table, published, memory, environment } = this.#parts;
    await memory.note({ note });
    await tiles.putCheckpoint(note);
    await environment.checkpoint?.('tlog.stored');
    const at = await table.notePublished(signed.size, note);
    const { size, root } = signed;
    published.show({ size, root, note, publishedAt: at.getTime() });
    await environment.checkpoint?.('tlog.published');
  }
}
