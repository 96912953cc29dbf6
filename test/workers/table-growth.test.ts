import t from 'tap';

import { Formulas } from '../../workers/formulas.ts';
import { lawFaults } from '../support/law-checks.ts';
import { viewsOf } from '../support/record-driver.ts';
import { StateDriver } from '../support/state-driver.ts';

const formulas = new Formulas();

t.test('a table does not grow over merged cells', async (t) => {
  const driver = new StateDriver(formulas);
  driver.apply('sheet.add', { name: 'Plan' });
  const rows = [
    ['k', 'v'],
    ['a', 5],
  ];
  driver.apply('range.set', { sheet: 'Plan', range: 'F2:G3', inputs: rows });
  driver.apply('table.create', { name: 'Stock', keyColumn: 'k', sheetRange: 'Plan!F2:G3' });
  const tables = () => driver.state.tables.summaries(driver.state.structure);
  driver.apply('cellmerge.add', { sheet: 'Plan', range: 'F5:G5' });
  driver.apply('rows.upsert', { table: 'Stock', rows: [{ k: 'b', v: 1 }] });
  const merged = () =>
    driver.state.structure.sheets.flatMap((sheet) =>
      driver.state.records
        .on('cellmerge', sheet)
        .flatMap((record) => driver.state.records.rangesOf(record, sheet)),
    );
  t.match(merged(), [{ row0: 5 }], 'new rows push it down');
  driver.apply('rows.upsert', { table: 'Stock', rows: [{ k: 'c', v: 2 }] });
  t.match(merged(), [{ row0: 6 }]);
  t.match(tables()[0], { name: 'Stock', range: 'F2:G5' });
  driver.apply('rows.import', { table: 'Stock', rows: [1, 2, 3, 4, 5].map((k) => ({ k, v: k })) });
  t.match(tables()[0], { range: 'F2:G7' });
  t.match(merged(), [{ row0: 8 }]);
  driver.apply('cellmerge.add', { sheet: 'Plan', range: 'H3:H4' });
  driver.apply('cells.set', { cells: [{ a1: 'Plan!J2', input: 'beside' }] });
  driver.apply('table.column.add', { table: 'Stock', column: 'w' });
  t.match(tables()[0], { range: 'F2:H7' });
  t.match(
    merged().find(({ row0 }) => row0 === 2),
    { column0: 8 },
    'and so does a column',
  );
  t.same(lawFaults(driver), []);
});

t.test('references to the blank row of an empty table are to the first row that comes', (t) => {
  for (const isEmptied of [false, true]) {
    const driver = new StateDriver(formulas);
    driver.apply('sheet.add', { name: 'Plan' });
    const schema = { columns: [{ name: 'k' }, { name: 'v' }, { name: 'd', formula: '=[@v]*2' }] };
    driver.apply('table.create', { name: 'Items', keyColumn: 'k', schema });
    if (isEmptied) {
      driver.apply('rows.upsert', { table: 'Items', rows: [{ k: 'a', v: 1 }] });
      driver.apply('rows.delete', { table: 'Items', keys: ['a'] });
    }
    const cells = ['=Items!B2', '=SUM(Items!B1:B2)', '=SUM(Items!$B$2:$B$9)', '=SUM(Items!B:B)'];
    const inputs = cells.map((input) => [input]);
    driver.apply('range.set', { sheet: 'Plan', range: 'A1:A4', inputs });
    driver.apply('name.set', { name: 'first', ref: 'Items!$B$2' });
    const rule = { type: 'custom', formula1: '=A1>Items!$B$2' };
    driver.apply('validation.set', { sheet: 'Plan', ranges: ['C1:C9'], rule });
    driver.apply('rows.upsert', {
      table: 'Items',
      rows: [
        { k: 'x', v: 7 },
        { k: 'y', v: 8 },
      ],
    });
    const read = ['A1', 'A2', 'A3', 'A4'].map((a1) => driver.read(a1));
    t.same(read, ['=Items!B2', '=SUM(Items!B1:B2)', '=SUM(Items!$B$2:$B$10)', '=SUM(Items!B:B)']);
    t.match(driver.state.nameSummaries(), [{ name: 'first', formula: '=Items!$B$2' }]);
    t.match(viewsOf(driver.state), [{ value: { rule } }]);
    t.same(lawFaults(driver), []);
  }
  t.end();
});
