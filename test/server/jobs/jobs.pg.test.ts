import { createHash } from 'node:crypto';

import t, { type Test } from 'tap';

import { realEnvironment } from '../../../server/foundation.ts';
import { closeBoss, openBoss } from '../../../server/jobs/boss.ts';
import { Jobs, type JobRun, type JobsOptions, type JobState } from '../../../server/jobs/jobs.ts';
import { JobTable } from '../../../server/jobs/sql.ts';
import { Metrics } from '../../../server/metrics.ts';
import type { Environment } from '../../../server/model/environment.ts';
import type { Sql } from '../../../server/storage/postgres.ts';
import { openTestDatabase } from '../../support/postgres.ts';

const rule = { retryLimit: 2, expireInSeconds: 900 };
const queue = 'sums';

interface Node {
  readonly jobs: Jobs;
  readonly reports: string[];
  /** Job of each piece of work that was begun here, and how it ends. */
  readonly begun: { data: unknown; run: JobRun; end: (error?: Error) => void }[];
}

async function startNode(
  t: Pick<Test, 'teardown'>,
  sql: Sql,
  runsMost = 1,
  more: Partial<Pick<JobsOptions, 'environment' | 'headStartMilliseconds' | 'takenSeconds'>> = {},
): Promise<Node> {
  const reports: string[] = [];
  const begun: Node['begun'] = [];
  const jobs = new Jobs({
    sql,
    table: new JobTable(sql),
    environment: realEnvironment,
    metrics: new Metrics(),
    hasFreeThread: () => true,
    runsMost,
    report: (step) => reports.push(step),
    ...more,
  });
  const work = (data: unknown, run: JobRun): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (error?: Error): void => (error ? reject(error) : resolve());
      run.signal.addEventListener('abort', () => end(new Error('aborted')));
      begun.push({ data, run, end });
    });
  jobs.handle(queue, { ...rule, work });
  await jobs.start();
  t.teardown(() => jobs.stop());
  return { jobs, reports, begun };
}

function request(text: string, tenant = 'me') {
  const key = createHash('sha256').update(text).digest();
  return { queue, key, data: { text }, tenant, seconds: 100 };
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < 500; round++) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('it did not come to that');
}

async function untilState({ jobs }: Node, text: string, kind: JobState['kind']): Promise<JobState> {
  let state = await jobs.state(request(text));
  await until(async () => (state = await jobs.state(request(text))).kind === kind);
  return state;
}

t.test('a hundred who ask are one job, and hear of its end at once', async (t) => {
  const sql = await openTestDatabase(t);
  // Nobody looks again after a second: who waits goes on because it was told to.
  const after: Environment['after'] = (milliseconds, action) =>
    milliseconds < 1000 ? realEnvironment.after(milliseconds, action) : () => undefined;
  const node = await startNode(t, sql, 1, { environment: { ...realEnvironment, after } });
  await Promise.all(Array.from({ length: 100 }, () => node.jobs.ensure(request('a'))));
  await until(() => node.begun.length > 0);
  t.same(node.begun[0]?.data, { text: 'a' });
  node.begun[0]?.run.progressed({ done: 3, total: 9 });
  await until(async () => {
    const state = await node.jobs.state(request('a'));
    return state.kind === 'active' && state.progress.done === 3;
  });
  const waits = Promise.all([1, 2].map(() => node.jobs.wait(request('a').key, 60_000)));
  node.begun[0]?.end();
  await waits;
  await untilState(node, 'a', 'none');
  t.equal(node.begun.length, 1);
  await node.jobs.ensure(request('a'));
  await until(() => node.begun.length === 2);
  t.pass('what has ended can be asked for again');
  node.begun[1]?.end();
});

t.test('what fails is tried twice more, then not for a while', async (t) => {
  const node = await startNode(t, await openTestDatabase(t));
  await node.jobs.ensure(request('bad'));
  for (let attempt = 1; attempt <= 3; attempt++) {
    await until(() => node.begun.length === attempt);
    node.begun.at(-1)?.end(new Error(`attempt ${attempt}`));
  }
  t.same(await untilState(node, 'bad', 'failed'), { kind: 'failed', message: 'attempt 3' });
  t.match(await node.jobs.ensure(request('bad')), { kind: 'failed' });
  t.equal(node.reports.length, 3);
});

t.test('any number of processes open their queues at once', async (t) => {
  const sql = await openTestDatabase(t);
  const names = Array.from({ length: 4 }, (_, at) => new Map([[`${queue}-${at}`, rule]]));
  const opened = await Promise.allSettled(
    names.map((one) => openBoss(sql, one, (step) => t.fail(step))),
  );
  t.same(
    opened.map((one) => (one.status === 'rejected' ? String(one.reason) : one.status)),
    names.map(() => 'fulfilled'),
  );
  for (const one of opened) if (one.status === 'fulfilled') await closeBoss(one.value);
});

t.test('a worker that died is noticed by whoever asks next', async (t) => {
  const sql = await openTestDatabase(t);
  const boss = await openBoss(sql, new Map([[queue, rule]]), (step) => t.fail(step));
  const takenSeconds = 4;
  const node = await startNode(t, sql, 0, { takenSeconds });
  await node.jobs.ensure(request('a'));
  t.equal(
    (await boss.fetch(queue, { ignoreStartAfter: true })).length,
    1,
    'a process takes it, and dies',
  );
  t.match(await node.jobs.ensure(request('a')), { kind: 'active' }, 'it may have just begun');
  const other = await startNode(t, sql, 1, { takenSeconds });
  await until(
    async () => (await other.jobs.ensure(request('a'))).kind !== 'active' || other.begun.length > 0,
  );
  await until(() => other.begun.length === 1);
  for (let look = 0; look < 3; look++) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    t.match(await node.jobs.ensure(request('a')), { kind: 'active' });
  }
  t.equal(other.begun.length, 1, 'one that is at it is left alone');
  other.begun[0]?.end();
  await boss.stop({ graceful: false, close: false });
});

t.test('a process without a free thread leaves the job to another', async (t) => {
  const sql = await openTestDatabase(t);
  const [busy, idle] = [await startNode(t, sql, 0), await startNode(t, sql)];
  await busy.jobs.ensure(request('a'));
  await until(() => idle.begun.length === 1);
  const wait = busy.jobs.wait(request('a').key, 60_000);
  idle.begun[0]?.end();
  await wait;
  await untilState(busy, 'a', 'none');
  t.equal(busy.begun.length, 0);
});

t.test('a job is left to the process that asked for it for a while', async (t) => {
  const sql = await openTestDatabase(t);
  // Long enough for a machine that has other things to do.
  const headStart = { headStartMilliseconds: 3000 };
  const [here, there] = [
    await startNode(t, sql, 1, headStart),
    await startNode(t, sql, 1, headStart),
  ];
  await here.jobs.ensure(request('a'));
  await until(() => here.begun.length === 1);
  await here.jobs.ensure(request('b'));
  // Whatever wakes the other one: it finds nothing.
  await there.jobs.state(request('b'));
  await sql.notify('job', 'queued');
  await new Promise((resolve) => setTimeout(resolve, 100));
  here.begun[0]?.end();
  await until(() => here.begun.length === 2);
  t.equal(there.begun.length, 0);
  await here.jobs.ensure(request('c'));
  await until(() => there.begun.length === 1);
  t.same(there.begun[0]?.data, { text: 'c' }, 'then it goes to whoever has a free thread');
  for (const { end } of [...here.begun, ...there.begun]) end();
});

t.test('the many jobs of one tenant do not keep another one waiting', async (t) => {
  const node = await startNode(t, await openTestDatabase(t));
  const names = ['a1', 'a2', 'a3', 'a4', 'a5'];
  for (const name of names) await node.jobs.ensure(request(name, 'much'));
  await until(() => node.begun.length === 1);
  await node.jobs.ensure(request('b1', 'little'));
  await node.jobs.ensure(request('b2', 'little'));
  for (let count = 1; count <= 7; count++) {
    await until(() => node.begun.length === count);
    node.begun.at(-1)?.end();
  }
  const order = node.begun.map(({ data }) => (data as { text: string }).text);
  t.same(order, ['a1', 'b1', 'a2', 'b2', 'a3', 'a4', 'a5']);
});

t.test('a job that is cancelled ends, wherever it runs', async (t) => {
  const sql = await openTestDatabase(t);
  const [here, there] = [await startNode(t, sql, 0), await startNode(t, sql)];
  t.equal(await here.jobs.cancel(request('a')), false, 'there is none');
  await here.jobs.ensure(request('a'));
  await until(() => there.begun.length === 1);
  t.equal(await here.jobs.cancel(request('a')), true);
  await until(() => there.begun[0]?.run.signal.aborted === true);
  await untilState(here, 'a', 'none');
  await until(async () => {
    await here.jobs.ensure(request('a'));
    return there.begun.length === 2;
  });
  there.begun[1]?.end();
  t.same(there.reports, []);
});

t.test('a process that stops gives its job back', async (t) => {
  const sql = await openTestDatabase(t);
  const first = await startNode(t, sql);
  await first.jobs.ensure(request('a'));
  await until(() => first.begun.length === 1);
  await first.jobs.stop();
  const onlooker = await startNode(t, sql, 0);
  t.same(await onlooker.jobs.state(request('a')), { kind: 'queued' });
  const second = await startNode(t, sql);
  await second.jobs.ensure(request('a'));
  await until(() => second.begun.length === 1);
  second.begun[0]?.end();
});
