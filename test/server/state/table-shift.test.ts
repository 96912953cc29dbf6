import t from 'tap';

import { Formulas } from '../../../workers/formulas.ts';
import { StateDriver } from '../../support/state-driver.ts';

/** Formulas that count how often one is looked at. */
class CountedFormulas extends Formulas {
  count = 0;

  override references(formula: string): ReturnType<Formulas['references']> {
    this.count++;
    return super.references(formula);
  }
}

const rowCount = 3_000;

t.test('rows that go together are one stretch for the formulas beside their table', async (t) => {
  const formulas = new CountedFormulas();
  const driver = new StateDriver(formulas);
  driver.apply('sheet.add', { name: 'One' });
  const inputs = Array.from({ length: rowCount }, (_, at) => [`k${at}`, at]);
  driver.apply('range.set', { sheet: 'One', range: 'A1', inputs: [['key', 'x'], ...inputs] });
  const sheetRange = `One!A1:B${rowCount + 1}`;
  driver.apply('table.create', { name: 'T', keyColumn: 'key', sheetRange });
  driver.apply('range.fill', { sheet: 'One', range: `D2:D${rowCount + 1}`, input: '=B2*2' });
  const keys = inputs.slice(1_000, 2_000).map(([key]) => key);
  formulas.count = 0;
  driver.apply('rows.delete', { table: 'T', keys });
  t.ok(formulas.count < 100, `${formulas.count} times`);
  t.equal(driver.read('D1001'), '=B1001*2', 'of a row before');
  t.equal(driver.read('D1002'), '=#REF!*2', 'of one that is gone');
  t.equal(driver.read('D2001'), '=#REF!*2');
  t.equal(driver.read('D2002'), '=B1002*2', 'of one that moved up');
  t.equal(driver.read(`D${rowCount + 1}`), `=B${rowCount - 999}*2`);
});
