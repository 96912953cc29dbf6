import { pause, type Environment } from '../model/environment.ts';
import { contended } from './append-refusals.ts';

/** A rest takes microseconds where nobody waits, so slices may be short. */
const sliceMilliseconds = 2;

/** Share of a turn of the event loop that resting tasks get where the network takes long. */
const shareOfTurn = 1 / 3;

/**
 * The tasks of one clock that rest. Each turn of the event loop lets the first go on, and more
 * where a turn takes long: with one slice a turn, a service under load would spend all its time on
 * what comes in and finish nothing of it.
 */
class RestingLine {
  readonly #environment: Environment;
  #waiting: (() => void)[] = [];
  /** When the next turn was asked for; undefined while nobody waits. */
  #askedAt: number | undefined;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  join(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#askedAt === undefined) this.#ask();
    });
  }

  #ask(): void {
    this.#askedAt = this.#environment.now();
    this.#environment.after(0, () => this.#turn(this.#askedAt ?? 0));
  }

  #turn(askedAt: number): void {
    const turnMilliseconds = this.#environment.now() - askedAt;
    const count = Math.floor((turnMilliseconds * shareOfTurn) / sliceMilliseconds);
    const ready = this.#waiting.splice(0, Math.max(1, count));
    this.#askedAt = undefined;
    if (this.#waiting.length > 0) this.#ask();
    for (const resolve of ready) resolve();
  }
}

const lines = new WeakMap<Environment, RestingLine>();

function lineOf(environment: Environment): RestingLine {
  const known = lines.get(environment);
  if (known) return known;
  const line = new RestingLine(environment);
  lines.set(environment, line);
  return line;
}

/**
 * Cooperative yielding: keeps synchronous work from holding the event loop, at most 2 ms at a time,
 * whoever does it. Resting tasks form a line: side by side they would all have their slices before
 * anything from the network came through.
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
    await lineOf(this.#environment).join();
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
