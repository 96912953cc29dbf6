import { parseDatabaseAddress, type DatabaseAddress } from '../model/database-address.ts';
import type { Environment } from '../model/environment.ts';
import { AppendConnections } from './append-connections.ts';
import { Barrier } from './barrier.ts';
import { Dialer } from './dialer.ts';
import type { DriverOptions } from './driver.ts';
import { Listening } from './listening.ts';
import { isUnreplicated, type Notice } from './notice.ts';
import type { Sql } from './pool-type.ts';
import { findPrimary } from './primary.ts';
import { RenewedPool } from './renewed-pool.ts';

export type { Sql, Statements, Transaction } from './pool-type.ts';

export interface PostgresOptions {
  /** URL, which may have several hosts, one of which is the primary. */
  readonly url: string;
  /** Past a pooler of connections: for sessions that mean something. `url` when left out. */
  readonly directUrl?: string | undefined;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly connectionCount?: number;
  readonly onNotice?: (notice: { severity?: string; code?: string; message?: string }) => void;
  /** Environment for timers; without it a retired pool ends at once. */
  readonly environment?: Environment;
}

/** Companions of a pool beside its connections. */
export interface PoolCompanions {
  /** Connections for appends alone. */
  readonly appends: AppendConnections;
  readonly barrier: Barrier;
  /** The dialers of all connections to this database. */
  readonly dialers: readonly Dialer[];
  /** A connection beside the pool, for locks of a session. To be ended. */
  openLone(): Sql;
  /** A connection that is opened even while the database is silent. To be ended. */
  openProbe(): Sql;
}

const defaultConnectionCount = 10;
const connectSeconds = 5;
/** Seconds to connect to one of several hosts: the next one may be the primary already. */
const connectSecondsOfMany = 2;

const companionsOf = new WeakMap<Sql, PoolCompanions>();

/** Connects lazily: the first query opens the first connection. Ending it ends its companions. */
export function openPostgres(options: PostgresOptions): Sql {
  const { environment } = options;
  const usual = driverOptions(options.url, options);
  const { directUrl = options.url } = options;
  const direct = directUrl === options.url ? usual : driverOptions(directUrl, options);
  const onNotice = (notice: Notice): void => {
    if (isUnreplicated(notice)) barrier.raise();
    options.onNotice?.(notice);
  };
  const appends = new AppendConnections(usual, {
    environment,
    onDoubt: () => barrier.raise(),
  });
  const barrier = new Barrier(appends, environment);
  const pool = new RenewedPool({
    driver: { ...usual, onNotice, onClose: () => barrier.raise() },
    environment,
  });
  const listening = new Listening(direct);
  const beside: PoolCompanions = {
    appends,
    barrier,
    dialers: [usual.dialer, direct.dialer],
    openLone: () => new RenewedPool({ driver: { ...direct, connectionCount: 1 } }).sql({}),
    openProbe: () => {
      return new RenewedPool({ driver: { ...usual, connectionCount: 1, evenIfSilent: true } }).sql(
        {},
      );
    },
  };
  const sql = pool.sql({
    listen: listening.listen.bind(listening),
    end: async (given?: { timeout?: number }) => {
      await Promise.all([pool.end(given), listening.end(), appends.end(given)]);
    },
  });
  companionsOf.set(sql, beside);
  return sql;
}

/**
 * One connection to the database of a pool, for locks that live as long as a session and for
 * scripts with transactions of their own. To be ended; a reserved one of the pool would take the
 * process along when PostgreSQL goes away, as the driver then writes to a socket that is gone.
 */
export function openLone(sql: Sql): Sql {
  return companions(sql).openLone();
}

/** Returns the companions that were opened together with a pool. */
export function companions(sql: Sql): PoolCompanions {
  const found = companionsOf.get(sql);
  if (found === undefined) throw new Error('a pool that was not opened here');
  return found;
}

function driverOptions(url: string, options: PostgresOptions): DriverOptions {
  const address = parseDatabaseAddress(url);
  if (address === undefined) throw new Error('not the URL of a PostgreSQL');
  return {
    url: address.url,
    applicationName: options.applicationName,
    connectionCount: options.connectionCount ?? defaultConnectionCount,
    connectSeconds: address.hosts.length > 1 ? connectSecondsOfMany : connectSeconds,
    dialer: dialerOf(address),
    isPrimaryWanted: address.hosts.length > 1,
    onNotice: options.onNotice,
  };
}

function dialerOf(address: DatabaseAddress): Dialer {
  const [first] = address.hosts;
  if (address.hosts.length === 1) return new Dialer(() => Promise.resolve(first));
  return new Dialer(() => findPrimary(address));
}
