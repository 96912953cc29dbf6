import type { DatabaseAddress, DatabaseHost } from '../model/database-address.ts';
import { Dialer } from './dialer.ts';
import { openDriver } from './driver.ts';

const connectSeconds = 2;

/** Looks at all hosts at once; undefined when none of them answers as the primary. */
export async function findPrimary(address: DatabaseAddress): Promise<DatabaseHost | undefined> {
  try {
    return await Promise.any(address.hosts.map((host) => ifPrimary(address, host)));
  } catch (error) {
    if (error instanceof AggregateError) return undefined;
    throw error;
  }
}

async function ifPrimary(address: DatabaseAddress, host: DatabaseHost): Promise<DatabaseHost> {
  const sql = openDriver({
    url: address.url,
    applicationName: 'quire-primary',
    connectionCount: 1,
    connectSeconds,
    dialer: new Dialer(() => Promise.resolve(host)),
    isPrimaryWanted: true,
  });
  try {
    await sql`select 1`;
    return host;
  } finally {
    void sql.end({ timeout: 0 });
  }
}
