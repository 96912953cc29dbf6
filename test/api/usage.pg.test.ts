import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';

import { UsageTable } from '../../server/account/usage/sql.ts';
import { openPostgres } from '../../server/storage/postgres.ts';
import { claimedAgent } from '../support/claimed-agent.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { doubleProgram, ServiceProcess } from '../support/service-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

/** Runs long: caps are reached by writing up to them. */

interface UsageAnswer {
  readonly plan: string;
  readonly usage: Readonly<Record<string, number>>;
  readonly days: readonly { readonly date: string; readonly operations: number }[];
  readonly caps: Readonly<Record<string, { limit: number; used: number; remaining: number }>>;
  readonly account?: {
    readonly usage: Readonly<Record<string, number>>;
    readonly members: readonly { userId: string; relation: string; usage: object }[];
  };
}

const operation = { kind: 'cells.set', payload: { cells: [{ a1: 'A1', input: 1 }] } };

async function write(url: string, credential: string, id: string, count: number): Promise<number> {
  const answer = await fetch(`${url}/v1/workbooks/${id}/branches/main/ops`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ops: Array.from({ length: count }, () => operation) }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

async function usageOf(service: TestService, credential: string): Promise<UsageAnswer> {
  const answer = await service.request('/v1/account/usage', { credential });
  t.equal(answer.status, 200, answer.text);
  return answer.json as UsageAnswer;
}

async function makeBook(service: TestService, credential: string): Promise<string> {
  const { json } = await service.request('/v1/workbooks', { credential, body: {} });
  return (json as { id: string }).id;
}

t.test('an agent sees its own counts, a person those of all that draws on the plan', async (t) => {
  const service = await TestService.start(t);
  const anonymous = await service.register();
  const id = await makeBook(service, anonymous);
  await write(service.url, anonymous, id, 7);
  await service.request(`/v1/workbooks/${id}/slice?range=A1:B5`, { credential: anonymous });
  const own = await usageOf(service, anonymous);
  t.match(own, {
    plan: 'anonymous',
    caps: { workbooks: { limit: 1_000, used: 1, remaining: 999 } },
  });
  // The first sheet is an operation of its own.
  t.equal(own.usage['operations'], 8);
  // At midnight it would be two days.
  t.equal(
    own.days.reduce((sum, { operations }) => sum + operations, 0),
    8,
  );
  t.ok(own.days.every(({ date }) => /^\d{4}-\d\d-\d\d$/u.test(date)));
  t.equal(own.usage['evaluations'], 1);
  t.ok((own.usage['bytes'] ?? 0) > 0);
  t.equal(own.usage['requests'], 3);
  t.notOk('account' in own, 'without the scope account');
  const email = 'ada@example.com';
  const linked = await claimedAgent(service.url, { email, link: true });
  const person = await claimedAgent(service.url, { email, link: false });
  const book = await makeBook(service, linked.credential);
  await write(service.url, linked.credential, book, 3);
  await makeBook(service, person.credential);
  const both = await usageOf(service, person.credential);
  t.match(both, { plan: 'standard', caps: { workbooks: { limit: 100_000, used: 2 } } });
  t.equal(both.usage['operations'], 1);
  t.equal(both.account?.usage['operations'], 5);
  const members = both.account?.members ?? [];
  t.match(
    members.filter(({ relation }) => relation === 'linked'),
    [{ userId: linked.userId, usage: { operations: 4 } }],
  );
  const ofAgent = await usageOf(service, linked.credential);
  t.same(
    ofAgent.account?.members.map(({ userId }) => userId),
    [linked.userId],
    'and sees no other',
  );
  t.equal(ofAgent.caps['operationsPerMonth']?.used, 5, 'an agent draws on the plan of its person');
});

t.test('over a cap nothing is added, and everything is read', async (t) => {
  const databaseUrl = await createMigratedDatabase();
  const service = await TestService.start(t, { DATABASE_URL: databaseUrl, RATE_LIMITS: 'on' });
  const sql = openPostgres({ url: databaseUrl, applicationName: 'quire-test', connectionCount: 1 });
  t.teardown(() => sql.end({ timeout: 1 }));
  const credential = await service.register();
  const id = await makeBook(service, credential);
  const table = new UsageTable(sql);
  const { json } = await service.request('/agent/auth/me', { credential });
  const { user_id: userId } = (json as { data: { user_id: string } }).data;
  const now = new Date();
  const startsAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()));
  // On loopback caps are a hundred times as wide.
  await table.add([{ userId, startsAt, meter: 'operations', count: 100_000_000 }]);
  // A sum that was read for an earlier request holds for seconds.
  while ((await write(service.url, credential, id, 1)) !== 403) await sleep(100);
  const refused = await service.request('/v1/workbooks', { credential, body: {} });
  t.match(refused, {
    status: 403,
    json: {
      code: 'plan_cap',
      limit: 'operationsPerMonth',
      used: Number,
      max: 100_000_000,
      hint: /Archived workbooks count until they are purged.*claim this identity/,
    },
  });
  const checkpoint = await service.request('/v1/tlog/checkpoint');
  t.match(checkpoint.headers.get('ratelimit'), /^"read";r=\d+/);
  for (const rest of ['', '/slice?range=A1', '/branches/main/ops']) {
    t.equal((await service.request(`/v1/workbooks/${id}${rest}`, { credential })).status, 200);
  }
  const removed = await service.request(`/v1/workbooks/${id}`, { credential, method: 'DELETE' });
  t.equal(removed.status, 200, 'and removed');
});

t.test('operations are counted as the journal has them, whatever dies', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const databaseUrl = await createMigratedDatabase();
  const settings = { DATABASE_URL: databaseUrl, RATE_LIMITS: 'off', DEV_HOOKS: 'on' };
  const sql = openPostgres({ url: databaseUrl, applicationName: 'quire-test', connectionCount: 2 });
  t.teardown(() => sql.end({ timeout: 1 }));
  let service = await ServiceProcess.start(t, folder, settings, doubleProgram);
  const { credential, userId } = await claimedAgent(service.url);
  const made = await fetch(`${service.url}/v1/workbooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}` },
  });
  const { id } = (await made.json()) as { id: string };
  const table = new UsageTable(sql);
  for (let round = 0; round < 3; round++) {
    const end = new AbortController();
    const { signal } = end;
    const writers = Array.from({ length: 4 }, async () => {
      while (!signal.aborted) {
        await write(service.url, credential, id, 3).catch(() => end.abort());
      }
    });
    // Summing up goes on meanwhile, in another process.
    const folding = (async () => {
      while (!signal.aborted) await table.fold();
    })();
    await sleep(400);
    await service.kill();
    end.abort();
    await Promise.all([...writers, folding]);
    const counts = await table.counts(userId, new Date(0));
    const counted = counts.find(({ meter }) => meter === 'operations')?.count;
    const [row] = await sql<{ head: number }[]>`
      select sum(head)::bigint as head from branch where workbook_id = ${id}`;
    t.equal(counted, row?.head, `round ${round}`);
    t.ok((counted ?? 0) > 3);
    service = await ServiceProcess.start(t, folder, settings, doubleProgram);
  }
});
