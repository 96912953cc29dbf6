import t from 'tap';
import { request } from 'undici';
import { z } from 'zod';

import { PostgresIdempotencyStore } from '../../../server/account/sql.ts';
import { route } from '../../../server/http/route.ts';
import { Failure } from '../../../server/model/failure.ts';
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
  const states = await Promise.all([store.begin(claim), store.begin(claim), store.begin(claim)]);
  t.same(states.map(({ state }) => state).toSorted(), ['fresh', 'running', 'running']);
  await store.finish(claim, answer);
  t.match(await store.begin(claim), { state: 'done', answer });
  const other = { ...claim, fingerprint: Buffer.alloc(32, 2) };
  t.same(await store.begin(other), { state: 'mismatch' });
  t.same(await store.begin({ ...claim, owner: 'agt_2' }), { state: 'fresh' });
  movedMilliseconds = 25 * 3_600_000;
  t.same(await store.begin(other), { state: 'fresh' }, 'after a day the key is free');
});

t.test('a request that died frees its key after minutes, a forgotten one at once', async (t) => {
  const sql = await openTestDatabase(t);
  let movedMilliseconds = 0;
  const environment = { ...realEnvironment, now: () => Date.now() + movedMilliseconds };
  const store = new PostgresIdempotencyStore(sql, environment, report);
  await store.begin(claim);
  t.same(await store.begin(claim), { state: 'running' });
  movedMilliseconds = 6 * 60_000;
  t.same(await store.begin(claim), { state: 'fresh' });
  await store.forget(claim);
  t.same(await store.begin(claim), { state: 'fresh' });
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
