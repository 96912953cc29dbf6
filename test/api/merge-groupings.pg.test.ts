import t from 'tap';

import type { Book } from '../support/book.ts';
import { approve, fork, makeBook, run, values, write } from '../support/merged-book.ts';

// Units as the server makes them, by what the proposal asks for.

interface Unit {
  readonly id: string;
  readonly title: string;
  readonly changes: number;
  readonly requires: readonly string[];
}

interface Proposed {
  readonly id: string;
  readonly grouping: string;
  readonly units: readonly Unit[];
}

interface Sent {
  readonly kind: string;
  readonly payload: object;
}

const sheet = 'Sheet1';

async function proposed(book: Book, units: string): Promise<Proposed> {
  return (await book.ask('/merges', { body: { source: 'q3', units } })).json as Proposed;
}

async function look(book: Book, { id }: Proposed): Promise<Proposed> {
  return (await book.ask(`/merges/${id}`)).json as Proposed;
}

function sizes({ units }: Proposed): Record<string, number> {
  return Object.fromEntries(units.map(({ title, changes }) => [title, changes]));
}

function set(a1: string, input: unknown, on = sheet): Sent {
  return { kind: 'cells.set', payload: { sheet: on, cells: [{ a1, input }] } };
}

async function submit(book: Book, ops: readonly Sent[], more: object): Promise<void> {
  const answer = await book.ask('/branches/q3/ops', { body: { ops, ...more } });
  if (answer.status !== 200) throw new Error(answer.text);
}

/** Decides on units by their ids; all others are accepted. */
function decide(book: Book, { id, units }: Proposed, decisions: Readonly<Record<string, string>>) {
  const groups = units.map((unit) => {
    return { id: unit.id, decision: decisions[unit.title] ?? 'accept' };
  });
  return book.ask(`/merges/${id}/units`, { method: 'PUT', body: { groups } });
}

t.test('one a sheet, which require one another', async (t) => {
  const book = await makeBook();
  await run(book, 'main', 'sheet.add', { name: 'Second' });
  await fork(book, 'q3');
  await submit(
    book,
    [
      set('A1', 7),
      { kind: 'sheet.add', payload: { name: 'New' } },
      set('A1', 5, 'New'),
      set('B1', '=New!A1', 'Second'),
      { kind: 'name.set', payload: { name: 'rate', formula: '=0.5' } },
    ],
    { writer: 'w' },
  );
  const merge = await proposed(book, 'sheet');
  t.match(merge, { grouping: 'sheet' });
  t.same(sizes(merge), { Sheet1: 1, Second: 1, New: 2, 'The workbook': 1 });
  const added = merge.units.find(({ title }) => title === 'New');
  const second = merge.units.find(({ title }) => title === 'Second');
  t.same(second?.requires, [added?.id], 'its formula names the new sheet');
  await write(book, 'q3', ['A2', 8]);
  t.match(sizes(await look(book, merge)), { Sheet1: 2 }, 'in force when heads move');
  t.match(await decide(book, merge, { New: 'reject' }), { status: 200 });
  t.match(await approve(book, merge.id), { status: 200, json: { state: 'merged' } });
  t.same(await values(book, 'A1:A2'), [[7], [8]]);
  t.same(await values(book, 'Second!B1'), [[null]], 'it was not taken without what it names');
});

t.test('one a table, and the rest by sheet', async (t) => {
  const book = await makeBook();
  const columns = [{ name: 'sku' }, { name: 'price', type: 'number' }];
  for (const name of ['Items', 'Sites']) {
    await run(book, 'main', 'table.create', { name, keyColumn: 'sku', schema: { columns } });
  }
  await fork(book, 'q3');
  const rows = [
    { sku: 'a', price: 1 },
    { sku: 'b', price: 2 },
  ];
  await run(book, 'q3', 'rows.upsert', { table: 'Items', rows });
  await run(book, 'q3', 'rows.upsert', { table: 'Sites', rows: rows.slice(1) });
  await submit(book, [set('F1', 'beside', 'Items'), set('A1', 1)], { writer: 'w' });
  const merge = await proposed(book, 'table');
  const tables = merge.units.filter(({ id }) => id.startsWith('u_table.'));
  t.same(
    tables.map(({ title, changes }) => [title, changes]),
    [
      ['Items', 7],
      ['Sites', 4],
    ],
    'cells, and rows that come for the blank one',
  );
  const rest = merge.units.filter(({ id }) => !id.startsWith('u_table.'));
  t.same(
    rest.map(({ title, changes }) => [title, changes]),
    [
      [sheet, 1],
      ['Items', 1],
    ],
    'beside a table it is of the sheet',
  );
  t.match(await decide(book, merge, { Sites: 'reject' }), { status: 200 });
  t.match(await approve(book, merge.id), { status: 200 });
  t.same(await values(book, 'Items!A2:F2'), [['a', 1, null, null, null, null]]);
  t.same(await values(book, 'Sites!A2'), [[null]]);
});

t.test('one a writer, by who wrote it last', async (t) => {
  const book = await makeBook();
  await fork(book, 'q3');
  const bold = { kind: 'format.set', payload: { sheet, range: 'B1:B2', style: { bold: true } } };
  const rate = { kind: 'name.set', payload: { name: 'rate', formula: '=0.5' } };
  const above = { kind: 'rows.insert', payload: { sheet, before: 3, count: 2 } };
  const rule = { type: 'whole', operator: 'between', formula1: 1, formula2: 9 };
  const checked = { kind: 'validation.set', payload: { sheet, ranges: ['D1'], rule } };
  await submit(book, [set('A1', 1), set('A2', 2), bold, set('C1', '=A2')], { writer: 'ann' });
  await submit(book, [set('A2', 3), rate, above, set('A3', 4), checked], { writer: 'bob' });
  await submit(book, [set('A4', 5), set('C2', '=rate')], { writer: 'cy' });
  await submit(book, [{ kind: 'undo', payload: { of: 1 } }], { writer: 'ann' });
  const merge = await proposed(book, 'writer');
  // Changes of ann: the format and C1; her A1 is undone. Changes of bob: A2, A3, two rows, a name,
  // a rule.
  t.same(sizes(merge), { ann: 2, bob: 6, cy: 2 });
  const cy = merge.units.find(({ title }) => title === 'cy');
  t.same(cy?.requires, ['u_bob'], 'his rows and his name');
  t.match(await decide(book, merge, { bob: 'reject' }), { status: 200 });
  t.match(await approve(book, merge.id), { status: 200, json: { state: 'merged' } });
  t.same(await values(book, 'A1:C4'), [
    [11, 12, 21],
    [21, 22, null],
    [31, 32, null],
    [null, null, null],
  ]);
});

t.test('a writer is a member of a unit', async (t) => {
  const book = await makeBook();
  await fork(book, 'q3');
  await submit(book, [set('A1', 1)], { writer: 'ann' });
  await submit(book, [set('A2', 2)], { writer: 'bob' });
  const { id } = await proposed(book, 'auto');
  const groups = [
    { id: 'hers', members: [{ writer: 'ann', sheet }], decision: 'reject' },
    { id: 'rest', members: ['*'], decision: 'accept' },
  ];
  const answer = await book.ask(`/merges/${id}/units`, { method: 'PUT', body: { groups } });
  t.match(answer, { status: 200, json: { units: [{ changes: 1 }, { changes: 1 }] } });
  await approve(book, id);
  t.same(await values(book, 'A1:A2'), [[11], [2]]);
});

t.test('one a group of operations, and one each without', async (t) => {
  const book = await makeBook();
  await fork(book, 'q3');
  await submit(book, [set('A1', 1), set('A2', 2)], { writer: 'ann', group: 'prices of June' });
  await submit(book, [set('A3', 3), set('B1', 4)], { writer: 'ann' });
  const merge = await proposed(book, 'op-group');
  t.same(sizes(merge), { 'prices of June': 2, 'q3@3': 1, 'q3@4': 1 });
  t.match(await decide(book, merge, { 'prices of June': 'defer' }), { status: 200 });
  t.match(await approve(book, merge.id), { status: 200 });
  t.same(await values(book, 'A1:B3'), [
    [11, 4],
    [21, 22],
    [3, 32],
  ]);
  t.same(await values(book, 'A1:A2', `q3/deferred-${merge.id}`), [[1], [2]]);
});

t.test('a unit that the merge has not has no members to take', async (t) => {
  const book = await makeBook();
  await fork(book, 'q3');
  await write(book, 'q3', ['A1', 1]);
  const { id } = await proposed(book, 'auto');
  const body = { groups: [{ id: 'none', decision: 'accept' }] };
  t.match(await book.ask(`/merges/${id}/units`, { method: 'PUT', body }), {
    status: 422,
    json: { code: 'bad_unit', detail: /no unit none/u },
  });
});
