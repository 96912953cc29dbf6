import type { Environment } from '../model/environment.ts';
import { openDriver, type DriverOptions } from './driver.ts';
import { isUnreplicated, type Notice } from './notice.ts';
import type { Sql } from './pool-type.ts';

/** Commits wait for the disk together, so more connections would not write more. */
const connectionsMost = 8;
/**
 * Milliseconds a statement waits for a free connection; if all wait for an answer that long, the
 * database writes nothing.
 */
const lineMilliseconds = 2_000;

/** Time without an answer after which only one statement is sent in as long, to try. */
const stuckMilliseconds = 2_000;

/** A statement found no connection in time, and was not sent. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  readonly code = 'CONNECTION_BUSY';
}

/** The commit is on the disk of the primary, and perhaps on no other. */
export class Unreplicated extends Error {
  override readonly name = 'Unreplicated';
  readonly code = '01000';
}

interface AppendConnection {
  readonly sql: Sql;
  /** Notices of the statement that runs on it. */
  notices: Notice[];
  isPrepared: boolean;
  isClosed: boolean;
}

/**
 * Connections for statements whose commit is acknowledged. Each does one statement at a time, so a
 * notice belongs to the statement that runs: the driver hands notices to the pool, and the warning
 * that a commit may not be replicated would be lost there. Nothing cancels what runs on them.
 */
export class AppendConnections {
  readonly #driver: DriverOptions;
  readonly #environment: Environment | undefined;
  readonly #onDoubt: () => void;
  readonly #all = new Set<AppendConnection>();
  #idle: AppendConnection[] = [];
  #line: ((connection: AppendConnection) => void)[] = [];
  #isEnded = false;
  /** Times at which running statements were sent, the longest ago first. */
  readonly #sent = new Map<AppendConnection, number>();
  #lastSent = 0;
  #lastAnswered = 0;

  /** `onDoubt` hears of each commit whose outcome or whereabouts are not known. */
  constructor(
    driver: DriverOptions,
    { environment, onDoubt }: { environment: Environment | undefined; onDoubt: () => void },
  ) {
    this.#driver = driver;
    this.#environment = environment;
    this.#onDoubt = onDoubt;
  }

  /** True when all that was sent waits in vain: the disk, or the standby, may be away. */
  get isStuck(): boolean {
    const [oldest] = this.#sent.values();
    const now = this.#environment?.now();
    if (oldest === undefined || now === undefined) return false;
    const isVain = this.#lastAnswered < oldest && now - oldest > stuckMilliseconds;
    return isVain && now - this.#lastSent < stuckMilliseconds;
  }

  /**
   * Fails with Unreplicated unless the commit is wherever commits have to be, and with NotSent when
   * no connection comes free in time.
   */
  async run<Result>(statement: (sql: Sql) => Promise<Result>): Promise<Result> {
    const connection = await this.#take();
    try {
      await prepare(connection);
      connection.notices = [];
      this.#noteSent(connection);
      const result = await statement(connection.sql);
      this.#lastAnswered = this.#now();
      if (connection.notices.some(isUnreplicated)) {
        this.#onDoubt();
        throw new Unreplicated('the wait for the standby was cancelled');
      }
      return result;
    } finally {
      this.#sent.delete(connection);
      this.#give(connection);
    }
  }

  #noteSent(connection: AppendConnection): void {
    this.#lastSent = this.#now();
    this.#sent.set(connection, this.#lastSent);
  }

  #now(): number {
    return this.#environment?.now() ?? 0;
  }

  async end(given: { timeout?: number } = {}): Promise<void> {
    this.#isEnded = true;
    await Promise.all([...this.#all].map(({ sql }) => sql.end(given)));
  }

  async #take(): Promise<AppendConnection> {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    if (this.#all.size < connectionsMost) return this.#open();
    return new Promise((resolve, reject) => {
      const cancel = this.#environment?.after(lineMilliseconds, () => {
        this.#line = this.#line.filter((one) => one !== take);
        reject(new NotSent('every connection waits for an answer'));
      });
      const take = (connection: AppendConnection): void => {
        cancel?.();
        resolve(connection);
      };
      this.#line.push(take);
    });
  }

  #give(connection: AppendConnection): void {
    const next = this.#line.shift();
    if (next !== undefined) next(connection.isClosed ? this.#open() : connection);
    else if (!connection.isClosed) this.#idle.push(connection);
  }

  #open(): AppendConnection {
    const connection: AppendConnection = {
      notices: [],
      isPrepared: false,
      isClosed: false,
      sql: openDriver({
        ...this.#driver,
        connectionCount: 1,
        onNotice: (notice) => {
          connection.notices.push(notice);
          this.#driver.onNotice?.(notice);
        },
        onClose: () => this.#drop(connection),
      }),
    };
    this.#all.add(connection);
    return connection;
  }

  /** Drops a connection, whose running statement fails. */
  #drop(connection: AppendConnection): void {
    if (connection.isClosed) return;
    connection.isClosed = true;
    this.#all.delete(connection);
    this.#idle = this.#idle.filter((one) => one !== connection);
    if (this.#isEnded) return;
    this.#onDoubt();
    void connection.sql.end({ timeout: 0 });
  }
}

/**
 * Prepares a session by a statement, not by parameters of the connection: poolers and older servers
 * refuse those they do not know.
 */
async function prepare(connection: AppendConnection): Promise<void> {
  if (connection.isPrepared) return;
  await connection.sql`
    select set_config(name, '0', false) from pg_settings
     where name in ('statement_timeout', 'transaction_timeout')`;
  connection.isPrepared = true;
}
