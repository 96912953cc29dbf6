import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, realpath, rm, statfs } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { realEnvironment } from '../../server/foundation.ts';
import { EmbeddedPostgres } from '../../server/storage/embedded/embedded.ts';
import { migrate } from '../../server/storage/migrate.ts';
import { openPostgres } from '../../server/storage/postgres.ts';
import { copyCluster } from './cluster-template.ts';

/** Variable by which a test run tells its files the address of the shared PostgreSQL. */
export const sharedPostgresSetting = 'QUIRE_TEST_POSTGRES';

const settings = {
  // Databases are short-lived, so little of the log is kept.
  max_wal_size: '512MB',
  // Several files run at a time, some with several services and pools.
  max_connections: '300',
};

const memoryFolder = '/dev/shm';
const memoryBytesMin = 3 * 1024 ** 3;

/** Where it takes connections, and the name of a database that has the schema. */
export interface SharedAddress {
  readonly url: string;
  readonly template: string;
}

/** One real PostgreSQL for all tests of a run, or of a file that is run alone. */
export class SharedPostgres {
  readonly address: SharedAddress;
  readonly #server: EmbeddedPostgres;
  readonly #folder: string;
  readonly #reaper: ChildProcess;

  private constructor(server: EmbeddedPostgres, folder: string, template: string) {
    this.#server = server;
    this.#folder = folder;
    this.#reaper = endWithThisProcess(server.pid, folder);
    this.address = { url: server.url, template };
  }

  static async start(onEvent: (message: string) => void): Promise<SharedPostgres> {
    const folder = await mkdtemp(join(await chooseParent(), 'quire-postgres-'));
    await chmod(folder, 0o711);
    await copyCluster(folder);
    const server = await EmbeddedPostgres.start({
      dataDirectory: folder,
      environment: realEnvironment,
      onEvent,
      settings,
    });
    await easePassword(server.url);
    return new SharedPostgres(server, folder, await createTemplate(server.url));
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    this.#reaper.kill('SIGKILL');
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/**
 * Returns a folder in memory if there is one: no test of the shared PostgreSQL cuts the power. In
 * containers it is often too small.
 */
async function chooseParent(): Promise<string> {
  try {
    const { bavail, bsize } = await statfs(memoryFolder);
    if (bavail * bsize >= memoryBytesMin) return memoryFolder;
  } catch (error) {
    // Other systems have no such folder.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  return realpath(tmpdir());
}

/** Makes an empty database beside that of `url`, or a copy of another; resolves with its name. */
export async function addDatabase(url: string, template?: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const admin = openPostgres({ url, applicationName: 'quire-test', connectionCount: 1 });
  // Copying files takes 40 ms; by the log of PostgreSQL it takes 280 ms.
  const source =
    template === undefined ? admin`` : admin`template ${admin(template)} strategy file_copy`;
  await admin`create database ${admin(name)} ${source}`;
  await admin.end();
  return name;
}

/** Removes databases with all who are still connected to them. */
export async function dropDatabases(url: string, names: readonly string[]): Promise<void> {
  const admin = openPostgres({ url, applicationName: 'quire-test', connectionCount: 1 });
  for (const name of names) await admin`drop database if exists ${admin(name)} with (force)`;
  await admin.end();
}

/** The URL of another database of the same PostgreSQL. */
export function beside(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

/** Makes password checks cheap, because thousands of connections do them. */
async function easePassword(url: string): Promise<void> {
  const { username, password } = new URL(url);
  const sql = openPostgres({ url, applicationName: 'quire-test', connectionCount: 1 });
  await sql`set scram_iterations = 1`;
  await sql.unsafe(`alter role ${username} password '${decodeURIComponent(password)}'`);
  await sql.end();
}

async function createTemplate(url: string): Promise<string> {
  const name = await addDatabase(url);
  const sql = openPostgres({
    url: beside(url, name),
    applicationName: 'quire-test',
    connectionCount: 1,
  });
  await migrate(sql);
  await sql.end();
  return name;
}

/**
 * Ends PostgreSQL with this process: it survives a killed process by design, but must not survive a
 * killed test.
 */
function endWithThisProcess(pid: number, dataDirectory: string): ChildProcess {
  const script = 'cat >/dev/null; kill -INT "$1" 2>/dev/null && sleep 2; rm -rf "$2"';
  const reaper = spawn('sh', ['-c', script, 'reaper', String(pid), dataDirectory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  reaper.unref();
  // The pipe closes when this process ends in any way, and does not keep it alive.
  if (reaper.stdin instanceof Socket) reaper.stdin.unref();
  return reaper;
}
