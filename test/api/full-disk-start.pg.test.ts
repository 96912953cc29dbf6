import { join } from 'node:path';
import t from 'tap';
import { findFolderProcesses } from '../../server/storage/embedded/folder-processes.ts';
import { ServiceProcess, type BegunService } from '../support/service-process.ts';
import { SmallDisk } from '../support/small-disk.ts';

/** A start on a full disk, which waits. Runs long: PostgreSQL starts three times. */

t.setTimeout(120_000);

const mebibytes = 160;

t.test('a start on a full disk waits, says so once, and goes on when there is room', async (t) => {
  const disk = await SmallDisk.mount(t, { mebibytes });
  if (disk === undefined) return t.pass('only root may mount a small disk');
  const first = await ServiceProcess.start(t, disk.folder);
  const credential = await register(first.url);
  const made = await post(`${first.url}/v1/workbooks`, { name: 'kept' }, credential);
  t.equal(made.status, 201);
  await first.kill();
  await killPostgres(disk.folder);
  await disk.fill();
  const begun = ServiceProcess.begin(t, disk.folder);
  await whenWaiting(begun);
  await disk.makeRoom();
  const second = await begun.started;
  const listed = await fetch(`${second.url}/v1/workbooks`, { headers: bearer(credential) });
  t.match(await listed.json(), { workbooks: [{ name: 'kept' }] });
  t.equal(waitingLines(begun).length, 1);
  t.equal(await second.stop(), 0);
  return undefined;
});

t.test('a SIGTERM ends a start that waits for room', async (t) => {
  const disk = await SmallDisk.mount(t, { mebibytes });
  if (disk === undefined) return t.pass('only root may mount a small disk');
  await disk.fill();
  const begun = ServiceProcess.begin(t, disk.folder);
  const refused = t.rejects(begun.started, 'it never starts');
  await whenWaiting(begun);
  begun.child.kill('SIGTERM');
  t.equal(await begun.ended(), 0);
  await refused;
  return undefined;
});

async function killPostgres(dataDirectory: string): Promise<void> {
  const folder = join(dataDirectory, 'postgres');
  for (const { pid } of (await findFolderProcesses(folder)) ?? []) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      // Its processes end by themselves once a postmaster is killed.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  while ((await findFolderProcesses(folder))?.length !== 0) await pause();
}

async function whenWaiting(begun: BegunService): Promise<void> {
  while (waitingLines(begun).length === 0) await pause();
}

function waitingLines({ logLines }: BegunService): string[] {
  return logLines.filter((line) => line.includes('the disk is full: the start waits'));
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}

async function register(url: string): Promise<string> {
  const { json } = await post(`${url}/agent/auth`, { type: 'anonymous' });
  return (json as { data: { credential: string } }).data.credential;
}

async function post(url: string, body: unknown, credential?: string) {
  const headers = { 'content-type': 'application/json', ...bearer(credential) };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, json: await answer.json() };
}

function bearer(credential: string | undefined): Record<string, string> {
  return credential === undefined ? {} : { authorization: `Bearer ${credential}` };
}
