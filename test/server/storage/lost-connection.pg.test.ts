import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import t from 'tap';

import {
  openLone,
  openPostgres,
  type Sql,
  type Transaction,
} from '../../../server/storage/postgres.ts';
import { createMigratedDatabase, openTestDatabase } from '../../support/postgres.ts';

/** Runs long: it waits until lost connections are given up. */

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
  // The next user of the connection may hear of it once more.
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

t.test('a pool that ends while it connects fails what it was asked, and no more', async (t) => {
  const url = new URL(await createMigratedDatabase());
  let messagesLeft = Infinity;
  const relay = createServer((client) => {
    const database = connect(Number(url.port), url.hostname);
    client.on('data', (bytes) => {
      messagesLeft -= 1;
      if (messagesLeft > 0) database.write(bytes);
    });
    database.on('data', (bytes) => client.write(bytes));
    client.on('close', () => database.destroy());
    for (const socket of [client, database]) socket.on('error', () => client.destroy());
  });
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  const through = new URL(url);
  through.host = `127.0.0.1:${(relay.address() as AddressInfo).port}`;
  const ask = async (): Promise<number> => {
    const sql = openPostgres({ url: through.href, applicationName: 'test', connectionCount: 1 });
    const answer = sql`select 1`.execute();
    const end = async (): Promise<void> => {
      await sleep(300);
      await sql.end({ timeout: 0 });
    };
    const [outcome] = await Promise.allSettled([answer, end()]);
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value.length;
  };
  // Five messages are the start, the password in two, the statement and its parameters.
  for (const silentFrom of [1, 2, 3, 4, 5, 6]) {
    messagesLeft = silentFrom;
    const [outcome] = await Promise.allSettled([ask()]);
    const isAnswered = silentFrom === 6;
    if (isAnswered) t.match(outcome, { status: 'fulfilled', value: 1 });
    else t.match(outcome, { status: 'rejected', reason: { code: 'CONNECTION_DESTROYED' } });
  }
  messagesLeft = Infinity;
  t.equal(await ask(), 1);
  // A failure that nobody heard of is reported by then, and fails this test.
  await sleep(50);
  relay.close();
});

t.test('a lone connection ends, whatever became of its session', async (t) => {
  const url = new URL(await createMigratedDatabase());
  const sockets: Socket[] = [];
  const relay = createServer((client) => {
    const database = connect(Number(url.port), url.hostname);
    sockets.push(client);
    client.pipe(database).pipe(client);
    for (const socket of [client, database]) socket.on('error', () => client.destroy());
    client.on('close', () => database.destroy());
    database.on('close', () => client.destroy());
  });
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => relay.close());
  const through = new URL(url);
  through.host = `127.0.0.1:${(relay.address() as AddressInfo).port}`;
  const sql = openPostgres({ url: through.href, applicationName: 'test', connectionCount: 1 });
  t.teardown(() => sql.end({ timeout: 1 }));
  const cut = (how: 'destroy' | 'resetAndDestroy') => {
    for (const socket of sockets.splice(0)) socket[how]();
  };
  const ends: Record<string, (lone: Sql) => Promise<unknown>> = {
    'while it waits for an answer': async (lone) => {
      const asleep = lone`select pg_sleep(20)`.execute();
      setTimeout(() => cut('destroy'), 50);
      return asleep.catch(() => lone.end());
    },
    'by a reset': async (lone) => {
      const asleep = lone`select pg_sleep(20)`.execute();
      setTimeout(() => cut('resetAndDestroy'), 50);
      return asleep.catch(() => lone.end());
    },
    'in the turn in which it is cut': async (lone) => {
      const asleep = lone`select pg_sleep(20)`.execute();
      await sleep(50);
      cut('destroy');
      return Promise.allSettled([asleep, lone.end()]);
    },
    'with a statement behind the lost one': async (lone) => {
      const asleep = lone`select pg_sleep(20)`.execute();
      const behind = lone`select 1`.execute();
      setTimeout(() => cut('destroy'), 50);
      await Promise.allSettled([asleep]);
      return Promise.allSettled([lone.end(), behind]);
    },
  };
  for (const [when, end] of Object.entries(ends)) {
    const lone = openLone(sql);
    await lone`select 1`;
    const ended = end(lone).then(() => 'ended');
    t.equal(await Promise.race([ended, sleep(10_000, 'hangs', { ref: false })]), 'ended', when);
  }
});
