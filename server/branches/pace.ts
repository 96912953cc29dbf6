import type { Environment } from '../model/environment.ts';
import { contended } from './append-refusals.ts';

/** A rest takes microseconds where nobody waits, so slices may be short. */
const sliceMilliseconds = 2;

/** The last resting task of each clock. */
const lines = new WeakMap<Environment, Promise<void>>();

/**
 * Cooperative yielding: keeps synchronous work from holding the event loop, at most 2 ms at a time,
 * whoever does it. Resting tasks form a line, one slice in each turn of the loop: side by side they
 * would all have theirs before anything from the network came through.
 */
export class Pace {
  readonly #environment: Environment;
  #sliceStarted: number;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#sliceStarted = environment.now();
  }

  /** Starts a new slice; to be called when other work has had the thread. */
  begin(): void {
    this.#sliceStarted = this.#environment.now();
  }

  get isDue(): boolean {
    return this.#environment.now() - this.#sliceStarted >= sliceMilliseconds;
  }

  async rest(): Promise<void> {
    const environment = this.#environment;
    const before = lines.get(environment) ?? Promise.resolve();
    const mine = before.then(() => pause(environment, 0));
    lines.set(environment, mine);
    await mine;
    this.begin();
  }

  /** Runs a stepwise computation to its end, resting whenever a slice is used up. */
  async run<Result>(steps: Generator<void, Result>): Promise<Result> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      if (this.isDue) await this.rest();
    }
  }
}

export function pause(environment: Environment, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    environment.after(milliseconds, resolve);
  });
}

/** Random waits keep nodes that lost to one another from meeting again at once. */
const standBackMilliseconds = 5;
/** Times in a row that batches may lose their place to other nodes before the senders hear of it. */
const lostTriesMost = 20;

/** The contest of nodes for the next place in one journal. */
export class Contest {
  readonly #environment: Environment;
  #lostCount = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  won(): void {
    this.#lostCount = 0;
  }

  /** Waits for some random time, the longer the more often it was lost; fails in the end. */
  async lost(): Promise<void> {
    if (++this.#lostCount <= lostTriesMost) {
      const [byte = 0] = this.#environment.random(1);
      const milliseconds = (byte / 256) * standBackMilliseconds * this.#lostCount;
      return pause(this.#environment, milliseconds);
    }
    this.#lostCount = 0;
    throw contended();
  }
}
