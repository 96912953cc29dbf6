import t from 'tap';
import type { Test } from 'tap';

import { MatchedWorkbook } from '../support/matched-workbook.ts';
import { ProviderDouble } from '../support/provider-double.ts';
import { ServiceDoor } from '../support/service-door.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { sharedSettings } from '../support/shared-settings.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** Matches that run while something else happens: their provider holds its answer until told. */

const double = await ProviderDouble.start(t);
const provider = { kind: 'openai', baseUrl: `${double.url}/v1`, timeoutSeconds: 300 };
const columns = {
  left: { tableId: 'Lands', column: 'land' },
  right: { tableId: 'Countries', column: 'country' },
};

/** Doors of two processes on one database. */
async function twoDoors(t: Pick<Test, 'teardown'>): Promise<[ServiceDoor, ServiceDoor]> {
  const folder = await makeTemporaryFolder(t);
  const models = Object.fromEntries(
    ['one', 'two', 'three', 'four', 'five'].map((model) => [model, { ...provider, model }]),
  );
  const shared = {
    ...(await sharedSettings(t)),
    LOG_LEVEL: 'error',
    DEV_HOOKS: 'on',
    RATE_LIMITS: 'off',
    MATCH_PROVIDERS: JSON.stringify(models),
  };
  const first = await ServiceProcess.start(t, `${folder}/one`, shared);
  const second = await ServiceProcess.start(t, `${folder}/two`, shared);
  return [new ServiceDoor(first.url), new ServiceDoor(second.url)];
}

const doors = await twoDoors(t);
const [first, second] = doors;
const credential = await first.registerClaimed();

async function withTables(): Promise<MatchedWorkbook> {
  const book = await MatchedWorkbook.on(first, credential);
  await book.table('Lands', ['id', 'land'], [['l1', 'Slow'], ['l2', 'Still']]); // prettier-ignore
  await book.table('Countries', ['id', 'country'], [['c1', 'Slower'], ['c2', 'Stiller']]); // prettier-ignore
  return book;
}

/** A match that waits for the provider. */
async function held(book: MatchedWorkbook, model: string): Promise<string> {
  double.faults = ['nothing'];
  const path = await book.match({ ...columns, opts: { provider: model, verifyProvider: 'none' } });
  while (double.open === 0) await book.page(path);
  return path;
}

/** The provider answers from now on: what hangs is cut, and asked for again. */
function letGo(): void {
  double.faults = [];
  double.cut();
}

t.test('a table that is dropped meanwhile is matched as it was', async (t) => {
  const book = await withTables();
  const path = await held(book, 'one');
  const dropped = await book.send('DELETE', '/branches/main/tables/Lands');
  t.equal(dropped.status, 200);
  letGo();
  const ended = await book.ended(path);
  t.equal(ended.status, 'done');
  t.same(new Set(ended.rows.map(({ leftKey }) => leftKey)), new Set(['l1', 'l2']));
  const side = { tableId: 'Lands', column: 'land' };
  const again = await book.send('POST', '/matches', { left: side, right: side });
  t.match(again, { status: 404, json: { code: 'table_not_found' } });
  const applied = await book.send('POST', `${path}/apply`, { branch: 'main', as: 'column' });
  t.ok([404, 409, 422].includes(applied.status), applied.text);
});

t.test('a match of a workbook that is archived meanwhile comes to its end', async (t) => {
  const book = await withTables();
  const path = await held(book, 'two');
  t.equal((await book.send('DELETE', '')).status, 200);
  letGo();
  t.match(await book.ended(path), { status: 'done' });
});

t.test('either process reads a match and cancels it, whichever runs it', async (t) => {
  for (const [door, model] of [
    [first, 'four'],
    [second, 'five'],
  ] as const) {
    const book = await withTables();
    const path = await held(book, model);
    const beside = new MatchedWorkbook(door, credential, book.at);
    t.match(await beside.page(path), { status: 'running', total: 0, rows: [] });
    t.match((await beside.send('GET', '/matches')).json, { matches: [{ status: 'running' }] });
    const asked = performance.now();
    t.match(await beside.send('DELETE', path), { status: 200, json: { status: 'cancelled' } });
    while (double.open > 0) await beside.page(path);
    t.comment(`let go after ${Math.round(performance.now() - asked)} ms`);
    for (const each of [book, beside]) {
      t.match(await each.page(path), { status: 'cancelled', total: 0, rows: [] });
    }
  }
});

t.test('a match of a workbook that is purged meanwhile is gone, and asks nobody', async (t) => {
  const book = await withTables();
  const path = await held(book, 'three');
  const { json } = await book.send('DELETE', '');
  const { confirm } = json as { confirm: string };
  t.equal((await book.send('DELETE', `?purge=true&confirm=${confirm}`)).status, 200);
  const isGone = async (): Promise<boolean> => {
    return [404, 410].includes((await book.send('GET', path)).status);
  };
  t.ok(await isGone());
  // The provider still holds its answer: it is let go of, by whichever process had asked.
  while (double.open > 0) await first.request('/health');
  double.faults = [];
  t.ok(await isGone());
  for (const door of doors) t.match(await door.request('/ready'), { status: 200 });
});
