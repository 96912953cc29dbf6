import { pathToFileURL } from 'node:url';
import t from 'tap';
import type { Test } from 'tap';

import { realEnvironment } from '../../server/foundation.ts';
import { openObjects, type Objects } from '../../server/storage/objects.ts';
import { openPostgres, type Sql } from '../../server/storage/postgres.ts';
import { Book } from '../support/book.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';
import { workbookRows } from '../support/workbook-rows.ts';

interface World {
  readonly service: TestService;
  readonly sql: Sql;
  readonly objects: Objects;
}

async function startWorld(t: Test): Promise<World> {
  const url = await createMigratedDatabase();
  const store = pathToFileURL(`${await makeTemporaryFolder(t)}/objects`).href;
  const service = await TestService.start(t, { DATABASE_URL: url, OBJECT_STORE_URL: store });
  const sql = openPostgres({ url, applicationName: 'test', connectionCount: 2 });
  t.teardown(() => sql.end({ timeout: 1 }));
  return { service, sql, objects: await openObjects(store, realEnvironment) };
}

async function keysOf(objects: Objects, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of objects.list(prefix)) keys.push(key);
  return keys;
}

t.test('an archived workbook is read and not written to, until it is restored', async (t) => {
  const { service } = await startWorld(t);
  const book = await Book.create(service, { name: 'old' });
  await book.set('A1', 5);
  const archived = await book.ask('', { method: 'DELETE' });
  t.match(archived, {
    status: 200,
    json: { id: book.id, state: 'archived', archivedAt: /Z$/, confirm: /^cf_\w{26}$/ },
  });
  t.same((await book.ask('', { method: 'DELETE' })).json, archived.json, 'again the same');
  const { archivedAt } = archived.json as { archivedAt: string };
  t.match((await book.ask('')).json, { state: 'archived', archived: true, archivedAt });

  t.match((await book.ask('/slice?range=A1&lens=input')).json, { rows: [[5]] });
  t.match((await book.ask('/branches/main/state')).json, { head: 2 });
  t.match((await book.ask('/branches/main/ops')).json, { head: 2 });
  t.match(await book.ask('/settings'), { status: 200 });

  t.match(await book.set('A1', 6), {
    status: 409,
    json: {
      code: 'workbook_archived',
      hint: `POST /v1/workbooks/${book.id}/restore makes it writable again.`,
    },
  });
  const restored = await book.ask('/restore', { method: 'POST' });
  t.match(restored, { status: 200, json: { id: book.id, state: 'active', archivedAt: null } });
  t.match(await book.ask('/restore', { method: 'POST' }), {
    status: 200,
    json: { state: 'active' },
  });
  t.match((await book.set('A1', 6)).json, { status: 'applied', lastSeq: 3 });
  t.match((await book.ask('/slice?range=A1&lens=input')).json, { rows: [[6]] });
});

/** A path of the reference with something in the place of each parameter. */
function filled(path: string, book: Book): string {
  return path
    .replace('{id}', book.id)
    .replace('{branch}', 'main')
    .replace('{user}', 'usr_01ARZ3NDEKTSV4RRFFQ69G5FAV')
    .replace('{webhook}', 'whk_01ARZ3NDEKTSV4RRFFQ69G5FAV')
    .replaceAll(/\{\w+\}/g, 'x1');
}

interface Operation {
  readonly 'x-scope'?: string;
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly example?: unknown }>>;
  };
}

/**
 * They ask for the scope write and write nothing of an archived workbook; an address that opens it
 * to others can be taken back at any time.
 */
const allowed = [
  'DELETE /v1/workbooks/{id}',
  'POST /v1/workbooks/{id}/verify',
  'DELETE /v1/workbooks/{id}/reconciliation/{link}',
];

t.test('every route that writes refuses an archived workbook', async (t) => {
  const { service } = await startWorld(t);
  const book = await Book.create(service, { credential: await service.registerClaimed() });
  await book.archive();
  const { paths } = (await service.request('/openapi.json')).json as {
    paths: Record<string, Record<string, Operation>>;
  };
  const asked: string[] = [];
  for (const [path, item] of Object.entries(paths)) {
    if (!path.startsWith('/v1/workbooks/{id}') || path.endsWith('/restore')) continue;
    for (const [name, operation] of Object.entries(item)) {
      const method = name.toUpperCase();
      if (operation['x-scope'] !== 'write' || allowed.includes(`${method} ${path}`)) continue;
      const body = operation.requestBody?.content['application/json']?.example;
      const { credential } = book;
      const options = { method, credential, ...(body !== undefined && { body }) };
      const answer = await service.request(filled(path, book), options);
      t.match(
        answer,
        { status: 409, json: { code: 'workbook_archived', hint: /restore/ } },
        `${method} ${path}`,
      );
      asked.push(`${method} ${path}`);
    }
  }
  t.ok(asked.includes('PUT /v1/workbooks/{id}/settings'));
  t.ok(asked.includes('POST /v1/workbooks/{id}/branches/{branch}/ops'));
  t.match(await book.ask('/topology', { body: { action: 'release' } }), { status: 409 });
});

t.test('archived workbooks are listed when they are asked for', async (t) => {
  const { service } = await startWorld(t);
  const first = await Book.create(service, { name: 'b one' });
  const { credential, namespace } = first;
  const second = await Book.create(service, { credential, name: 'A' });
  await first.archive();
  const list = async (query: string) =>
    (await service.request(`/v1/workbooks${query}`, { credential })).json;
  t.match(await list(''), { total: 1, workbooks: [{ id: second.id, state: 'active' }] });
  t.match(await list('?include=archived'), {
    total: 2,
    workbooks: [{ id: second.id }, { id: first.id, state: 'archived', archivedAt: /Z$/ }],
  });
  t.match(await list('?source=pg'), { total: 1, workbooks: [{ id: second.id }] });
  const registry = (await list('?source=pg&include=archived')) as { workbooks: object[] };
  t.match(registry, {
    total: 2,
    workbooks: [
      {
        id: second.id,
        namespace,
        name: 'A',
        address: `${namespace}/A`,
        path: `/v1/${namespace}/A`,
        state: 'active',
        archived: false,
        archivedAt: null,
        createdAt: /Z$/,
      },
      { id: first.id, address: `${namespace}/b one`, path: `/v1/${namespace}/b%20one` },
    ],
  });
  for (const row of registry.workbooks) {
    const { path, id } = row as { path: string; id: string };
    t.match((await service.request(path, { credential })).json, { id });
  }
  t.match(await list('?source=pg&include=archived&offset=1&limit=1'), {
    total: 2,
    workbooks: [{ id: first.id }],
  });
  t.match(await service.request('/v1/workbooks?source=s3', { credential }), { status: 400 });
});

t.test('a purge wants an archived workbook and the token of that archiving', async (t) => {
  const { service } = await startWorld(t);
  const book = await Book.create(service, { credential: await service.registerClaimed() });
  t.match(await book.purge('cf_x'), {
    status: 409,
    json: { code: 'workbook_active', hint: /DELETE .* archives it/ },
  });
  const confirm = await book.archive();
  t.match(await book.ask('?purge=true', { method: 'DELETE' }), {
    status: 400,
    json: { code: 'invalid_request', errors: [{ pointer: '?confirm' }], hint: /answers the token/ },
  });
  t.match(await book.ask('?purge=true&confirm=', { method: 'DELETE' }), { status: 400 });
  t.match(await book.purge(`${confirm}x`), { status: 409, json: { code: 'confirm_mismatch' } });
  t.match(await book.ask(`?confirm=${confirm}`, { method: 'DELETE' }), {
    status: 400,
    json: { errors: [{ pointer: '?confirm' }] },
  });
  t.match(await book.ask(`?purge=yes&confirm=${confirm}`, { method: 'DELETE' }), { status: 400 });
  const stranger = await service.registerClaimed();
  const path = `/v1/workbooks/${book.id}`;
  for (const query of ['', `?purge=true&confirm=${confirm}`]) {
    const asked = { credential: stranger, method: 'DELETE' };
    t.match(await service.request(path + query, asked), { status: 404 });
  }
  t.match(await service.request(`${path}/restore`, { credential: stranger, method: 'POST' }), {
    status: 404,
  });
  await book.ask('/restore', { method: 'POST' });
  t.match(await book.purge(confirm), { status: 409, json: { code: 'workbook_active' } });
  const other = await book.archive();
  t.not(other, confirm);
  t.match(await book.purge(confirm), { status: 409, json: { code: 'confirm_mismatch' } });
  t.match((await book.ask('')).json, { state: 'archived' }, 'and nothing has happened');
  t.match(await service.request('/v1/workbooks/wb_0', { credential: stranger, method: 'DELETE' }), {
    status: 404,
  });
});

t.test('a purge leaves nothing of the workbook, and everything of its neighbours', async (t) => {
  const { service, sql, objects } = await startWorld(t);
  const book = await Book.create(service, {
    name: 'gone',
    credential: await service.registerClaimed(),
  });
  const { credential } = book;
  const neighbour = await Book.create(service, { credential });
  await book.set('A1', 'x');
  await book.ask('/settings', { method: 'PUT', body: { policy: {} } });
  const mine = `wb/${book.id}/`;
  const theirs = [`wb/${neighbour.id}/log/1`, `wb/${book.id}0/log/1`, 'tlog/tile/0/000'];
  for (const key of [`${mine}log/1/1-9`, `${mine}blocks/ab`, ...theirs]) {
    await objects.put(key, Buffer.from('bytes'));
  }
  await book.ask('/eval-ceiling', { method: 'POST', body: { cells: 0, grid: null } });
  const headers = { prefer: 'wait=20' };
  t.match(await book.ask('/values', { headers }), { status: 200 }, 'computed and stored');
  t.match(await workbookRows(sql, book.id), { values_result: 1, values_block: 1, segment: Number });
  const confirm = await book.archive();
  const removed = await book.purge(confirm);
  t.match(removed, { status: 200, json: { id: book.id, state: 'removed' } });
  t.same(await keysOf(objects, mine), []);
  for (const key of theirs) t.ok(await objects.head(key), `${key} stays`);
  t.same(await workbookRows(sql, book.id), {});
  t.ok(Object.keys(await workbookRows(sql, neighbour.id)).length > 0);

  for (const rest of ['', '/settings', '/branches/main/state', '/slice?range=A1&ref=main@1']) {
    t.match(await book.ask(rest), { status: 404, json: { code: 'not_found' } }, rest);
  }
  t.match(await book.ask('/restore', { method: 'POST' }), { status: 404 });
  t.match(await book.ask('', { method: 'DELETE' }), { status: 404 });
  t.match(await book.set('A1', 1), { status: 404 });
  const second = await service.request(`/v1/${book.namespace}/gone`, { credential });
  t.match(second, { status: 404 });
  t.match((await service.request('/v1/workbooks?include=archived', { credential })).json, {
    total: 1,
  });
  t.match(await book.purge(confirm), { status: 200, json: { state: 'removed' } }, 'a repeat');
  t.match(await book.purge('cf_other'), { status: 404 });
  t.match(await service.request('/v1/workbooks', { credential, body: { name: 'gone' } }), {
    status: 201,
  });
});

t.test('a workbook is renamed, and its old address names nothing', async (t) => {
  const { service } = await startWorld(t);
  const book = await Book.create(service, { name: 'first' });
  const { credential, namespace } = book;
  await Book.create(service, { credential, name: 'taken' });
  const rename = (name: unknown) => book.ask('', { method: 'PATCH', body: { name } });
  t.match(await rename('Second'), { status: 200, json: { id: book.id, name: 'Second' } });
  const at = (name: string) => service.request(`/v1/${namespace}/${name}`, { credential });
  t.match(await at('first'), { status: 404 });
  t.match((await at('second')).json, { id: book.id });
  t.match(await rename('TAKEN'), { status: 409, json: { code: 'name_taken' } });
  t.match(await rename('SECOND'), { status: 200, json: { name: 'SECOND' } }, 'only the case');
  t.match(await rename('a/b'), { status: 400, json: { errors: [{ code: 'bad_name' }] } });
  t.match(await book.ask('', { method: 'PATCH', body: {} }), { status: 200 });
  t.match(await book.ask('', { method: 'PATCH', body: { nam: 'x' } }), {
    status: 400,
    json: { code: 'unknown_member', detail: /did you mean "name"/ },
  });
  t.match(await service.request('/v1/workbooks', { credential, body: { name: 'first' } }), {
    status: 201,
  });
  await book.archive();
  t.match(await rename('third'), { status: 409, json: { code: 'workbook_archived' } });
  const stranger = { credential: await service.register(), method: 'PATCH', body: { name: 'x' } };
  t.match(await service.request(`/v1/workbooks/${book.id}`, stranger), { status: 404 });
});

t.test('an operation is durable before the archiving, or refused', async (t) => {
  const { service } = await startWorld(t);
  const book = await Book.create(service, { credential: await service.registerClaimed() });
  const acknowledged: { id: string; seq: number }[] = [];
  let refusedCount = 0;
  let isArchived = false;
  const write = async (writer: string): Promise<void> => {
    for (let count = 1; refusedCount < 8; count++) {
      const id = `${writer}-${count}`;
      const sentAfter = isArchived;
      const answer = await book.set(`A${count}`, id, id);
      if (answer.status === 409) {
        t.match(answer.json, { code: 'workbook_archived' });
        refusedCount++;
        return;
      }
      t.equal(sentAfter, false, 'nothing that was sent after the archiving is taken');
      const { results } = answer.json as { results: { status: string; seq: number }[] };
      t.equal(results[0]?.status, 'applied');
      acknowledged.push({ id, seq: results[0]?.seq ?? 0 });
    }
  };
  const writers = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(write);
  while (acknowledged.length < 40) await new Promise((resolve) => setImmediate(resolve));
  await book.archive();
  isArchived = true;
  const { head } = (await book.ask('/branches/main/state')).json as { head: number };
  await Promise.all(writers);
  t.equal(refusedCount, 8);
  const page = (await book.ask('/branches/main/ops?limit=10000')).json as {
    head: number;
    ops: { id: string; seq: number }[];
  };
  t.equal(page.head, head, 'nothing was written after it');
  t.equal(page.ops.length, head);
  const bySeq = new Map(page.ops.map(({ id, seq }) => [seq, id]));
  for (const { id, seq } of acknowledged) t.equal(bySeq.get(seq), id);
});
