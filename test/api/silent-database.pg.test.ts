import { join } from 'node:path';
import t from 'tap';
import { findFolderProcesses } from '../../server/storage/embedded/folder-processes.ts';
import { ask, post, type Answer } from '../crash/requests.ts';
import { clockProgram, ServiceProcess } from '../support/service-process.ts';
import { Book } from '../support/book.ts';
import { makeDataDirectory } from '../support/embedded-cluster.ts';
import { LiveClient, setCell } from '../support/live-client.ts';
import { ServiceDoor } from '../support/service-door.ts';

/** Runs long: a PostgreSQL that hangs, and deadlines that pass. */

/** A database that neither answers nor closes a connection keeps nobody waiting. */

t.setTimeout(240_000);

/**
 * Every request is answered by then, whatever the database does: the service takes nine seconds at
 * most, and a busy machine a while more.
 */
const answerMilliseconds = 20_000;
/** Rounds of nine seconds each by the clock: facts are known for 30 s without another look. */
const roundCount = 5;
const stepsOfRound = 4;
const stepMilliseconds = 1_000;
const unavailable = { status: 'rejected', error: { code: 'unavailable', retryable: true } };
const refusedForNow = { status: 'rejected', retryAfterMs: 1_000, results: [unavailable] };

t.test('while PostgreSQL is frozen writes are refused and warm reads go on', async (t) => {
  const folder = await makeDataDirectory(t);
  const settings = { RATE_LIMITS: 'off', LOG_LEVEL: 'warn' };
  const service = await ServiceProcess.start(t, folder, settings, clockProgram);
  const answer = await post(`${service.url}/agent/auth`, { type: 'anonymous' });
  const { credential } = (answer as { data: { credential: string } }).data;
  const make = async (): Promise<string> => {
    const { id } = (await post(`${service.url}/v1/workbooks`, {}, credential)) as { id: string };
    const url = `${service.url}/v1/workbooks/${id}`;
    await post(`${url}/branches/main/ops`, { ops: [set(7)] }, credential);
    await ask(`${url}/slice?range=A1`, { credential });
    return url;
  };
  const [read, written] = [await make(), await make()];
  const book = await Book.create(new ServiceDoor(service.url));
  const live = await LiveClient.join(book, { waitMilliseconds: answerMilliseconds });
  const slice = async (url: string): Promise<void> => {
    const found = await inTime(() => ask(`${url}/slice?range=A1`, { credential }));
    t.match(found, { status: 200, json: { rows: [[7]] } });
  };
  const pids = await processesIn(join(folder, 'postgres'));
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  try {
    for (let round = 0; round <= roundCount; round++) {
      const body = { ops: [set(8)] };
      const writing = inTime(() =>
        ask(`${written}/branches/main/ops`, { method: 'POST', credential, body }),
      );
      const submitting = live.submit([setCell('A1', round, `round-${round}`)]);
      await slice(read);
      t.match(await submitting, refusedForNow, `the acknowledgement of round ${round}`);
      const refused = await writing;
      t.match(refused, { status: 503, json: { code: 'unavailable' } });
      await slice(written);
      const list = await inTime(() => ask(`${service.url}/v1/workbooks`, { credential }));
      t.match(list, { status: 503 });
      for (let step = 0; step < stepsOfRound; step++) {
        service.child.kill('SIGUSR2');
        await new Promise((resolve) => setTimeout(resolve, stepMilliseconds));
      }
    }
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  }
  await untilWritten(`${written}/branches/main/ops`, credential);
  const again = await live.submit([setCell('A1', 1, 'round-1')]);
  t.match(again, { results: [{ id: 'round-1', status: 'applied' }] }, 'it was no outcome');
  const found = await ask(`${written}/slice?range=A1`, { credential });
  t.match(found?.json, { rows: [[9]] });
  t.equal(await service.stop(), 0);
});

async function processesIn(cluster: string): Promise<number[]> {
  return (await findFolderProcesses(cluster))?.map(({ pid }) => pid) ?? [];
}

async function untilWritten(url: string, credential: string): Promise<void> {
  const body = { ops: [set(9)] };
  for (;;) {
    const again = await inTime(() => ask(url, { method: 'POST', credential, body }));
    if (again?.status === 200) return;
    if (again?.status !== 503) throw new Error(`a write answered ${String(again?.status)}`);
  }
}

function set(input: number) {
  return { kind: 'cells.set', payload: { cells: [{ a1: 'A1', input }] } };
}

/** Fails instead of waiting without end. */
async function inTime(request: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in 20 s')), answerMilliseconds);
  });
  try {
    return await Promise.race([request(), late]);
  } finally {
    clearTimeout(timer);
  }
}
