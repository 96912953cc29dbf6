import * as fc from 'fast-check';
import t from 'tap';
import type { Environment } from '../../../server/model/environment.ts';
import { OutOfPatience, Patience } from '../../../server/storage/patience.ts';
import type { Attempt, Call, PatienceLimits } from '../../../server/storage/patience.ts';
import { SeededRandom } from '../../support/seeded-random.ts';

const limits: PatienceLimits = {
  callMilliseconds: 10_000,
  attemptMilliseconds: 2000,
  bytesPerSecondLeast: 1000,
  pauseMilliseconds: 100,
  pauseMillisecondsMost: 1000,
  callsMost: 2,
};

/** Time that passes when nothing else is left to do. */
class ManualClock implements Environment {
  #now = 0;
  #timers: { at: number; action: () => void }[] = [];
  readonly #random: SeededRandom;

  constructor(seed = 1) {
    this.#random = new SeededRandom(seed);
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  random(byteCount: number): Uint8Array {
    return Uint8Array.from({ length: byteCount }, () => this.#random.between(0, 255));
  }

  after(delayMilliseconds: number, action: () => void): () => void {
    const timer = { at: this.#now + delayMilliseconds, action };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  get timerCount(): number {
    return this.#timers.length;
  }

  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve));
  }

  /** Runs until the work is settled. */
  async settle<Result>(work: Promise<Result>): Promise<PromiseSettledResult<Result>> {
    const outcome = Promise.allSettled([work]);
    let isSettled = false;
    const settled = outcome.then(([one]) => {
      isSettled = true;
      return one;
    });
    for (let turn = 0; turn < 10_000; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isSettledNow()) break;
      const next = this.#timers.toSorted((left, right) => left.at - right.at)[0];
      if (next === undefined) throw new Error('nothing is left to happen');
      this.#timers = this.#timers.filter((one) => one !== next);
      this.#now = next.at;
      next.action();
    }
    return settled;

    function isSettledNow(): boolean {
      return isSettled;
    }
  }
}

function failing(clock: ManualClock, starts: number[]): Call<never> {
  return {
    isTransient: () => true,
    attempt: async () => {
      starts.push(clock.now());
      throw new Error('busy');
    },
  };
}

const silent = (attempt: Attempt): Promise<never> =>
  new Promise((_, reject) => {
    attempt.signal.addEventListener('abort', () => reject(new Error('aborted')));
  });

t.test('a call that always fails ends in its time, with pauses that grow', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const clock = new ManualClock(seed);
      const starts: number[] = [];
      const outcome = await clock.settle(new Patience(clock, limits).run(failing(clock, starts)));
      t.equal(outcome.status, 'rejected');
      t.equal(clock.now(), limits.callMilliseconds);
      t.equal(clock.timerCount, 0, 'nothing is left behind');
      for (const [index, start] of starts.entries()) {
        const pause = start - (starts[index - 1] ?? start);
        if (index > 0 && pause > Math.min(100 * 2 ** (index - 1), 1000)) t.fail(`${pause} ms`);
      }
      t.ok(starts.length > 5 && starts.length < 60, `${starts.length} attempts`);
    }),
    { numRuns: 30 },
  );
});

t.test('what made the last attempt fail is told', async (t) => {
  const clock = new ManualClock();
  const outcome = await clock.settle(new Patience(clock, limits).run(failing(clock, [])));
  const error: unknown = outcome.status === 'rejected' ? outcome.reason : undefined;
  t.ok(error instanceof OutOfPatience);
  t.match(error, { cause: { message: 'busy' } });
});

t.test('an attempt without an answer is given up, and the next gets more time', async (t) => {
  const clock = new ManualClock();
  const starts: number[] = [];
  const call: Call<string> = {
    isTransient: () => false,
    attempt: async (attempt) => {
      starts.push(clock.now());
      return starts.length < 3 ? silent(attempt) : 'answer';
    },
  };
  const outcome = await clock.settle(new Patience(clock, limits).run(call));
  t.same(outcome, { status: 'fulfilled', value: 'answer' });
  const [first = 0, second = 0, third = 0] = starts;
  t.ok(second - first >= 2000 && second - first < 2200, `${second - first}`);
  t.ok(third - second >= 3000 && third - second < 3400, `${third - second}`);
});

t.test('work that does not heed its signal is left behind', async (t) => {
  const clock = new ManualClock();
  const call: Call<never> = {
    isTransient: () => true,
    attempt: () => new Promise(() => undefined),
  };
  const outcome = await clock.settle(new Patience(clock, limits).run(call));
  t.equal(outcome.status, 'rejected');
  t.equal(clock.now(), limits.callMilliseconds);
});

t.test('bytes get the time they need, once', async (t) => {
  const answerAfter = async (milliseconds: number, byteCount: number, expected: number) => {
    const clock = new ManualClock();
    const call: Call<string> = {
      byteCount,
      isTransient: () => true,
      attempt: async (attempt) => {
        attempt.expectBytes(expected);
        await clock.wait(milliseconds);
        return 'answer';
      },
    };
    const outcome = await clock.settle(new Patience(clock, limits).run(call));
    return { status: outcome.status, at: clock.now() };
  };
  t.same(await answerAfter(11_000, 10_000, 0), { status: 'fulfilled', at: 11_000 });
  t.same(await answerAfter(11_000, 0, 10_000), { status: 'fulfilled', at: 11_000 });
  t.same(await answerAfter(60_000, 10_000, 10_000), { status: 'rejected', at: 20_000 });
  t.same(await answerAfter(60_000, 0, 10_000), { status: 'rejected', at: 20_000 });
});

t.test('a failure that stays is told at once', async (t) => {
  const clock = new ManualClock();
  const refusal = new Error('refused');
  const call: Call<never> = {
    isTransient: () => false,
    attempt: () => Promise.reject(refusal),
  };
  t.same(await clock.settle(new Patience(clock, limits).run(call)), {
    status: 'rejected',
    reason: refusal,
  });
  t.equal(clock.now(), 0);
});

t.test('calls wait for their turn, and their time begins with it', async (t) => {
  const clock = new ManualClock();
  const patience = new Patience(clock, limits);
  let underWay = 0;
  let most = 0;
  const order: number[] = [];
  const run = (number: number): Promise<void> =>
    patience.run({
      isTransient: () => false,
      attempt: async () => {
        order.push(number);
        most = Math.max(most, ++underWay);
        await clock.wait(1900);
        underWay--;
      },
    });
  const outcome = await clock.settle(Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(run)));
  t.equal(outcome.status, 'fulfilled');
  t.equal(most, 2);
  t.same(order, [1, 2, 3, 4, 5, 6, 7, 8]);
  t.equal(clock.timerCount, 0);
});

t.test('who waits in vain is told so in time, and does not hold up the others', async (t) => {
  const clock = new ManualClock();
  const patience = new Patience(clock, limits);
  const stuck = { isTransient: () => true, attempt: silent };
  const ends: number[] = [];
  const calls = Array.from({ length: 8 }, () =>
    patience.run(stuck).finally(() => ends.push(clock.now())),
  );
  const outcomes = await clock.settle(Promise.allSettled(calls));
  t.equal(outcomes.status, 'fulfilled');
  t.equal(ends.length, 8);
  t.ok(Math.max(...ends) <= 2 * limits.callMilliseconds, `${Math.max(...ends)}`);
  t.equal(await patience.run({ isTransient: () => true, attempt: async () => 'fine' }), 'fine');
});

t.test('a closed one ends what is under way and takes no more', async (t) => {
  const clock = new ManualClock();
  const patience = new Patience(clock, limits);
  const pending = patience.run({ isTransient: () => true, attempt: silent });
  const pausing = patience.run(failing(clock, []));
  await new Promise((resolve) => setImmediate(resolve));
  patience.close();
  await t.rejects(pending, OutOfPatience);
  await t.rejects(pausing, OutOfPatience);
  await t.rejects(patience.run({ isTransient: () => true, attempt: async () => 'x' }), /closed/);
  t.equal(clock.timerCount, 0);
});
