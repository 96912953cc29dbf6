import t from 'tap';

import { Pace } from '../../../server/branches/pace.ts';
import { realEnvironment } from '../../../server/foundation.ts';
import type { Environment } from '../../../server/model/environment.ts';

/** A clock that stands still but for the work that is done. */
class WorkClock {
  #now = 0;
  readonly environment: Environment = {
    now: () => this.#now,
    elapsed: () => this.#now,
    random: (count) => new Uint8Array(count),
    after: (delay, action) => realEnvironment.after(delay, action),
  };

  work(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

const stepMilliseconds = 3;

/** The turns of the event loop in which four tasks of ten steps take theirs, but for the first. */
async function turnsOfSteps(networkMilliseconds: number): Promise<readonly number[]> {
  const clock = new WorkClock();
  let turnCount = 0;
  let isOver = false;
  const turn = (): void => {
    turnCount++;
    clock.work(networkMilliseconds);
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const turns: number[] = [];
  function* steps(count: number): Generator<void, void> {
    for (let step = 0; step < count; step++) {
      clock.work(stepMilliseconds);
      turns.push(turnCount);
      yield;
    }
  }
  const runs = Array.from({ length: 4 }, async () => {
    await new Promise((resume) => setImmediate(resume));
    await new Pace(clock.environment).run(steps(10));
  });
  await Promise.all(runs);
  isOver = true;
  // The first step of each is taken when it is called.
  return turns.slice(runs.length);
}

t.test('the network gets its turn between two steps, whoever makes them', async (t) => {
  const turns = await turnsOfSteps(0);
  t.equal(turns.length, 36);
  const shared = turns.filter((at, index) => at === turns[index - 1]);
  t.same(shared, [], 'no two of the later steps share a turn');
});

t.test('where the network takes long, each turn lets several go on', async (t) => {
  const turns = await turnsOfSteps(20);
  const counts = new Map<number, number>();
  for (const at of turns) counts.set(at, (counts.get(at) ?? 0) + 1);
  t.equal(turns.length, 36);
  t.ok(counts.size <= 18, `${counts.size} turns`);
});

t.test('one that fails keeps nobody waiting', async (t) => {
  const clock = new WorkClock();
  const { environment } = clock;
  function* failing(): Generator<void, void> {
    clock.work(stepMilliseconds);
    yield;
    throw new Error('on purpose');
  }
  function* fine(): Generator<void, string> {
    clock.work(stepMilliseconds);
    yield;
    yield;
    return 'done';
  }
  await t.rejects(new Pace(environment).run(failing()), /on purpose/);
  t.equal(await new Pace(environment).run(fine()), 'done');
});
