import t from 'tap';

import { TaskAborted } from '../../../server/compute/pool.ts';
import { StateTasks } from '../../../server/diffs/state-tasks.ts';
import { realEnvironment } from '../../../server/foundation.ts';
import { MergePool } from '../../../server/merges/merge-pool.ts';
import { Formulas } from '../../../workers/formulas.ts';
import { MergeDriver } from '../../support/merge-driver.ts';
import { plainQuestion as question } from '../../support/merge-question.ts';

function sidesWith(rowCount: number) {
  const driver = new MergeDriver(new Formulas(), (base) => {
    base.apply('sheet.add', { name: 'Plan' });
    base.apply('range.fill', { sheet: 'Plan', range: 'A1:J4000', input: 1 });
  });
  driver.theirs.apply('range.fill', { sheet: 'Plan', range: `A1:J${rowCount}`, input: 2 });
  const { base, ours, theirs } = driver;
  return { base: base.state, ours: ours.state, theirs: theirs.state };
}

/** A pool whose tasks fail. */
function failing(error: Error): MergePool {
  const run = async (): Promise<never> => {
    throw error;
  };
  const environment = realEnvironment;
  const tasks = new StateTasks({ pool: { run, hasFreeThread: true }, environment });
  return new MergePool({ tasks, environment });
}

t.test('only large merges are worth the way to another thread', async (t) => {
  const pool = failing(new Error('nobody asks it'));
  t.equal(await pool.takes(sidesWith(20)), false);
  t.equal(await pool.takes(sidesWith(4_000)), true);
});

t.test('a merge whose thread was ended says what to do', async (t) => {
  const sides = sidesWith(1);
  const asked = { question, choices: question.choices };
  const stopped = failing(new TaskAborted('the thread of the task died'));
  const failure = await stopped.compute('wb_1', sides, asked).catch((error: unknown) => error);
  t.match(failure, {
    key: 'evaluationFailed',
    message: /the thread of the task died/u,
    hint: /earlier position/u,
  });
  const broken = new RangeError('a fault of its own');
  await t.rejects(failing(broken).compute('wb_1', sides, asked), broken);
});
