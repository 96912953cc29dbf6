import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';

import { checkGrown, readLog, readLogOver, type SeenLog } from '../support/log-reader.ts';
import { doubleProgram, ServiceProcess } from '../support/service-process.ts';
import { makeDataDirectory } from '../support/embedded-cluster.ts';

/** Places where the process is ended as by a power cut while it writes the log. Runs long. */
const places = ['tlog.sequenced', 'tlog.tiles', 'tlog.signed', 'tlog.stored'];
const waitMilliseconds = 60_000;

interface Client {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function post(url: string, body: object, headers = {}): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

interface Status {
  readonly vkeys: readonly string[];
  readonly pending: number;
  readonly halted: string | null;
}

async function statusOf(url: string): Promise<Status> {
  return (await (await fetch(`${url}/v1/tlog/status`)).json()) as Status;
}

/** The log when nothing waits any more. */
async function see(url: string): Promise<SeenLog> {
  const end = Date.now() + waitMilliseconds;
  for (;;) {
    const { vkeys, pending, halted } = await statusOf(url);
    if (halted !== null) throw new Error(halted);
    if (pending === 0) return readLog(readLogOver(`${url}/v1/tlog`), vkeys[0] ?? '');
    if (Date.now() > end) throw new Error(`${pending} entries wait`);
    await sleep(50);
  }
}

/** Writes until the process is gone, and answers how many writes it acknowledged. */
async function writeUntilDead({ url, headers }: Client, process: ServiceProcess): Promise<number> {
  let count = 0;
  const ops = [{ kind: 'cells.set', payload: { cells: [{ a1: 'A1', input: 1 }] } }];
  while (process.child.exitCode === null && process.child.signalCode === null) {
    try {
      await post(`${url}/branches/main/ops`, { ops, writer: 'w' }, headers);
      count++;
    } catch {
      await sleep(20);
    }
  }
  return count;
}

t.test('a process killed anywhere leaves one log, with all that was acknowledged', async (t) => {
  const folder = await makeDataDirectory(t);
  const settings = { RATE_LIMITS: 'off', LOG_LEVEL: 'error' };
  let service = await ServiceProcess.start(t, folder, settings, doubleProgram);
  const agent = (await post(`${service.url}/agent/auth`, { type: 'anonymous' })) as {
    data: { credential: string };
  };
  const headers = { authorization: `Bearer ${agent.data.credential}` };
  const { id } = (await post(`${service.url}/v1/workbooks`, {}, headers)) as { id: string };
  let before = await see(service.url);
  for (const place of places) {
    await service.stop();
    const doomed = { ...settings, QUIRE_CRASH_AT: place };
    service = await ServiceProcess.start(t, folder, doomed, doubleProgram);
    const client = { url: `${service.url}/v1/workbooks/${id}`, headers };
    const count = await writeUntilDead(client, service);
    service = await ServiceProcess.start(t, folder, settings, doubleProgram);
    const after = await see(service.url);
    checkGrown(before, after);
    t.ok(after.size >= before.size + count, `${count} writes were answered before ${place}`);
    before = after;
  }
  const book = `${service.url}/v1/workbooks/${id}`;
  const verified = (await post(`${book}/verify`, {}, headers)) as { ok: boolean };
  t.ok(verified.ok);
});
