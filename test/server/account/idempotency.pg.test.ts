import t from 'tap';
import { request } from 'undici';
import { z } from 'zod';

import { PostgresIdempotencyStore } from '../../../server/account/sql.ts';
import { route } from '../../../server/http/route.ts';
import { Failure } from '../../../server/model/failure.ts';
import type { KeyRun } from '../../../server/model/idempotency.ts';
import { realEnvironment, startEdge } from '../../support/edge-server.ts';
import { openTestDatabase } from '../../support/postgres.ts';

const claim = {
  owner: 'agt_1',
  route: 'POST /v1/x',
  key: 'k',
  fingerprint: Buffer.alloc(32, 1),
};
const answer = { status: 201, headers: { Location: '/x' }, body: Buffer.from('{"a":1}') };

function report(step: string, error: unknown): void {
  throw new Error(step, { cause: error });
}

t.test('one of two claims runs, the other waits, both get one answer', async (t) => {
  const sql = await openTestDatabase(t);
  let movedMilliseconds = 0;
  const environment = { ...realEnvironment, now: () => Date.now() + movedMilliseconds };
  const store = new PostgresIdempotencyStore(sql, environment, report);
  t.teardown(() => store.stop());
  const states = await Promise.all([store.begin(claim), store.begin(claim), store.begin(claim)]);
  t.same(states.map(({ state }) => state).toSorted(), ['fresh', 'running', 'running']);
  const run = states.flatMap((one) => (one.state === 'fresh' ? [one.run] : []))[0];
  if (!run) throw new Error('nobody runs');
  await store.finish(run, answer);
  t.match(await store.begin(claim), { state: 'done', answer });
  const other = { ...claim, fingerprint: Buffer.alloc(32, 2) };
  t.same(await store.begin(other), { state: 'mismatch' });
  t.match(await store.begin({ ...claim, owner: 'agt_2' }), { state: 'fresh' });
  movedMilliseconds = 25 * 3_600_000;
  t.match(await store.begin(other), { state: 'fresh' }, 'after a day the key is free');
});

/** PostgreSQL notices the end of a session a moment later. */
async function freshSoon(store: PostgresIdempotencyStore): Promise<KeyRun> {
  for (let tries = 0; tries < 500; tries++) {
    const found = await store.begin(claim);
    if (found.state === 'fresh') return found.run;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the key is not free after ten seconds');
}

async function freshRun(store: PostgresIdempotencyStore): Promise<KeyRun> {
  const found = await store.begin(claim);
  if (found.state !== 'fresh') throw new Error(found.state);
  return found.run;
}

t.test('a process that died frees its keys at once, one that lives after minutes', async (t) => {
  const sql = await openTestDatabase(t);
  let movedMilliseconds = 0;
  const environment = { ...realEnvironment, now: () => Date.now() + movedMilliseconds };
  const [store, other] = [0, 1].map(() => new PostgresIdempotencyStore(sql, environment, report));
  if (!store || !other) throw new Error('there are two');
  t.teardown(() => other.stop());
  const first = await freshRun(store);
  t.same(await other.begin(claim), { state: 'running' });
  await store.stop();
  movedMilliseconds = 1_000;
  const second = await freshSoon(other);
  t.equal(second.id, first.id, 'it is the same request');
  await t.rejects(
    sql.begin((transaction) => other.settle(transaction, first, answer)),
    { message: /Another try/ },
    'who lost the key does no work under it',
  );
  t.same(await other.begin({ ...claim, fingerprint: Buffer.alloc(32, 9) }), { state: 'mismatch' });
  await t.rejects(
    sql.begin(async (transaction) => {
      await other.settle(transaction, second, answer);
      throw new Error('undone');
    }),
    { message: 'undone' },
  );
  t.same(await other.begin(claim), { state: 'running' }, 'an answer goes with its work');
  movedMilliseconds = 6 * 60_000;
  await other.forget(await freshRun(other));
  const last = await freshRun(other);
  await sql.begin((transaction) => other.settle(transaction, last, answer));
  await other.finish(last, { ...answer, status: 500 });
  t.match(await other.begin(claim), { state: 'done', answer });
});

t.test('the lock of a process is taken anew when its session was lost', async (t) => {
  const sql = await openTestDatabase(t);
  const store = new PostgresIdempotencyStore(sql, realEnvironment, report);
  t.teardown(() => store.stop());
  const first = await freshRun(store);
  await sql`
    select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and granted
       and database = (select oid from pg_database where datname = current_database())`;
  const second = await freshSoon(store);
  t.equal(second.id, first.id);
  t.same(await store.begin(claim), { state: 'running' });
});

t.test('the edge repeats answers below 500 and runs the others again', async (t) => {
  const sql = await openTestDatabase(t);
  let runs = 0;
  const make = route({
    host: 'api',
    method: 'POST',
    path: '/v1/make',
    scope: 'write',
    tag: 'Test',
    summary: 'test',
    request: { body: z.strictObject({ what: z.string() }) },
    responses: { 201: { description: 'made' } },
    handler: async ({ body }) => {
      runs++;
      if (body.what === 'wrong') throw new Failure('nameTaken');
      if (body.what === 'fault') throw new Failure('unavailable');
      if (body.what === 'slow') await new Promise((resolve) => setTimeout(resolve, 200));
      return { status: 201, value: { runs }, headers: { Location: `/made/${runs}` } };
    },
  });
  const idempotency = new PostgresIdempotencyStore(sql, realEnvironment, report);
  const { url } = await startEdge(t, [make], { idempotency });
  const send = async (key: string | undefined, what: string) => {
    const sent = await request(`${url}/v1/make`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer good',
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: JSON.stringify({ what }),
    });
    const { statusCode: status, headers } = sent;
    return { status, headers, json: (await sent.body.json()) as Record<string, unknown> };
  };
  t.match(await send('one', 'a'), { status: 201, json: { runs: 1 } });
  t.match(await send('one', 'a'), {
    status: 201,
    json: { runs: 1 },
    headers: { location: '/made/1', 'idempotency-replayed': 'true' },
  });
  t.match(await send('one', 'b'), { status: 422, json: { code: 'idempotency_mismatch' } });
  t.match(await send('two', 'wrong'), { status: 409, json: { code: 'name_taken' } });
  t.match(await send('two', 'wrong'), { status: 409, headers: { 'idempotency-replayed': 'true' } });
  t.equal(runs, 2);
  t.match(await send('three', 'fault'), { status: 503, headers: { 'retry-after': '1' } });
  t.match(await send('three', 'fault'), { status: 503 });
  t.equal(runs, 4);
  const slow = send('four', 'slow');
  await new Promise((resolve) => setTimeout(resolve, 60));
  t.match(await send('four', 'slow'), { status: 409, json: { code: 'idempotency_in_progress' } });
  t.match(await slow, { status: 201 });
  t.match(await send('bad key', 'a'), { status: 400, json: { code: 'invalid_idempotency_key' } });
  t.match(await send(undefined, 'a'), { status: 201, json: { runs: 6 } });
});
