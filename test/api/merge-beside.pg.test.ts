import t from 'tap';

import type { Book } from '../support/book.ts';
import {
  approve,
  conflictsOf,
  fork,
  makeBook,
  propose,
  run,
  values,
} from '../support/merged-book.ts';

// Rows and columns that both sides gave to a table, and what one of them wrote beside them: all of
// it is there once they are merged, from either direction.

type Step = readonly [kind: string, payload: object];

interface Played {
  readonly base: readonly Step[];
  readonly main: readonly Step[];
  readonly side: readonly Step[];
}

const table = 'Items';
const upsert = (...rows: object[]): Step => ['rows.upsert', { table, rows }];
const set = (a1: string, input: unknown): Step => [
  'cells.set',
  { sheet: table, cells: [{ a1, input }] },
];
const created: Step = [
  'table.create',
  { name: table, keyColumn: 'k', schema: { columns: [{ name: 'k' }, { name: 'v' }] } },
];

async function play({ base, main, side }: Played): Promise<Book> {
  const book = await makeBook();
  const steps = async (branch: string, list: readonly Step[]) => {
    for (const [kind, payload] of list) await run(book, branch, kind, payload);
  };
  await steps('main', base);
  await fork(book, 'side');
  await steps('main', main);
  await steps('side', side);
  return book;
}

/** Reads a range of what both directions come to. */
async function bothWays(book: Book, range: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const [source, target] of [
    ['main', 'side'],
    ['side', 'main'],
  ]) {
    const { id } = await propose(book, { source, target });
    found.push(await values(book, range, `merge:${id}`));
    await book.ask(`/merges/${id}/abort`, { method: 'POST', body: {} });
  }
  return found;
}

t.test('a cell beside a row that both added stays beside it', async (t) => {
  const book = await play({
    base: [created, upsert({ k: 'a' })],
    main: [upsert({ k: 'f', v: 1 })],
    side: [upsert({ k: 'f' }), set('D3', 'note')],
  });
  const rows = [
    ['a', null, null, null],
    ['f', 1, null, 'note'],
  ];
  t.strictSame(await bothWays(book, 'Items!A2:D3'), [rows, rows]);
  const { id } = await propose(book, { source: 'side' });
  t.strictSame(await conflictsOf(book, id), []);
  t.equal((await approve(book, id)).status, 200);
  t.strictSame(await values(book, 'Items!A2:D3'), rows);
});

t.test('a row of another table on the line of a row that both added stays', async (t) => {
  const beside = { name: 'Beside', keyColumn: 'k', sheetRange: 'Items!D1:D2' };
  const columns = [{ name: 'k' }];
  const book = await play({
    base: [created, upsert({ k: 'a' }), ['table.create', { ...beside, schema: { columns } }]],
    main: [upsert({ k: 'f' })],
    side: [
      upsert({ k: 'f' }),
      ['rows.upsert', { table: 'Beside', rows: [{ k: 'q' }, { k: 'r' }] }],
    ],
  });
  const rows = [
    ['a', null, null, 'q'],
    ['f', null, null, 'r'],
  ];
  t.strictSame(await bothWays(book, 'Items!A2:D3'), [rows, rows]);
  const { id } = await propose(book, { source: 'side' });
  const answer = await book.ask(`/tables/Beside/rows?ref=merge:${id}`);
  t.match(answer.json, { rows: [{ k: 'q' }, { k: 'r' }] });
});

t.test('a cell below a column that both added stays below it', async (t) => {
  const added: Step = ['table.column.add', { table, column: 'x' }];
  const book = await play({
    base: [created, upsert({ k: 'a' })],
    main: [added],
    side: [added, set('C9', 'below')],
  });
  t.strictSame(await bothWays(book, 'Items!C9'), [[['below']], [['below']]]);
});

t.test('a row that both added is in the table from both directions', async (t) => {
  const book = await play({
    base: [created, upsert({ k: 'a' })],
    main: [upsert({ k: 'f' })],
    side: [
      ['rows.move', { sheet: table, from: 2, before: 4 }],
      ['rows.import', { table, rows: [{ k: 'f' }] }],
    ],
  });
  for (const [source, target] of [
    ['main', 'side'],
    ['side', 'main'],
  ]) {
    const { id } = await propose(book, { source, target });
    const { json } = await book.ask(`/tables/${table}/rows?ref=merge:${id}`);
    t.match(json, { rows: [{ k: 'f' }] });
    t.equal((json as { rows: unknown[] }).rows.length, 1, 'without the row that was moved out');
    await book.ask(`/merges/${id}/abort`, { method: 'POST', body: {} });
  }
});

t.test('a column that a table begins with stays in it, whatever is moved before it', async (t) => {
  const sheet = 'Sheet1';
  const book = await play({
    base: [
      [
        'table.create',
        {
          name: 'Own',
          keyColumn: 'k',
          sheetRange: 'Sheet1!D1:E2',
          schema: { columns: [{ name: 'k' }, { name: 'v' }] },
        },
      ],
    ],
    main: [['table.column.add', { table: 'Own', column: 'x', before: 'k' }]],
    side: [['cols.move', { sheet, from: 'C', count: 1, before: 'B' }]],
  });
  const names = ['x', 'k', 'v'];
  t.strictSame(await bothWays(book, 'Sheet1!D1:F1'), [[names], [names]]);
  const { id } = await propose(book, { source: 'side' });
  t.strictSame(await conflictsOf(book, id), [], 'the table lies where it lay');
});

t.test('a row without a key that one side has is beside new ones of the other', async (t) => {
  const book = await play({
    base: [
      created,
      upsert({ k: 'a' }, { k: 'b' }),
      ['range.fill', { sheet: table, range: 'D1:D6', input: 'beside' }],
    ],
    main: [['rows.import', { table, rows: [{ k: 'e', v: 1 }] }]],
    side: [['rows.import', { table, rows: [] }], set('B2', 2)],
  });
  const rows = [
    ['e', 1],
    [null, 2],
  ];
  t.strictSame(await bothWays(book, 'Items!A2:B3'), [rows, rows]);
});

t.test('a row that one side deleted and the other copied up is merged once', async (t) => {
  const schema = { columns: [{ name: 'k' }, { name: 'v' }, { name: 'x', formula: '=[@v]*2' }] };
  const sheetRange = 'Plan!B3:D6';
  const book = await play({
    base: [
      ['sheet.add', { name: 'Plan' }],
      ['table.create', { name: 'Own', keyColumn: 'k', schema, sheetRange }],
      ['rows.upsert', { table: 'Own', rows: [{ k: 'z', v: 1 }] }],
    ],
    main: [['rows.delete', { table: 'Own', keys: ['z'] }]],
    side: [['range.copy', { sheet: 'Plan', source: 'A3:B8', to: 'A2' }]],
  });
  const merged = await propose(book, { source: 'side', strategy: 'theirs', squash: true });
  t.equal((await approve(book, merged.id)).status, 200);
  const rows = await values(book, 'Plan!A1:E9');
  const again = await propose(book, { source: 'side', strategy: 'theirs' });
  t.strictSame(await values(book, 'Plan!A1:E9', `merge:${again.id}`), rows);
});
