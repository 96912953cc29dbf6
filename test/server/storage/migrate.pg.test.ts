import t from 'tap';
import { migrate } from '../../../server/storage/migrate.ts';
import { migrations } from '../../../server/storage/migrations/all.ts';
import { bookkeeping } from '../../../server/storage/migrations/0001-bookkeeping.ts';
import { openPostgres } from '../../../server/storage/postgres.ts';
import type { Sql } from '../../../server/storage/postgres.ts';
import { createDatabase } from '../../support/postgres.ts';

async function openEmpty(): Promise<Sql> {
  return openPostgres({ url: await createDatabase(), applicationName: 'test', connectionCount: 3 });
}

const animals = { number: 2, name: 'animals', sql: 'create table animal (id int)' };

t.test('every step runs once, in order, however many nodes start together', async (t) => {
  const sql = await openEmpty();
  const counts = await Promise.all([migrate(sql), migrate(sql), migrate(sql)]);
  t.equal(
    counts.reduce((sum, count) => sum + count, 0),
    migrations.length,
  );
  const applied = await sql<{ number: number }[]>`select number from schema_migration order by 1`;
  t.same(
    applied.map(({ number }) => number),
    migrations.map(({ number }) => number),
  );
  t.equal(await migrate(sql), 0);
  await sql.end();
});

t.test('steps are numbered from one without a gap', async (t) => {
  t.same(
    migrations.map(({ number }) => number),
    migrations.map((_, index) => index + 1),
  );
});

t.test('a step that fails leaves nothing behind', async (t) => {
  const sql = await openEmpty();
  const broken = { number: 2, name: 'broken', sql: 'create table half (id int); select 1 / 0' };
  await t.rejects(migrate(sql, [bookkeeping, broken]), { message: /0002-broken/ });
  const [found] = await sql`select to_regclass('half') as half`;
  t.same(found, { half: null });
  t.equal(await migrate(sql, [bookkeeping, animals]), 1);
  await sql.end();
});

t.test('a schema of a newer Quire is left alone', async (t) => {
  const sql = await openEmpty();
  await migrate(sql, [bookkeeping, animals]);
  await t.rejects(migrate(sql, [bookkeeping]), { message: /start a newer version/ });
  await sql.end();
});

t.test('a version goes on beside the next one, and not beside the one after it', async (t) => {
  const sql = await openEmpty();
  const own = [...migrations];
  const newest = own.length;
  const step = (ahead: number, requires: number) => ({
    number: newest + ahead,
    name: `step-${ahead}`,
    requires,
    sql: `create table added_${ahead} (id int)`,
  });
  const next = [...own, step(1, newest), step(2, newest)];
  await migrate(sql, next);
  t.equal(await migrate(sql, own), 0);
  await migrate(sql, [...next, step(3, newest + 2)]);
  t.equal(await migrate(sql, next), 0);
  const message = new RegExp(`know migration ${newest + 2}, .* up to ${newest}: start a newer`);
  await t.rejects(migrate(sql, own), { message });
  await sql.end();
});

t.test('a step says that it runs beside versions that know a step before it', async (t) => {
  for (const { number, requires = number } of migrations) t.ok(requires >= 31 || number <= 31);
});

t.test('a step that was changed after release is refused', async (t) => {
  const sql = await openEmpty();
  await migrate(sql, [bookkeeping, animals]);
  const changed = { ...animals, sql: 'create table animal (id bigint)' };
  await t.rejects(migrate(sql, [bookkeeping, changed]), { message: /was changed/ });
  await sql.end();
});
