import t, { type Test } from 'tap';
import { realEnvironment } from '../../../server/foundation.ts';
import { Affinity } from '../../../server/compute/affinity.ts';
import { Pool, stateTasksModule, type RunOptions } from '../../../server/compute/pool.ts';
import { Metrics } from '../../../server/metrics.ts';
import { hashKeyBytes } from '../../../workers/hash-key.ts';
import type { PoolTask } from '../../support/pool-tasks.ts';

const tasks = new URL('../../support/pool-tasks.js', import.meta.url);

function startPool(t: Test, threadCount: number) {
  const metrics = new Metrics();
  const pool = new Pool({ threadCount, environment: realEnvironment, metrics, tasks });
  t.teardown(() => pool.close());
  const run = (task: PoolTask, options: Partial<RunOptions> = {}): Promise<unknown> =>
    pool.run('recalculate', task as never, { timeoutMilliseconds: 20_000, ...options });
  return { run, metrics };
}

t.test('a task that hangs is ended with its thread, and the next one runs', async (t) => {
  const { run } = startPool(t, 1);
  const before = await run({ what: 'thread' });
  await t.rejects(run({ what: 'spin' }, { timeoutMilliseconds: 300 }), {
    name: 'TaskAborted',
    message: 'the task took more than 300 ms',
  });
  const after = await run({ what: 'thread' });
  t.equal(typeof after, 'number');
  t.not(after, before, 'in another thread');
});

t.test('the threads of a pool are handed a key for hash tables, each pool another', async (t) => {
  const keyOf = async () => Buffer.from((await startPool(t, 1).run({ what: 'key' })) as Uint8Array);
  const [one, other] = [await keyOf(), await keyOf()];
  t.equal(one.length, hashKeyBytes);
  t.notOk(one.equals(other));
});

t.test('a task that throws, or ends its thread, fails alone', async (t) => {
  const { run } = startPool(t, 1);
  await t.rejects(run({ what: 'throw' }), { message: 'thrown in the thread' });
  await t.rejects(run({ what: 'exit' }));
  t.equal(typeof (await run({ what: 'thread' })), 'number');
});

t.test('a task can be given up by its signal', async (t) => {
  const { run } = startPool(t, 1);
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 100);
  await t.rejects(run({ what: 'spin' }, { signal: abort.signal }), { name: 'TaskGivenUp' });
  await t.rejects(run({ what: 'thread' }, { signal: abort.signal }), { name: 'TaskGivenUp' });
});

t.test('a task can be given up while its thread starts', async (t) => {
  for (const milliseconds of [0, 5, 10, 20, 40, 80]) {
    const settings = { threadCount: 1, threadsAtStart: 0, environment: realEnvironment };
    const pool = new Pool({ ...settings, tasks: stateTasksModule });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), milliseconds);
    const task = { dictionary: 'none', states: undefined } as never;
    const options = { timeoutMilliseconds: 20_000, signal: abort.signal };
    // Given up, or failed for want of states; Node 20 would end the process.
    await t.rejects(pool.run('diffStates', task, options));
    await pool.close();
  }
  t.pass('the process lives');
});

t.test('tasks of one model run in one thread while it is free', async (t) => {
  const { run } = startPool(t, 2);
  await Promise.all([1, 2].map(() => run({ what: 'wait', milliseconds: 200 })));
  const threads = new Set<unknown>();
  for (let round = 0; round < 6; round++) {
    threads.add(await run({ what: 'thread' }, { affinity: 'model' }));
  }
  t.equal(threads.size, 1);
});

t.test('affinity is a preference, never a reason to wait', async (t) => {
  const affinity = new Affinity();
  const [first, second] = [
    { id: 1, currentUsage: 0 },
    { id: 2, currentUsage: 0 },
  ];
  t.equal(affinity.choose('a', [first, second])?.id, 1);
  t.equal(affinity.choose('a', [second, first])?.id, 1, 'the thread it had');
  first.currentUsage = 1;
  t.equal(affinity.choose('a', [first, second])?.id, 2, 'another one when that is busy');
  second.currentUsage = 1;
  t.equal(affinity.choose('a', [first, second]), null, 'none when all are');
  first.currentUsage = 0;
  second.currentUsage = 0;
  t.equal(affinity.choose('a', [first, second])?.id, 2, 'and then it stays there');
});
