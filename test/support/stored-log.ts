import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Test } from 'tap';

import type { Given } from '../../server/app.ts';
import { openPostgres, type Sql } from '../../server/storage/postgres.ts';
import { leafHash } from './log-reader.ts';
import { createMigratedDatabase } from './postgres.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';
import { TestService } from './test-service.ts';

/** A service whose log can be changed in its database and files. */
export class StoredLog {
  readonly sql: Sql;
  readonly settings: Readonly<Record<string, string>>;
  /** Where the files of the log are. */
  readonly folder: string;
  /** Where all objects are. */
  readonly objects: string;
  readonly #t: Pick<Test, 'teardown'>;
  readonly #given: Partial<Given>;
  service: TestService;

  private constructor(
    t: Pick<Test, 'teardown'>,
    world: Pick<StoredLog, 'sql' | 'settings' | 'objects'> & { given: Partial<Given> },
    service: TestService,
  ) {
    this.#t = t;
    this.#given = world.given;
    this.sql = world.sql;
    this.settings = world.settings;
    this.objects = world.objects;
    this.folder = join(world.objects, 'tlog');
    this.service = service;
  }

  static async start(
    t: Pick<Test, 'teardown'>,
    more: Readonly<Record<string, string>> = {},
    given: Partial<Given> = {},
  ): Promise<StoredLog> {
    const url = await createMigratedDatabase();
    const sql = openPostgres({ url, applicationName: 'test', connectionCount: 1 });
    t.teardown(() => sql.end({ timeout: 1 }));
    const folder = await makeTemporaryFolder(t);
    const objects = join(folder, 'objects');
    const settings = {
      DATABASE_URL: url,
      OBJECT_STORE_URL: pathToFileURL(objects).href,
      TLOG_ORIGIN: 'log.example/v1/tlog',
      TLOG_KEY_FILE: join(folder, 'tlog.key'),
      ...more,
    };
    const service = await TestService.start(t, settings, given);
    return new StoredLog(t, { sql, settings, objects, given }, service);
  }

  /** Ends the process and starts another: nothing of the log is in memory then. */
  async restart(): Promise<TestService> {
    await this.service.app.stop();
    this.service = await TestService.start(this.#t, this.settings, this.#given);
    return this.service;
  }

  async size(): Promise<number> {
    const { text } = await this.service.request('/v1/tlog/checkpoint');
    return Number(text.split('\n')[1]);
  }

  /** Waits until the published checkpoint covers all statements, and a number of entries. */
  async published(entriesLeast = 0): Promise<number> {
    for (let tries = 0; tries < 600; tries++) {
      const { json } = await this.service.request('/v1/tlog/status');
      const { pending, tree_size: size } = json as { pending: number; tree_size: number };
      if (pending === 0 && size >= entriesLeast && (await this.size()) === size) return size;
      await sleep(50);
    }
    throw new Error('the log does not go on');
  }

  /** Entries of other workbooks, so that there are full tiles. */
  async fill(count: number, first = 0): Promise<number> {
    const rows = Array.from({ length: count }, (_, index) => {
      const entry = Buffer.from(`entry ${first + index}`);
      return { leaf_hash: leafHash(entry), entry };
    });
    const before = await this.published();
    await this.sql`insert into tlog_pending ${this.sql(rows)}`;
    return this.published(before + count);
  }

  /** Paths of the files that are there. */
  async files(): Promise<string[]> {
    const entries = await readdir(this.folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map(({ parentPath, name }) =>
      join(parentPath, name).slice(this.folder.length + 1),
    );
  }

  read(path: string): Promise<Buffer> {
    return readFile(join(this.folder, path));
  }

  async flip(path: string, at = 40): Promise<Buffer> {
    const bytes = await this.read(path);
    const flipped = Buffer.from(bytes);
    const place = Math.min(at, bytes.length - 1);
    flipped[place] = (flipped[place] ?? 0) ^ 1;
    await this.write(path, flipped);
    return bytes;
  }

  write(path: string, bytes: Uint8Array): Promise<void> {
    return writeFile(join(this.folder, path), bytes);
  }
}
