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
  /** The step that a version has to know at least; null means this one. */
  requires: number | null;
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
      if (migration.requires !== undefined) {
        await transaction`
          update schema_migration set requires = ${migration.requires}
           where number = ${migration.number}`;
      }
      return true;
    });
  } catch (cause) {
    const step = `${String(migration.number).padStart(4, '0')}-${migration.name}`;
    throw new Error(`could not apply migration ${step}`, { cause });
  }
}

/**
 * Ends the start on a schema that other code than this made, and on one of a newer version unless
 * each of its steps says that this version may go on beside it.
 */
async function checkAgainstApplied(sql: Sql, migrations: readonly Migration[]): Promise<void> {
  const newest = migrations.at(-1)?.number ?? 0;
  for (const applied of await readApplied(sql)) {
    const known = migrations.find(({ number }) => number === applied.number);
    const step = `${applied.number} (${applied.name})`;
    const { requires } = applied;
    if (known === undefined && (requires === null || requires > newest)) {
      throw new StartRefused(
        `the database has migration ${step} of a newer Quire, beside which only versions run that know migration ${requires ?? applied.number}, and this one knows those up to ${newest}: start a newer version`,
      );
    }
    if (known !== undefined && !digest(known).equals(applied.sha256)) {
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
    // A schema that an older version left does not have the last column.
    `select number, name, sha256, (to_jsonb(schema_migration)->>'requires')::int as requires
       from schema_migration order by number`,
  );
}

function digest(migration: Migration): Buffer {
  return createHash('sha256').update(migration.sql).digest();
}
