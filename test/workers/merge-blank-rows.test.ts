import t from 'tap';

import { dataRange, rangeOf } from '../../server/state/structure/tables.ts';
import type { MergeOutcome } from '../support/merge-driver.ts';
import { all, op, play, tableRows, type Edit } from '../support/merge-play.ts';

// Rows that a merge leaves without content in a keyed table on a sheet of its own.

function upsert(...rows: object[]): Edit {
  return op('rows.upsert', { table: 'Items', rows });
}

const columns = [
  { name: 'k', type: 'text' },
  { name: 'a', type: 'integer' },
  { name: 'b', type: 'integer' },
];
const items = op('table.create', { name: 'Items', keyColumn: 'k', schema: { columns } });
const started = all(items, upsert({ k: 'x', a: 1 }, { k: 'y', a: 4 }));

const byText = (a: string, b: string) => (a < b ? -1 : 1);

/** Keys that the rows of the table have, in order, and how many rows have none. */
function keysIn({ driver }: MergeOutcome): { keys: string[]; blankCount: number } {
  const keys = tableRows(driver, 'Items').map(({ k }) => String(k));
  const { structure, tables } = driver.state;
  const table = tables.named('Items');
  if (!table) throw new Error('there is no table');
  const { row0, row1 } = dataRange(table, rangeOf(table, structure));
  return { keys: keys.toSorted(byText), blankCount: row1 - row0 + 1 - keys.length };
}

const remove = (...keys: string[]) =>
  op('rows.delete', { table: 'Items', keys, onMissing: 'ignore' });

t.test('a table that one side emptied has no blank row beside those the other adds', async (t) => {
  const one = all(items, upsert({ k: 'x', a: 1 }));
  const driver = play({ base: one, ours: remove('x'), theirs: upsert({ k: 'y' }, { k: 'z' }) });
  for (const outcome of [driver.merge(), driver.mirror()]) {
    t.strictSame(keysIn(outcome), { keys: ['y', 'z'], blankCount: 0 });
  }
});

t.test('a row that goes to where the other side has its key leaves no blank one', async (t) => {
  const driver = play({
    base: all(items, upsert({ k: 'p', a: 1 }, { k: 'q', a: 2 }, { k: 'r', a: 3 })),
    ours: upsert({ k: 't', a: 9 }, { k: 'q', a: 61 }, { k: 'r', a: 62 }),
    theirs: all(remove('q', 'r'), upsert({ k: 's' }, { k: 't', b: 5 }, { k: 'u' })),
  });
  for (const otherwise of ['ours', 'theirs'] as const) {
    for (const outcome of [driver.merge({ otherwise }), driver.mirror({ otherwise })]) {
      t.match(keysIn(outcome), { blankCount: 0 }, otherwise);
    }
  }
});

t.test('a row that a side left blank stays', async (t) => {
  const blank = all(
    upsert({ k: 'z', a: 7 }),
    op('range.clear', { sheet: 'Items', range: 'A3:C3', what: ['values'] }),
  );
  const driver = play({ base: started, ours: blank, theirs: upsert({ k: 'w', a: 8 }) });
  t.strictSame(keysIn(driver.merge()), { keys: ['w', 'x', 'z'], blankCount: 1 });
});

t.test('blank rows beside other cells stay where formulas name them', async (t) => {
  const set = (sheet: string, a1: string, input: unknown) =>
    op('cells.set', { sheet, cells: [{ a1, input }] });
  const driver = play({
    base: all(
      op('sheet.add', { name: 'Plan' }),
      set('Plan', 'A1', 'k'),
      set('Plan', 'B1', 'a'),
      op('table.create', { name: 'Plans', sheetRange: 'Plan!A1:B4', keyColumn: 'k' }),
      set('Plan', 'F9', '=B4'),
      set('Plan', 'D4', 'beside'),
    ),
    ours: set('Plan', 'B4', 5),
    theirs: set('Plan', 'A4', 'x'),
  });
  for (const { conflicts, driver: merged } of [driver.merge(), driver.mirror()]) {
    const sheet = merged.state.structure.named('Plan');
    const inputs = [
      [3, 0],
      [3, 1],
      [3, 3],
      [8, 5],
    ].map(([row = 0, column = 0]) => sheet && merged.state.inputAt(sheet, row, column));
    t.equal(conflicts.length, 0);
    t.match(inputs, ['x', 5, 'beside', { formula: '=B4' }]);
  }
});
