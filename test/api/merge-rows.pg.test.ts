import t from 'tap';

import { Formulas } from '../../workers/formulas.ts';
import { Book } from '../support/book.ts';
import {
  approve,
  conflictsOf,
  fork,
  hashOf,
  propose,
  run,
  type Conflict,
  type Merge,
} from '../support/merged-book.ts';
import { TestService } from '../support/test-service.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

// Rows that both sides write in a keyed table: each operation adds rows of its own, so that none is
// another one's by accident. What was merged is the same in another process. Runs long: services
// start again.

const table = 'Items';

async function makeStore() {
  const folder = await makeTemporaryFolder(t);
  const url = await createMigratedDatabase();
  const settings = { DATABASE_URL: url, DATA_DIR: folder };
  const start = () => TestService.start(t, settings, { formulas: new Formulas() });
  const service = await start();
  return { service, start };
}

async function makeTable(service: TestService, ...rows: object[]): Promise<Book> {
  const book = await Book.create(service);
  const columns = ['k', 'v', 'w'].map((name) => ({ name }));
  await run(book, 'main', 'table.create', { name: table, keyColumn: 'k', schema: { columns } });
  if (rows.length > 0) await upsert(book, 'main', ...rows);
  await fork(book, 'side');
  return book;
}

const upsert = (book: Book, branch: string, ...rows: object[]) =>
  run(book, branch, 'rows.upsert', { table, rows });
const empty = (book: Book, branch: string) => run(book, branch, 'rows.import', { table, rows: [] });

async function rowsOf(book: Book, ref: string): Promise<unknown[][]> {
  const answer = await book.ask(`/tables/${table}/rows?ref=${ref}`);
  const { rows } = answer.json as { rows: Record<string, unknown>[] };
  return rows.map(({ k, v = null, w = null }) => [k, v, w]);
}

/** The conflicts of each direction, without the one that is not to be applied. */
async function proposed(
  book: Book,
): Promise<{ merge: Merge; here: Conflict[]; there: Conflict[] }> {
  const back = await propose(book, { source: 'main', target: 'side', dryRun: false });
  const there = await conflictsOf(book, back.id);
  await book.ask(`/merges/${back.id}/abort`, { method: 'POST', body: {} });
  const merge = await propose(book, { source: 'side' });
  return { merge, here: await conflictsOf(book, merge.id), there };
}

const idsOf = (conflicts: readonly Conflict[]) => conflicts.map(({ id, kind }) => `${id} ${kind}`);

for (const first of [[], [{ k: 'a', v: 1 }]]) {
  const name = first.length === 0 ? 'an empty table' : 'a table with rows';
  t.test(`rows that both sides add to ${name} are all there, after a restart too`, async (t) => {
    const { service, start } = await makeStore();
    const book = await makeTable(service, ...first);
    await upsert(book, 'main', { k: 'm', v: 2 }, { k: 'both', v: 3 });
    await upsert(book, 'side', { k: 's', v: 4 });
    await upsert(book, 'side', { k: 'both', w: 5 });
    const { merge, here, there } = await proposed(book);
    t.strictSame([here, there], [[], []]);
    await approve(book, merge.id);
    const kept = first.map(({ k, v }) => [k, v, null]);
    const rows = [...kept, ['m', 2, null], ['both', 3, 5], ['s', 4, null]];
    t.strictSame(await rowsOf(book, 'main'), rows);
    const hash = await hashOf(book, 'main');
    await service.app.stop();
    const later = book.at(await start());
    t.strictSame(await rowsOf(later, 'main'), rows);
    t.equal(await hashOf(later, 'main'), hash);
  });
}

t.test('the only row, changed here and deleted there, is asked about as a row', async (t) => {
  const { service, start } = await makeStore();
  const book = await makeTable(service, { k: 'a', v: 1 });
  await empty(book, 'main');
  await upsert(book, 'side', { k: 'a', v: 2, w: 3 });
  const { merge, here, there } = await proposed(book);
  t.strictSame(
    here.map(({ kind }) => kind),
    ['tablerow.edit_delete'],
  );
  t.strictSame(idsOf(there), idsOf(here), 'from both directions');
  const resolutions = here.map(({ id }) => ({ id, choice: 'keep' }));
  await book.ask(`/merges/${merge.id}/resolve`, { body: { resolutions } });
  await approve(book, merge.id);
  t.strictSame(await rowsOf(book, 'main'), [['a', 2, 3]]);
  await service.app.stop();
  const later = book.at(await start());
  t.strictSame(await rowsOf(later, 'main'), [['a', 2, 3]]);
});

t.test('a key that both sides deleted and added again is contested by its columns', async (t) => {
  const { service } = await makeStore();
  const book = await makeTable(service, { k: 'a', v: 1, w: 1 }, { k: 'b', v: 1 });
  for (const [branch, v] of [
    ['main', 2],
    ['side', 3],
  ] as const) {
    await run(book, branch, 'rows.delete', { table, keys: ['a'] });
    await upsert(book, branch, { k: 'a', v, w: 1 });
  }
  const { here, there } = await proposed(book);
  t.strictSame(
    here.map(({ kind }) => kind),
    ['tablerow.cell'],
  );
  t.strictSame(idsOf(there), idsOf(here), 'from both directions');
});

t.test(
  'a column that is kept, and another one under its name, have names of their own',
  async (t) => {
    const { service, start } = await makeStore();
    const book = await makeTable(service, { k: 'a', v: 1, w: 1 });
    await upsert(book, 'main', { k: 'b', v: 2, w: 2 });
    await run(book, 'side', 'table.column.drop', { table, column: 'v' });
    await run(book, 'side', 'table.column.add', { table, column: 'V' });
    await upsert(book, 'side', { k: 'a', V: 3 });
    const { merge, here, there } = await proposed(book);
    t.strictSame(
      here.map(({ kind }) => kind),
      ['col.edit_delete'],
    );
    t.strictSame(idsOf(there), idsOf(here), 'from both directions');
    const resolutions = here.map(({ id }) => ({ id, choice: 'keep' }));
    await book.ask(`/merges/${merge.id}/resolve`, { body: { resolutions } });
    await approve(book, merge.id);
    const rows = async (at: Book) => (await at.ask(`/tables/${table}/rows`)).json;
    const expected = {
      rows: [
        { k: 'a', v: 1, w: 1, V2: 3 },
        { k: 'b', v: 2, w: 2, V2: null },
      ],
    };
    t.match(await rows(book), expected);
    await service.app.stop();
    t.match(await rows(book.at(await start())), expected);
  },
);

t.test(
  'a row stays when the other side deleted the line that it came to, after a restart too',
  async (t) => {
    const { service, start } = await makeStore();
    const book = await makeTable(service, { k: 'f', v: 1 });
    const beside = { sheet: table, cells: ['H2', 'H9'].map((a1) => ({ a1, input: 'beside' })) };
    await run(book, 'main', 'cells.set', beside);
    await fork(book, 'other');
    await upsert(book, 'main', { k: 'b', v: 2 });
    await run(book, 'main', 'rows.delete', { table, keys: ['b', 'f'] });
    await upsert(book, 'other', { k: 'd', v: 3 });
    const merge = await propose(book, { source: 'other' });
    t.strictSame(await conflictsOf(book, merge.id), []);
    await approve(book, merge.id);
    const kept = async (at: Book) =>
      (await rowsOf(at, 'main')).filter((row) => Array.isArray(row) && row[0] !== null);
    t.strictSame(await kept(book), [['d', 3, null]]);
    await service.app.stop();
    t.strictSame(await kept(book.at(await start())), [['d', 3, null]]);
  },
);

t.test(
  'a key written on a row that the other side deleted is there, after a restart too',
  async (t) => {
    const { service, start } = await makeStore();
    const book = await Book.create(service);
    const sheet = 'Sheet1';
    await run(book, 'main', 'range.set', { sheet, range: 'B3:C3', inputs: [['k', 'v']] });
    await run(book, 'main', 'table.create', {
      name: table,
      keyColumn: 'k',
      sheetRange: 'Sheet1!B3:C6',
    });
    await fork(book, 'side');
    await fork(book, 'early');
    await run(book, 'main', 'rows.delete', { sheet, from: 4 });
    await run(book, 'side', 'range.fill', { sheet, range: 'B4:C4', input: 7 });
    const trial = async (at: Book) => {
      const answer = await at.ask('/merges', { body: { source: 'side', dryRun: true } });
      return answer.json as Merge;
    };
    const { digest } = await trial(book);
    for (const branch of ['main', 'side', 'early']) {
      await book.ask(`/branches/${branch}/checkpoint`, { body: {} });
    }
    await service.app.stop();
    const later = book.at(await start());
    t.equal((await trial(later)).digest, digest, 'the same of states that were read again');
    const merge = await propose(later, { source: 'side' });
    await approve(later, merge.id);
    const rows = (await rowsOf(later, 'main')).filter(([k]) => k !== null);
    t.strictSame(rows, [[7, 7, null]]);
  },
);

t.test('a row that came anew is there once after two squashed merges', async (t) => {
  const { service } = await makeStore();
  const book = await makeTable(service, { k: 'a', v: 1 }, { k: 'b', v: 2 });
  await run(book, 'side', 'rows.delete', { table, keys: ['b'] });
  await upsert(book, 'side', { k: 'b', v: 3 });
  for (const time of ['first', 'second']) {
    const merge = await propose(book, { source: 'side', squash: true });
    t.strictSame(await conflictsOf(book, merge.id), [], time);
    if (merge.state !== 'merged') await approve(book, merge.id);
    const answer = await book.ask(`/tables/${table}`);
    t.match(answer.json, { table: { range: 'A1:C3' } }, `no blank row after the ${time}`);
    t.strictSame(await rowsOf(book, 'main'), [
      ['a', 1, null],
      ['b', 3, null],
    ]);
  }
});

t.test('another key column is asked about where the other side wrote rows', async (t) => {
  const { service } = await makeStore();
  const book = await makeTable(service, { k: 'a', v: 1, w: 10 }, { k: 'b', v: 2, w: 20 });
  await fork(book, 'moved');
  await run(book, 'main', 'table.key.change', { table, keyColumn: 'w' });
  await run(book, 'moved', 'rows.move', { sheet: table, from: 2, before: 4 });
  await run(book, 'side', 'rows.delete', { table, keys: ['a'] });
  const unasked = await propose(book, { source: 'moved' });
  t.strictSame(await conflictsOf(book, unasked.id), [], 'rows that only moved are the same');
  const { merge, here, there } = await proposed(book);
  t.match(here, [
    { kind: 'table.key', base: { value: 'k' }, ours: { value: 'w' }, theirs: { value: 'k' } },
  ]);
  t.strictSame(idsOf(there), idsOf(here), 'from both directions');
  const resolutions = here.map(({ id }) => ({ id, choice: 'theirs' }));
  await book.ask(`/merges/${merge.id}/resolve`, { body: { resolutions } });
  await approve(book, merge.id);
  t.strictSame(await rowsOf(book, 'main'), [['b', 2, 20]]);
  t.match((await book.ask(`/tables/${table}`)).json, { table: { keyColumn: 'k' } });
});

t.test('rows beside other cells are known by their keys, after a restart too', async (t) => {
  const { service, start } = await makeStore();
  const book = await Book.create(service);
  const inputs = ['k', 'a', 'b', 'c'].map((k, v) => [k, v === 0 ? 'v' : v, '', `beside ${v}`]);
  await run(book, 'main', 'range.set', { sheet: 'Sheet1', range: 'A1:D4', inputs });
  const more = Array.from({ length: 6 }, (_, at) => [`below ${at}`]);
  await run(book, 'main', 'range.set', { sheet: 'Sheet1', range: 'D5:D10', inputs: more });
  const sheetRange = 'Sheet1!A1:B4';
  await run(book, 'main', 'table.create', { name: table, keyColumn: 'k', sheetRange });
  await fork(book, 'side');
  await upsert(book, 'main', { k: 'e', v: 9 }, { k: 'c', v: 7 });
  await run(book, 'side', 'rows.delete', { table, keys: ['a', 'b'] });
  await upsert(book, 'side', { k: 'd', v: 8 });
  const { merge, here, there } = await proposed(book);
  t.strictSame([here, there], [[], []], 'nobody wrote to what the other one deleted');
  await service.app.stop();
  const later = book.at(await start());
  const again = await propose(later, { source: 'side' });
  t.equal(again.digest, merge.digest);
  await approve(later, again.id);
  t.strictSame(await rowsOf(later, 'main'), [
    ['c', 7, null],
    ['d', 8, null],
    ['e', 9, null],
  ]);
  const answer = await later.ask('/slice?range=Sheet1!A1:D10');
  const { rows } = answer.json as { rows: unknown[][] };
  t.strictSame(
    rows.map((row) => row[3]),
    [...inputs.map((row) => row[3]), ...more.flat()],
    'what stands beside stays',
  );
});

t.test('new rows leave what stands beside and below the table where it is', async (t) => {
  const { service } = await makeStore();
  const book = await Book.create(service);
  const inputs = [
    ['k', 'v', '', 'beside'],
    ['a', 1, '', 'p'],
    ['', '', '', 'q'],
    ['', '', '', 'r'],
  ];
  await run(book, 'main', 'range.set', { sheet: 'Sheet1', range: 'A1:D4', inputs });
  const sheetRange = 'Sheet1!A1:B2';
  await run(book, 'main', 'table.create', { name: table, keyColumn: 'k', sheetRange });
  await fork(book, 'side');
  await upsert(book, 'main', { k: 'm', v: 2 });
  await upsert(book, 'side', { k: 's', v: 3 });
  const { merge, here, there } = await proposed(book);
  t.strictSame([here, there], [[], []]);
  await approve(book, merge.id);
  const answer = await book.ask('/slice?range=Sheet1!A1:D5');
  const { rows } = answer.json as { rows: unknown[][] };
  t.strictSame(
    rows.map((row) => row[3]),
    ['beside', 'p', 'q', 'r', null],
  );
  t.strictSame(
    rows.slice(1, 4).map((row) => row.slice(0, 2)),
    [
      ['a', 1],
      ['m', 2],
      ['s', 3],
    ],
  );
});
