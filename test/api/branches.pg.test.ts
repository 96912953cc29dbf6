import { pathToFileURL } from 'node:url';
import t from 'tap';
import type { Test } from 'tap';

import { openPostgres, type Sql } from '../../server/storage/postgres.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Book } from '../support/book.ts';
import { EventClient } from '../support/event-client.ts';
import { LiveClient, setCell } from '../support/live-client.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

interface World {
  readonly settings: Readonly<Record<string, string>>;
  readonly sql: Sql;
}

async function makeWorld(t: Test): Promise<World> {
  const url = await createMigratedDatabase();
  const folder = await makeTemporaryFolder(t);
  const store = pathToFileURL(`${folder}/objects`).href;
  const sql = openPostgres({ url, applicationName: 'test', connectionCount: 2 });
  t.teardown(() => sql.end({ timeout: 1 }));
  return { settings: { DATABASE_URL: url, OBJECT_STORE_URL: store }, sql };
}

function start(t: Test, { settings }: World): Promise<TestService> {
  return TestService.start(t, settings, { formulas: new Formulas() });
}

async function write(book: Book, branch: string, ...cells: [a1: string, input: unknown][]) {
  const ops = cells.map(([a1, input]) => {
    return { kind: 'cells.set', payload: { sheet: 'Sheet1', cells: [{ a1, input }] } };
  });
  const path = `/branches/${encodeURIComponent(branch)}/ops`;
  const answer = await book.ask(path, { body: { ops, writer: 'w' } });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json as { head: number };
}

async function hashOf(book: Book, reference: string): Promise<string> {
  const answer = await book.ask(`/branches/${encodeURIComponent(reference)}/state`);
  if (answer.status !== 200) throw new Error(answer.text);
  return (answer.json as { stateHash: string }).stateHash;
}

async function valuesOf(book: Book, reference: string, range: string): Promise<unknown> {
  const answer = await book.ask(`/slice?ref=${encodeURIComponent(reference)}&range=${range}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return (answer.json as { rows: unknown }).rows;
}

t.test('a branch begins anywhere, and goes its own way', async (t) => {
  const service = await start(t, await makeWorld(t));
  const book = await Book.create(service);
  await write(book, 'main', ['A1', 1], ['A2', '=A1*10'], ['A1', 2]);
  const head = (await write(book, 'main', ['B1', 'later'])).head;
  t.match(await book.ask('/branches', { body: { name: 'q3', from: `main@${head - 2}` } }), {
    status: 201,
    json: {
      name: 'q3',
      no: 2,
      head: 0,
      from: { branch: 'main', seq: head - 2 },
      vector: { main: head - 2, q3: 0 },
    },
  });
  t.equal(await hashOf(book, 'q3'), await hashOf(book, `main@${head - 2}`));
  t.same(await valuesOf(book, 'q3', 'A1:B2'), [
    [1, null],
    [10, null],
  ]);
  await write(book, 'q3', ['A1', 7]);
  t.match(await book.ask('/branches', { body: { name: 'q3/deep', from: 'q3' } }), {
    status: 201,
    json: { no: 3, from: { branch: 'q3', seq: 1 }, vector: { main: head - 2, q3: 1 } },
  });
  t.equal(await hashOf(book, 'q3/deep'), await hashOf(book, 'q3@1'));
  await write(book, 'q3/deep', ['A2', '=A1+1']);
  t.same(await valuesOf(book, 'q3/deep', 'A1:B2'), [
    [7, null],
    [8, null],
  ]);
  t.same(await valuesOf(book, 'q3', 'A1:B2'), [
    [7, null],
    [70, null],
  ]);
  t.same(await valuesOf(book, 'q3@0', 'A1:B2'), [
    [1, null],
    [10, null],
  ]);
  t.same(await valuesOf(book, 'main', 'A1:B2'), [
    [2, 'later'],
    [20, null],
  ]);
  t.match((await book.ask('/branches')).json, {
    branches: [
      { name: 'main', head, from: null, behind: { ops: 0 }, protected: false },
      { name: 'q3', ahead: { ops: 1 }, behind: { ops: 2 } },
      { name: 'q3/deep', from: { branch: 'q3', seq: 1 }, behind: { ops: 0 } },
    ],
  });

  t.match(await book.ask('/branches', { body: { name: 'q3' } }), {
    status: 409,
    json: { code: 'branch_exists' },
  });
  t.match(await book.ask('/branches', { body: { name: 'x', from: 'main@999' } }), {
    status: 404,
    json: { code: 'ref_not_found', head },
  });
  t.match(await book.ask('/branches', { body: { name: 'x', from: 'nowhere' } }), {
    status: 404,
    json: { code: 'ref_not_found' },
  });
  t.match(await book.ask('/branches', { body: { name: '$x' } }), {
    status: 422,
    json: { code: 'bad_name' },
  });
  t.match(await book.ask('/branches', { body: { name: 'a@b' } }), {
    status: 422,
    json: { code: 'bad_name' },
  });
});

t.test('a deleted branch is gone, and what begins in it is not', async (t) => {
  const service = await start(t, await makeWorld(t));
  const book = await Book.create(service);
  await write(book, 'main', ['A1', 1]);
  await book.ask('/branches', { body: { name: 'middle' } });
  await write(book, 'middle', ['A1', 2]);
  await book.ask('/branches', { body: { name: 'leaf', from: 'middle' } });
  t.match(await book.ask('/branches/middle', { method: 'DELETE' }), {
    status: 200,
    json: { branch: 'middle', state: 'deleted' },
  });
  t.match(await book.ask('/branches/middle/state'), { status: 404 });
  t.same(await valuesOf(book, 'leaf', 'A1'), [[2]]);
  t.match((await book.ask('/branches')).json, {
    branches: [{ name: 'main' }, { name: 'leaf', from: { branch: null, seq: 1 } }],
  });
  await book.ask('/branches', { body: { name: 'middle' } });
  t.same(await valuesOf(book, 'middle', 'A1'), [[1]], 'the name is free');
  t.match(await book.ask('/branches/main', { method: 'DELETE' }), { status: 403 });
});

t.test('a write that meets the deletion of its branch hears that it is not there', async (t) => {
  const world = await makeWorld(t);
  const service = await start(t, world);
  const book = await Book.create(service);
  await book.ask('/branches', { body: { name: 'side' } });
  const client = await LiveClient.join(book, { branch: 'side' });
  // As another process does it, of which nobody has heard yet.
  await world.sql`
    update branch set deleted_at = now(), archived = true, epoch = epoch + 1
     where workbook_id = ${book.id} and name = 'side'`;
  const refused = await client.submit([setCell('A1', 1)]);
  t.match(refused, { results: [{ status: 'rejected', error: { code: 'branch_not_found' } }] });
  t.match(await client.closed, { code: 4404 });
});

t.test('what was read of a branch says nothing of another one of its name', async (t) => {
  const service = await start(t, await makeWorld(t));
  const book = await Book.create(service);
  await write(book, 'main', ['A1', 1]);
  const make = async (input: number): Promise<void> => {
    await book.ask('/branches', { body: { name: 'q' } });
    await write(book, 'q', ['A1', input], ['A2', input]);
  };
  const reads = [
    '/branches/q/state',
    '/branches/q/ops',
    '/slice?ref=q&range=A1',
    '/slice?ref=q@1&range=A1',
    '/values?ref=q',
    '/formats?ref=q&range=A1',
    '/find?ref=q&q=1',
    '/blame?ref=q&range=A1',
    '/tables?ref=q',
    '/diff?from=main&to=q',
    '/diff?from=main@1&to=q@1',
    '/branches/q/export?format=csv',
  ];
  const read = (path: string, tag: string) => book.ask(path, { headers: { 'if-none-match': tag } });
  const tagOf = async (path: string) => (await read(path, '"none"')).headers.get('etag') ?? '';
  const submit = (input: number, tag: string) =>
    book.ask('/branches/q/ops', {
      headers: { 'if-match': tag },
      body: { ops: [setCell('A1', input)], writer: 'w' },
    });
  await make(2);
  const tags = new Map<string, string>();
  for (const path of reads) {
    tags.set(path, await tagOf(path));
    t.equal((await read(path, tags.get(path) ?? '')).status, 304, path);
  }
  const pinned = await read('/slice?ref=q@1&range=A1', '"none"');
  t.notMatch(pinned.headers.get('cache-control'), /immutable/, 'the name may be given anew');
  const events = await EventClient.open(book, { branch: 'q', query: '?after=0' });
  const { id: lastEventId = '' } = await events.next('op_applied', ({ lastSeq }) => lastSeq === 2);
  events.close();
  const table = await book.ask('/branches/q/tables', {
    body: { name: 'T', schema: { a: 'text' } },
  });
  t.match(table.status, 201, table.text);
  const first = table.headers.get('etag') ?? '';
  t.equal((await submit(3, '"q@3"')).status, 200, 'the tag without a branch, as it is the first');
  const { head } = (await submit(4, '*')).json as { head: number };
  t.match(await submit(5, first), { status: 412, json: { code: 'head_moved', head } });

  await book.ask('/branches/q', { method: 'DELETE' });
  await make(3);
  for (const [path, tag] of tags) {
    const answer = await read(path, tag);
    t.equal(answer.status, 200, path);
    t.equal((await read(path, answer.headers.get('etag') ?? '')).status, 304, path);
  }
  for (const tag of [tags.get('/branches/q/state') ?? '', '"q@2"']) {
    t.match(await submit(5, tag), { status: 412, json: { code: 'head_moved' } }, tag);
    const made = await book.ask('/branches/q/tables', {
      headers: { 'if-match': tag },
      body: { name: 'T', schema: { a: 'text' } },
    });
    t.match(made, { status: 412, json: { code: 'head_moved' } }, tag);
  }
  const resumed = await EventClient.open(book, { branch: 'q', lastEventId });
  t.match(await resumed.next('gap'), { data: { reason: 'diverged', fromSeq: 1, toSeq: 2 } });
  resumed.close();
  const following = { accept: 'text/event-stream', 'last-event-id': `q@${lastEventId}` };
  t.match(await book.ask('/tables/T/changes?to=q&from=q', { headers: following }), {
    status: 404,
    json: { code: 'ref_not_found', detail: /made anew/ },
  });
  t.equal((await submit(6, await tagOf('/branches/q/state'))).status, 200);
});

t.test('a commit names a position for ever', async (t) => {
  const service = await start(t, await makeWorld(t));
  const book = await Book.create(service);
  await write(book, 'main', ['A1', 1], ['A2', '=A1+1']);
  const body = { message: 'as approved', tag: 'v1.0' };
  const committed = await book.ask('/branches/main/commit', { body });
  const { seq } = committed.json as { seq: number };
  t.match(committed, {
    status: 201,
    json: {
      ...body,
      branch: 'main',
      ref: `main@${seq}`,
      stateHash: await hashOf(book, 'main'),
      chainHash: /^[0-9a-f]{64}$/,
      flushedSeq: seq,
    },
  });
  await write(book, 'main', ['A1', 5]);
  t.same(await valuesOf(book, 'commit:v1.0', 'A1:A2'), [[1], [2]]);
  t.same(await valuesOf(book, 'main', 'A1:A2'), [[5], [6]]);
  t.match((await book.ask('/branches/commit%3Av1.0/state')).json, { branch: 'main', head: seq });
  t.match(await book.ask('/branches/commit%3Av1.0/export?format=csv'), { status: 200, text: /^1/ });
  t.match(await book.ask('/branches/main/commit', { body }), {
    status: 409,
    json: { code: 'tag_taken' },
  });
  t.match(await book.ask('/branches/main/commit', { method: 'POST' }), {
    status: 201,
    json: { tag: null, message: '' },
  });
  t.match((await book.ask('/commits')).json, {
    total: 2,
    commits: [{ tag: null }, { tag: 'v1.0', branch: 'main', seq, message: 'as approved' }],
  });
  t.match(await book.ask('/slice?ref=commit:none&range=A1'), {
    status: 404,
    json: { code: 'ref_not_found' },
  });
});

t.test('a branch wakes from what is in object storage', async (t) => {
  const world = await makeWorld(t);
  const service = await start(t, world);
  const book = await Book.create(service);
  for (let row = 1; row <= 30; row++)
    await write(book, 'main', [`A${row}`, row], ['B1', '=SUM(A:A)']);
  const checkpoint = await book.ask('/branches/main/checkpoint', { method: 'POST' });
  t.match(checkpoint, { status: 200, json: { seq: 61, stateHash: await hashOf(book, 'main') } });
  t.match(await book.ask('/branches/main/checkpoint', { body: {} }), {
    json: { written: { nodes: {} } },
  });
  for (let row = 31; row <= 40; row++) await write(book, 'main', [`A${row}`, row]);
  const flushed = await book.ask('/branches/main/flush', { method: 'POST' });
  t.match(flushed, { status: 200, json: { flushedSeq: 71, segments: [{ firstSeq: 62 }] } });
  await write(book, 'main', ['A41', 'tail']);
  const before = [await hashOf(book, 'main'), await hashOf(book, 'main@40')];
  await service.app.stop();

  const { sql } = world;
  await sql`delete from segment where workbook_id = ${book.id} and last_seq <= 71`;
  await sql`delete from snapshot where workbook_id = ${book.id}`;
  await sql`delete from sealed_segment where workbook_id = ${book.id}`;
  const again = await start(t, world);
  const woken = new BookAgain(again, book);
  t.same([await woken.hash('main'), await woken.hash('main@40')], before);
  t.match(await woken.ask('/slice?range=B1'), { json: { rows: [[820]] } });
  t.match(await woken.ask('/branches/main/ops?limit=2'), {
    json: { head: 72, ops: [{ seq: 1 }, {}] },
  });
  t.match(await woken.ask('/branches/main/ops', { body: { ops: [], writer: 'w' } }), {
    status: 200,
  });
});

/** The same workbook asked at another service. */
class BookAgain {
  readonly #service: TestService;
  readonly #book: Book;

  constructor(service: TestService, book: Book) {
    this.#service = service;
    this.#book = book;
  }

  ask(rest: string, options: { method?: string; body?: unknown } = {}) {
    const { id, credential } = this.#book;
    return this.#service.request(`/v1/workbooks/${id}${rest}`, { credential, ...options });
  }

  async hash(reference: string): Promise<unknown> {
    const answer = await this.ask(`/branches/${reference}/state`);
    return (answer.json as { stateHash?: string }).stateHash;
  }
}

t.test('to others the branches of a workbook do not exist', async (t) => {
  const service = await start(t, await makeWorld(t));
  const book = await Book.create(service);
  const credential = await service.register();
  const requests: [method: string, path: string, body?: object][] = [
    ['GET', '/v1/workbooks/:id/branches'],
    ['POST', '/v1/workbooks/:id/branches', { name: 'mine' }],
    ['DELETE', '/v1/workbooks/:id/branches/main'],
    ['POST', '/v1/workbooks/:id/branches/main/restore', {}],
    ['POST', '/v1/workbooks/:id/branches/main/flush', {}],
    ['POST', '/v1/workbooks/:id/branches/main/commit', {}],
    ['POST', '/v1/workbooks/:id/branches/main/checkpoint', {}],
    ['GET', '/v1/workbooks/:id/commits'],
  ];
  for (const [method, path, body] of requests) {
    const options = { method, credential, ...(body && { body }) };
    const answer = await service.request(path.replace(':id', book.id), options);
    t.match(answer, { status: 404, json: { code: 'not_found' } }, `${method} ${path}`);
  }
});
