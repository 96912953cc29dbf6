import t from 'tap';

import type { Operation } from '../../../server/model/operation.ts';
import { replay } from '../../../server/state/admission.ts';
import { BranchState } from '../../../server/state/branch-state.ts';
import { emptyBook, listed, places, recordFaults } from '../../support/record-driver.ts';
import { drive, type StateDriver } from '../../support/state-driver.ts';

// Rows and columns that were moved into a link and have links of their own.

const plan = { sheet: 'Plan' };

function linked(...areas: readonly string[]): StateDriver {
  const driver = emptyBook();
  for (const range of areas) {
    driver.apply('hyperlink.set', { ...plan, range, url: `https://example.org/${range}` });
  }
  return driver;
}

/** Links as `place from`, by place. */
function links(driver: StateDriver): string[] {
  return listed(driver, 'hyperlink')
    .map(([range, value]) => {
      const { url } = value as { url: string };
      return `${range} ${url.slice('https://example.org/'.length)}`;
    })
    .toSorted();
}

t.test('a cell that is moved into a link keeps its own, by rows and by columns', async (t) => {
  const rows = linked('B1:B2', 'B3');
  rows.apply('rows.move', { ...plan, from: 3, before: 2 });
  t.same(links(rows), ['B1 B1:B2', 'B2 B3', 'B3 B1:B2']);
  t.same(recordFaults(rows), []);
  const columns = linked('A2:B3', 'C2');
  columns.apply('cols.move', { ...plan, from: 'C', before: 'B' });
  t.same(links(columns), ['A2 A2:B3', 'A3:C3 A2:B3', 'B2 C2', 'C2 A2:B3']);
  t.same(recordFaults(columns), []);
});

t.test('rows that are sorted keep their links, and others come into them', async (t) => {
  const driver = linked('B1:B2', 'B3:B4');
  const rows = [1, 3, 2, 4].map((value) => [value]);
  driver.apply('range.set', { ...plan, range: 'A1:A4', inputs: rows });
  driver.apply('range.sort', { ...plan, range: '1:4', keys: [{ col: 'A' }] });
  t.same(links(driver), ['B1 B1:B2', 'B2 B3:B4', 'B3 B1:B2', 'B4 B3:B4']);
  const between = linked('B1:B2', 'C1:C2');
  between.apply('rows.move', { ...plan, from: 9, before: 2 });
  t.same(links(between), ['B1:B3 B1:B2', 'C1:C3 C1:C2']);
  for (const one of [driver, between]) t.same(recordFaults(one), []);
});

t.test('a journal of a former version keeps both links on the cell', async (t) => {
  const driver = linked('B1:B2', 'B3');
  driver.apply('rows.move', { ...plan, from: 3, before: 2 });
  const former = new BranchState(1, driver.state.coding);
  for (const { kind, payload, resolved } of driver.admitted) {
    const { cutLinks: _mark, ...rest } = resolved;
    drive(replay(former, { kind, payload } as Operation, rest));
  }
  const [sheet] = former.structure.sheets;
  const found = sheet ? former.records.on('hyperlink', sheet) : [];
  t.equal(found.length, 2);
  const [range] = sheet && found[0] ? former.records.rangesOf(found[0], sheet) : [];
  const there = sheet && range ? former.records.meeting('hyperlink', sheet, range) : [];
  t.equal(there.length, 2, 'as it did then');
  t.equal(places(driver, 'hyperlink').length, 3, 'a journal of today does not');
});
