import { pause, type Environment } from '../model/environment.ts';
import { contended } from './append-refusals.ts';

/** Length of a slice; a rest takes only microseconds if nobody waits. */
const sliceMilliseconds = 1;

/** Length of a turn of the event loop for which one more resting task continues in it. */
const turnMillisecondsEach = 6;

type Clock = Pick<Environment, 'after' | 'elapsed'>;

/**
 * The resting tasks of one clock. Each turn of the event loop lets the first continue, and more if
 * a turn takes long: with one slice a turn a service under load would only accept requests and
 * finish none.
 */
class RestingLine {
  readonly #environment: Clock;
  #waiting: (() => void)[] = [];
  /** Time of the request for the next turn; undefined if no task rests. */
  #askedAt: number | undefined;

  constructor(environment: Clock) {
    this.#environment = environment;
  }

  join(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#askedAt === undefined) this.#ask();
    });
  }

  #ask(): void {
    this.#askedAt = this.#environment.elapsed();
    this.#environment.after(0, () => this.#turn(this.#askedAt ?? 0));
  }

  #turn(askedAt: number): void {
    const turnMilliseconds = this.#environment.elapsed() - askedAt;
    const count = Math.floor(turnMilliseconds / turnMillisecondsEach);
    const ready = this.#waiting.splice(0, Math.max(1, count));
    this.#askedAt = undefined;
    if (this.#waiting.length > 0) this.#ask();
    for (const resolve of ready) resolve();
  }
}

const lines = new WeakMap<Clock, RestingLine>();

function lineOf(environment: Clock): RestingLine {
  const known = lines.get(environment);
  if (known) return known;
  const line = new RestingLine(environment);
  lines.set(environment, line);
  return line;
}

/**
 * Cooperative yielding: synchronous work holds the event loop for about a millisecond at a time.
 * Resting tasks wait in one line: else all would have a slice before anything from the network.
 */
export class Pace {
  readonly #environment: Clock;
  #sliceStarted: number;

  constructor(environment: Clock) {
    this.#environment = environment;
    this.#sliceStarted = environment.elapsed();
  }

  /** Starts a new slice; called after other work had the thread. */
  begin(): void {
    this.#sliceStarted = this.#environment.elapsed();
  }

  get isDue(): boolean {
    return this.#environment.elapsed() - this.#sliceStarted >= sliceMilliseconds;
  }

  async rest(): Promise<void> {
    await lineOf(this.#environment).join();
    this.begin();
  }

  /** Runs a stepwise computation to its end, with a rest after each slice. */
  async run<Result>(steps: Generator<void, Result>): Promise<Result> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      if (this.isDue) await this.rest();
    }
  }
}

/** Most milliseconds of a random wait, which keeps nodes from meeting again at once. */
const standBackMilliseconds = 5;
/** Most consecutive losses to other nodes before the senders get an error. */
const lostTriesMost = 20;

/** The competition of nodes for the next place in a journal. */
export class Contest {
  readonly #environment: Environment;
  #lostCount = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  won(): void {
    this.#lostCount = 0;
  }

  /** Waits for a random time that grows with the losses; fails after too many. */
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
