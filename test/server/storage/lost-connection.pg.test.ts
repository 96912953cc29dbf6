import { setTimeout as sleep } from 'node:timers/promises';

import t from 'tap';

import { type Transaction, openLone, openPostgres } from '../../../server/storage/postgres.ts';
import { createMigratedDatabase, openTestDatabase } from '../../support/postgres.ts';

t.test('a transaction whose session ends fails, and does not go on in another', async (t) => {
  const url = await createMigratedDatabase();
  const sql = openPostgres({ url, applicationName: 'test', connectionCount: 1 });
  const killer = openPostgres({ url, applicationName: 'killer', connectionCount: 1 });
  t.teardown(() => Promise.all([sql.end({ timeout: 1 }), killer.end({ timeout: 1 })]));
  await killer`create table noted (word text)`;
  const held: Transaction[] = [];
  const transaction = sql.begin(async (sql) => {
    held.push(sql);
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    await sql`insert into noted values ('before')`;
    const asleep = sql`select pg_sleep(20)`.execute();
    const end = async () => {
      await sleep(100);
      await killer`select pg_terminate_backend(${row?.pid ?? 0})`;
    };
    await Promise.all([asleep, end()]);
  });
  await t.rejects(transaction);
  t.equal(held.length, 1);
  for (const gone of held) {
    const lost = /connection of this transaction is gone/;
    t.throws(() => gone`insert into noted values ('after')`, lost);
    t.throws(() => gone.unsafe('select 1'), lost);
  }
  t.same([...(await killer`select word from noted`)], []);
  // Whoever has the connection next may hear of it once more.
  const [next] = await Promise.allSettled([sql`select 1`]);
  if (next.status === 'rejected') t.match(next.reason, { code: /^(CONNECTION_\w+|57P0\d)$/ });
  t.equal((await sql`select 1`).length, 1, 'the pool has another session');
});

t.test('a transaction that fails by itself is rolled back', async (t) => {
  const sql = await openTestDatabase(t);
  await sql`create table noted (word text)`;
  const failed = sql.begin(async (sql) => {
    await sql`insert into noted values ('before')`;
    throw new Error('of its own');
  });
  await t.rejects(failed, /of its own/);
  t.same([...(await sql`select word from noted`)], []);
});

t.test('a lone connection keeps the locks of its session, and connects again', async (t) => {
  const sql = await openTestDatabase(t);
  const lone = openLone(sql);
  t.teardown(() => lone.end({ timeout: 1 }));
  const free = async () => {
    const [row] = await sql<{ isFree: boolean }[]>`
      select pg_try_advisory_lock(7) and pg_advisory_unlock(7) as "isFree"`;
    return row?.isFree;
  };
  await lone`select pg_advisory_lock(7)`;
  const [row] = await lone<{ pid: number }[]>`select pg_backend_pid() as pid`;
  t.equal(await free(), false);
  await sql`select pg_terminate_backend(${row?.pid ?? 0})`;
  await sleep(100);
  t.equal((await lone`select 1`).length, 1);
  t.equal(await free(), true);
});
