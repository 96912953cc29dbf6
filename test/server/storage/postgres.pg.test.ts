import t from 'tap';
import { checkDurability, durabilityFaults } from '../../../server/storage/durability.ts';
import { openPostgres } from '../../../server/storage/postgres.ts';
import { createDatabase } from '../../support/postgres.ts';

const durable = {
  version: 180_004,
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  server_encoding: 'UTF8',
  max_connections: 100,
  data_checksums: 'on',
};

t.test('the embedded PostgreSQL passes the start-up check', async (t) => {
  const sql = openPostgres({ url: await createDatabase(), applicationName: 'test' });
  t.same(await checkDurability(sql, 10), []);
  t.match(await checkDurability(sql, 1000), [/max_connections/]);
  await sql.end();
});

t.test('a database that may lose an acknowledged write is refused', async (t) => {
  const sql = openPostgres({
    url: `${await createDatabase()}?synchronous_commit=off`,
    applicationName: 'test',
  });
  await t.rejects(checkDurability(sql, 10), { message: /set synchronous_commit = on/ });
  await sql.end();
  t.same(durabilityFaults(durable), []);
  t.match(durabilityFaults({ ...durable, fsync: 'off' }), [/fsync/]);
  t.match(durabilityFaults({ ...durable, full_page_writes: 'off' }), [/full_page_writes/]);
  t.match(durabilityFaults({ ...durable, synchronous_commit: 'local' }), [/synchronous_commit/]);
  t.match(durabilityFaults({ ...durable, version: 140_000 }), [/PostgreSQL 15/]);
  t.match(durabilityFaults({ ...durable, server_encoding: 'SQL_ASCII' }), [/UTF8/]);
  t.equal(durabilityFaults({ ...durable, synchronous_commit: 'remote_apply' }).length, 0);
});

t.test('64-bit integers are numbers, and one too large is an error', async (t) => {
  const sql = openPostgres({ url: await createDatabase(), applicationName: 'test' });
  const [row] = await sql<{ value: number }[]>`select ${2 ** 40}::bigint as value`;
  t.equal(row?.value, 2 ** 40);
  await t.rejects(sql`select 9007199254740993::bigint`, RangeError);
  await sql.end();
});
