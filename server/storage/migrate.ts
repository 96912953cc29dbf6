import { createHash } from 'node:crypto';
import { StartRefused } from '../model/start-refused.ts';
import { migrations as allMigrations } from './migrations/all.ts';
import type { Migration } from './migrations/migration.ts';
import type { Sql } from './postgres.ts';

/** Any number will do, as long as every node of one database takes the same. */
const migrationLock = 7_483_221;

interface AppliedMigration {
  number: number;
  name: string;
  sha256: Buffer;
}

/**
 * Brings the schema up to date and returns how many steps that took. Nodes that start together
 * take turns at each step, so every step runs once.
 */
export async function migrate(
  sql: Sql,
  migrations: readonly Migration[] = allMigrations,
): Promise<number> {
  await checkAgainstApplied(sql, migrations);
  let appliedCount = 0;
  for (const migration of migrations) {
    if (await apply(sql, migration)) appliedCount++;
  }
  return appliedCount;
}

async function apply(sql: Sql, migration: Migration): Promise<boolean> {
  try {
    return await sql.begin(async (transaction) => {
      await transaction`select pg_advisory_xact_lock(${migrationLock})`;
      const applied = await readApplied(transaction);
      if (applied.some(({ number }) => number === migration.number)) return false;
      if (migration.sql.trim() !== '') await transaction.unsafe(migration.sql);
      await transaction`
        insert into schema_migration (number, name, sha256)
        values (${migration.number}, ${migration.name}, ${digest(migration)})`;
      return true;
    });
  } catch (cause) {
    const step = `${String(migration.number).padStart(4, '0')}-${migration.name}`;
    throw new Error(`could not apply migration ${step}`, { cause });
  }
}

/** A schema made by other code than this must not be written to, so both cases end the start. */
async function checkAgainstApplied(sql: Sql, migrations: readonly Migration[]): Promise<void> {
  for (const applied of await readApplied(sql)) {
    const known = migrations.find(({ number }) => number === applied.number);
    const step = `${applied.number} (${applied.name})`;
    if (known === undefined) {
      throw new StartRefused(
        `the database has migration ${step}, which this version of Quire does not know: start the newer version`,
      );
    }
    if (!digest(known).equals(applied.sha256)) {
      throw new StartRefused(
        `migration ${step} was changed after it was applied to this database: restore it and add a new one`,
      );
    }
  }
}

async function readApplied(sql: Pick<Sql, 'unsafe'>): Promise<AppliedMigration[]> {
  // Not to_regclass: it may answer from a cache that is older than the lock we have just waited for.
  const tables = await sql.unsafe(
    `select 1 from pg_class where relname = 'schema_migration' and pg_table_is_visible(oid)`,
  );
  if (tables.length === 0) return [];
  return sql.unsafe<AppliedMigration[]>(
    'select number, name, sha256 from schema_migration order by number',
  );
}

function digest(migration: Migration): Buffer {
  return createHash('sha256').update(migration.sql).digest();
}
