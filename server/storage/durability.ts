import type { Sql } from './pool-type.ts';

const leastServerVersion = 150_000;
/** Seconds by which clocks may differ unnoticed; a slow answer takes as long. */
const clockSecondsMost = 10;

interface Durability {
  version: number;
  fsync: string;
  full_page_writes: string;
  synchronous_commit: string;
  server_encoding: string;
  max_connections: number;
  data_checksums: string;
}

/**
 * Fails for a database that may lose an acknowledged write. Returns warnings, as sentences for the
 * log.
 */
export async function checkDurability(sql: Sql, connectionsNeeded: number): Promise<string[]> {
  const [found] = await sql<Durability[]>`
    select current_setting('server_version_num')::int as version,
           current_setting('fsync') as fsync,
           current_setting('full_page_writes') as full_page_writes,
           current_setting('synchronous_commit') as synchronous_commit,
           current_setting('server_encoding') as server_encoding,
           current_setting('max_connections')::int as max_connections,
           current_setting('data_checksums') as data_checksums`;
  if (found === undefined) throw new Error('the database did not answer the start-up check');
  const faults = durabilityFaults(found);
  if (faults.length > 0) {
    throw new Error(`the database cannot keep what Quire promises: ${faults.join('; ')}`);
  }
  const warnings: string[] = [];
  if (found.data_checksums !== 'on') warnings.push('data_checksums is off');
  if (found.max_connections < connectionsNeeded) {
    warnings.push(`max_connections is ${found.max_connections}, Quire uses ${connectionsNeeded}`);
  }
  return warnings;
}

export function durabilityFaults(found: Readonly<Durability>): string[] {
  const faults: string[] = [];
  if (found.version < leastServerVersion) {
    faults.push(`PostgreSQL 15 or later is needed (server_version_num is ${found.version})`);
  }
  if (found.fsync !== 'on') faults.push('set fsync = on');
  if (found.full_page_writes !== 'on') faults.push('set full_page_writes = on');
  // `local` and `off` both acknowledge before a standby (or the disk) has the commit.
  if (['off', 'local'].includes(found.synchronous_commit))
    faults.push('set synchronous_commit = on');
  if (found.server_encoding !== 'UTF8') {
    faults.push(`create the database with encoding UTF8 (it is ${found.server_encoding})`);
  }
  return faults;
}

/**
 * Returns a warning when the clocks of the database and of this process differ: what one process
 * says until when something counts, others read by their own clocks.
 */
export async function clockWarning(sql: Sql, now: () => number): Promise<string[]> {
  const before = now();
  const [found] = await sql<{ milliseconds: number }[]>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as milliseconds`;
  const middle = (before + now()) / 2;
  const seconds = Math.round(((found?.milliseconds ?? middle) - middle) / 1000);
  if (Math.abs(seconds) < clockSecondsMost) return [];
  const ahead = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'}`;
  return [
    `its clock is ${ahead} that of this machine: codes, keys and times are wrong until both are right`,
  ];
}

/** Fails without a standby that commits wait for. */
export async function checkReplication(sql: Sql): Promise<void> {
  const [found] = await sql<{ names: string; mode: string; standbys: number }[]>`
    select current_setting('synchronous_standby_names') as names,
           current_setting('synchronous_commit') as mode,
           (select count(*) from pg_stat_replication
             where sync_state in ('sync', 'quorum'))::int as standbys`;
  if (found === undefined) throw new Error('the database did not say who copies it');
  const fault =
    found.names === ''
      ? 'synchronous_standby_names is empty'
      : found.standbys === 0
        ? 'no standby is sync or quorum in pg_stat_replication (seen with the role pg_monitor)'
        : undefined;
  if (fault === undefined) return;
  throw new Error(`REPLICATION=required, but ${fault}: commits would be on one disk alone`);
}
