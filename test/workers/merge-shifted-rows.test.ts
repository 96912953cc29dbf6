import t, { type Test } from 'tap';

import type { MergeOutcome } from '../support/merge-driver.ts';
import { all, kinds, op, play, tableRows, type Edit } from '../support/merge-play.ts';

// Rows of a keyed table with cells of others beside it: where one goes, those below it move up by
// cells, onto rows of the sheet that other keys had. What the other side did stays with its key.

const tableOf = (rows: readonly object[]) =>
  all(
    op('table.create', {
      name: 'Items',
      keyColumn: 'k',
      schema: { columns: [{ name: 'k' }, { name: 'v' }] },
      sheetRange: 'One!E1:F2',
    }),
    op('rows.upsert', { table: 'Items', rows }),
  );

const items = tableOf([1, 2, 3, 4, 5].map((k) => ({ k, v: k * 10 })));

const gone = (...keys: number[]) => op('rows.delete', { table: 'Items', keys });
const write = (k: number, v: number) => op('rows.upsert', { table: 'Items', rows: [{ k, v }] });
const sort = op('range.sort', { sheet: 'One', range: 'E2:F6', keys: [{ col: 'E', desc: true }] });

function both(ours: Edit, theirs: Edit): readonly [MergeOutcome, MergeOutcome] {
  const driver = play({ base: items, ours, theirs });
  return [driver.merge(), driver.mirror()];
}

const pairs = ({ driver }: MergeOutcome) =>
  tableRows(driver, 'Items').map(({ k, v }) => [k, v] as const);

const ascending = (outcome: MergeOutcome) =>
  pairs(outcome).toSorted(([a], [b]) => Number(a) - Number(b));

const beside = Array.from({ length: 20 }, (_, row) => [1, 2, 3].map((at) => (row + 1) * 10 + at));

function clean(t: Test, [ours, theirs]: readonly [Edit, Edit], expected: unknown): void {
  for (const outcome of both(ours, theirs)) {
    t.strictSame(kinds(outcome), []);
    t.strictSame(pairs(outcome), expected);
    t.strictSame(outcome.driver.rows('A1:C20'), beside, 'cells beside it stay');
  }
}

t.test('an edit stays with its key when a row above it goes', async (t) => {
  clean(
    t,
    [gone(2), write(4, 9)],
    [
      [1, 10],
      [3, 30],
      [4, 9],
      [5, 50],
    ],
  );
  clean(
    t,
    [gone(1, 3), write(5, 9)],
    [
      [2, 20],
      [4, 40],
      [5, 9],
    ],
  );
});

t.test('an edit of the row that goes is asked about', async (t) => {
  const [merged, mirrored] = both(gone(2), write(2, 9));
  t.strictSame(kinds(merged), ['tablerow.edit_delete']);
  t.strictSame(kinds(mirrored), ['tablerow.edit_delete']);
  t.strictSame(pairs(merged), [
    [1, 10],
    [3, 30],
    [4, 40],
    [5, 50],
  ]);
  t.ok(pairs(mirrored).some(([k, v]) => k === 2 && v === 9));
});

t.test('both sides delete other rows', async (t) => {
  clean(
    t,
    [gone(2), gone(4)],
    [
      [1, 10],
      [3, 30],
      [5, 50],
    ],
  );
  clean(
    t,
    [gone(2, 3), gone(3, 4)],
    [
      [1, 10],
      [5, 50],
    ],
  );
});

t.test('an edit stays with its key when the other side sorts', async (t) => {
  clean(
    t,
    [sort, write(2, 9)],
    [
      [5, 50],
      [4, 40],
      [3, 30],
      [2, 9],
      [1, 10],
    ],
  );
});

t.test('one side deletes a row, the other one adds one', async (t) => {
  for (const outcome of both(gone(2), write(6, 60))) {
    t.strictSame(kinds(outcome), []);
    t.strictSame(ascending(outcome), [
      [1, 10],
      [3, 30],
      [4, 40],
      [5, 50],
      [6, 60],
    ]);
  }
});

t.test('one side sorts, the other one deletes a row', async (t) => {
  for (const outcome of both(sort, gone(2))) {
    t.strictSame(kinds(outcome), []);
    t.strictSame(ascending(outcome), [
      [1, 10],
      [3, 30],
      [4, 40],
      [5, 50],
    ]);
  }
});

t.test('both sides sort otherwise: they are asked, and no row is torn apart', async (t) => {
  const move = op('rows.upsert', { table: 'Items', rows: [{ k: 3, v: 5 }] });
  const byValue = op('range.sort', { sheet: 'One', range: 'E2:F6', keys: [{ col: 'F' }] });
  for (const outcome of both(sort, all(move, byValue))) {
    t.ok(kinds(outcome).length > 0);
    for (const [k, v] of pairs(outcome))
      t.ok(v === Number(k) * 10 || (k === 3 && v === 5), String(k));
  }
});

t.test('cells shifted down for a new row take their keys along', async (t) => {
  const insert = all(
    op('range.insert', { sheet: 'One', range: 'E4:F4', shift: 'down' }),
    op('range.set', { sheet: 'One', range: 'E4:F4', inputs: [[7, 70]] }),
  );
  clean(
    t,
    [insert, write(4, 9)],
    [
      [1, 10],
      [2, 20],
      [7, 70],
      [3, 30],
      [4, 9],
      [5, 50],
    ],
  );
  for (const outcome of both(insert, all(gone(1), write(6, 60)))) {
    t.strictSame(kinds(outcome), []);
    t.strictSame(ascending(outcome), [
      [2, 20],
      [3, 30],
      [4, 40],
      [5, 50],
      [6, 60],
      [7, 70],
    ]);
  }
});

t.test('a row of totals stays below the rows that are left', async (t) => {
  const columns = [{ name: 'k' }, { name: 'v' }];
  const table = { name: 'Items', keyColumn: 'k', totalsRow: true, sheetRange: 'One!E1:F3' };
  const base = all(
    op('table.create', { ...table, schema: { columns } }),
    op('rows.upsert', { table: 'Items', rows: [1, 2, 3, 4, 5].map((k) => ({ k, v: k * 10 })) }),
    op('range.set', { sheet: 'One', range: 'E7:F7', inputs: [['Total', '=SUM(F2:F6)']] }),
    op('range.fill', { sheet: 'One', range: 'G1:G9', input: 'beside' }),
  );
  const driver = play({ base, ours: gone(2), theirs: all(write(4, 9), gone(1)) });
  for (const outcome of [driver.merge(), driver.mirror()]) {
    t.strictSame(kinds(outcome), []);
    t.strictSame(pairs(outcome), [
      [3, 30],
      [4, 9],
      [5, 50],
    ]);
    t.strictSame(outcome.driver.rows('E5:G6'), [
      ['Total', '=SUM(F2:F4)', 'beside'],
      [null, null, 'beside'],
    ]);
  }
});

t.test('keys that look like formulas and numbers are keys like others', async (t) => {
  const base = tableOf(["'=a", "'7", "''b", 'c'].map((k) => ({ k, v: 1 })));
  const ours = op('range.delete', { sheet: 'One', range: 'E2:F3', shift: 'up' });
  const theirs = op('range.set', { sheet: 'One', range: 'F5', inputs: [[9]] });
  const driver = play({ base, ours, theirs });
  const [first] = driver.base.rows('E2:F2');
  t.strictSame(first, ['=a', 1], 'a text');
  for (const outcome of [driver.merge(), driver.mirror()]) {
    t.strictSame(kinds(outcome), []);
    t.strictSame(
      pairs(outcome).filter(([k]) => k !== null),
      [
        ["'b", 1],
        ['c', 9],
      ],
    );
  }
});
