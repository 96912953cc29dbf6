import t, { type Test } from 'tap';

import { FileDoor, xlsxType } from '../support/file-door.ts';

// Contents that move among the cells of a table, because other cells stand below or beside it: all
// that names them goes along.

const at1 = (a1: string, input: unknown) => ({ a1, input });

/** The table `Goods` in A1:D4 with a filled cell below it, or beside it, and formulas elsewhere. */
async function makeGoods(door: FileDoor, ...cells: object[]): Promise<string> {
  const rows = [
    ['sku', 'price', 'count', 'sum'],
    ['a', 1, 10, null],
    ['b', 2, 20, null],
    ['c', 3, 30, null],
  ];
  const sheets = [{ name: 'One', rows }, { name: 'Two' }];
  const { json } = await door.request('/v1/workbooks', { sheets });
  const at = `/v1/workbooks/${(json as { id: string }).id}`;
  const columns = ['sku', 'price', 'count'].map((name) => ({ name }));
  const schema = { columns: [...columns, { name: 'sum', formula: '=[@price]+$B$4' }] };
  const table = { name: 'Goods', keyColumn: 'sku', sheetRange: 'One!A1:D4', schema };
  const readers = ['=One!B3', '=One!C3', '=SUM(One!B2:B4)', '=SUM(One!B2:C4)', '=SUM(One!A2:A4)'];
  await door.submit(
    at,
    { kind: 'table.create', payload: table },
    { kind: 'name.set', payload: { name: 'Second', formula: '=One!$B$3' } },
    { kind: 'note.set', payload: { sheet: 'One', a1: 'B3', text: 'two' } },
    { kind: 'cells.set', payload: { sheet: 'One', cells } },
    {
      kind: 'cells.set',
      payload: {
        sheet: 'Two',
        cells: [...readers, '=Second'].map((input, row) => at1(`A${row + 1}`, input)),
      },
    },
  );
  return at;
}

async function readersOf(door: FileDoor, at: string, lens: string): Promise<unknown[]> {
  return ((await door.rows(at, 'Two!A1:A6', lens)) as unknown[][]).flat();
}

async function notesOf(door: FileDoor, at: string): Promise<string[]> {
  const { json } = await door.request(`${at}/records?ref=main&types=note`);
  const { records } = json as { records: { ranges: string[] | null }[] };
  return records.flatMap(({ ranges }) => ranges ?? []);
}

async function hashOf(door: FileDoor, at: string): Promise<unknown> {
  const { json } = await door.request(`${at}/branches/main/state`);
  return (json as { stateHash: string }).stateHash;
}

async function checkAnew(t: Test, door: FileDoor, at: string): Promise<void> {
  const look = async () => [await hashOf(door, at), await readersOf(door, at, 'formula')];
  const before = await look();
  await door.restart();
  t.strictSame(await look(), before);
  t.match((await door.request(`${at}/verify`, {})).json, { ok: true, firstBad: null });
}

t.test('a column that moves among others takes along what names it', async (t) => {
  const door = await FileDoor.open(t);
  const at = await makeGoods(door, at1('A6', 'below'), at1('B6', '=B3'), at1('C7', '=SUM(B2:B4)'));
  const values = await readersOf(door, at, 'value');
  const before = await hashOf(door, at);
  await door.submit(at, {
    kind: 'table.column.move',
    payload: { table: 'Goods', column: 'price', after: 'count' },
  });
  t.strictSame(await door.rows(at, 'A1:D2'), [
    ['sku', 'count', 'price', 'sum'],
    ['a', 10, 1, 4],
  ]);
  t.strictSame(await readersOf(door, at, 'formula'), [
    '=One!C3',
    '=One!B3',
    '=SUM(One!C2:C4)',
    '=SUM(One!B2:C4)',
    '=SUM(One!A2:A4)',
    '=Second',
  ]);
  t.strictSame(await readersOf(door, at, 'value'), values);
  t.strictSame(await door.rows(at, 'A6:C7', 'formula'), [
    [null, '=C3', null],
    [null, null, '=SUM(C2:C4)'],
  ]);
  t.match(await notesOf(door, at), [/C3$/]);
  t.strictSame(await door.rows(at, 'D2', 'formula'), [['=[@price]+$C$4']]);
  const file = await door.export(at);
  const again = await door.import(file.bytes, xlsxType);
  t.strictSame(await readersOf(door, again.at, 'value'), values);
  await checkAnew(t, door, at);
  await door.submit(at, { kind: 'undo', payload: { of: { last: true } } });
  t.equal(await hashOf(door, at), before);
  t.match(await notesOf(door, at), [/B3$/]);
});

t.test('columns that close up take along what names them', async (t) => {
  const door = await FileDoor.open(t);
  const at = await makeGoods(door, at1('A6', 'below'), at1('B6', '=C3'));
  const before = await hashOf(door, at);
  await door.submit(at, {
    kind: 'table.column.alter',
    payload: { table: 'Goods', column: 'sum', formula: '=[@count]*2' },
  });
  await door.submit(at, {
    kind: 'table.column.drop',
    payload: { table: 'Goods', column: 'price' },
  });
  t.strictSame(await readersOf(door, at, 'formula'), [
    '=#REF!',
    '=One!B3',
    '=SUM(#REF!)',
    '=SUM(One!B2:B4)',
    '=SUM(One!A2:A4)',
    '=Second',
  ]);
  t.strictSame(await door.rows(at, 'B6', 'formula'), [['=B3']]);
  t.strictSame(await notesOf(door, at), []);
  await checkAnew(t, door, at);
  for (let undone = 0; undone < 2; undone++) {
    await door.submit(at, { kind: 'undo', payload: { of: { last: true } } });
  }
  t.equal(await hashOf(door, at), before);
});

t.test('rows that close up beside other cells take along what names them', async (t) => {
  const door = await FileDoor.open(t);
  const at = await makeGoods(door, at1('F2', '=B3'), at1('F3', '=B4'), at1('F4', 'beside'));
  const before = await hashOf(door, at);
  await door.submit(at, { kind: 'rows.delete', payload: { table: 'Goods', keys: ['a'] } });
  t.strictSame(await door.rows(at, 'A2:F4', 'formula'), [
    [null, null, null, '=[@price]+$B$3', null, '=B2'],
    [null, null, null, '=[@price]+$B$3', null, '=B3'],
    [null, null, null, null, null, null],
  ]);
  t.strictSame(await readersOf(door, at, 'formula'), [
    '=One!B2',
    '=One!C2',
    '=SUM(One!B2:B3)',
    '=SUM(One!B2:C3)',
    '=SUM(One!A2:A3)',
    '=Second',
  ]);
  t.strictSame(await readersOf(door, at, 'value'), [2, 20, 5, 55, 0, 2]);
  t.match(await notesOf(door, at), [/B2$/]);
  await checkAnew(t, door, at);
  await door.submit(at, { kind: 'undo', payload: { of: { last: true } } });
  t.equal(await hashOf(door, at), before);
});

t.test('a merge takes what was moved within a table, and what names it', async (t) => {
  const door = await FileDoor.open(t);
  const at = await makeGoods(door, at1('A6', 'below'));
  await door.request(`${at}/branches`, { name: 'side', from: 'main' });
  const op = {
    kind: 'table.column.move',
    payload: { table: 'Goods', column: 'price', after: 'count' },
  };
  const done = await door.request(`${at}/branches/side/ops`, { ops: [op] });
  t.match(done.json, { status: 'applied' }, done.text);
  await door.submit(at, { kind: 'cells.set', payload: { sheet: 'One', cells: [at1('H9', 1)] } });
  const values = await readersOf(door, at, 'value');
  const merged = await door.request(`${at}/merges`, { source: 'side', apply: 'auto' });
  t.match(merged.json, { state: 'merged' }, merged.text);
  t.strictSame(await readersOf(door, at, 'value'), values);
  t.strictSame(await door.rows(at, 'A1:D1'), [['sku', 'count', 'price', 'sum']]);
  await checkAnew(t, door, at);
});
