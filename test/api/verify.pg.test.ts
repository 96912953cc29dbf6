import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import type { Test } from 'tap';

import { openPostgres, type Sql } from '../../server/storage/postgres.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Book } from '../support/book.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { S3Server } from '../support/s3/server.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

interface World {
  readonly book: Book;
  readonly sql: Sql;
  /** Where the objects of the workbook are. */
  readonly folder: string;
}

interface Verified {
  readonly ok: boolean;
  readonly branches: { branch: string; stateHash: string | null; checked: object }[];
  readonly unlisted: number | null;
  readonly firstBad: { branch: string; seq: number; what: string; where: string } | null;
}

async function write(book: Book, branch: string, ...ops: { kind: string; payload: object }[]) {
  const path = `/branches/${encodeURIComponent(branch)}/ops`;
  const answer = await book.ask(path, { body: { ops, writer: 'w' } });
  if (answer.status !== 200) throw new Error(answer.text);
}

const set = (a1: string, input: unknown) => ({
  kind: 'cells.set',
  payload: { sheet: 'Sheet1', cells: [{ a1, input }] },
});

/**
 * A workbook with forks of forks, parts of it sealed, snapshots, commits and a policy.
 * Runs long: it is verified again and again.
 */
async function makeWorld(t: Test): Promise<World> {
  const url = await createMigratedDatabase();
  const objects = `${await makeTemporaryFolder(t)}/objects`;
  const sql = openPostgres({ url, applicationName: 'test', connectionCount: 2 });
  t.teardown(() => sql.end({ timeout: 1 }));
  const settings = { DATABASE_URL: url, OBJECT_STORE_URL: pathToFileURL(objects).href };
  const service = await TestService.start(t, settings, { formulas: new Formulas() });
  const book = await Book.create(service);
  await write(book, 'main', set('A1', 1), set('A2', '=A1*2'), set('B1', 'text'));
  await book.ask('/branches/main/checkpoint', { body: {} });
  await write(book, 'main', {
    kind: 'rows.insert',
    payload: { sheet: 'Sheet1', before: 1, count: 2 },
  });
  await book.ask('/branches/main/commit', { body: { message: 'as approved', tag: 'v1' } });
  await book.ask('/branches', { body: { name: 'q3', from: 'main@3' } });
  await write(book, 'q3', set('A1', 7));
  await write(book, 'q3', set('C1', '=SUM(A:A)'));
  await book.ask('/branches/q3/checkpoint', { body: {} });
  await book.ask('/branches', { body: { name: 'q3/deep', from: 'q3@1' } });
  await write(book, 'q3/deep', set('A3', true));
  await book.ask('/branches', { body: { name: 'gone', from: 'main' } });
  await write(book, 'gone', set('A1', 'gone'));
  await book.ask('/branches', { body: { name: 'kept', from: 'gone' } });
  await book.ask('/branches/gone', { method: 'DELETE' });
  await write(book, 'main', set('A1', 9), set('D9', '=D8'));
  await book.ask('/settings', {
    method: 'PUT',
    body: { policy: { protectedBranches: [{ pattern: 'q*', directWrites: 'allow' }] } },
  });
  return { book, sql, folder: join(objects, 'wb', book.id) };
}

async function verify(book: Book, body?: object): Promise<Verified> {
  const answer = await book.ask('/verify', body ? { body } : { method: 'POST' });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json as Verified;
}

const world = await makeWorld(t);

t.test('a workbook is as it was written', async (t) => {
  const { book } = world;
  const found = await verify(book);
  t.match(found, { ok: true, firstBad: null, unlisted: 0 });
  t.same(
    found.branches.map(({ branch }) => branch),
    ['$settings', 'main', 'q3', 'q3/deep', 'gone', 'kept'],
  );
  for (const { branch, stateHash } of found.branches) {
    if (branch === '$settings' || branch === 'gone') continue;
    const state = await book.ask(`/branches/${encodeURIComponent(branch)}/state`);
    t.match(state.json, { stateHash }, branch);
  }
  const again = await book.service.request(`/v1/${book.namespace}/${book.name}/verify`, {
    method: 'POST',
    credential: book.credential,
  });
  // The log may have grown in between.
  const { ok, branches, unlisted, firstBad } = found;
  t.match(again.json, { ok, branches, unlisted, firstBad }, 'under its other address');
  const one = await verify(book, { branch: 'q3/deep' });
  t.same(
    one.branches.map(({ branch }) => branch),
    ['main', 'q3', 'q3/deep'],
  );
  t.equal(one.unlisted, null);
});

t.test('bad requests say what to do', async (t) => {
  const { book } = world;
  t.match(await book.ask('/verify', { body: { branch: 'none' } }), {
    status: 404,
    json: { code: 'branch_not_found' },
  });
  t.match(await book.ask('/verify', { body: { branch: 'a@b' } }), { status: 400 });
  t.match(await book.ask('/verify', { body: { brunch: 'main' } }), {
    status: 400,
    json: { code: 'unknown_member' },
  });
  const credential = await book.service.register();
  const path = `/v1/workbooks/${book.id}/verify`;
  t.match(await book.service.request(path, { method: 'POST', credential }), { status: 404 });
  t.match(await book.service.request(path, { method: 'POST' }), { status: 401 });
});

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
}

/** Waits until the service has made anew what verify found damaged. */
async function untilMadeAnew({ service }: Book): Promise<void> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const { json } = await service.request('/ready');
    if ((json as { damagedObjects?: number }).damagedObjects === undefined) return;
    if (performance.now() > deadline) throw new Error('it was never made anew');
    await sleep(10);
  }
}

t.test('a flipped byte of any object is found where it is', async (t) => {
  const { book, folder } = world;
  const random = new SeededRandom(3);
  const places = await filesBelow(folder);
  t.ok(places.length >= 7, places.join(' '));
  for (const place of places) {
    const path = join(folder, place);
    const bytes = await readFile(path);
    for (let round = 0; round < 4; round++) {
      const flipped = Buffer.from(bytes);
      const at = random.between(0, bytes.length - 1);
      flipped[at] = (flipped[at] ?? 0) ^ random.between(1, 255);
      await writeFile(path, flipped);
      const found = await verify(book);
      t.match(found, { ok: false, firstBad: { where: place, what: 'damaged' } }, `${place} ${at}`);
      await untilMadeAnew(book);
    }
    await rm(path);
    t.match(await verify(book), { firstBad: { where: place, what: 'missing' } });
    await untilMadeAnew(book);
  }
  t.match(await verify(book), { ok: true });
});

t.test('a flipped byte of any row of the journal is found where it is', async (t) => {
  const { book, sql } = world;
  const random = new SeededRandom(4);
  const rows = await sql<{ branchNo: number; firstSeq: number; body: Buffer }[]>`
    select branch_no as "branchNo", first_seq as "firstSeq", body from segment
     where workbook_id = ${book.id}`;
  t.ok(rows.length >= 8);
  for (const { branchNo, firstSeq, body } of rows) {
    const flipped = Buffer.from(body);
    const at = random.between(0, body.length - 1);
    flipped[at] = (flipped[at] ?? 0) ^ random.between(1, 255);
    const write = (bytes: Buffer) => sql`
      update segment set body = ${bytes}
       where workbook_id = ${book.id} and branch_no = ${branchNo} and first_seq = ${firstSeq}`;
    await write(flipped);
    const where = `postgres:segment/${branchNo}/${firstSeq}`;
    t.match(await verify(book), { ok: false, firstBad: { where } }, `${where} ${at}`);
    await write(body);
  }
  t.match(await verify(book), { ok: true });
});

t.test('altered rows of branches and commits are found', async (t) => {
  const { book, sql } = world;
  const { id } = book;
  const wrong = Buffer.alloc(32, 1);
  const [kept] = await sql<{ hash: Buffer }[]>`
    select head_hash as hash from branch where workbook_id = ${id} and branch_no = 1`;
  await sql`update branch set head_hash = ${wrong} where workbook_id = ${id} and branch_no = 1`;
  t.match(await verify(book), {
    firstBad: { branch: 'main', where: 'postgres:branch/1', what: 'wrong_head' },
  });
  await sql`
    update branch set head_hash = ${kept?.hash ?? wrong}
     where workbook_id = ${id} and branch_no = 1`;
  const [commit] = await sql<{ seq: number; hash: Buffer }[]>`
    select seq, state_hash as hash from branch_commit where workbook_id = ${id}`;
  await sql`update branch_commit set state_hash = ${wrong} where workbook_id = ${id}`;
  t.match(await verify(book), {
    firstBad: {
      branch: 'main',
      seq: commit?.seq,
      where: `postgres:branch_commit/1/${commit?.seq}`,
      what: 'wrong_commit',
    },
  });
  await sql`
    update branch_commit set state_hash = ${commit?.hash ?? wrong} where workbook_id = ${id}`;
  t.match(await verify(book), { ok: true });
});

t.test('topology says what is in object storage', async (t) => {
  const { book, sql } = world;
  await write(book, 'main', set('D1', 1));
  const topology = await book.ask('/topology', { body: {} });
  const { sealedSeq } = (topology.json as { history: { sealedSeq: number } }).history;
  t.match(topology.json, {
    branches: [
      { branch: 'main', hotFromSeq: 1, snapshotSeq: Number },
      { branch: 'q3', hotFromSeq: 1, snapshotSeq: 2 },
      { branch: 'q3/deep', hotFromSeq: 1, segments: 1, snapshotSeq: null },
    ],
  });
  t.ok(sealedSeq > 3);
  await sql`
    delete from segment
     where workbook_id = ${book.id} and branch_no = 1 and last_seq <= ${sealedSeq}`;
  t.match((await book.ask('/topology', { body: {} })).json, {
    branches: [{ branch: 'main', hotFromSeq: sealedSeq + 1, segments: 1 }],
    history: { sealedSeq },
  });
  t.match(await verify(book), { ok: true }, 'what is sealed need not be in rows');
});

t.test('an archived workbook is verified, too', async (t) => {
  const book = await Book.create(world.book.service);
  await book.archive();
  t.match(await verify(book), { ok: true });
});

t.test('writing, flushing and branching go on meanwhile', async (t) => {
  const book = await Book.create(world.book.service);
  const writing = (async () => {
    for (let round = 0; round < 25; round++) {
      await write(book, 'main', set('A1', round), set(`B${round + 1}`, '=A1'));
      const step = ['flush', 'checkpoint', 'commit'][round % 3] ?? '';
      await book.ask(`/branches/main/${step}`, { body: {} });
      await book.ask('/branches', { body: { name: `b${round}` } });
      await write(book, `b${round}`, set('A1', 'own'));
    }
  })();
  for (let count = 0; count < 25; count++) t.equal((await verify(book)).firstBad, null);
  await writing;
  t.match(await verify(book), { ok: true, unlisted: 0 });
});

t.test('of a store that does not answer nothing is said', async (t) => {
  const store = await S3Server.start(t);
  const service = await TestService.start(t, { OBJECT_STORE_URL: store.url });
  const book = await Book.create(service);
  await book.set('Sheet1!A1', 1);
  await book.ask('/branches/main/checkpoint', { body: {} });
  t.match(await verify(book), { ok: true });
  store.goAway();
  const answer = await book.ask('/verify', { method: 'POST' });
  t.match(answer, { status: 503, json: { code: 'unavailable' } });
  t.ok(answer.headers.get('retry-after'));
  await store.comeBack();
  t.match(await verify(book), { ok: true });
});
