import t from 'tap';

import type { MergeOutcome } from '../support/merge-driver.ts';
import { all, kinds, op, play, tableRows, type Edit } from '../support/merge-play.ts';

// Rows and columns that both sides put into the same places of a keyed table. It is in One!E1:G4,
// beside cells of others.

const items = op('table.create', {
  name: 'Items',
  keyColumn: 'k',
  schema: { columns: [{ name: 'k' }, { name: 'v' }, { name: 'w' }] },
  sheetRange: 'One!E1:G4',
});

const upsert = (...rows: object[]) => op('rows.upsert', { table: 'Items', rows });
const fill = (range: string, input: unknown) => op('range.fill', { sheet: 'One', range, input });

function both(base: Edit, ours: Edit, theirs: Edit): readonly [MergeOutcome, MergeOutcome] {
  const driver = play({ base, ours, theirs });
  return [driver.merge(), driver.mirror()];
}

const byText = (a: unknown, b: unknown) => (String(a) < String(b) ? -1 : 1);

const keysOf = ({ driver }: MergeOutcome) => tableRows(driver, 'Items').map(({ k }) => k);
const valuesOf = ({ driver }: MergeOutcome) => tableRows(driver, 'Items').map(({ v }) => v);
const places = ({ conflicts }: MergeOutcome) => conflicts.map(({ id }) => id);

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
