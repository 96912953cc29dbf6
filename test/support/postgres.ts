import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { realEnvironment } from '../../server/foundation.ts';
import { EmbeddedPostgres } from '../../server/storage/embedded/embedded.ts';
import { migrate } from '../../server/storage/migrate.ts';
import { openPostgres } from '../../server/storage/postgres.ts';
import type { Sql } from '../../server/storage/postgres.ts';

/** One real PostgreSQL for all tests of a file, started by the first that asks. */
let shared: Promise<EmbeddedPostgres> | undefined;

/** A database that has the schema, copied by those who do not test how it comes about. */
let template: Promise<string> | undefined;

/** The URL of a new, empty database. */
export function createDatabase(): Promise<string> {
  return create(undefined);
}

/** The URL of a new database with the schema up to date. */
export async function createMigratedDatabase(): Promise<string> {
  template ??= createTemplate();
  return create(await template);
}

async function createTemplate(): Promise<string> {
  const url = await createDatabase();
  const sql = openPostgres({ url, applicationName: 'quire-test', connectionCount: 1 });
  await migrate(sql);
  await sql.end();
  return new URL(url).pathname.slice(1);
}

async function create(from: string | undefined): Promise<string> {
  shared ??= startShared();
  const server = await shared;
  const name = `test_${randomBytes(6).toString('hex')}`;
  const admin = openPostgres({
    url: server.url,
    applicationName: 'quire-test',
    connectionCount: 1,
  });
  await admin`create database ${admin(name)} ${from === undefined ? admin`` : admin`template ${admin(from)}`}`;
  await admin.end();
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return url.href;
}

/** A pool on a new database with the schema up to date; closed after the test. */
export async function openTestDatabase(test: Pick<Test, 'teardown'>): Promise<Sql> {
  const sql = openPostgres({
    url: await createMigratedDatabase(),
    applicationName: 'quire-test',
    connectionCount: 4,
  });
  test.teardown(() => sql.end({ timeout: 1 }));
  return sql;
}

async function startShared(): Promise<EmbeddedPostgres> {
  const dataDirectory = await mkdtemp(join(await realpath(tmpdir()), 'quire-postgres-'));
  await chmod(dataDirectory, 0o711);
  const server = await EmbeddedPostgres.start({
    dataDirectory,
    environment: realEnvironment,
    onEvent: (message) => t.comment(message),
  });
  endWithThisProcess(server.pid, dataDirectory);
  t.teardown(async () => {
    await server.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  });
  return server;
}

/** PostgreSQL outlives a killed process by design; a killed test must not leave one behind. */
function endWithThisProcess(pid: number, dataDirectory: string): void {
  const script = 'cat >/dev/null; kill -INT "$1" 2>/dev/null && sleep 2; rm -rf "$2"';
  const reaper = spawn('sh', ['-c', script, 'reaper', String(pid), dataDirectory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  reaper.unref();
  // The pipe closes when this process ends, in whatever way; until then it must not keep it alive.
  if (reaper.stdin instanceof Socket) reaper.stdin.unref();
}
