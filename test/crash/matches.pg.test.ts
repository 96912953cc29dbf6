import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

import t from 'tap';

import { findRunningPostmaster } from '../../server/storage/embedded/postmaster-file.ts';
import { makeDataDirectory } from '../support/embedded-cluster.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { ask, get, post } from './requests.ts';

const settings = { RATE_LIMITS: 'off', LOG_LEVEL: 'error', WORKERS: '1' };
const rowCount = 4000;
const rounds = 2;

interface Page {
  readonly status: string;
  readonly progress: number;
  readonly reused: boolean;
  readonly rows: readonly object[];
}

const random = new SeededRandom(5);
const syllables = ['ka', 'lo', 'mir', 'ten', 'vu', 'sha', 'rop', 'eli', 'dun', 'gor'];
const word = (): string =>
  Array.from({ length: 3 }, () => syllables[random.between(0, 9)] ?? '').join('');
const names = Array.from({ length: rowCount }, () => `${word()} ${word()}`);

/** A workbook with two tables; equal ones come to equal rows. */
async function makeBook(url: string, credential: string): Promise<string> {
  const made = (await post(`${url}/v1/workbooks`, {}, credential)) as { id: string };
  const path = `/v1/workbooks/${made.id}`;
  const tableOps = (name: string, list: readonly string[]): object[] => {
    const schema = { columns: [{ name: 'id' }, { name: 'name' }] };
    const rows = list.map((text, row) => [row, text]);
    return [
      { kind: 'table.create', payload: { name, keyColumn: 'id', schema } },
      { kind: 'rows.import', payload: { table: name, rows } },
    ];
  };
  const typed = names.map((name, at) => name.slice(0, at % 9) + name.slice((at % 9) + 1));
  await post(`${url}${path}/branches/main/ops`, { ops: tableOps('Left', typed) }, credential);
  await post(`${url}${path}/branches/main/ops`, { ops: tableOps('Right', names) }, credential);
  return path;
}

async function begin(url: string, book: string, credential: string): Promise<string> {
  const body = {
    left: { tableId: 'Left', column: 'name' },
    right: { tableId: 'Right', column: 'name' },
  };
  const { poll } = (await post(`${url}${book}/matches`, body, credential)) as { poll: string };
  return poll;
}

/** Returns a page once the service answers, whose database may be on its way back. */
async function pageOf(url: string, credential: string): Promise<Page> {
  for (;;) {
    const answer = await ask(url, { credential });
    if (answer !== undefined && answer.status < 300) return answer.json as Page;
    if (answer?.status !== 503) throw new Error(JSON.stringify(answer));
    await sleep(100);
  }
}

/** Its rows, without what is new each time. */
async function rowsOf(url: string, poll: string, credential: string): Promise<string> {
  for (;;) {
    const page = await pageOf(`${url}${poll}?limit=1`, credential);
    if (page.status === 'done') break;
    if (!['queued', 'running'].includes(page.status)) throw new Error(JSON.stringify(page));
    await sleep(100);
  }
  const texts: string[] = [];
  for (let offset = 0; ; offset += 1000) {
    const { rows } = await pageOf(`${url}${poll}?limit=1000&offset=${offset}`, credential);
    if (rows.length === 0) return texts.join('\n');
    texts.push(JSON.stringify(rows));
  }
}

t.test('a match whose process is killed comes to the same rows', async (t) => {
  const folder = await makeDataDirectory(t);
  let service = await ServiceProcess.start(t, folder, settings);
  const agent = (await post(`${service.url}/agent/auth`, { type: 'anonymous' })) as {
    data: { credential: string };
  };
  const { credential } = agent.data;
  const calm = await makeBook(service.url, credential);
  const started = Date.now();
  const expected = await rowsOf(
    service.url,
    await begin(service.url, calm, credential),
    credential,
  );
  const duration = Date.now() - started;
  t.ok(expected.length > rowCount);
  for (let round = 0; round < rounds; round++) {
    const book = await makeBook(service.url, credential);
    const poll = await begin(service.url, book, credential);
    await sleep((duration * (round + 1)) / (rounds + 1));
    const before = await ask(`${service.url}${poll}?limit=1`, { credential });
    await service.kill();
    service = await ServiceProcess.start(t, folder, settings);
    const after = (await get(`${service.url}${poll}?limit=1`, credential)) as Page;
    t.ok(after.progress >= ((before?.json as Page | undefined)?.progress ?? 0));
    t.ok((await rowsOf(service.url, poll, credential)) === expected, `round ${round}`);
  }
  const book = await makeBook(service.url, credential);
  const poll = await begin(service.url, book, credential);
  await sleep(duration / 2);
  const postmaster = await findRunningPostmaster(join(folder, 'postgres'));
  if (postmaster === undefined) throw new Error('PostgreSQL does not run');
  process.kill(postmaster.pid, 'SIGKILL');
  t.ok((await rowsOf(service.url, poll, credential)) === expected, 'the database was killed');
  t.equal(await service.stop(), 0);
});
