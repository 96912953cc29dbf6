import t from 'tap';

import { Rejection } from '../../../server/model/rejection.ts';
import { emptyBook, listed } from '../../support/record-driver.ts';
import type { StateDriver } from '../../support/state-driver.ts';

// Operations for which a strict submission is refused, and others for which it is not: the cases of
// the table of commutation that one letter does not decide.

type Step = readonly [kind: string, payload: object];

function book(): StateDriver {
  const driver = emptyBook();
  const rows = ['k', 'v', 'w', 1, 10, 'a', 2, 20, 'b', 3, 30, 'c'];
  const inputs = [0, 3, 6, 9].map((from) => rows.slice(from, from + 3));
  driver.apply('range.set', { sheet: 'Lists', range: 'A1:C4', inputs });
  driver.apply('table.create', { name: 'Sales', sheetRange: 'Lists!A1:C4', keyColumn: 'k' });
  driver.apply('range.set', { sheet: 'Plan', range: 'A1:A4', inputs: [[4], [3], [2], [1]] });
  driver.apply('name.set', { name: 'tax', ref: 'Plan!A2' });
  driver.apply('comment.add', {
    sheet: 'Plan',
    a1: 'B2',
    text: 'why?',
    thread: 'th',
    comment: 'c',
  });
  return driver;
}

/**
 * Returns the result of the second operation, written strictly against the position before the
 * first.
 */
function after(first: Step, second: Step): { code: string; driver: StateDriver } {
  const driver = book();
  const baseSeq = driver.state.head;
  driver.apply(...first);
  const result = driver.submit(...second, { baseSeq, strict: true });
  return { code: result instanceof Rejection ? result.code : result.status, driver };
}

const plan = { sheet: 'Plan' };
const sales = { table: 'Sales' };
const set: Step = ['cells.set', { ...plan, cells: [{ a1: 'A2', input: 9 }] }];
const inserted: Step = ['rows.insert', { ...plan, before: 2 }];
const moved: Step = ['rows.move', { ...plan, from: 2, before: 9 }];
const sorted: Step = ['range.sort', { ...plan, range: '1:4', keys: [{ col: 'A' }] }];
const deleted: Step = ['rows.delete', { ...plan, from: 2 }];
const sheetDeleted: Step = ['sheet.delete', plan];
const upserted: Step = ['rows.upsert', { ...sales, rows: [{ k: 2, v: 5 }] }];

const apart: readonly (readonly [string, Step, Step])[] = [
  ['two inserts in one gap', inserted, inserted],
  ['an insert and a move', inserted, moved],
  ['moves of different rows', moved, ['rows.move', { ...plan, from: 3, before: 1 }]],
  ['rows and columns', moved, ['cols.move', { ...plan, from: 'A', before: 'C' }]],
  ['a sort and a write to what it sorts', sorted, set],
  ['the size of a row and what is in it', ['rows.size', { ...plan, from: 2, px: 30 }], set],
  [
    'a sheet added and a name of the same spelling',
    ['sheet.add', { name: 'rate' }],
    ['name.set', { name: 'rate', ref: 'Plan!A1' }],
  ],
  [
    'the name of a sheet and its place',
    ['sheet.rename', { ...plan, name: 'Budget' }],
    ['sheet.move', { ...plan, index: 1 }],
  ],
  [
    'two replies',
    ['comment.reply', { thread: 'th', text: 'a' }],
    ['comment.reply', { thread: 'th', text: 'b' }],
  ],
  [
    'a reply and a correction',
    ['comment.reply', { thread: 'th', text: 'a' }],
    ['comment.edit', { thread: 'th', comment: 'c', text: 'b' }],
  ],
  [
    'two new rules',
    ['cf.set', { ...plan, id: 'cf1', ranges: ['A1'], rule: { type: 'uniqueValues' } }],
    ['cf.set', { ...plan, id: 'cf2', ranges: ['A1'], rule: { type: 'uniqueValues' } }],
  ],
  [
    'columns of one row of a table',
    upserted,
    ['rows.upsert', { ...sales, rows: [{ k: 2, w: 5 }] }],
  ],
  [
    'new rows with different keys',
    ['rows.upsert', { ...sales, rows: [{ k: 7 }] }],
    ['rows.upsert', { ...sales, rows: [{ k: 8 }] }],
  ],
  [
    'a column dropped and a row that is new',
    ['table.column.drop', { ...sales, column: 'w' }],
    ['rows.upsert', { ...sales, rows: [{ k: 7, v: 1 }] }],
  ],
  [
    'a column dropped and a row deleted',
    ['table.column.drop', { ...sales, column: 'w' }],
    ['rows.delete', { ...sales, keys: [1] }],
  ],
  [
    'the name of a table and its key',
    ['table.rename', { ...sales, name: 'Costs' }],
    ['table.key.change', { ...sales, keyColumn: 'v' }],
  ],
  [
    'a format and a row of a table',
    ['format.set', { sheet: 'Lists', range: 'A1:C9', style: { bold: true } }],
    upserted,
  ],
];

const against: readonly (readonly [string, Step, Step])[] = [
  ['one row moved twice', moved, ['rows.move', { ...plan, from: 2, before: 5 }]],
  [
    'two sorts',
    sorted,
    ['range.sort', { ...plan, range: '2:4', keys: [{ col: 'A', desc: true }] }],
  ],
  ['a sort and a move', sorted, moved],
  [
    'one name to two places',
    ['name.set', { name: 'tax', ref: 'Plan!A1' }],
    ['name.set', { name: 'TAX', ref: 'Plan!A3' }],
  ],
  [
    'a name redefined that is renamed to',
    ['name.rename', { from: 'tax', to: 'levy' }],
    ['name.set', { name: 'levy', ref: 'Plan!A1' }],
  ],
  [
    'one sheet with two names',
    ['sheet.rename', { ...plan, name: 'Budget' }],
    ['sheet.rename', { ...plan, name: 'Costs' }],
  ],
  [
    'one comment corrected twice',
    ['comment.edit', { thread: 'th', comment: 'c', text: 'a' }],
    ['comment.edit', { thread: 'th', comment: 'c', text: 'b' }],
  ],
  [
    'a reply, and the conversation deleted',
    ['comment.reply', { thread: 'th', text: 'a' }],
    ['comment.delete', { thread: 'th' }],
  ],
  ['a write, and its row deleted', set, deleted],
  ['a write, and its sheet deleted', set, sheetDeleted],
  ['a row inserted, and its sheet deleted', inserted, sheetDeleted],
  ['a note, and its sheet deleted', ['note.set', { ...plan, a1: 'B2', text: 'n' }], sheetDeleted],
  ['a row of a table written, and deleted', upserted, ['rows.delete', { ...sales, keys: [2] }]],
  ['a row of a table deleted, and made again', ['rows.delete', { ...sales, keys: [2] }], upserted],
  [
    'its row of the sheet deleted, and made again',
    ['rows.delete', { sheet: 'Lists', from: 3 }],
    upserted,
  ],
  [
    'a row written, and its column dropped',
    upserted,
    ['table.column.drop', { ...sales, column: 'v' }],
  ],
  ['a row written, and its table dropped', upserted, ['table.drop', sales]],
  [
    'a row written, and the key changed',
    upserted,
    ['table.key.change', { ...sales, keyColumn: 'w' }],
  ],
  [
    'a column altered in two ways',
    ['table.column.alter', { ...sales, column: 'v', type: 'text' }],
    ['table.column.alter', { ...sales, column: 'v', type: 'number' }],
  ],
];

t.test('what does not meet is admitted in either order', async (t) => {
  for (const [name, a, b] of apart) {
    t.not(after(a, b).code, 'conflict', name);
    t.not(after(b, a).code, 'conflict', `${name}, the other way round`);
  }
});

t.test('what would be lost is a conflict', async (t) => {
  for (const [name, a, b] of against) t.equal(after(a, b).code, 'conflict', name);
});

t.test('the same twice agrees', async (t) => {
  const same: readonly Step[] = [
    set,
    ['name.set', { name: 'tax', ref: 'Plan!A1' }],
    ['sheet.rename', { ...plan, name: 'Budget' }],
    ['rows.size', { ...plan, from: 2, px: 30 }],
    ['cellmerge.add', { ...plan, range: 'C1:D2' }],
    upserted,
    ['table.column.rename', { ...sales, column: 'v', name: 'x' }],
  ];
  for (const step of same) t.equal(after(step, step).code, 'noop', step[0]);
});

t.test(
  'contents that moved to other rows and columns take no writes meant for others',
  async (t) => {
    const edits: readonly Step[] = [
      ['rows.delete', { ...sales, keys: [1] }],
      ['table.column.drop', { ...sales, column: 'v' }],
    ];
    for (const first of edits) {
      const driver = book();
      const cells = [
        { a1: 'E2', input: 'beside' },
        { a1: 'C9', input: 'below' },
      ];
      driver.apply('cells.set', {
        sheet: 'Lists',
        cells: [...cells, { a1: 'B9', input: 'below' }],
      });
      const baseSeq = driver.state.head;
      driver.apply(...first);
      const write = { sheet: 'Lists', cells: [{ a1: 'C3', input: 'mine' }] };
      const result = driver.submit('cells.set', write, { baseSeq, strict: true });
      t.match(result, { code: 'conflict' }, first[0]);
    }
  },
);

t.test('names and formulas of what is deleted read #REF! in either order', async (t) => {
  const formula: Step = ['cells.set', { sheet: 'Lists', cells: [{ a1: 'E1', input: '=Plan!A2' }] }];
  for (const gone of [deleted, sheetDeleted]) {
    for (const both of [
      [formula, gone],
      [gone, formula],
    ] as const) {
      const driver = book();
      const baseSeq = driver.state.head;
      for (const [kind, payload] of both) driver.apply(kind, payload, baseSeq);
      const at = driver.state.structure.sheets.findIndex(({ name }) => name === 'Lists');
      t.match(driver.read('E1', at), /#REF!/u, `${gone[0]}: ${both[0][0]} first`);
    }
  }
});

t.test('a conversation outlives its row, and a merge of no cells is gone', async (t) => {
  const driver = book();
  driver.apply('cellmerge.add', { ...plan, range: 'D2:E2' });
  driver.apply('cellmerge.add', { ...plan, range: 'D4:E6' });
  driver.apply('rows.delete', { ...plan, spans: [{ from: 2 }, { from: 5 }] });
  t.same(
    listed(driver, 'cellmerge').map(([range]) => range),
    ['D3:E4'],
  );
  t.match(listed(driver, 'thread'), [[String, { displaced: true }]]);
});
