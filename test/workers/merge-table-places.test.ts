import t from 'tap';

import type { Choice } from '../../server/state/merge/judge.ts';
import type { MergeOutcome } from '../support/merge-driver.ts';
import { all, clean, kinds, op, play, set, tableRows, type Edit } from '../support/merge-play.ts';

// Rows and columns that both sides put into the same places of a keyed table. It is in One!E1:G4,
// beside cells of others.

const items = op('table.create', {
  name: 'Items',
  keyColumn: 'k',
  schema: { columns: [{ name: 'k' }, { name: 'v' }, { name: 'w' }] },
  sheetRange: 'One!E1:G4',
});

const upsert = (...rows: object[]) => op('rows.upsert', { table: 'Items', rows });
const insertColumn = (before: string) => op('cols.insert', { sheet: 'One', before });
const moveColumn = (from: string, before: string) =>
  op('cols.move', { sheet: 'One', from, before });
const fill = (range: string, input: unknown) => op('range.fill', { sheet: 'One', range, input });

function both(base: Edit, ours: Edit, theirs: Edit): readonly [MergeOutcome, MergeOutcome] {
  const driver = play({ base, ours, theirs });
  return [driver.merge(), driver.mirror()];
}

const byText = (a: unknown, b: unknown) => (String(a) < String(b) ? -1 : 1);

const columnsOf = ({ driver: { state } }: MergeOutcome) =>
  state.tables.named('Items')?.columns.map(({ name }) => name);
const keysOf = ({ driver }: MergeOutcome) => tableRows(driver, 'Items').map(({ k }) => k);
const valuesOf = ({ driver }: MergeOutcome) => tableRows(driver, 'Items').map(({ v }) => v);
const places = ({ conflicts }: MergeOutcome) => conflicts.map(({ id }) => id);

t.test('a column of one name inserted here, and moved into the table there', async (t) => {
  const ours = all(upsert({ k: 1, v: 1 }, { k: 2, v: 5 }), insertColumn('G'));
  const moves = all(moveColumn('H', 'G'), moveColumn('F', 'H'));
  const theirs = all(moves, upsert({ k: 1, v: 2 }, { k: 2, v: 5 }));
  const [merged, mirrored] = both(items, ours, theirs);
  t.strictSame(kinds(merged), ['tablerow.insert_insert'], 'no column stands in the way');
  t.strictSame(places(mirrored), places(merged));
  t.strictSame(columnsOf(merged), ['k', 'v', 'Column3', 'w']);
  t.strictSame(columnsOf(mirrored), ['k', 'Column3', 'v', 'w']);
  t.strictSame(valuesOf(merged), [1, 5]);
  t.strictSame(valuesOf(mirrored), [2, 5]);
});

t.test('what stands beside a table stays there while its columns are aligned', async (t) => {
  const base = all(items, fill('H1:H9', 'beside'));
  const ours = all(moveColumn('I', 'G'), upsert({ k: 1, v: 1 }));
  const theirs = all(insertColumn('G'), upsert({ k: 2, v: 2 }));
  for (const outcome of both(base, ours, theirs)) {
    t.strictSame(kinds(outcome), []);
    t.strictSame(columnsOf(outcome), ['k', 'v', 'Column3', 'w']);
    t.strictSame(keysOf(outcome).toSorted(byText), [1, 2]);
    t.strictSame(outcome.driver.rows('I1:I9').flat(), Array(9).fill('beside'));
  }
});

t.test('of one key on both sides each column is taken from the side chosen', async (t) => {
  const add = (column: string) =>
    all(
      op('range.insert', { sheet: 'One', range: 'G1:G4', shift: 'right' }),
      op('table.column.rename', { table: 'Items', column: 'Column3', name: column }),
    );
  const ours = all(add('a'), upsert({ k: 1, w: 'ours' }));
  const theirs = all(add('c'), upsert({ k: 1, c: 3, w: 'theirs' }));
  for (const outcome of both(items, ours, theirs)) {
    t.strictSame(kinds(outcome), ['tablerow.insert_insert'], 'and is asked about once');
    t.strictSame(columnsOf(outcome)?.toSorted(byText), ['a', 'c', 'k', 'v', 'w']);
  }
});

t.test('rows that were given one key are apart', async (t) => {
  const filled = all(fill('E2:E4', 1), fill('F2', 'a'), fill('F3', 'b'), fill('F4', 'c'));
  const [merged, mirrored] = both(items, filled, upsert({ k: 1, v: 'a' }));
  for (const outcome of [merged, mirrored]) {
    t.strictSame(kinds(outcome), []);
    t.strictSame(valuesOf(outcome).toSorted(byText), ['a', 'b', 'c']);
  }
});

t.test('rows that the table had room for stay where both sides have them', async (t) => {
  const filled = all(fill('E2:E5', 0), op('rows.move', { sheet: 'One', from: 5, before: 2 }));
  const [merged, mirrored] = both(items, filled, upsert({ k: 1, v: 1 }, { k: 2, v: 2 }));
  for (const outcome of [merged, mirrored]) {
    t.strictSame(kinds(outcome), []);
    t.strictSame(keysOf(outcome).toSorted(byText), [0, 0, 0, 0, 1, 2]);
  }
  t.strictSame(mirrored.driver.rows('E3:E5').flat(), [0, 0, 0]);
});

t.test('what one side wrote below the table is contested from both directions', async (t) => {
  const filled = all(fill('E2:E6', 0), op('rows.move', { sheet: 'One', from: 5, before: 2 }));
  const [merged, mirrored] = both(items, filled, upsert({ k: 1, v: 1 }, { k: 2, v: 2 }));
  t.strictSame(kinds(merged), ['tablerow.cell']);
  t.strictSame(places(mirrored), places(merged));
  for (const { driver } of [merged, mirrored]) {
    const rows = driver.rows('E2:F7');
    t.strictSame(rows.flatMap(([, v]) => v ?? []).toSorted(byText), [1, 2], 'both rows are there');
    t.equal(rows.filter(([k]) => k === 0).length, driver === merged.driver ? 5 : 4);
  }
});

t.test('a column moved out of the table stays with the rows it had', async (t) => {
  const theirs = all(upsert({ k: 2, v: 'theirs' }), moveColumn('F', 'E'), moveColumn('E', 'D'));
  for (const outcome of both(items, upsert({ k: 1, v: 'ours' }), theirs)) {
    t.strictSame(kinds(outcome), []);
    t.strictSame(columnsOf(outcome), ['k', 'w']);
    const rows = outcome.driver.rows('D5:F6').toSorted(byText);
    t.strictSame(rows, [
      ['ours', null, 1],
      ['theirs', null, 2],
    ]);
  }
});

t.test('the last row is one of the table where it is kept', async (t) => {
  const schema = { columns: [{ name: 'k' }, { name: 'v' }] };
  const own = op('table.create', { name: 'Items', keyColumn: 'k', schema });
  const driver = play({
    base: all(own, upsert({ k: 1 }, { k: 2 })),
    ours: upsert({ k: 2, v: 'new' }),
    theirs: op('rows.delete', { table: 'Items', keys: [2] }),
  });
  for (const outcome of [driver.merge(), driver.mirror({ otherwise: 'theirs' })]) {
    t.strictSame(kinds(outcome), ['tablerow.edit_delete']);
    t.strictSame(keysOf(outcome), [1, 2]);
  }
  for (const outcome of [driver.merge({ otherwise: 'theirs' }), driver.mirror()]) {
    t.strictSame(keysOf(outcome), [1]);
  }
});

t.test(
  'one key on both sides is asked about with a column that one of them moved away',
  async (t) => {
    const ours = upsert({ k: 1, v: 0 }, { k: 2, v: 'ours' });
    const theirs = all(upsert({ k: 2, v: 'theirs' }), moveColumn('F', 'D'));
    const [merged, mirrored] = both(items, ours, theirs);
    t.strictSame(kinds(merged), ['tablerow.insert_insert']);
    t.strictSame(places(mirrored), places(merged));
    t.match(merged.conflicts[0]?.contest.sides(), { ours: { v: 'ours' }, theirs: { v: 'theirs' } });
  },
);

t.test('what loses is cleared where the column stands on its side', async (t) => {
  const shifted = op('range.insert', { sheet: 'One', range: 'G1:G4', shift: 'right' });
  const ours = all(shifted, upsert({ k: 1, w: 'ours' }));
  const outcome = play({ base: items, ours, theirs: upsert({ k: 1, w: 'theirs' }) }).merge();
  t.strictSame(kinds(outcome), ['tablerow.insert_insert']);
  t.strictSame(tableRows(outcome.driver, 'Items'), [{ k: 1, v: null, Column3: null, w: 'ours' }]);
});

t.test(
  'a key typed on a line that the other side deleted is on the line of its twin',
  async (t) => {
    const theirs = all(
      op('rows.delete', { sheet: 'One', from: 2, count: 1 }),
      upsert({ k: 'x', v: 'theirs' }),
    );
    const ours = op('range.set', { sheet: 'One', range: 'E2:F2', inputs: [['x', 'ours']] });
    for (const outcome of both(items, ours, theirs)) {
      t.strictSame(kinds(outcome), ['tablerow.insert_insert']);
      t.strictSame(keysOf(outcome).filter(Boolean), ['x']);
      t.strictSame(outcome.driver.rows('A1:A3'), [[11], [31], [41]], 'the line is gone');
    }
  },
);

t.test('a row of a key on both sides is not put over what one of them wrote', async (t) => {
  const type = (range: string, ...inputs: unknown[]) =>
    op('range.set', { sheet: 'One', range, inputs: [inputs] });
  const ours = type('E2:G2', 'x', null, 1);
  const theirs = all(type('F2', 'note'), type('E3:G3', 'x', null, 1));
  for (const [mine, notes] of [
    [ours, ['note']],
    [all(ours, type('F3', 'other')), ['note', 'other']],
  ] as const) {
    for (const outcome of both(items, mine, theirs)) {
      t.strictSame(kinds(outcome), []);
      t.strictSame(keysOf(outcome).filter(Boolean), ['x']);
      t.strictSame(outcome.driver.rows('F2:F8').flat().filter(Boolean), notes);
    }
  }
});

t.test('rows that have one key on both sides are asked about one by one', async (t) => {
  const type = (...values: unknown[]) =>
    op('range.set', { sheet: 'One', range: 'E2:F3', inputs: values.map((value) => ['x', value]) });
  const driver = play({ base: items, ours: type(1, 2), theirs: type(3, 4) });
  const ids = places(driver.merge());
  t.equal(new Set(ids).size, 2);
  t.strictSame(places(driver.mirror()), ids);
  const choices = new Map<string, Choice>(ids.slice(1).map((id) => [id, 'theirs']));
  const { driver: merged } = driver.merge({ choices });
  t.strictSame(merged.rows('F2:F3'), [[1], [4]]);
});

t.test('a row on a line that the other side deleted with another row is there', async (t) => {
  const schema = { columns: [{ name: 'k' }, { name: 'a' }] };
  const add = (k: string) => op('rows.upsert', { table: 'Items', rows: [{ k, a: 1 }] });
  const base = all(
    op('table.create', { name: 'Items', keyColumn: 'k', schema }),
    add('f'),
    set('H2', 'beside', 'Items'),
    set('H9', 'below', 'Items'),
  );
  const ours = all(add('b'), op('rows.delete', { table: 'Items', keys: ['b', 'f'] }));
  clean(t, { base, ours, theirs: add('d') }, (merged) => {
    t.strictSame(tableRows(merged, 'Items'), [{ k: 'd', a: 1 }]);
    t.equal(merged.read('H2', 1), 'beside');
  });
});

t.test('a key that went with its column comes back with it', async (t) => {
  const ours = op('cols.delete', { sheet: 'One', from: 'E' });
  const theirs = op('range.move', { sheet: 'One', source: 'E1:G4', to: 'J1' });
  for (const [winner, key] of [
    ['theirs', 'k'],
    ['ours', undefined],
  ] as const) {
    const driver = play({ base: items, ours, theirs });
    const merged = driver.merge({ otherwise: winner });
    const mirrored = driver.mirror({ otherwise: winner === 'ours' ? 'theirs' : 'ours' });
    const again = driver.mergeInto(merged.driver.state, { otherwise: winner });
    for (const { driver: one } of [merged, mirrored, again]) {
      const table = one.state.tables.named('Items');
      t.equal(table?.columns.find(({ id }) => id === table.key)?.name, key, `${winner} wins`);
    }
  }
});
