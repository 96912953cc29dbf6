import t from 'tap';

import { Archiving } from '../../server/branches/forks/archiving.ts';
import { ForkTable } from '../../server/branches/forks/sql.ts';
import { openPostgres } from '../../server/storage/postgres.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Book } from '../support/book.ts';
import { approve, fork, hashOf, propose, run, values, write } from '../support/merged-book.ts';
import { claimedAgent } from '../support/claimed-agent.ts';
import { MovingClock } from '../support/moving-clock.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { TestService } from '../support/test-service.ts';

// How branches begin, what they are ahead, and how those end that nobody needs any more.

interface Listed {
  readonly name: string;
  readonly state: string;
  readonly ttlDays: number | null;
  readonly protected: boolean;
  readonly ahead: { readonly ops: number; readonly cells: number | null };
}

const daySeconds = 86_400;
const clock = new MovingClock();
const { environment } = clock;
const databaseUrl = await createMigratedDatabase();
const sql = openPostgres({ url: databaseUrl, applicationName: 'quire-test', connectionCount: 2 });
t.teardown(() => sql.end({ timeout: 1 }));
const settings = { DATABASE_URL: databaseUrl };
const service = await TestService.start(t, settings, { formulas: new Formulas(), environment });

async function makeBook(): Promise<Book> {
  const book = await Book.create(service);
  await write(book, 'main', ['A1', 11], ['B1', 12], ['A2', 21]);
  return book;
}

/** Archives idle branches, as the service does every ten minutes. */
async function archivingPass(book: Book): Promise<void> {
  const { policy } = (await book.ask('/settings')).json as { policy: never };
  const archiving = new Archiving({
    table: new ForkTable(sql),
    branches: { forgetBranch: () => undefined },
    policies: { policyOf: () => Promise.resolve(policy) },
    environment,
    report: (step, error) => t.fail(`${step}: ${String(error)}`),
  });
  await archiving.pass();
}

async function listed(book: Book, query = ''): Promise<readonly Listed[]> {
  const { branches } = (await book.ask(`/branches${query}`)).json as { branches: Listed[] };
  return branches;
}

async function names(book: Book, query = ''): Promise<string[]> {
  return (await listed(book, query)).map(({ name }) => name);
}

async function archived(book: Book): Promise<string[]> {
  const all = await listed(book, '?include=archived');
  return all.flatMap(({ name, state }) => (state === 'archived' ? [name] : []));
}

t.test('a new branch tells its hash, and is protected from the beginning', async (t) => {
  const book = await makeBook();
  const made = await book.ask('/branches', { body: { name: 'release/1', protected: true } });
  t.match(made, { status: 201, json: { ttlDays: null, stateHash: await hashOf(book, 'main') } });
  const direct = await book.ask('/branches/release%2F1/ops', {
    body: { ops: [{ kind: 'sheet.add', payload: { name: 'X' } }], writer: 'w' },
  });
  t.match(direct, { status: 403, json: { code: 'policy', detail: /protects release\/1/u } });
  t.match(await listed(book), [
    { name: 'main', protected: false, writable: true },
    { protected: true, writable: false },
  ]);
  const { policy } = (await book.ask('/settings')).json as { policy: object };
  t.match(policy, { protectedBranches: [{ pattern: 'release/1', requiredApprovals: 1 }] });
  const again = await book.ask('/branches', { body: { name: 'release/1', protected: true } });
  t.match(again, { status: 409, json: { code: 'branch_exists' } });
  t.match((await book.ask('/settings')).json, { version: 1 });
  const earlier = await book.ask('/branches', { body: { name: 'old', from: 'main@0' } });
  t.match(earlier, { status: 201, json: { stateHash: null } }, 'no old position is built for it');
  t.not(await hashOf(book, 'old'), await hashOf(book, 'main'), 'asked for, it is told');
});

t.test('cells that a branch is ahead are those that differ', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await fork(book, 'g', 'f');
  t.match(await listed(book), [
    { ahead: { ops: 2, cells: null } },
    { ahead: { ops: 0, cells: 0 } },
    { ahead: { ops: 0, cells: 0 } },
  ]);
  await write(book, 'f', ['A1', 1], ['C9', 2]);
  await write(book, 'f', ['C9', null]);
  await run(book, 'f', 'rows.insert', { sheet: 'Sheet1', before: 1, count: 5 });
  await run(book, 'f', 'range.fill', { sheet: 'Sheet1', range: 'D1:D1000', input: '=ROW()' });
  await write(book, 'main', ['B1', 5]);
  const [, f, g] = await listed(book);
  t.same(f?.ahead, { ops: 4, cells: 1_001 }, 'what was cleared again and moved by rows does not');
  t.same(g?.ahead, { ops: 0, cells: 0 });
});

t.test('a branch that nobody writes to for its time is archived, and comes back', async (t) => {
  const book = await makeBook();
  for (const ttlDays of [0, -1, 1.5, 3_651, '7']) {
    const refused = await book.ask('/branches', { body: { name: 'x', ttlDays } });
    t.match(refused, { status: 400, json: { detail: /ttlDays/u } }, String(ttlDays));
  }
  await book.ask('/branches', { body: { name: 'short', ttlDays: 7 } });
  await fork(book, 'long');
  await write(book, 'short', ['A1', 1]);
  clock.forward(6 * daySeconds);
  await archivingPass(book);
  t.same(await names(book), ['main', 'short', 'long']);
  clock.forward(2 * daySeconds);
  await archivingPass(book);
  t.same(await names(book), ['main', 'long']);
  t.match(await listed(book, '?include=archived'), [
    { state: 'active' },
    { name: 'short', state: 'archived', ttlDays: 7 },
    {},
  ]);
  t.same(await values(book, 'A1', 'short'), [[1]], 'it is read as before');
  const write2 = { ops: [{ kind: 'sheet.add', payload: { name: 'X' } }], writer: 'w' };
  const refused = await book.ask('/branches/short/ops', { body: write2 });
  t.match(refused, { status: 409, json: { code: 'branch_archived', hint: /short\/restore/u } });
  const refusedList = await book.ask('/branches/short/restore', { body: [] });
  t.match(refusedList, { status: 400, json: { code: 'unknown_member' } }, 'a list is no body');
  const restored = await book.ask('/branches/short/restore', { body: {} });
  t.match(restored, { status: 200, json: { branch: 'short', state: 'active' } });
  t.match(await book.ask('/branches/short/ops', { body: write2 }), { status: 200 });
  t.match(await book.ask('/branches/short/ops'), { json: { head: 2, ops: [{ seq: 1 }, {}] } });
  t.match(await book.ask('/branches/none/restore', { body: {} }), { status: 404 });
});

t.test('a branch that is merged as it is is archived as the policy says', async (t) => {
  const book = await makeBook();
  for (const name of ['done', 'ahead', 'open', 'never']) {
    await fork(book, name);
    await write(book, name, ['A1', name]);
  }
  const strategy = 'theirs';
  for (const source of ['done', 'ahead', 'open']) {
    const { id } = await propose(book, { source, strategy });
    t.match(await approve(book, id), { status: 200, json: { state: 'merged' } });
  }
  await write(book, 'ahead', ['A2', 1]);
  const put = (days: number | null) =>
    book.ask('/settings', {
      method: 'PUT',
      body: { policy: { branch: { autoArchiveMergedAfterDays: days } } },
    });
  await put(null);
  clock.forward(20 * daySeconds);
  await archivingPass(book);
  t.same(await archived(book), [], 'never');
  await put(30);
  await archivingPass(book);
  t.same(await archived(book), [], 'not yet');
  await put(14);
  await propose(book, { source: 'main', target: 'open' });
  await archivingPass(book);
  t.same(await archived(book), ['done'], 'neither what goes on nor what a merge is about');
  await book.archive();
  await book.ask('/restore', { body: {} });
  t.same(await archived(book), ['done'], 'restoring the workbook leaves it');
});

t.test('only the owner protects branches', async (t) => {
  const book = await makeBook();
  const { credential, userId } = await claimedAgent(service.url);
  await book.ask(`/collaborators/${userId}`, { method: 'PUT', body: { role: 'editor' } });
  const path = `/v1/workbooks/${book.id}/branches`;
  const body = { name: 'x', protected: true };
  const refused = await service.request(path, { credential, body });
  t.match(refused, { status: 403, json: { code: 'forbidden', detail: /owner/u } });
  const plain = { name: 'x', protected: false };
  t.match(await service.request(path, { credential, body: plain }), { status: 201 });
});
