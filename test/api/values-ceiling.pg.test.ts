import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';

import { unpackMultiple } from 'msgpackr';
import t, { type Test } from 'tap';

import { createMigratedDatabase } from '../support/postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService, type TestAnswer } from '../support/test-service.ts';

/** Runs long: calculations of seconds. */

/** Formulas that a thread is busy with for some seconds. */
const heavyRows = Array.from({ length: 2000 }, (_, row) => [
  `Row ${row}`,
  `=SUM(SEQUENCE(250000,1,ROW()))/7`,
]);
const lightRows = Array.from({ length: 50 }, (_, row) => [row, `=A${row + 1}*2&"!"`, '=1/0']);

interface Values {
  readonly total: number;
  readonly values: readonly object[];
}

class Reader {
  readonly service: TestService;
  readonly credential: string;
  readonly id: string;

  constructor(service: TestService, credential: string, id: string) {
    this.service = service;
    this.credential = credential;
    this.id = id;
  }

  static async create(service: TestService, rows: readonly unknown[][]): Promise<Reader> {
    const credential = await service.register();
    const sheets = [{ name: 'Plan', rows }];
    const answer = await service.request('/v1/workbooks', { credential, body: { sheets } });
    if (answer.status !== 201) throw new Error(answer.text);
    return new Reader(service, credential, (answer.json as { id: string }).id);
  }

  ask(path: string, options: object = {}): Promise<TestAnswer> {
    const { credential } = this;
    return this.service.request(`/v1/workbooks/${this.id}/${path}`, { credential, ...options });
  }

  /** The same workbook by way of another node. */
  by(service: TestService): Reader {
    return new Reader(service, this.credential, this.id);
  }

  async lower(): Promise<void> {
    await this.ask('eval-ceiling', { body: { cells: 10, grid: null } });
  }

  /** Asks until the values are there. */
  async values(query = 'limit=100000'): Promise<TestAnswer> {
    for (;;) {
      const answer = await this.ask(`values?${query}`, { headers: { prefer: 'wait=5' } });
      if (answer.status !== 202) return answer;
    }
  }

  async computation(): Promise<{ state: string; done: number; total: number } | null> {
    const { json } = await this.ask('eval-stats');
    return (json as { computation: { state: string; done: number; total: number } | null })
      .computation;
  }

  async untilComputing(): Promise<{ done: number; total: number }> {
    for (let round = 0; round < 500; round++) {
      const found = await this.computation();
      if (found?.state === 'computing' && found.done > 0) return found;
      await sleep(20);
    }
    throw new Error('nothing is computed');
  }
}

/** Computations that a node has ended, by outcome. */
async function jobsOf(service: TestService, outcome: string): Promise<number> {
  const { text } = await service.request('/metrics');
  const line = new RegExp(`quire_jobs_total\\{queue="values",outcome="${outcome}"\\} (\\d+)`);
  return Number(line.exec(text)?.[1] ?? 0);
}

async function startNodes(t: Pick<Test, 'teardown'>, count: number): Promise<TestService[]> {
  const store = pathToFileURL(`${await makeTemporaryFolder(t)}/objects`).href;
  const settings = { DATABASE_URL: await createMigratedDatabase(), OBJECT_STORE_URL: store };
  const nodes: TestService[] = [];
  while (nodes.length < count) nodes.push(await TestService.start(t, settings, {}));
  return nodes;
}

t.test('a hundred who ask for a heavy state are one computation', async (t) => {
  const [service] = await startNodes(t, 1);
  if (!service) return;
  const reader = await Reader.create(service, heavyRows);
  await reader.lower();
  const first = await Promise.all(Array.from({ length: 100 }, () => reader.ask('values')));
  t.ok(first.every(({ status }) => status === 202));
  const found = await reader.untilComputing();
  t.equal(found.total, 2000);
  t.ok(found.done <= 2000, 'the figures do not wait for the end');
  const answers = await Promise.all(Array.from({ length: 100 }, () => reader.values()));
  const [answer] = answers;
  t.equal(answer?.status, 200);
  t.match(answer?.json, { total: 4000 });
  t.ok(answers.every(({ text }) => text === answer?.text));
  t.equal(await jobsOf(service, 'done'), 1);
  t.same(await reader.computation(), { state: 'computed', done: 4000, total: 4000 });
});

t.test(
  'stored values are the same as computed ones, on every node and in every form',
  async (t) => {
    const [here, there] = await startNodes(t, 2);
    if (!here || !there) return;
    const reader = await Reader.create(here, lightRows);
    const forms = ['', 'limit=7&offset=31', 'offset=149', 'offset=999'];
    const accepts = ['application/json', 'application/x-ndjson', 'application/vnd.msgpack'];
    const readAll = async (by: Reader): Promise<Buffer[]> => {
      const read: Buffer[] = [];
      for (const query of forms) {
        for (const accept of accepts) {
          const headers = { accept, prefer: 'wait=10' };
          const answer = await by.ask(`values?${query}`, { headers });
          t.equal(answer.status, 200);
          read.push(Buffer.from(answer.bytes));
        }
      }
      return read;
    };
    const below = await readAll(reader);
    await reader.lower();
    t.same(await readAll(reader), below);
    t.same(
      await readAll(reader.by(there)),
      below,
      'the other node finds them, below its ceiling too',
    );
    t.match(
      (await reader.by(there).ask('eval-stats')).json,
      { cache: { builds: 1 } },
      'a model of its own only for this',
    );
    t.equal(await jobsOf(here, 'done'), 1);
    await reader.lower();
    t.equal((await reader.ask('values')).status, 202, 'a ceiling that moves makes them go');
  },
);

t.test('all values in one answer, by cells and by columns', async (t) => {
  const [service] = await startNodes(t, 1);
  if (!service) return;
  const reader = await Reader.create(service, lightRows);
  const headers = { accept: 'application/vnd.quire.columns+msgpack', prefer: 'wait=10' };
  for (const where of ['below the ceiling', 'above it']) {
    const { json } = await reader.ask('values?limit=150');
    const { total, values } = json as Values;
    t.equal(total, 150);
    if (where === 'above it') {
      await reader.lower();
      t.equal((await reader.ask('values?whole=true')).status, 202);
      await reader.values();
    }
    t.same(((await reader.ask('values?whole=true&limit=3')).json as Values).values, values, where);
    const lines = await reader.ask('values?whole=true', {
      headers: { accept: 'application/x-ndjson' },
    });
    const items = lines.text
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    t.same(items.slice(1, -1), values);
    t.same(items.at(-1), { end: true, count: 150 });
    const columns = await reader.ask('values', { headers });
    t.equal(columns.headers.get('content-type'), headers.accept);
    const [head, block, end, ...rest] = unpackMultiple(columns.bytes) as object[];
    t.match(head, { ref: { branch: 'main' }, total: 150, blocks: 1 });
    t.match(block, { count: 150, sheets: [{ name: 'Plan', count: 150 }] });
    t.same([end, rest], [{ end: true, count: 150 }, []]);
    const { kinds, texts } = block as { kinds: Uint8Array; texts: string[] };
    t.same([...kinds.subarray(0, 3)], [1, 2, 4]);
    t.same(texts.slice(0, 3), ['0!', '#DIV/0!', '2!']);
  }
});

t.test('a node without a free thread leaves the values to another', async (t) => {
  const [busy, idle] = await startNodes(t, 2);
  if (!busy || !idle) return;
  const first = await Reader.create(busy, heavyRows);
  const second = await Reader.create(busy, lightRows);
  await first.lower();
  await second.lower();
  t.equal((await first.ask('values')).status, 202);
  await first.untilComputing();
  t.equal((await second.values()).status, 200);
  t.equal(await jobsOf(idle, 'done'), 1);
  t.equal(await jobsOf(busy, 'done'), 0, 'which is at the first one still');
});

t.test('a computation that is cancelled ends, and begins again when somebody asks', async (t) => {
  const [service] = await startNodes(t, 1);
  if (!service) return;
  const reader = await Reader.create(service, heavyRows);
  await reader.lower();
  const path = `/v1/workbooks/${reader.id}/values`;
  const cancel = () => service.request(path, { credential: reader.credential, method: 'DELETE' });
  t.match((await cancel()).json, { cancelled: false });
  t.equal((await reader.ask('values')).status, 202);
  await reader.untilComputing();
  t.match((await cancel()).json, { ref: { branch: 'main' }, cancelled: true });
  for (let round = 0; round < 100 && (await jobsOf(service, 'cancelled')) === 0; round++) {
    await sleep(50);
  }
  t.equal(await jobsOf(service, 'cancelled'), 1);
  t.match(await reader.computation(), { state: 'none' });
  t.equal((await reader.values()).status, 200);
  t.equal(await jobsOf(service, 'done'), 1);
  const stranger = await service.register();
  t.equal((await service.request(path, { credential: stranger, method: 'DELETE' })).status, 404);
});

t.test('a thread that is killed in the middle changes nothing but the time', async (t) => {
  const threads: Worker[] = [];
  const note = (thread: Worker): void => void threads.push(thread);
  process.on('worker', note);
  t.teardown(() => process.off('worker', note));
  const [service] = await startNodes(t, 1);
  if (!service) return;
  const reader = await Reader.create(service, heavyRows);
  const calm = await reader.ask('values?limit=100000');
  t.equal(calm.status, 200);
  const other = await Reader.create(service, heavyRows);
  await other.lower();
  t.equal((await other.ask('values')).status, 202);
  await other.untilComputing();
  await threads.at(-1)?.terminate();
  const answer = await other.values();
  t.equal(answer.status, 200);
  t.same((answer.json as Values).values, (calm.json as Values).values);
  t.equal(await jobsOf(service, 'failed'), 1);
  t.equal(await jobsOf(service, 'done'), 1);
});
