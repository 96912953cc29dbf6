import postgres from 'postgres';

/** A pool of connections. 64-bit integers come as numbers: every count of ours stays below 2^53. */
export type Sql = postgres.Sql<{ bigint: number }>;
/** The same within one transaction. */
export type Transaction = postgres.TransactionSql<{ bigint: number }>;

/** What a pool and a transaction have in common: one statement after the other. */
export type Statements = postgres.ISql<{ bigint: number }>;

export interface PostgresOptions {
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly connectionCount?: number;
  readonly onNotice?: (notice: { severity?: string; code?: string; message?: string }) => void;
}

const defaultConnectionCount = 10;
const connectTimeoutSeconds = 10;
const leastServerVersion = 150_000;
const int8TypeId = 20;

/** How each pool was opened, for connections beside it. */
const optionsOf = new WeakMap<Sql, PostgresOptions>();

/** Connects lazily: the first query opens the first connection. */
export function openPostgres(options: PostgresOptions): Sql {
  const sql = connect(options);
  optionsOf.set(sql, options);
  return sql;
}

/**
 * One connection to the database of a pool, for locks that live as long as a session and for
 * scripts with transactions of their own. To be ended; a reserved one of the pool would take the
 * process along when PostgreSQL goes away, as the driver then writes to a socket that is gone.
 */
export function openLone(sql: Sql): Sql {
  const options = optionsOf.get(sql);
  if (options === undefined) throw new Error('a pool that was not opened here');
  return connect({ ...options, connectionCount: 1 }, { max_lifetime: null });
}

function connect(options: PostgresOptions, more: { max_lifetime?: null } = {}): Sql {
  const sql: Sql = postgres(options.url, {
    max: options.connectionCount ?? defaultConnectionCount,
    connect_timeout: connectTimeoutSeconds,
    connection: { application_name: options.applicationName },
    onnotice: (notice) => options.onNotice?.(notice),
    types: {
      bigint: {
        to: int8TypeId,
        from: [int8TypeId],
        serialize: (value: number) => String(value),
        parse: parseInt8,
      },
    },
    ...more,
  });
  return Object.assign(sql, { begin: safeBegin(sql) });
}

type Work<Result> = (transaction: Transaction) => Result | Promise<Result>;

/**
 * `begin` of a driver (postgres 3.4.9) that rolls back on a connection that is gone, which ends the
 * process, and lets a transaction go on in whatever session comes next. Here nothing is sent any
 * more once the connection is lost: the transaction fails, and its work is forgotten.
 */
function safeBegin(sql: Sql) {
  const begin = sql.begin.bind(sql);
  return async <Result>(...given: [Work<Result>] | [string, Work<Result>]) => {
    const [options, work] = given.length === 1 ? ['', given[0]] : given;
    let isOver = false;
    const run = async (transaction: Transaction): Promise<Result> => {
      try {
        return await work(whileOpen(transaction, () => isOver));
      } catch (error) {
        if (isFarewell(error)) return never;
        // Of a connection that is gone the driver says so within a turn.
        await new Promise((resolve) => setImmediate(resolve));
        if (isOver) return never;
        throw error;
      }
    };
    try {
      return await begin(options, run);
    } finally {
      isOver = true;
    }
  };
}

/** The last that PostgreSQL says in a session: it closes the connection after it. */
function isFarewell(error: unknown): boolean {
  return error instanceof postgres.PostgresError && /^57P0[123]$/.test(error.code);
}

class TransactionLost extends Error {
  override readonly name = 'TransactionLost';
  /** As the driver says it of a statement. */
  readonly code = 'CONNECTION_CLOSED';
}

/** Of what nobody waits for any more. */
const never = new Promise<never>(() => undefined);

function whileOpen(transaction: Transaction, isOver: () => boolean): Transaction {
  const check = () => {
    if (isOver()) throw new TransactionLost('the connection of this transaction is gone');
  };
  return new Proxy(transaction, {
    apply(target, self, values) {
      check();
      return Reflect.apply(target, self, values) as unknown;
    },
    // `unsafe` and `savepoint` send statements too.
    get(target, name) {
      check();
      return Reflect.get(target, name) as unknown;
    },
  });
}

function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit a number`);
  return value;
}

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
 * Refuses a database that may lose an acknowledged write. Returns what is allowed but worth a
 * warning, as sentences for the log.
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
