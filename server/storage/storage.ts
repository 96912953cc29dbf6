import { join } from 'node:path';
import type { Environment } from '../model/environment.ts';
import { makeDataDirectory } from './data-directory.ts';
import { EmbeddedPostgres } from './embedded/embedded.ts';
import { takeLockFile } from './lock-file.ts';
import type { LockFile } from './lock-file.ts';
import { migrate } from './migrate.ts';
import { openObjects } from './objects.ts';
import type { Objects } from './objects.ts';
import { checkDurability, openPostgres } from './postgres.ts';
import type { Sql } from './postgres.ts';

export interface StorageOptions {
  readonly dataDirectory: string;
  /** Undefined means the embedded PostgreSQL in `dataDirectory`. */
  readonly databaseUrl: string | undefined;
  readonly objectStoreUrl: string;
  readonly nodeId: string;
  readonly environment: Environment;
  /** Anything an operator should read: a restart of PostgreSQL, a setting that is not ideal. */
  readonly onEvent: (message: string) => void;
}

const connectionCount = 10;
const poolCloseSeconds = 2;

/** Everything that outlives the process: the database with its schema up to date, and objects. */
export class Storage {
  readonly sql: Sql;
  readonly objects: Objects;
  readonly #embedded: EmbeddedPostgres | undefined;
  readonly #lock: LockFile;

  private constructor(
    lock: LockFile,
    embedded: EmbeddedPostgres | undefined,
    sql: Sql,
    objects: Objects,
  ) {
    this.#lock = lock;
    this.#embedded = embedded;
    this.sql = sql;
    this.objects = objects;
  }

  static async open(options: StorageOptions): Promise<Storage> {
    await makeDataDirectory(options.dataDirectory);
    const lock = await takeLockFile(join(options.dataDirectory, 'quire.lock'));
    let embedded: EmbeddedPostgres | undefined;
    let sql: Sql | undefined;
    try {
      if (options.databaseUrl === undefined) embedded = await EmbeddedPostgres.start(options);
      sql = openPostgres({
        url: embedded?.url ?? options.databaseUrl ?? '',
        applicationName: `quire-${options.nodeId}`,
        connectionCount,
        onNotice: ({ severity, message }) => {
          if (severity !== 'NOTICE') options.onEvent(`PostgreSQL: ${message ?? ''}`);
        },
      });
      const warnings = await checkDurability(sql, connectionCount);
      for (const warning of warnings) options.onEvent(`PostgreSQL: ${warning}`);
      await migrate(sql);
      const objects = await openObjects(options.objectStoreUrl, options.environment);
      void warnUnlessThere(objects, options.onEvent);
      return new Storage(lock, embedded, sql, objects);
    } catch (error) {
      await sql?.end({ timeout: poolCloseSeconds });
      await embedded?.stop();
      await lock.release();
      throw error;
    }
  }

  /** The lock goes last: whoever waits for it may start PostgreSQL at once. */
  async close(): Promise<void> {
    await this.sql.end({ timeout: poolCloseSeconds });
    this.objects.close();
    await this.#embedded?.stop();
    await this.#lock.release();
  }
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
