import t from 'tap';

import { TaskAborted } from '../../../server/compute/pool.ts';
import { DiffPool } from '../../../server/diffs/diff-pool.ts';
import { StateTasks } from '../../../server/diffs/state-tasks.ts';
import { realEnvironment as environment } from '../../../server/foundation.ts';
import { Formulas } from '../../../workers/formulas.ts';
import { StateDriver } from '../../support/state-driver.ts';

function sidesWith(cellCount: number) {
  const driver = new StateDriver(new Formulas());
  for (const name of ['Plan', 'Other']) driver.apply('sheet.add', { name });
  const from = driver.state.fork();
  const range = `A1:J${cellCount / 10}`;
  driver.apply('range.fill', { sheet: 'Plan', range, input: 1 });
  return { from, to: driver.state };
}

function poolOf({ hasFreeThread, error }: { hasFreeThread: boolean; error: Error }): DiffPool {
  const run = async (): Promise<never> => {
    throw error;
  };
  const tasks = new StateTasks({ pool: { run, hasFreeThread }, environment });
  return new DiffPool({ tasks, environment });
}

t.test(
  'only large diffs are worth the way to another thread, and only to a free one',
  async (t) => {
    const error = new Error('nobody asks it');
    const [free, busy] = [true, false].map((hasFreeThread) => poolOf({ hasFreeThread, error }));
    const [small, large] = [sidesWith(90_000), sidesWith(110_000)];
    t.equal(await free?.takes(small, undefined), false);
    t.equal(await free?.takes(large, undefined), true);
    t.equal(await free?.takes(large, large.to.structure.named('Plan')?.id), true);
    t.equal(await free?.takes(large, large.to.structure.named('Other')?.id), false);
    t.equal(await busy?.takes(large, undefined), false);
  },
);

t.test('a diff whose thread was ended says what to do', async (t) => {
  const sides = sidesWith(10);
  const ended = poolOf({ hasFreeThread: true, error: new TaskAborted('the thread died') });
  const failure = await ended.changedCells('wb_1', sides, {}).catch((error: unknown) => error);
  t.match(failure, { key: 'evaluationFailed', message: /the thread died/u, hint: /one sheet/u });
  const fault = new RangeError('a fault of its own');
  const broken = poolOf({ hasFreeThread: true, error: fault });
  await t.rejects(broken.changedCells('wb_1', sides, {}), fault);
});
