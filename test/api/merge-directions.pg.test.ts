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

/** Runs long: each merge in both directions, and after a restart. */

// Two branches, merged from both directions: the same conflicts, and with the same winner the same
// workbook.

type Op = readonly [kind: string, payload: object];

interface Scenario {
  readonly base?: readonly Op[];
  readonly ours: readonly Op[];
  readonly theirs: readonly Op[];
  readonly kinds: readonly string[];
  /** A range of the merged workbook and its values, whichever side wins. */
  readonly shows?: readonly [range: string, rows: readonly (readonly unknown[])[]];
}

const sheet = 'Sheet1';
const numbers = Array.from({ length: 12 }, (_, row) =>
  [1, 2, 3, 4].map((column) => ((row * 7) % 12) * 10 + column),
);

/** Operations that are on no sheet, or name theirs themselves. */
const withoutSheet = /^(?:table|sheet|name|comment\.reply)\.|^rows\.upsert/u;

async function play(book: Book, branch: string, ops: readonly Op[]): Promise<void> {
  for (const [kind, payload] of ops) {
    const isOnSheet = !withoutSheet.test(kind) && !('table' in payload);
    await run(book, branch, kind, isOnSheet ? { sheet, ...payload } : payload);
  }
}

async function played({ base = [], ours, theirs }: Scenario): Promise<Book> {
  const book = await makeBook();
  await play(book, 'main', [['range.set', { range: 'A1:D12', inputs: numbers }], ...base]);
  await fork(book, 'f');
  await play(book, 'main', ours);
  await play(book, 'f', theirs);
  return book;
}

interface Merged {
  readonly found: { readonly id: string; readonly kind: string }[];
  readonly content: unknown;
}

/** Merges a branch into a copy of the other one, and reads what came of it. */
async function merge(book: Book, [source, target]: Direction, winner: string): Promise<Merged> {
  const into = `${target}-${winner}`;
  await fork(book, into, target);
  const { id } = await propose(book, { source, target: into });
  const found = (await conflictsOf(book, id)).map((one) => ({ id: one.id, kind: one.kind }));
  const choice = winner === target ? 'ours' : 'theirs';
  const resolutions = found.map((one) => ({ id: one.id, choice }));
  const settled = await book.ask(`/merges/${id}/resolve`, { body: { resolutions } });
  if (settled.status !== 200) throw new Error(settled.text);
  const done = await approve(book, id);
  if (done.status !== 200) throw new Error(done.text);
  const diff = await book.ask(`/diff?from=main@0&to=${into}&kinds=records,formats,names`);
  const { records, formats, names } = diff.json as Record<string, unknown>;
  const listed = (await book.ask(`/tables?ref=${into}`)).json as {
    tables: readonly { readonly name: string }[];
  };
  const cells = [await values(book, 'A1:J20', into)];
  if (listed.tables.some(({ name }) => name === 'u')) {
    cells.push(await values(book, 'u!A1:D9', into));
  }
  const content = [cells, records, listed.tables, formats, names];
  return { found: found.toSorted((a, b) => (a.id < b.id ? -1 : 1)), content };
}

type Direction = readonly [source: string, target: string];

const dropped: Op = ['table.column.drop', { table: 't', column: 'a' }];
const tableAt = (range: string): Op => [
  'table.create',
  {
    name: 't',
    keyColumn: 'id',
    schema: { columns: [{ name: 'id' }, { name: 'a' }, { name: 'b' }] },
    sheetRange: `${sheet}!${range}`,
  },
];
const table = tableAt('F14:H17');
const besideTable = tableAt('F1:H4');
const keyed = [['id', 'a', 'b'], ...[1, 2, 3].map((id) => [id, id * 10, id * 100])];
const rows: Op = [
  'rows.upsert',
  { table: 't', rows: [1, 2, 3].map((id) => ({ id, a: id * 10, b: id * 100 })) },
];
const set = (a1: string, input: unknown): Op => ['cells.set', { cells: [{ a1, input }] }];
const moved = (from: number, count: number, before: number): Op => [
  'rows.move',
  { from, count, before },
];
const sorted = (range: string, col: string): Op => ['range.sort', { range, keys: [{ col }] }];

const scenarios: Readonly<Record<string, Scenario>> = {
  'a column is dropped, and a row inserted with a value in it': {
    base: [table, rows],
    ours: [dropped],
    theirs: [['rows.upsert', { table: 't', rows: [{ id: 9, a: 90, b: 900 }] }]],
    kinds: ['col.edit_delete'],
  },
  'all rows are deleted, and three changed': {
    base: [table, rows],
    ours: [['rows.delete', { table: 't', keys: [1, 2, 3] }]],
    theirs: [['rows.upsert', { table: 't', rows: [1, 2, 3].map((id) => ({ id, a: 0 })) }]],
    kinds: ['tablerow.edit_delete', 'tablerow.edit_delete', 'tablerow.edit_delete'],
  },
  'rows are moved, and one of them elsewhere': {
    ours: [moved(9, 2, 7)],
    theirs: [moved(8, 1, 7)],
    kinds: [],
  },
  'one column is moved to two places': {
    ours: [['cols.move', { from: 'D', before: 'F' }]],
    theirs: [['cols.move', { from: 'D', before: 'A' }]],
    kinds: ['col.order'],
  },
  'a block is sorted, and a cell cut out of it': {
    ours: [sorted('A2:D7', 'A')],
    theirs: [['range.move', { source: 'C7', to: 'C14' }]],
    kinds: [],
  },
  'two blocks are cut that share cells': {
    ours: [['range.move', { source: 'B2:B4', to: 'F2' }]],
    theirs: [['range.move', { source: 'B3:B5', to: 'H3' }]],
    kinds: ['range.move'],
  },
  'a protection gets names on one side, and another range on the other': {
    base: [['protect.set', { id: 'p', ranges: ['A1:A9'], who: ['*'] }]],
    ours: [['protect.set', { id: 'p', ranges: ['A1:A9'], who: ['*', 'ann'] }]],
    theirs: [['protect.set', { id: 'p', ranges: ['A1:B9'], who: ['*', 'bob'] }]],
    kinds: [],
  },
  'a row goes of a table that has cells beside it, and is changed': {
    base: [besideTable, rows],
    ours: [['rows.delete', { table: 't', keys: [2] }]],
    theirs: [['rows.upsert', { table: 't', rows: [{ id: 2, a: 0 }] }]],
    kinds: ['tablerow.edit_delete'],
  },
  'a row below a table is kept, and rows come to the table': {
    base: [['table.create', { name: 'u', keyColumn: 'id', schema: { columns: [{ name: 'id' }] } }]],
    ours: [
      ['cells.set', { sheet: 'u', cells: [{ a1: 'A3', input: 'below' }] }],
      ['rows.upsert', { table: 'u', rows: [{ id: 1 }] }],
    ],
    theirs: [
      ['rows.delete', { sheet: 'u', from: 3, count: 1 }],
      ['rows.upsert', { table: 'u', rows: [{ id: 1 }] }],
      ['rows.upsert', { table: 'u', rows: [{ id: 2 }] }],
    ],
    kinds: ['row.edit_delete'],
  },
  'rows come to a table that has cells beside it, and a row without a key': {
    base: [besideTable, ['rows.import', { table: 't', rows: [] }], set('G2', 0)],
    ours: [['rows.upsert', { table: 't', rows: [1, 2, 6].map((id) => ({ id })) }]],
    theirs: [['rows.upsert', { table: 't', rows: [1, 4, 3].map((id) => ({ id })) }]],
    kinds: [],
  },
  'the key column of a table is deleted, and the table moved': {
    base: [table],
    ours: [['cols.delete', { from: 'F', count: 1 }]],
    theirs: [['range.move', { source: 'F14:H17', to: 'J14' }]],
    kinds: ['table.key', 'table.schema'],
  },
  'the header of a table is moved away, and its rows replaced': {
    base: [table],
    ours: [moved(14, 1, 18)],
    theirs: [['rows.import', { table: 't', rows: [{ id: 8 }, { id: 9 }] }]],
    kinds: [],
  },
  'legacy arrays are entered that share cells': {
    ours: [['cells.set', { cells: [{ a1: 'F1', input: '=A1:A3*2', array: 'F1:F3' }] }]],
    theirs: [
      ['cells.set', { cells: [{ a1: 'F2', input: '=B1:B3*2', array: 'F2:G3' }] }],
      set('G1', 'beside'),
    ],
    kinds: ['cell.value'],
  },
  'a legacy array is entered, and columns are inserted before it on both sides': {
    ours: [['cols.insert', { before: 'A', count: 1 }]],
    theirs: [
      ['cells.set', { cells: [{ a1: 'F1', input: '=A1:A3*2', array: 'F1:F3' }] }],
      ['cols.insert', { before: 'C', count: 1 }],
    ],
    kinds: [],
  },
  'two columns of one name are added': {
    base: [table, rows],
    ours: [['table.column.add', { table: 't', column: 'c', type: 'text' }]],
    theirs: [['table.column.add', { table: 't', column: 'c', type: 'number' }]],
    kinds: ['table.schema'],
  },
  'cells are merged, and their columns moved': {
    ours: [['cols.move', { from: 'D', before: 'B' }]],
    theirs: [['cellmerge.add', { range: 'C20:D24' }]],
    kinds: [],
  },
  'rows are inserted among rows that move': {
    ours: [moved(4, 3, 12)],
    theirs: [['rows.insert', { before: 5, count: 2 }], set('A5', 'new')],
    kinds: [],
  },
  'a sheet is deleted that names lead to, and kept': {
    base: [
      ['sheet.add', { name: 'Rates' }],
      ['name.set', { name: 'rate', ref: 'Rates!B2' }],
      set('J1', '=rate+Rates!C3'),
    ],
    ours: [['sheet.delete', { sheet: 'Rates' }]],
    theirs: [['cells.set', { sheet: 'Rates', cells: [{ a1: 'B2', input: 7 }] }]],
    kinds: ['sheet.edit_delete'],
  },
  'a row is deleted that has a note, a comment and a link since': {
    ours: [['rows.delete', { from: 3, count: 1 }]],
    theirs: [
      ['note.set', { a1: 'A3', text: 'n' }],
      ['comment.add', { a1: 'B3', thread: 't1', text: 'c' }],
      ['hyperlink.set', { range: 'C3', url: 'https://example.com/' }],
    ],
    kinds: ['row.edit_delete'],
  },
  'two sheets get one name': {
    base: [['sheet.add', { name: 'Two' }]],
    ours: [['sheet.rename', { sheet: 'Two', name: 'Plan' }]],
    theirs: [['sheet.add', { name: 'Plan' }]],
    kinds: ['sheet.rename'],
  },
  'two columns get one name': {
    base: [table, rows],
    ours: [['table.column.rename', { table: 't', column: 'a', name: 'sum' }]],
    theirs: [
      ['table.column.rename', { table: 't', column: 'b', name: 'sum' }],
      ['rows.upsert', { table: 't', rows: [{ id: 9, sum: 900 }] }],
      set('J1', '=SUM(t[sum])'),
    ],
    kinds: ['table.schema'],
  },
  'a column gets the name of one that is added': {
    base: [table, rows],
    ours: [['table.column.rename', { table: 't', column: 'a', name: 'sum' }]],
    theirs: [['table.column.add', { table: 't', column: 'sum', default: 7 }]],
    kinds: ['table.schema'],
  },
  'two tables get one name': {
    base: [table, rows, ['table.create', { name: 's', sheetRange: `${sheet}!A1:B3` }]],
    ours: [['table.rename', { table: 't', name: 'goods' }]],
    theirs: [['table.rename', { table: 's', name: 'goods' }], set('J1', '=ROWS(goods)')],
    kinds: ['table.schema'],
  },
  'a table gets the name that a name is given to': {
    base: [table, rows],
    ours: [['table.rename', { table: 't', name: 'goods' }], set('J2', '=SUM(goods[a])')],
    theirs: [['name.set', { name: 'goods', ref: `${sheet}!A1` }], set('J1', '=goods+1')],
    kinds: ['table.schema'],
  },
  'a table gets a name that reads as a cell with a number behind it': {
    base: [table, rows],
    ours: [['table.rename', { table: 't', name: 'Z' }], set('J2', '=SUM(Z[a])')],
    theirs: [['name.set', { name: 'Z', ref: `${sheet}!A1` }], set('J1', '=Z+1')],
    kinds: ['table.schema'],
  },
  'a new table and a new name have one name': {
    ours: [
      ['table.create', { name: 'goods', sheetRange: `${sheet}!A1:B3` }],
      set('J2', '=ROWS(goods)'),
    ],
    theirs: [['name.set', { name: 'goods', ref: `${sheet}!C1` }], set('J1', '=goods+1')],
    kinds: ['table.schema'],
  },
  'a row of the sheet is deleted, and one of the table on it by its key': {
    base: [['range.set', { range: 'F1:H4', inputs: keyed }], besideTable],
    ours: [['rows.delete', { from: 2, count: 1 }]],
    theirs: [['rows.delete', { table: 't', keys: [2] }]],
    kinds: [],
    shows: [
      'A1:G3',
      [
        [1, 2, 3, 4, null, 'id', 'a'],
        [21, 22, 23, 24, null, 3, 30],
        [91, 92, 93, 94, null, null, null],
      ],
    ],
  },
  'two rows are deleted, and a row with a comment between them is written to': {
    base: [['comment.add', { a1: 'D5', thread: 't1', text: 'c' }]],
    ours: [set('B5', 500)],
    theirs: [['rows.delete', { from: 4, count: 3 }]],
    kinds: ['row.edit_delete'],
  },
  'a cell is cut out of others that are merged': {
    ours: [['cellmerge.add', { range: 'A4:B5' }]],
    theirs: [['range.move', { source: 'B5', to: 'F9' }]],
    kinds: [],
    shows: ['F9', [[numbers[4]?.[1]]]],
  },
  'a block is pasted over a part of others that are merged, on another sheet too': {
    base: [['sheet.add', { name: 'Else' }]],
    ours: [['cellmerge.add', { range: 'A4:B5' }]],
    theirs: [
      ['range.move', { source: 'D1:D2', to: 'B5' }],
      ['range.move', { source: 'A4', toSheet: 'Else', to: 'C3' }],
    ],
    kinds: [],
    shows: ['Else!C3', [[numbers[3]?.[0]]]],
  },
  'merged cells are cut onto others that are merged': {
    base: [['cellmerge.add', { range: 'D8:E9' }]],
    ours: [['cellmerge.add', { range: 'A4:B5' }]],
    theirs: [['range.move', { source: 'D8:E9', to: 'B5' }]],
    kinds: ['range.merge_overlap'],
  },
  'a formula is written, and the rows that it sums are sorted': {
    base: [set('E1', '=SUM(A1:A6)'), set('E3', '=C4*2')],
    ours: [set('E1', '=SUM(A1:A9)'), set('E3', '=C4*3')],
    theirs: [sorted('2:9', 'A')],
    kinds: [],
  },
};

for (const [name, scenario] of Object.entries(scenarios)) {
  t.test(name, async (t) => {
    const book = await played(scenario);
    // Where nothing is contested, nobody wins.
    for (const winner of scenario.kinds.length > 0 ? ['main', 'f'] : ['main']) {
      const here = await merge(book, ['f', 'main'], winner);
      const there = await merge(book, ['main', 'f'], winner);
      t.strictSame(here.found.map(({ kind }) => kind).toSorted(), scenario.kinds, winner);
      t.strictSame(there.found, here.found, `the same conflicts, ${winner} wins`);
      t.strictSame(there.content, here.content, `the same workbook, ${winner} wins`);
      const [range, shown] = scenario.shows ?? [];
      if (range) t.strictSame(await values(book, range, `main-${winner}`), shown);
    }
  });
}
