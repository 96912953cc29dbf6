import { pause, type Environment } from '../model/environment.ts';
import type { NodeStore } from './node-store.ts';

const beatMilliseconds = 2_000;
const times = { liveSeconds: 10, keptSeconds: 120 };
/**
 * For so long after a beat a process believes that it is alone: less than others wait for its next
 * one, so one that was paused has stopped believing it before they go on without it.
 */
const believedMilliseconds = 5_000;
/** After so long without a beat the others may be about to forget this process. */
const knownMilliseconds = (times.keptSeconds / 2) * 1_000;
const waitMilliseconds = 50;
const tickMilliseconds = 1_000;
/**
 * After so long without a tick this process was paused, and others may have begun meanwhile: well
 * below the time after which they no longer wait for its beats.
 */
const pausedMilliseconds = 4_000;

export interface NodesOptions {
  readonly store: NodeStore;
  /** Unique for each start of a process. */
  readonly key: string;
  readonly version: string;
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
}

/**
 * The processes that share the database. One that starts waits until each of the others knows of
 * it or is silent for 10 s. A process that knows of no other, and has said within 5 s that it
 * lives, is therefore the only one that acknowledges anything: what it has in memory is the newest
 * there is. All others ask the database for the head before they read one.
 */
export class Nodes {
  readonly #options: NodesOptions;
  #others: readonly string[] = [];
  #live: ReadonlySet<string> = new Set();
  /** Start of the last beat that was answered. */
  #beatAt = -Infinity;
  #beating: Promise<void> | undefined;
  #tickedAt = -Infinity;
  /** Latest moment at which this process is known to have been paused. */
  #pausedAt = -Infinity;
  #isStopped = false;
  #cancelTick: () => void = () => undefined;
  #cancel: () => void = () => undefined;
  #stopListening: () => Promise<void> = () => Promise.resolve();

  constructor(options: NodesOptions) {
    this.#options = options;
  }

  /** Resolves once every other process that is alive knows of this one. */
  async start(): Promise<void> {
    this.#stopListening = await this.#options.store.listenForBeats(() => void this.#beatNow());
    await this.#join();
    this.#tickedAt = this.#options.environment.now();
    this.#tick();
    this.#rest();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    this.#cancelTick();
    await this.#stopListening();
    await this.#beating;
    await this.#options.store.leave(this.#options.key);
  }

  /** True when it is certain that no other process acknowledges anything. */
  get isAlone(): boolean {
    return this.#others.length === 0 && this.#beatAgeMilliseconds < believedMilliseconds;
  }

  /** True when another process was there at the last look, or may have begun in a pause since. */
  get mayHaveOthers(): boolean {
    this.#notePause();
    return this.#others.length > 0 || this.#pausedAt >= this.#beatAt;
  }

  /** Returns whether another process was heard of lately. */
  isLive(key: string): boolean {
    return this.#live.has(key);
  }

  /** Due before anything is acknowledged: a process that was paused for long may be forgotten. */
  async stayKnown(): Promise<void> {
    if (this.#beatAgeMilliseconds < knownMilliseconds) return;
    await this.#join();
  }

  #tick(): void {
    this.#notePause();
    if (this.#isStopped) return;
    this.#cancelTick = this.#options.environment.after(tickMilliseconds, () => this.#tick());
  }

  /** A question may come before the timer that a pause has delayed. */
  #notePause(): void {
    const now = this.#options.environment.now();
    if (now - this.#tickedAt >= pausedMilliseconds) this.#pausedAt = now;
    this.#tickedAt = now;
  }

  /** A clock that was set back says nothing of how long it is. */
  get #beatAgeMilliseconds(): number {
    const age = this.#options.environment.now() - this.#beatAt;
    return age < 0 ? Infinity : age;
  }

  async #join(): Promise<void> {
    const { store, environment } = this.#options;
    let unknowing = await this.#beat();
    if (unknowing > 0) await store.callBeats();
    while (unknowing > 0) {
      await pause(environment, waitMilliseconds);
      unknowing = await this.#beat();
    }
  }

  #rest(): void {
    if (this.#isStopped) return;
    this.#cancel();
    this.#cancel = this.#options.environment.after(beatMilliseconds, () => void this.#beatNow());
  }

  /**
   * Beats, one beat at a time. A beat that fails is followed by another; until then nobody is sure.
   */
  async #beatNow(): Promise<void> {
    if (this.#beating || this.#isStopped) return;
    const beating = this.#beat().then(
      () => undefined,
      (error: unknown) => this.#options.report('tell other processes of this one', error),
    );
    this.#beating = beating;
    await beating;
    this.#beating = undefined;
    this.#rest();
  }

  /** Returns how many of those that live do not know of this one yet. */
  async #beat(): Promise<number> {
    const { store, key, version, environment } = this.#options;
    const self = { key, version };
    const at = environment.now();
    const found = await store.beat(self, this.#others, times);
    const others = found.map((node) => node.key);
    const isNews = others.some((other) => !this.#others.includes(other));
    this.#others = others;
    this.#live = new Set(found.filter(({ isLive }) => isLive).map((node) => node.key));
    this.#beatAt = at;
    // Whoever is new waits until it is known, so that is said at once.
    if (isNews) await store.beat(self, others, times);
    return found.filter(({ knowsMe, isLive }) => isLive && !knowsMe).length;
  }
}
