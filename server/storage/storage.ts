import { join } from 'node:path';
import type { Environment } from '../model/environment.ts';
import { asSet } from '../model/start-refused.ts';
import { makeDataDirectory } from './data-directory.ts';
import { EmbeddedPostgres } from './embedded/embedded.ts';
import { takeLockFile } from './lock-file.ts';
import type { LockFile } from './lock-file.ts';
import { migrate } from './migrate.ts';
import { MarkedObjects } from './marked-objects.ts';
import { openObjects } from './objects.ts';
import type { Objects } from './objects.ts';
import { checkDurability, checkReplication, clockWarning } from './durability.ts';
import { openPostgres } from './postgres.ts';
import type { Sql } from './postgres.ts';
import { Pulse } from './pulse.ts';
import { onceThereIsRoom, writeProbe } from './room.ts';
import { StoreMark } from './store-mark.ts';

export interface StorageOptions {
  readonly dataDirectory: string;
  /** Address of the database; the embedded one in `dataDirectory` if undefined. */
  readonly databaseUrl: string | undefined;
  /** Past a pooler of connections; `databaseUrl` when left out. */
  readonly databaseDirectUrl?: string | undefined;
  /** True to refuse a start without a standby that commits wait for. */
  readonly isReplicated?: boolean;
  readonly objectStoreUrl: string;
  /** False to leave the store unused and uncompared with the database; true when left out. */
  readonly isStoreCompared?: boolean;
  readonly nodeId: string;
  readonly environment: Environment;
  /** Anything an operator should read: a restart of PostgreSQL, a setting that is not ideal. */
  readonly onEvent: (message: string) => void;
  /** Aborted when a start that waits for something is to be given up. */
  readonly signal?: AbortSignal | undefined;
}

const connectionCount = 10;
/** Number of connections, with those for appends, for news, for the pulse and for locks. */
const connectionsNeeded = 22;
const probeBytes = 65_536;
const poolCloseSeconds = 1;

interface Opened {
  readonly lock: LockFile;
  readonly embedded: EmbeddedPostgres | undefined;
  readonly sql: Sql;
  readonly objects: Objects;
  readonly mark: StoreMark;
  /** Undefined when the store is left uncompared. */
  readonly marked: MarkedObjects | undefined;
  readonly pulse: Pulse;
  readonly dataDirectory: string;
}

/**
 * Holds everything that outlives the process: the database with its schema up to date, and objects.
 */
export class Storage {
  readonly sql: Sql;
  readonly objects: Objects;
  readonly #marked: MarkedObjects | undefined;
  readonly #mark: StoreMark;
  readonly #embedded: EmbeddedPostgres | undefined;
  readonly #lock: LockFile;
  readonly #pulse: Pulse;
  readonly #dataDirectory: string;
  #isClosed = false;

  private constructor(opened: Opened) {
    this.#marked = opened.marked;
    this.#mark = opened.mark;
    this.#dataDirectory = opened.dataDirectory;
    this.#lock = opened.lock;
    this.#embedded = opened.embedded;
    this.#pulse = opened.pulse;
    this.sql = opened.sql;
    this.objects = opened.objects;
  }

  /** On a full disk it waits until there is room. */
  static open(options: StorageOptions): Promise<Storage> {
    return onceThereIsRoom(options, () => Storage.#openNow(options));
  }

  static async #openNow(options: StorageOptions): Promise<Storage> {
    const lock = await asSet('DATA_DIR', () => lockedDirectory(options.dataDirectory));
    let embedded: EmbeddedPostgres | undefined;
    let sql: Sql | undefined;
    try {
      if (options.databaseUrl === undefined) {
        embedded = await asSet('DATA_DIR', () => EmbeddedPostgres.start(options));
      }
      sql = openPostgres({
        url: embedded?.url ?? options.databaseUrl ?? '',
        applicationName: `quire-${options.nodeId}`,
        directUrl: options.databaseDirectUrl,
        connectionCount,
        environment: options.environment,
        onNotice: ({ severity, message }) => {
          if (severity !== 'NOTICE') options.onEvent(`PostgreSQL: ${message ?? ''}`);
        },
      });
      const warnings = await checked(sql, options);
      for (const warning of warnings) options.onEvent(`PostgreSQL: ${warning}`);
      if (options.isReplicated === true) await checkReplication(sql);
      await migrate(sql);
      const store = await openStore(sql, options);
      const pulse = new Pulse(sql, options);
      const { dataDirectory } = options;
      return new Storage({ lock, embedded, sql, ...store, pulse, dataDirectory });
    } catch (error) {
      await sql?.end({ timeout: poolCloseSeconds });
      await embedded?.stop();
      await lock.release();
      throw error;
    }
  }

  /** True when nothing can be asked of it any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Name that the object store and the database have in common, once they were compared. */
  get storeName(): string | undefined {
    return this.#marked?.mark;
  }

  /** The marks of both, for whoever decides by hand which belong together. */
  storeMark(): StoreMark {
    return this.#mark;
  }

  /** Fails unless the database takes writes; costs more than a request should. */
  async checkWrites(): Promise<void> {
    if (this.#embedded) await writeProbe(this.#dataDirectory);
    await this.sql.begin(async (sql) => {
      await sql`create temp table probe (bytes bytea) on commit drop`;
      await sql`insert into probe values (${Buffer.alloc(probeBytes)})`;
      await sql`select pg_logical_emit_message(true, 'quire.probe', '')`;
      const [row] = await sql<{ isRead: boolean }[]>`
        select current_setting('transaction_read_only')::bool as "isRead"`;
      if (row?.isRead === true) throw new Error('the database is only read');
    });
  }

  /** Releases the lock last, as another process may then start PostgreSQL at once. */
  async close({ milliseconds }: { milliseconds?: number } = {}): Promise<void> {
    this.#isClosed = true;
    await this.#pulse.stop();
    await this.sql.end({ timeout: poolCloseSeconds });
    this.objects.close();
    const left = (milliseconds ?? Infinity) - poolCloseSeconds * 1000;
    await this.#embedded?.stop({ milliseconds: left });
    await this.#lock.release();
  }
}

async function lockedDirectory(dataDirectory: string): Promise<LockFile> {
  await makeDataDirectory(dataDirectory);
  return takeLockFile(join(dataDirectory, 'quire.lock'));
}

/** Returns warnings about the database; fails when it cannot be reached, or may lose writes. */
async function checked(sql: Sql, { databaseUrl, environment }: StorageOptions): Promise<string[]> {
  const check = (): Promise<string[]> => checkDurability(sql, connectionsNeeded);
  if (databaseUrl === undefined) return check();
  const warnings = await asSet('DATABASE_URL', check);
  return [...warnings, ...(await clockWarning(sql, () => environment.now()))];
}

/** Opens the object store; fails if it is known to be that of another database. */
async function openStore(
  sql: Sql,
  { objectStoreUrl, environment, onEvent, isStoreCompared = true }: StorageOptions,
): Promise<Pick<Opened, 'objects' | 'mark' | 'marked'>> {
  const objects = await asSet('OBJECT_STORE_URL', () => openObjects(objectStoreUrl, environment));
  const mark = new StoreMark({ sql, objects, environment });
  if (!isStoreCompared) {
    void warnUnlessThere(objects, onEvent);
    return { objects, mark, marked: undefined };
  }
  const marked = new MarkedObjects({ objects, mark, environment, onEvent });
  try {
    await asSet('OBJECT_STORE_URL', () => marked.compare());
  } catch (error) {
    objects.close();
    throw error;
  }
  void warnUnlessThere(objects, onEvent);
  return { objects: marked, mark, marked };
}

/** Quire starts without the object store: most of what it does needs PostgreSQL alone. */
async function warnUnlessThere(
  objects: Objects,
  onEvent: (message: string) => void,
): Promise<void> {
  try {
    await objects.check();
  } catch (error) {
    onEvent(`the object store of OBJECT_STORE_URL cannot be used: ${reasonsOf(error).join(': ')}`);
  }
}

function reasonsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  const reason = error.message === '' ? error.name : error.message;
  return error.cause === undefined ? [reason] : [reason, ...reasonsOf(error.cause)];
}
