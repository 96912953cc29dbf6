import t, { type Test } from 'tap';

import { FileDoor, xlsxType } from '../support/file-door.ts';

// Rows of a sheet that come and go where a table lies, through the doors of the sheet. Runs long: the
// service starts anew for each.

const byFactor = '=[@price]*$H$1';
const goods = [
  ['sku', 'price', 'double'],
  ['a', 1, null],
  ['b', 2, null],
  ['c', 3, null],
];

/** The table `Goods` in A1:C4, a factor in H1, and formulas that name its cells. */
async function makeGoods(
  door: FileDoor,
  { below = null, formula = byFactor }: { below?: unknown; formula?: string } = {},
): Promise<string> {
  const schema = { columns: [{ name: 'sku' }, { name: 'price' }, { name: 'double', formula }] };
  const rows = [...goods, [null, null, null], [below, null, null]];
  const body = { sheets: [{ name: 'One', rows }] };
  const { json } = await door.request('/v1/workbooks', body);
  const at = `/v1/workbooks/${(json as { id: string }).id}`;
  const cells = [
    { a1: 'H1', input: 10 },
    { a1: 'J1', input: '=SUM(B2:B4)' },
    { a1: 'K1', input: '=SUM(Goods[double])' },
  ];
  await door.submit(
    at,
    {
      kind: 'table.create',
      payload: { name: 'Goods', keyColumn: 'sku', sheetRange: 'One!A1:C4', schema },
    },
    { kind: 'cells.set', payload: { sheet: 'One', cells } },
  );
  return at;
}

interface TableSeen {
  readonly range: string;
  readonly rowCount: number;
}

async function tableOf(door: FileDoor, at: string, branch = 'main'): Promise<TableSeen> {
  const { json } = await door.request(`${at}/tables?ref=${branch}`);
  const [table] = (json as { tables: TableSeen[] }).tables;
  if (!table) throw new Error('the table is gone');
  const { range, rowCount } = table;
  return { range, rowCount };
}

async function hashOf(door: FileDoor, at: string): Promise<unknown> {
  const { json } = await door.request(`${at}/branches/main/state`);
  return (json as { stateHash: string }).stateHash;
}

/** Starts the service anew, and has it replay the journals and compare. */
async function checkAnew(t: Test, door: FileDoor, books: readonly string[]): Promise<void> {
  const look = async () => {
    const seen: unknown[] = [];
    for (const at of books) seen.push(await hashOf(door, at), await door.rows(at, 'A1:K9'));
    return seen;
  };
  const before = await look();
  await door.restart();
  t.strictSame(await look(), before);
  for (const at of books) {
    t.match((await door.request(`${at}/verify`, {})).json, { ok: true, firstBad: null });
  }
}

function rowsOp(kind: string, payload: object): object {
  return { kind, payload: { sheet: 'One', ...payload } };
}

const emptyings: [what: string, op: object][] = [
  ['whole rows', rowsOp('rows.delete', { from: 2, count: 3 })],
  ['whole rows in pieces', rowsOp('rows.delete', { spans: [{ from: 2 }, { from: 3, count: 2 }] })],
  ['whole rows as a range', rowsOp('range.delete', { range: '2:4', shift: 'up' })],
  ['cells that shift', rowsOp('range.delete', { range: 'A2:C4', shift: 'up' })],
  ['keys', { kind: 'rows.delete', payload: { table: 'Goods', keys: ['a', 'b', 'c'] } }],
  ['rows moved away', rowsOp('rows.move', { from: 2, count: 3, before: 9 })],
];

t.test('a table that keeps its header keeps a row', async (t) => {
  const door = await FileDoor.open(t);
  const books: string[] = [];
  // An import takes formulas of columns that name no cells.
  const formula = '=[@price]*10';
  for (const [what, op] of emptyings) {
    const at = await makeGoods(door, { below: 'below', formula });
    await door.submit(at, op);
    t.strictSame(await tableOf(door, at), { range: 'A1:C2', rowCount: 0 }, what);
    const [header, blank] = (await door.rows(at, 'A1:C2', 'formula')) as unknown[][];
    t.strictSame([header?.[2], blank?.[2]], [null, formula], what);
    const head = (await door.rows(at, 'A3:A4')) as unknown[][];
    t.ok(head.flat().includes('below'), `${what}: what stood below moves up`);

    const file = await door.export(at);
    const again = await door.import(file.bytes, xlsxType);
    t.strictSame(await tableOf(door, again.at), { range: 'A1:C2', rowCount: 0 }, what);

    await door.submit(at, {
      kind: 'rows.upsert',
      payload: { table: 'Goods', rows: [{ sku: 'x', price: 7 }] },
    });
    t.strictSame(await tableOf(door, at), { range: 'A1:C2', rowCount: 1 }, what);
    t.strictSame(await door.rows(at, 'A2:C2'), [['x', 7, 70]], what);
    t.strictSame(await door.rows(at, 'K1'), [[70]], what);
    books.push(at);
  }
  await checkAnew(t, door, books);
});

t.test('formulas that named the rows end at the one that is left', async (t) => {
  const door = await FileDoor.open(t);
  for (const [what, op] of emptyings.slice(0, -1)) {
    const at = await makeGoods(door);
    await door.submit(at, { kind: 'cells.set', payload: { cells: [{ a1: 'M1', input: 5 }] } }, op);
    t.strictSame(await door.rows(at, 'J1', 'formula'), [['=SUM(B2:B2)']], what);
  }
});

t.test('taking it back brings the rows, and no other', async (t) => {
  const door = await FileDoor.open(t);
  const books: string[] = [];
  for (const [what, op] of emptyings) {
    const at = await makeGoods(door, { below: 'below' });
    const before = [await hashOf(door, at), await door.rows(at, 'A1:K9', 'input')];
    await door.submit(at, op);
    await door.submit(at, { kind: 'undo', payload: { of: { last: true } } });
    t.strictSame(await tableOf(door, at), { range: 'A1:C4', rowCount: 3 }, what);
    t.strictSame(await door.rows(at, 'A1:K9', 'input'), before[1], what);
    t.equal(await hashOf(door, at), before[0], what);
    await door.submit(at, { kind: 'redo', payload: { of: { last: true } } });
    t.strictSame(await tableOf(door, at), { range: 'A1:C2', rowCount: 0 }, `${what}, redone`);
    books.push(at);
  }
  await checkAnew(t, door, books);
});

t.test('header and rows together take the table along', async (t) => {
  const door = await FileDoor.open(t);
  const books: string[] = [];
  const ops = [
    rowsOp('rows.delete', { from: 1, count: 4 }),
    rowsOp('range.delete', { range: 'A1:C4', shift: 'up' }),
    { kind: 'cols.delete', payload: { sheet: 'One', from: 'A', count: 3 } },
  ];
  for (const op of ops) {
    const at = await makeGoods(door);
    await door.submit(at, op);
    t.match((await door.request(`${at}/tables?ref=main`)).json, { tables: [] });
    books.push(at);
  }
  await checkAnew(t, door, books);
});

t.test('several tables are emptied at once', async (t) => {
  const door = await FileDoor.open(t);
  const rows = [...goods, [], ['id', 'n'], [1, 2], [3, 4]];
  const beside = rows.map((row, at) =>
    [...row, null, null, null].slice(0, 4).concat(at % 7 ? [at] : ['k']),
  );
  const { json } = await door.request('/v1/workbooks', { sheets: [{ name: 'One', rows: beside }] });
  const at = `/v1/workbooks/${(json as { id: string }).id}`;
  const make = (name: string, sheetRange: string, totalsRow = false) => ({
    kind: 'table.create',
    payload: { name, sheetRange: `One!${sheetRange}`, totalsRow },
  });
  await door.submit(
    at,
    make('Goods', 'A1:C4'),
    make('Other', 'A6:B8', true),
    make('Side', 'E1:E8'),
  );
  const spans = [{ from: 2, count: 3 }, { from: 7 }];
  await door.submit(at, rowsOp('rows.delete', { spans }));
  const listed = (await door.request(`${at}/tables?ref=main`)).json;
  t.match(listed, {
    tables: [
      { name: 'Goods', range: 'A1:C2', rowCount: 0 },
      { name: 'Other', range: 'A4:B6', rowCount: 0, totalsRow: true },
      { name: 'Side', range: 'E1:E6' },
    ],
  });
  await checkAnew(t, door, [at]);
});

t.test('merged deletions that leave no row leave a blank one', async (t) => {
  const door = await FileDoor.open(t);
  for (const [source, target] of [
    ['main', 'side'],
    ['side', 'main'],
  ]) {
    const at = await makeGoods(door);
    // A range of which each side deletes a part has nothing left, and a merge would ask about it.
    await door.submit(at, { kind: 'cells.set', payload: { cells: [{ a1: 'J1', input: null }] } });
    await door.request(`${at}/branches`, { name: 'side', from: 'main' });
    const on = async (branch: string, op: object) => {
      const { text, json } = await door.request(`${at}/branches/${branch}/ops`, { ops: [op] });
      t.match(json, { status: 'applied' }, text);
    };
    await on('main', rowsOp('rows.delete', { from: 2, count: 2 }));
    await on('side', rowsOp('rows.delete', { from: 4 }));
    const merged = await door.request(`${at}/merges`, { source, target, apply: 'auto' });
    t.match(merged.json, { state: 'merged' }, merged.text);
    t.strictSame(await tableOf(door, at, target), { range: 'A1:C2', rowCount: 0 });
    const slice = `${at}/slice?ref=${target}&range=A2:C2&lens=formula`;
    t.match((await door.request(slice)).json, { rows: [[null, null, '=[@price]*$H$1']] });
    t.match((await door.request(`${at}/verify`, {})).json, { ok: true });
  }
});

t.test('a merge empties a table', async (t) => {
  const door = await FileDoor.open(t);
  const at = await makeGoods(door);
  await door.request(`${at}/branches`, { name: 'side', from: 'main' });
  const emptied = { ops: [rowsOp('rows.delete', { from: 2, count: 3 })] };
  t.match((await door.request(`${at}/branches/side/ops`, emptied)).json, { status: 'applied' });
  await door.submit(at, { kind: 'cells.set', payload: { cells: [{ a1: 'P1', input: 1 }] } });
  const merged = await door.request(`${at}/merges`, { source: 'side', apply: 'auto' });
  t.match(merged.json, { state: 'merged' }, merged.text);
  t.strictSame(await tableOf(door, at), { range: 'A1:C2', rowCount: 0 });
  await checkAnew(t, door, [at]);
});

const insertions: [what: string, op: object, rows: unknown[][]][] = [
  [
    'rows between',
    rowsOp('rows.insert', { before: 3, count: 2 }),
    [
      ['a', 1, 10],
      [null, null, 0],
      [null, null, 0],
      ['b', 2, 20],
    ],
  ],
  [
    'rows below the header',
    rowsOp('rows.insert', { after: 1 }),
    [
      [null, null, 0],
      ['a', 1, 10],
      ['b', 2, 20],
      ['c', 3, 30],
    ],
  ],
  [
    'whole rows as a range',
    rowsOp('range.insert', { range: '3:3', shift: 'down' }),
    [
      ['a', 1, 10],
      [null, null, 0],
      ['b', 2, 20],
      ['c', 3, 30],
    ],
  ],
  [
    'cells that shift',
    rowsOp('range.insert', { range: 'A4:C4', shift: 'down' }),
    [
      ['a', 1, 10],
      ['b', 2, 20],
      [null, null, 0],
      ['c', 3, 30],
    ],
  ],
];

t.test('rows that come into a table have its formulas', async (t) => {
  const door = await FileDoor.open(t);
  const books: string[] = [];
  for (const [what, op, rows] of insertions) {
    const at = await makeGoods(door, { below: 'below' });
    const before = await hashOf(door, at);
    await door.submit(at, op);
    t.strictSame(await door.rows(at, 'A2:C5'), rows, what);
    const place = rows.findIndex(([key]) => key === null);
    await door.submit(at, {
      kind: 'cells.set',
      payload: { sheet: 'One', cells: [{ a1: `A${place + 2}`, input: 'new' }] },
    });
    await door.submit(at, {
      kind: 'rows.upsert',
      payload: { table: 'Goods', rows: [{ sku: 'new', price: 9 }] },
    });
    t.strictSame(await door.rows(at, `A${place + 2}:C${place + 2}`), [['new', 9, 90]], what);
    t.strictSame(await door.rows(at, 'K1'), [[150]], what);
    books.push(at);
    for (let undone = 0; undone < 3; undone++) {
      await door.submit(at, { kind: 'undo', payload: { of: { last: true } } });
    }
    t.equal(await hashOf(door, at), before, `${what}, undone`);
  }
  await checkAnew(t, door, books);
});

t.test('rows above the header and below the last one are none of the table', async (t) => {
  const door = await FileDoor.open(t);
  for (const op of [rowsOp('rows.insert', { before: 1 }), rowsOp('rows.insert', { before: 5 })]) {
    const at = await makeGoods(door);
    await door.submit(at, op);
    t.equal((await tableOf(door, at)).rowCount, 3);
  }
});

t.test('blame knows who filled a row that was inserted', async (t) => {
  const door = await FileDoor.open(t);
  const at = await makeGoods(door);
  await door.submit(at, rowsOp('rows.insert', { before: 3 }));
  const { json } = await door.request(`${at}/blame?ref=main&range=One!C3`);
  t.match(JSON.stringify(json), /"seq":5.*rows.insert/, 'the formula came with the row');
});

t.test('calculated cells of new rows name what the others name', async (t) => {
  const door = await FileDoor.open(t);
  const at = await makeGoods(door, { below: 'below', formula: '=[@price]*$B$6' });
  const cells = [
    { a1: 'B6', input: 5 },
    { a1: 'J1', input: null },
  ];
  await door.submit(at, { kind: 'cells.set', payload: { sheet: 'One', cells } });
  const before = await hashOf(door, at);
  const rows = [
    { sku: 'd', price: 4 },
    { sku: 'e', price: 6 },
  ];
  await door.submit(at, { kind: 'rows.upsert', payload: { table: 'Goods', rows } });
  t.strictSame(await door.rows(at, 'C2:C6'), [[5], [10], [15], [20], [30]]);
  t.strictSame(await door.rows(at, 'C6', 'formula'), [['=[@price]*$B$8']]);
  await door.submit(at, {
    kind: 'table.column.add',
    payload: { table: 'Goods', column: 'more', before: 'price', formula: '=[@price]+$H$1' },
  });
  t.strictSame(await door.rows(at, 'B2:B3', 'formula'), [['=[@price]+$I$1'], ['=[@price]+$I$1']]);
  await checkAnew(t, door, [at]);
  for (let undone = 0; undone < 2; undone++) {
    await door.submit(at, { kind: 'undo', payload: { of: { last: true } } });
  }
  t.equal(await hashOf(door, at), before);
});

t.test('rows of one side have the formula that the other side gave the column', async (t) => {
  const door = await FileDoor.open(t);
  for (const [source, target] of [
    ['main', 'side'],
    ['side', 'main'],
  ]) {
    const at = await makeGoods(door);
    await door.request(`${at}/branches`, { name: 'side', from: 'main' });
    const on = async (branch: string, ...ops: object[]) => {
      const { text, json } = await door.request(`${at}/branches/${branch}/ops`, { ops });
      t.match(json, { status: 'applied' }, text);
    };
    const alter = { table: 'Goods', column: 'double', formula: '=[@price]*3' };
    await on('side', { kind: 'table.column.alter', payload: alter });
    const rows = [{ sku: 'd', price: 4 }];
    await on('main', rowsOp('rows.insert', { before: 3 }), {
      kind: 'rows.upsert',
      payload: { table: 'Goods', rows },
    });
    const merged = await door.request(`${at}/merges`, { source, target, apply: 'auto' });
    t.match(merged.json, { state: 'merged' }, merged.text);
    const slice = await door.request(`${at}/slice?ref=${target}&range=C2:C6&lens=formula`);
    const formulas = (slice.json as { rows: unknown[][] }).rows.flat();
    t.strictSame(formulas, Array(5).fill('=[@price]*3'));
  }
});

t.test(
  'rows that come by a merge take the place of the blank one, if nothing names it',
  async (t) => {
    const door = await FileDoor.open(t);
    for (const isNamed of [false, true]) {
      const at = await makeGoods(door);
      const cells = [{ a1: 'J1', input: isNamed ? '=SUM(B2:B4)+0' : 1 }];
      await door.submit(at, { kind: 'cells.set', payload: { sheet: 'One', cells } });
      await door.request(`${at}/branches`, { name: 'side', from: 'main' });
      const rows = [{ sku: 'd', price: 4 }];
      const upsert = { kind: 'rows.upsert', payload: { table: 'Goods', rows } };
      const { text, json } = await door.request(`${at}/branches/side/ops`, { ops: [upsert] });
      t.match(json, { status: 'applied' }, text);
      await door.submit(at, rowsOp('rows.delete', { from: 2, count: 3 }));
      const merged = await door.request(`${at}/merges`, { source: 'side', apply: 'auto' });
      t.match(merged.json, { state: 'merged' }, merged.text);
      const rowCount = isNamed ? 2 : 1;
      t.strictSame(await tableOf(door, at), { range: `A1:C${rowCount + 1}`, rowCount });
      t.strictSame(await door.rows(at, 'J1:K1'), [[isNamed ? 0 : 1, 40]]);
    }
  },
);
