import { join } from 'node:path';
import type { Test } from 'tap';
import { realEnvironment } from '../../server/foundation.ts';
import { EmbeddedPostgres } from '../../server/storage/embedded/embedded.ts';
import { findFolderProcesses } from '../../server/storage/embedded/folder-processes.ts';
import { stopPostgres } from '../../server/storage/embedded/launch.ts';
import { openPostgres } from '../../server/storage/postgres.ts';
import { copyCluster } from './cluster-template.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export function start(dataDirectory: string, events: string[] = []): Promise<EmbeddedPostgres> {
  return EmbeddedPostgres.start({
    dataDirectory,
    environment: realEnvironment,
    onEvent: (message) => events.push(message),
  });
}

/** Starts PostgreSQL without a watcher, as a killed Quire leaves it. */
export function startUnwatched(dataDirectory: string): Promise<EmbeddedPostgres> {
  const watchMilliseconds = 500;
  return EmbeddedPostgres.start({
    dataDirectory,
    environment: {
      ...realEnvironment,
      after: (milliseconds, work) =>
        milliseconds === watchMilliseconds
          ? () => undefined
          : realEnvironment.after(milliseconds, work),
    },
    onEvent: () => undefined,
  });
}

export async function ask(server: EmbeddedPostgres, query: string): Promise<unknown> {
  const sql = openPostgres({ url: server.url, applicationName: 'test', connectionCount: 1 });
  try {
    const [row] = await sql.unsafe<Record<string, unknown>[]>(query);
    return row?.['answer'];
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Stops (SIGSTOP) every process of PostgreSQL on this folder. */
export async function freeze(folder: string): Promise<number[]> {
  const processes = (await findFolderProcesses(join(folder, 'postgres'))) ?? [];
  const pids = processes.map(({ pid }) => pid);
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return pids;
}

type TestLike = Pick<Test, 'teardown'>;

/** Makes an empty data directory; ends what a failed test left running. */
export async function makeEmptyDirectory(test: TestLike): Promise<string> {
  const folder = await makeTemporaryFolder(test);
  test.teardown(() => stopPostgres(join(folder, 'postgres'), realEnvironment));
  return folder;
}

/** A data directory after its initdb, for tests of what comes then. */
export async function makeDataDirectory(test: TestLike): Promise<string> {
  const folder = await makeEmptyDirectory(test);
  await copyCluster(folder);
  return folder;
}
