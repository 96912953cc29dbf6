import t from 'tap';

import { Pace } from '../../../server/branches/pace.ts';
import { realEnvironment } from '../../../server/foundation.ts';
import type { Environment } from '../../../server/model/environment.ts';

/** By this clock every step has used its slice up. */
function hurriedEnvironment(): Environment {
  let now = 0;
  return {
    now: () => (now += 10),
    random: (count) => new Uint8Array(count),
    after: (delay, action) => realEnvironment.after(delay, action),
  };
}

/** Longer than the shortest timer of Node, so that the timers of others are due by then. */
function work(): void {
  const end = performance.now() + 3;
  while (performance.now() < end);
}

t.test('the network gets its turn between two steps, whoever makes them', async (t) => {
  const environment = hurriedEnvironment();
  let turnCount = 0;
  let isOver = false;
  const turn = (): void => {
    turnCount++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const turns: number[] = [];
  function* steps(count: number): Generator<void, void> {
    for (let step = 0; step < count; step++) {
      work();
      turns.push(turnCount);
      yield;
    }
  }
  const runs = Array.from({ length: 4 }, async () => {
    await new Promise((resume) => setImmediate(resume));
    await new Pace(environment).run(steps(10));
  });
  await Promise.all(runs);
  isOver = true;
  t.equal(turns.length, 40);
  // The first step of each is taken when it is called.
  const later = turns.slice(runs.length);
  const shared = later.filter((at, index) => at === later[index - 1]);
  t.same(shared, [], 'no two of the later steps share a turn');
});

t.test('one that fails keeps nobody waiting', async (t) => {
  const environment = hurriedEnvironment();
  function* failing(): Generator<void, void> {
    yield;
    throw new Error('on purpose');
  }
  function* fine(): Generator<void, string> {
    yield;
    yield;
    return 'done';
  }
  await t.rejects(new Pace(environment).run(failing()), /on purpose/);
  t.equal(await new Pace(environment).run(fine()), 'done');
});
