import type { Environment } from '../model/environment.ts';
import { Countdown } from './countdown.ts';
import { Slots } from './slots.ts';

/** Time limits and retries of a call to something far away (a deadline with retries). */
export interface PatienceLimits {
  /** Milliseconds for a whole call with all its attempts, and for the wait for its turn. */
  readonly callMilliseconds: number;
  /** Milliseconds for an attempt; half as much again after each that ran out of it. */
  readonly attemptMilliseconds: number;
  /** Rate by which both grow with the bytes to be sent or read. */
  readonly bytesPerSecondLeast: number;
  /** The pause after the first attempt is at most this, and then twice as long each time. */
  readonly pauseMilliseconds: number;
  readonly pauseMillisecondsMost: number;
  /** Calls under way at once; more wait for their turn. */
  readonly callsMost: number;
}

export interface Attempt {
  readonly signal: AbortSignal;
  /** Gives the time that so many bytes may take. */
  expectBytes(byteCount: number): void;
}

export interface Call<Result> {
  /** Must end soon after the signal; what it ends with is of no interest then. */
  attempt(attempt: Attempt): Promise<Result>;
  /** Returns whether another attempt may help. */
  isTransient(error: unknown): boolean;
  /** Bytes to be sent. */
  readonly byteCount?: number;
  /** Instead of the usual. */
  readonly callMilliseconds?: number;
}

/** Error of a call of which no attempt succeeded in the time it had. */
export class OutOfPatience extends Error {
  override readonly name = 'OutOfPatience';
}

const randomSteps = 0x1_0000_0000;
const patienceGrowth = 1.5;

/** Runs calls in attempts (retries with a deadline). A call always ends in time. */
export class Patience {
  readonly #environment: Environment;
  readonly #limits: PatienceLimits;
  readonly #slots: Slots;
  readonly #underWay = new Set<Countdown>();
  #isClosed = false;

  constructor(environment: Environment, limits: PatienceLimits) {
    this.#environment = environment;
    this.#limits = limits;
    this.#slots = new Slots(limits.callsMost);
  }

  async run<Result>(call: Call<Result>): Promise<Result> {
    await this.#takeSlot();
    const milliseconds = call.callMilliseconds ?? this.#limits.callMilliseconds;
    const time = new Countdown(this.#environment, milliseconds);
    this.#underWay.add(time);
    try {
      if (this.#isClosed) throw new OutOfPatience('closed');
      return await this.#attemptAll(call, time);
    } finally {
      time.stop();
      this.#underWay.delete(time);
      this.#slots.give();
    }
  }

  /** Ends every call that is under way, and takes no more. */
  close(): void {
    this.#isClosed = true;
    for (const time of this.#underWay) time.end();
  }

  async #attemptAll<Result>(call: Call<Result>, time: Countdown): Promise<Result> {
    const granted = new Granted(this.#limits.bytesPerSecondLeast, time);
    granted.grant(call.byteCount ?? 0);
    let lastError: unknown;
    let attemptMilliseconds = this.#limits.attemptMilliseconds;
    for (let count = 0; ; count++) {
      const run = new RunningAttempt();
      time.onEnd = () => run.runOut();
      const limit = new Countdown(this.#environment, attemptMilliseconds + granted.milliseconds);
      limit.onEnd = () => run.runOut();
      try {
        const expectBytes = (byteCount: number): void => limit.extend(granted.grant(byteCount));
        return await run.settle(call.attempt({ signal: run.signal, expectBytes }));
      } catch (error) {
        run.abort();
        if (!run.ranOut && !call.isTransient(error)) throw error;
        lastError = run.ranOut ? (lastError ?? error) : error;
        if (run.ranOut) attemptMilliseconds *= patienceGrowth;
      } finally {
        limit.stop();
      }
      if (!time.ended) await this.#pause(count, time);
      if (time.ended) throw new OutOfPatience(`gave up after ${count + 1}`, { cause: lastError });
    }
  }

  /**
   * Pauses for any time up to the whole, so that calls which failed together do not come again
   * together.
   */
  #pause(count: number, time: Countdown): Promise<void> {
    const { pauseMilliseconds, pauseMillisecondsMost } = this.#limits;
    const whole = Math.min(pauseMilliseconds * 2 ** count, pauseMillisecondsMost);
    const share = Buffer.from(this.#environment.random(4)).readUInt32LE() / randomSteps;
    return new Promise((resolve) => {
      const cancel = this.#environment.after(whole * share, resolve);
      time.onEnd = () => {
        cancel();
        resolve();
      };
    });
  }

  async #takeSlot(): Promise<void> {
    const turn = this.#slots.take();
    if (turn === undefined) return;
    const time = new Countdown(this.#environment, this.#limits.callMilliseconds);
    time.onEnd = () => turn.giveUp();
    const came = await turn.came;
    time.stop();
    if (!came) throw new OutOfPatience('too many calls are under way');
  }
}

/** One attempt, which ends with its work or when its time is over. */
class RunningAttempt {
  ranOut = false;
  readonly #controller = new AbortController();

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Does not rely on the work to heed the signal. */
  settle<Result>(work: Promise<Result>): Promise<Result> {
    const { signal } = this;
    const end = new Promise<never>((_, reject) => {
      const onEnd = (): void => reject(new Error('there was no answer in time'));
      signal.addEventListener('abort', onEnd, { once: true });
    });
    return Promise.race([work, end]);
  }

  abort(): void {
    this.#controller.abort();
  }

  runOut(): void {
    this.ranOut = true;
    this.abort();
  }
}

/** Extra time of a call for its bytes, which is given once for all attempts. */
class Granted {
  milliseconds = 0;
  readonly #bytesPerSecond: number;
  readonly #time: Countdown;

  constructor(bytesPerSecond: number, time: Countdown) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#time = time;
  }

  /** Answers for how much longer than so far. */
  grant(byteCount: number): number {
    const due = (byteCount * 1000) / this.#bytesPerSecond;
    const more = Math.max(0, due - this.milliseconds);
    this.milliseconds += more;
    this.#time.extend(more);
    return more;
  }
}
