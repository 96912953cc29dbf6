import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { findFolderProcesses } from '../../server/storage/embedded/folder-processes.ts';
import { findRunningPostmaster } from '../../server/storage/embedded/postmaster-file.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { makeDataDirectory } from '../support/embedded-cluster.ts';
import { post } from './requests.ts';

/**
 * A stop comes to its end however often PostgreSQL was killed before, and leaves nothing running.
 * Runs long.
 */

t.setTimeout(300_000);

const killCount = 6;
const writerCount = 3;
/** More would only keep the processor busy. */
const pauseMilliseconds = 20;

t.test('a SIGTERM after many kills of PostgreSQL stops all in time', async (t) => {
  const folder = await makeDataDirectory(t);
  const cluster = join(folder, 'postgres');
  const service = await ServiceProcess.start(t, folder, { RATE_LIMITS: 'off' });
  const answer = await post(`${service.url}/agent/auth`, { type: 'anonymous' });
  const { credential } = (answer as { data: { credential: string } }).data;
  const { id } = (await post(`${service.url}/v1/workbooks`, {}, credential)) as { id: string };
  const ops = `${service.url}/v1/workbooks/${id}/branches/main/ops`;
  const over = new AbortController();
  const writing = Array.from({ length: writerCount }, async (_, index) => {
    while (!over.signal.aborted)
      await Promise.all([write(ops, credential, `A${index + 1}`), sleep(pauseMilliseconds)]);
  });
  for (let count = 0; count < killCount; count++) {
    const postmaster = await untilRunning(cluster);
    await sleep(200 + 50 * count);
    process.kill(postmaster, 'SIGKILL');
    while ((await findRunningPostmaster(cluster))?.pid === postmaster) await sleep(20);
  }
  // In the middle of the next start, with writers that wait.
  t.equal(await service.stop('SIGTERM'), 0);
  over.abort();
  await Promise.all(writing);
  t.same(await findFolderProcesses(cluster), []);
});

async function untilRunning(cluster: string): Promise<number> {
  for (;;) {
    const found = await findRunningPostmaster(cluster);
    if (found?.status === 'ready') return found.pid;
    await sleep(20);
  }
}

async function write(url: string, credential: string, a1: string): Promise<void> {
  const payload = { cells: [{ a1, input: a1 }] };
  try {
    await post(url, { ops: [{ kind: 'cells.set', payload }] }, credential);
  } catch {
    await sleep(50);
  }
}
