import t from 'tap';

import { Formulas } from '../../workers/formulas.ts';
import { lawFaults } from '../support/law-checks.ts';
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
