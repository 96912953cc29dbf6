import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';

import type { Environment } from '../../server/model/environment.ts';
import type { Sql } from '../../server/storage/postgres.ts';
import { formatVerifierKey } from '../../server/tlog/note/verifier-key.ts';
import { DamageBook } from '../../server/tlog/service/damage.ts';
import { LogFiles } from '../../server/tlog/service/log-files.ts';
import { LogMemory } from '../../server/tlog/service/memory.ts';
import { Published } from '../../server/tlog/service/published.ts';
import { ForkCheck } from '../../server/tlog/service/fork-check.ts';
import { LogSequencer } from '../../server/tlog/service/sequencer.ts';
import { LogSigner } from '../../server/tlog/service/signing-keys.ts';
import { LogTable } from '../../server/tlog/service/sql.ts';
import { TileStore } from '../../server/tlog/service/tile-store.ts';
import type { Cosigners } from '../../server/tlog/service/witnesses.ts';
import { leafHash, readLog, type SeenLog } from './log-reader.ts';
import { openTestDatabase } from './postgres.ts';

const origin = 'log.example/v1/tlog';
export const seeds = [new Uint8Array(32).fill(7)];
/** Longest wait for the log. */
const waitMilliseconds = 60_000;

export const noWitnesses: Cosigners = {
  count: 0,
  cosign: async ({ note }) => ({ note, cosigned: [], isEnough: true }),
};

/** Objects in memory; a test may change them, or make them fail. */
export class ObjectsDouble {
  files = new Map<string, Uint8Array>();
  isDown = false;

  async put(key: string, bytes: Uint8Array, options?: { ifNoneMatch?: '*' }) {
    if (this.isDown) throw new Error('the object store is down');
    if (options?.ifNoneMatch !== undefined && this.files.has(key)) return 'exists' as const;
    this.files.set(key, Uint8Array.from(bytes));
    return 'written' as const;
  }

  async *list(prefix: string): AsyncGenerator<string> {
    for (const key of [...this.files.keys()].toSorted()) if (key.startsWith(prefix)) yield key;
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    if (this.isDown) throw new Error('the object store is down');
    return this.files.get(key);
  }
}

export interface Node {
  readonly sequencer: LogSequencer;
  readonly published: Published;
  readonly failures: string[];
}

export interface NodeOptions {
  readonly checkpoint?: (place: string) => Promise<void>;
  readonly keys?: readonly Uint8Array[];
  readonly name?: string;
  readonly witnesses?: Cosigners;
  readonly memoryFolder?: string;
  /** How long a second takes in it. */
  readonly secondMilliseconds?: number;
}

/** A log with its database and objects, and any number of processes that write it. */
export class LogWorld {
  readonly sql: Sql;
  readonly table: LogTable;
  readonly objects = new ObjectsDouble();
  readonly #t: Pick<Test, 'teardown'>;
  #entryCount = 0;

  private constructor(t: Pick<Test, 'teardown'>, sql: Sql) {
    this.#t = t;
    this.sql = sql;
    this.table = new LogTable(sql);
  }

  static async open(t: Pick<Test, 'teardown'>): Promise<LogWorld> {
    return new LogWorld(t, await openTestDatabase(t));
  }

  /** Starts a process with short intervals. */
  start({
    checkpoint,
    keys = seeds,
    name = origin,
    witnesses = noWitnesses,
    secondMilliseconds = 50,
    memoryFolder,
  }: NodeOptions = {}): Node {
    const { table } = this;
    const speed = 1_000 / secondMilliseconds;
    const begunAt = Date.now();
    const environment: Environment = {
      now: () => begunAt + (Date.now() - begunAt) * speed,
      elapsed: () => begunAt + (Date.now() - begunAt) * speed,
      random: (byteCount) => new Uint8Array(byteCount),
      after: (delay, action) => {
        const timer = setTimeout(action, delay / speed);
        return () => clearTimeout(timer);
      },
      ...(checkpoint && { checkpoint }),
    };
    const failures: string[] = [];
    const damage = new DamageBook({
      environment,
      found: ({ where, what, isRepaired }) => failures.push(`${where} ${what} ${isRepaired}`),
      report: (step, error) => failures.push(`${step}: ${String(error)}`),
    });
    const tiles = new TileStore(this.objects);
    const signer = new LogSigner(name, keys);
    const published = new Published({ table, signer, damage });
    const report = (step: string, error: unknown) => failures.push(`${step}: ${String(error)}`);
    const memory = new LogMemory({ folder: memoryFolder, signer, environment, report });
    const sequencer = new LogSequencer({
      table,
      tiles,
      files: new LogFiles({ tiles, table, damage }),
      published,
      memory,
      forks: new ForkCheck({ table, tiles, signer, memory }),
      signer,
      witnesses,
      environment,
      events: {
        published: () => undefined,
        halted: (reason) => failures.push(reason),
        failed: (step, error) => failures.push(`${step}: ${String(error)}`),
      },
    });
    sequencer.start();
    this.#t.teardown(() => sequencer.stop());
    return { sequencer, published, failures };
  }

  /** Puts new entries into the outbox. */
  async add(count: number): Promise<void> {
    const entries = Array.from({ length: count }, (_, index) =>
      Buffer.from(`entry ${this.#entryCount + index}`),
    );
    this.#entryCount += count;
    await this.enqueue(entries);
  }

  async enqueue(entries: readonly Buffer[]): Promise<void> {
    const rows = entries.map((entry) => ({ leaf_hash: leafHash(entry), entry }));
    for (let at = 0; at < rows.length; at += 500) {
      await this.sql`
        insert into tlog_pending ${this.sql(rows.slice(at, at + 500))} on conflict do nothing`;
    }
  }

  /** Waits until the stored checkpoint covers everything that was added. */
  async caughtUp(size = this.#entryCount): Promise<SeenLog> {
    await until(async () => (await this.sizeInStore()) === size, `a checkpoint of ${size}`);
    return this.see();
  }

  async sizeInStore(): Promise<number> {
    const bytes = this.objects.files.get('tlog/checkpoint');
    return bytes ? Number(Buffer.from(bytes).toString('utf8').split('\n')[1]) : -1;
  }

  /** Reads the log as a static server of the objects would. */
  see(keys: readonly Uint8Array[] = seeds): Promise<SeenLog> {
    const [key] = new LogSigner(origin, keys).keys;
    if (!key) throw new Error('there is no key');
    return readLog(async (path) => {
      const bytes = this.objects.files.get(`tlog/${path}`);
      return bytes && Buffer.from(bytes);
    }, formatVerifierKey(key));
  }

  /** Returns the signed sizes with their roots; fails for two roots of one size. */
  async signed(): Promise<ReadonlyMap<number, string>> {
    const rows = await this.sql<{ size: number; root: Buffer }[]>`
      select size, root from tlog_signed`;
    return new Map(rows.map(({ size, root }) => [size, root.toString('base64')]));
  }
}

export async function until(done: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const end = Date.now() + waitMilliseconds;
  while (!(await done())) {
    if (Date.now() > end) throw new Error(`there is no ${what}`);
    await sleep(10);
  }
}

/** Digest of the files in the object store, for comparisons. */
export function digest(files: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash('sha256');
  for (const key of [...files.keys()].toSorted()) {
    hash.update(key).update(files.get(key) ?? '');
  }
  return hash.digest('hex');
}
