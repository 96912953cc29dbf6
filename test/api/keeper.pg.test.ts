import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import type { Test } from 'tap';

import { openPostgres, type Sql } from '../../server/storage/postgres.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Book } from '../support/book.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { S3Server } from '../support/s3/server.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

/** Runs long: branches leave memory and come back. */

/** Work that the keeper does by itself: sealing, storing states, trimming rows. */

interface World {
  readonly settings: Readonly<Record<string, string>>;
  readonly sql: Sql;
}

async function makeWorld(t: Test, settings: Readonly<Record<string, string>>): Promise<World> {
  const url = await createMigratedDatabase();
  const folder = await makeTemporaryFolder(t);
  const store = pathToFileURL(`${folder}/objects`).href;
  const sql = openPostgres({ url, applicationName: 'test', connectionCount: 2 });
  t.teardown(() => sql.end({ timeout: 1 }));
  return { settings: { DATABASE_URL: url, OBJECT_STORE_URL: store, ...settings }, sql };
}

function start(t: Test, { settings }: World): Promise<TestService> {
  return TestService.start(t, settings, { formulas: new Formulas() });
}

interface Stored {
  readonly head: number;
  readonly sealedSeq: number;
  readonly snapshotSeq: number;
  readonly rows: number;
  readonly firstSeq: number | null;
}

async function storedOf({ sql }: World, workbookId: string, branchNo = 1): Promise<Stored> {
  const [row] = await sql<Stored[]>`
    select head, sealed_seq as "sealedSeq", snapshot_seq as "snapshotSeq",
           (select count(*) from segment s where s.workbook_id = b.workbook_id
               and s.branch_no = b.branch_no) as rows,
           (select min(first_seq) from segment s where s.workbook_id = b.workbook_id
               and s.branch_no = b.branch_no) as "firstSeq"
      from branch b where workbook_id = ${workbookId} and branch_no = ${branchNo}`;
  if (!row) throw new Error('there is no such branch');
  return row;
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 15_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`);
    await sleep(20);
  }
}

/** Operations one by one, so that each is a row of its own. */
async function write(book: Book, branch: string, from: number, to: number): Promise<void> {
  for (let number = from; number <= to; number++) {
    const cells = [{ a1: `A${(number % 40) + 1}`, input: number }];
    const op = { id: `op-${branch}-${number}`, kind: 'cells.set', payload: { cells } };
    const path = `/branches/${branch}/ops`;
    const answer = await book.ask(path, { body: { ops: [op], writer: 'w' } });
    if (answer.status !== 200) throw new Error(answer.text);
  }
}

async function jsonOf(book: Pick<Book, 'ask'>, rest: string): Promise<unknown> {
  const answer = await book.ask(rest);
  if (answer.status !== 200) throw new Error(`${rest} answered ${answer.text}`);
  return answer.json;
}

/** Everything that may read old positions. */
async function readAll(book: Pick<Book, 'ask'>): Promise<unknown[]> {
  const paths = [
    '/branches/main/state',
    '/branches/main@17/state',
    '/branches/main@60/state',
    '/branches/early/state',
    '/branches/early@3/state',
    '/branches/deep/state',
    '/slice?ref=main@17&range=A1:B40',
    '/slice?ref=early@2&range=A1:B40',
    '/branches/main@30/export?format=json',
    '/branches/deep/export?format=csv',
    '/branches/main/ops?after=0&limit=50',
    '/branches/main/ops?after=33&limit=7',
    '/branches/early/ops?limit=10',
    '/commits',
  ];
  const answers: unknown[] = [];
  for (const path of paths) {
    const answer = await book.ask(path);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.text}`);
    answers.push(answer.json ?? answer.text);
  }
  return answers;
}

/** The same workbook asked at another service. */
function again(service: TestService, { id, credential }: Book): Pick<Book, 'ask'> {
  return {
    ask: (rest, options) =>
      service.request(`/v1/workbooks/${id}${rest}`, { credential, ...options }),
  };
}

t.test('what was trimmed is read from object storage, as if it were there', async (t) => {
  const world = await makeWorld(t, {
    SEAL_OPERATIONS: '50',
    SEAL_IDLE_SECONDS: '1',
    HOT_OPERATIONS: '10',
  });
  const service = await start(t, world);
  const book = await Book.create(service);
  await book.set('B1', '=SUM(A1:A40)');
  await write(book, 'main', 1, 30);
  await book.ask('/branches', { body: { name: 'early', from: 'main@12' } });
  await book.ask('/branches/main/commit', { body: { message: 'before', tag: 'v1' } });
  await write(book, 'early', 1, 5);
  await book.ask('/branches', { body: { name: 'deep', from: 'early@3' } });
  await write(book, 'main', 31, 120);
  const before = await readAll(book);

  await until('main is sealed, stored and trimmed', async () => {
    const { head, sealedSeq, snapshotSeq, firstSeq } = await storedOf(world, book.id);
    return sealedSeq === head && snapshotSeq >= 100 && (firstSeq ?? 0) > 50;
  });
  const stored = await storedOf(world, book.id);
  t.ok(stored.rows >= 10, 'the latest rows stay');
  t.ok((stored.firstSeq ?? 0) <= stored.head - 9, 'all of the hot window stays');
  await until('the other branches are sealed', async () => {
    const early = await storedOf(world, book.id, 2);
    return early.sealedSeq === early.head;
  });
  t.same(await readAll(book), before, 'in the process that trimmed them');

  await service.app.stop();
  const woken = await start(t, world);
  const cold = again(woken, book);
  t.same(await readAll(cold), before, 'and in one that never saw them');

  const repeat = {
    id: 'op-main-7',
    kind: 'cells.set',
    payload: { cells: [{ a1: 'A8', input: 7 }] },
  };
  const answer = await cold.ask('/branches/main/ops', { body: { ops: [repeat], writer: 'w' } });
  const [first] = (
    (await jsonOf(cold, '/branches/main/ops?after=8&limit=1')) as {
      ops: { id: string; seq: number }[];
    }
  ).ops;
  t.equal(first?.id, 'op-main-7');
  t.match(answer.json, { results: [{ status: 'duplicate', seq: first?.seq }] });
  t.match(await jsonOf(cold, '/branches/main/state'), { head: stored.head });

  const fork = await cold.ask('/branches', { body: { name: 'late', from: 'main@20' } });
  t.equal(fork.status, 201, 'a branch begins where rows are gone');
  const hashes = await Promise.all(
    ['late', 'main@20'].map(async (reference) => {
      const state = await jsonOf(cold, `/branches/${reference}/state`);
      return (state as { stateHash: string }).stateHash;
    }),
  );
  t.equal(hashes[0], hashes[1]);
  const base = {
    baseSeq: 40,
    ops: [{ kind: 'rows.insert', payload: { sheet: 'Sheet1', before: 1 } }],
    writer: 'x',
  };
  const rebased = await cold.ask('/branches/main/ops', { body: base });
  t.match(rebased.json, { status: 'applied' }, 'a base among the trimmed operations is known');
});

t.test('a branch is sealed once it is idle, and small ones keep their rows', async (t) => {
  const world = await makeWorld(t, { SEAL_IDLE_SECONDS: '1' });
  const service = await start(t, world);
  const book = await Book.create(service);
  await write(book, 'main', 1, 3);
  t.match(await storedOf(world, book.id), { sealedSeq: 0 });
  await until('it is sealed', async () => {
    const { head, sealedSeq } = await storedOf(world, book.id);
    return sealedSeq === head;
  });
  t.match(await storedOf(world, book.id), { snapshotSeq: 0, firstSeq: 1 });
  await until('it is counted', async () => {
    const { text } = await service.request('/metrics');
    return /quire_keeper_sealed_operations_total [1-9]/.test(text);
  });
  await until('nothing waits', async () => {
    return /quire_keeper_waiting_branches 0/.test((await service.request('/metrics')).text);
  });
});

t.test('what an earlier process left is done by the next one', async (t) => {
  const world = await makeWorld(t, { SEAL_IDLE_SECONDS: '1000' });
  const service = await start(t, world);
  const book = await Book.create(service);
  await write(book, 'main', 1, 20);
  await book.ask('/branches/main/commit', { body: { message: 'named' } });
  await write(book, 'main', 21, 22);
  const listed = await jsonOf(book, '/commits');
  await service.app.stop();
  await world.sql`update branch_commit set state_hash = null, chain_hash = null`;
  await world.sql`update branch set updated_at = updated_at - interval '1 hour'`;
  const next = await start(t, world);
  await until('it is sealed', async () => {
    const { head, sealedSeq } = await storedOf(world, book.id);
    return sealedSeq === head;
  });
  await until('the commit has its hashes again', async () => {
    const [row] = await world.sql`select from branch_commit where state_hash is null`;
    return row === undefined;
  });
  t.same(await jsonOf(again(next, book), '/commits'), listed);
});

t.test('a store that is away delays the keeper and nobody else', async (t) => {
  const store = await S3Server.start(t);
  const world = await makeWorld(t, {
    SEAL_OPERATIONS: '10',
    SEAL_IDLE_SECONDS: '1',
    HOT_OPERATIONS: '0',
    OBJECT_STORE_URL: store.url,
    LOG_LEVEL: 'silent',
  });
  const service = await start(t, world);
  const book = await Book.create(service);
  store.goAway();
  await write(book, 'main', 1, 40);
  await until('it has tried', async () => {
    return /quire_keeper_failures_total [1-9]/.test((await service.request('/metrics')).text);
  });
  t.match(await storedOf(world, book.id), { sealedSeq: 0, rows: 41, head: 41 });
  const state = await jsonOf(book, '/branches/main/state');
  await store.comeBack();
  await until('it is done', async () => {
    const { head, sealedSeq, rows } = await storedOf(world, book.id);
    return sealedSeq === head && rows === 0;
  });
  t.same(await jsonOf(book, '/branches/main/state'), state);
  await write(book, 'main', 41, 42);
  t.match(await jsonOf(book, '/branches/main/ops?after=39'), { head: 43, ops: { length: 4 } });
});

t.test('rows stay as long as the store holds something else', async (t) => {
  const store = await S3Server.start(t);
  const world = await makeWorld(t, {
    SEAL_OPERATIONS: '1000',
    SEAL_IDLE_SECONDS: '1',
    HOT_OPERATIONS: '0',
    OBJECT_STORE_URL: store.url,
    LOG_LEVEL: 'silent',
  });
  const service = await start(t, world);
  const book = await Book.create(service);
  await write(book, 'main', 1, 10);
  await book.ask('/branches/main/flush', { method: 'POST' });
  await book.ask('/branches/main/checkpoint', { method: 'POST' });
  // A sealed part now names another end of the chain than the rows do.
  await world.sql`
    update segment set hash = decode(repeat('11', 32), 'hex')
     where workbook_id = ${book.id} and first_seq = 5`;
  await until('it was noticed', async () => {
    return /quire_keeper_failures_total [1-9]/.test((await service.request('/metrics')).text);
  });
  t.match(await storedOf(world, book.id), { rows: 11, firstSeq: 1 });
});
