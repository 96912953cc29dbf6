import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { Test } from 'tap';

import { openPostgres } from '../../server/storage/postgres.ts';
import { Book } from '../support/book.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { S3Server } from '../support/s3/server.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService, type TestAnswer } from '../support/test-service.ts';
import { workbookRows } from '../support/workbook-rows.ts';

/** Runs long: two services, of which one sleeps. */

process.env['AWS_ACCESS_KEY_ID'] = 'test';
process.env['AWS_SECRET_ACCESS_KEY'] = 'test';

/** Asks again until the answer has the status; fails after a while. */
async function until(status: number, ask: () => Promise<TestAnswer>): Promise<TestAnswer> {
  for (let count = 0; ; count++) {
    const answer = await ask();
    if (answer.status === status || count > 100) return answer;
    await sleep(50);
  }
}

/** Two nodes on one database and one object store. */
async function startNodes(t: Test): Promise<readonly [TestService, TestService]> {
  const store = pathToFileURL(`${await makeTemporaryFolder(t)}/objects`).href;
  const settings = { DATABASE_URL: await createMigratedDatabase(), OBJECT_STORE_URL: store };
  return [await TestService.start(t, settings), await TestService.start(t, settings)];
}

t.test('what one node archives, restores, renames and purges, the other knows', async (t) => {
  const [here, there] = await startNodes(t);
  const book = await Book.create(here, {
    name: 'shared',
    credential: await here.registerClaimed(),
  });
  const { credential, id, namespace } = book;
  const path = `/v1/workbooks/${id}`;
  const ask = (rest: string, options = {}) =>
    there.request(path + rest, { credential, ...options });
  const write = (input: number) =>
    ask('/branches/main/ops', {
      body: { ops: [{ kind: 'cells.set', payload: { cells: [{ a1: 'A1', input }] } }] },
    });
  t.match(await write(1), { status: 200 }, 'the other node has it in memory');

  const confirm = await book.archive();
  t.match(await write(2), { status: 409, json: { code: 'workbook_archived' } }, 'at once');
  await book.ask('/restore', { method: 'POST' });
  t.match(await until(200, () => write(3)), { status: 200, json: { status: 'applied' } });
  await book.ask('', { method: 'PATCH', body: { name: 'other' } });
  t.match(await there.request(`/v1/${namespace}/shared`, { credential }), { status: 404 });

  t.match(await book.purge(confirm), { status: 409 }, 'the token is void');
  t.match(await book.purge(await book.archive()), { status: 200 });
  const gone = await until(404, () => ask('/slice?range=A1&lens=input'));
  t.match(gone, { status: 404, json: { code: 'not_found' } });
  for (const rest of ['/branches/main/state', '/slice?range=A1&ref=main@1', '/settings']) {
    t.match(await ask(rest), { status: 404 }, rest);
  }
  t.match(await write(4), { status: 404 });
});

t.test('a policy that one node changes holds on the other a moment later', async (t) => {
  const [here, there] = await startNodes(t);
  const book = await Book.create(here, { credential: await here.registerClaimed() });
  const path = `/v1/workbooks/${book.id}`;
  const { credential } = book;
  const write = () =>
    there.request(`${path}/branches/main/ops`, {
      credential,
      body: { ops: [{ kind: 'cells.set', payload: { cells: [{ a1: 'A1', input: 1 }] } }] },
    });
  t.match(await write(), { status: 200 });
  const policy = { protectedBranches: [{ pattern: 'main' }] };
  t.match(await book.ask('/settings', { method: 'PUT', body: { policy } }), { status: 200 });
  t.match((await there.request(`${path}/settings`, { credential })).json, { version: 1 });
  const change = { method: 'PUT', body: { policy: {}, expectVersion: 0 }, credential };
  t.match(await there.request(`${path}/settings`, change), {
    status: 409,
    json: { code: 'stale_version', version: 1 },
  });
  t.match(await until(403, write), { status: 403, json: { code: 'policy' } });
});

t.test('a purge whose object store fails answers 503 and is finished by itself', async (t) => {
  const store = await S3Server.start(t);
  const url = await createMigratedDatabase();
  const settings = { DATABASE_URL: url, OBJECT_STORE_URL: store.url, LOG_LEVEL: 'fatal' };
  const service = await TestService.start(t, settings);
  const sql = openPostgres({ url, applicationName: 'test', connectionCount: 1 });
  t.teardown(() => sql.end({ timeout: 1 }));
  const book = await Book.create(service, {
    name: 'mine',
    credential: await service.registerClaimed(),
  });
  const { credential, namespace } = book;
  const upload = { bytes: Buffer.from('x'), checksum: undefined, headers: {}, now: new Date() };
  const always = { ifNoneMatch: undefined, ifMatch: undefined };
  const put = (key: string) => store.bucket.put(key, upload, always);
  for (let index = 0; index < 1_500; index++) {
    put(`some/prefix/wb/${book.id}/log/${index}`);
  }
  put('some/prefix/wb/other/log/1');
  const confirm = await book.archive();
  // The first batch is deleted without an answer, the rest is not.
  const operations = ['deleteMany'] as const;
  const refused = { kind: 'error', status: 503, code: 'SlowDown', when: 'before' } as const;
  store.faults.add({ operations, count: 1, fault: { kind: 'lostAnswer' } });
  store.faults.add({ operations, fault: refused });
  const failed = await book.purge(confirm);
  t.match(failed, { status: 503, json: { code: 'unavailable', hint: /goes on by itself/ } });
  t.ok(failed.headers.get('retry-after'));
  store.faults.clear();
  t.ok(Object.keys(await workbookRows(sql, book.id)).length > 0, 'rows go after the objects');
  t.match(await book.ask(''), { status: 404 }, 'nobody sees it any more');
  t.match(await book.ask('/slice?range=A1&ref=main@1'), { status: 404 });
  t.match(await book.ask('/restore', { method: 'POST' }), { status: 404 });
  t.match(await service.request(`/v1/${namespace}/mine`, { credential }), { status: 404 });
  t.match(
    await service.request('/v1/workbooks', { credential, body: { name: 'mine' } }),
    { status: 201 },
    'its name is free',
  );
  for (
    let count = 0;
    count < 400 && Object.keys(await workbookRows(sql, book.id)).length;
    count++
  ) {
    await sleep(50);
  }
  t.same(await workbookRows(sql, book.id), {});
  const isLogged = (key: string) => key.startsWith('some/prefix/tlog/');
  const left = [...store.bucket.keys()];
  t.same(left.filter((key) => !isLogged(key)).toSorted(), [
    'some/prefix/quire-store',
    'some/prefix/wb/other/log/1',
  ]);
  t.ok(left.some(isLogged), 'what the log has of it stays');
  t.match(await book.purge(confirm), { status: 200, json: { state: 'removed' } });
});
