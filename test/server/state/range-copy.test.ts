import t from 'tap';

import { Rejection } from '../../../server/model/rejection.ts';
import { Formulas } from '../../../workers/formulas.ts';
import { StateDriver } from '../../support/state-driver.ts';

const formulas = new Formulas();

function book(inputs: readonly (readonly unknown[])[] = []): StateDriver {
  const driver = new StateDriver(formulas);
  driver.apply('sheet.add', { name: 'One' });
  driver.apply('sheet.add', { name: 'Two' });
  if (inputs.length > 0) driver.apply('range.set', { sheet: 'One', range: 'A1', inputs });
  return driver;
}

const copy = (source: string, to: string) => ({ sheet: 'One', source, to });

function formats(driver: StateDriver, row: number, column: number): string | undefined {
  const sheet = driver.state.structure.sheets[0];
  const range = { row0: row, row1: row, column0: column, column1: column };
  return sheet && driver.state.numberFormats(sheet, range)[0]?.[0];
}

t.test('relative references shift, absolute ones stay', async (t) => {
  const driver = book([['=A2+$A$2+A$2+$A2', '=SUM(B2:C3)', '=SUM(C:C)+SUM(2:2)+Two!B2']]);
  driver.apply('range.copy', copy('A1:C1', 'D3'));
  t.strictSame(driver.rows('D3:F3'), [
    ['=D4+$A$2+D$2+$A4', '=SUM(E4:F5)', '=SUM(F:F)+SUM(4:4)+Two!E4'],
  ]);
  t.strictSame(driver.rows('A1:C1'), [
    ['=A2+$A$2+A$2+$A2', '=SUM(B2:C3)', '=SUM(C:C)+SUM(2:2)+Two!B2'],
  ]);
});

t.test('references that would leave the grid are #REF! for good', async (t) => {
  const driver = book();
  const cells = [{ a1: 'C3', input: '=A1+SUM(B2:C9)+C$1' }];
  driver.apply('cells.set', { sheet: 'One', cells });
  driver.apply('range.copy', copy('C3', 'B2'));
  t.equal(driver.read('B2'), '=#REF!+SUM(A1:B8)+B$1');
  driver.apply('range.copy', copy('B2', 'E5'));
  t.equal(driver.read('E5'), '=#REF!+SUM(D4:E11)+E$1');
  driver.apply('range.copy', copy('C3', 'C1:C5'));
  t.strictSame(driver.rows('C1:C5').flat(), [
    '=#REF!+SUM(#REF!)+C$1',
    '=#REF!+SUM(B1:C8)+C$1',
    '=A1+SUM(B2:C9)+C$1',
    '=A2+SUM(B3:C10)+C$1',
    '=A3+SUM(B4:C11)+C$1',
  ]);
});

t.test('a target that holds the source several times is filled with it', async (t) => {
  const driver = book([
    [1, '=A1'],
    ['', '=A2'],
  ]);
  driver.apply('range.fill', { sheet: 'One', range: 'D5:G8', input: 9 });
  driver.apply('range.copy', copy('A1:B2', 'D5:G8'));
  t.strictSame(driver.rows('D5:G8'), [
    [1, '=D5', 1, '=F5'],
    [null, '=D6', null, '=F6'],
    [1, '=D7', 1, '=F7'],
    [null, '=D8', null, '=F8'],
  ]);
  driver.apply('range.copy', copy('A1:B1', 'I1:K3'));
  t.strictSame(
    driver.rows('I1:K3'),
    [
      [1, '=I1', null],
      [1, '=I2', null],
      [1, '=I3', null],
    ],
    'down as often as it fits, across just once',
  );
});

t.test('source and target may overlap', async (t) => {
  const driver = book([[1], [2], [3], ['=A1']]);
  driver.apply('range.copy', copy('A1:A4', 'A2'));
  t.strictSame(driver.rows('A1:A5').flat(), [1, 1, 2, 3, '=A2']);
  driver.apply('range.copy', copy('A2:A5', 'A1'));
  t.strictSame(driver.rows('A1:A5').flat(), [1, 2, 3, '=A1', '=A2']);
});

t.test('to another sheet, where references without a sheet mean that one', async (t) => {
  const driver = book([['=B1+One!B1+Two!B1', 5]]);
  driver.apply('range.copy', { ...copy('A1:B1', 'C4'), toSheet: 'Two' });
  t.strictSame(driver.rows('C4:D4', 1), [['=D4+One!D4+Two!D4', 5]]);
  driver.apply('range.copy', { sheet: 'Two', source: 'D4', to: 'One!A1:A2' });
  t.strictSame(driver.rows('A1:A2'), [[5], [5]]);
});

t.test('what is pasted can be chosen', async (t) => {
  const driver = book([[0.5, '=A1']]);
  driver.apply('numfmt.set', { sheet: 'One', range: 'A1:B1', pattern: '0%' });
  driver.apply('cells.set', { sheet: 'One', cells: [{ a1: 'D1', input: 7, fmt: '0.0' }] });
  driver.apply('range.copy', { ...copy('A1:B1', 'D1'), paste: ['formulas'] });
  t.strictSame([driver.rows('D1:E1'), formats(driver, 0, 3)], [[[0.5, '=D1']], '0.0']);
  driver.apply('range.copy', { ...copy('A1', 'G1'), paste: ['formats'] });
  t.strictSame([driver.read('G1'), formats(driver, 0, 6)], [null, '0%']);
  driver.apply('range.copy', { ...copy('A1:A2', 'D1'), paste: ['values'] });
  t.strictSame([driver.rows('D1:D2').flat(), formats(driver, 0, 3)], [[0.5, null], '0.0']);
  const values = driver.submit('range.copy', { ...copy('A1:B1', 'D1'), paste: ['values'] });
  t.ok(values instanceof Rejection && values.code === 'copy_needs_values');
  t.match(values, { message: 'B1 holds a formula, whose value is not stored' });
});

t.test('the same copy again changes nothing', async (t) => {
  const driver = book([[1, '=A1']]);
  driver.apply('numfmt.set', { sheet: 'One', range: 'A1', pattern: '0%' });
  t.equal(driver.apply('range.copy', copy('A1:B1', 'D1:E9')).status, 'applied');
  t.equal(driver.apply('range.copy', copy('A1:B1', 'D1:E9')).status, 'noop');
  t.equal(driver.apply('range.copy', copy('M1:N2', 'Q1')).status, 'noop');
  driver.apply('numfmt.set', { sheet: 'One', range: 'D3', pattern: '0.0' });
  t.equal(driver.apply('range.copy', copy('A1:B1', 'D1:E9')).status, 'applied');
});

t.test('carried from an older base', async (t) => {
  const driver = book([
    [1, '=A1'],
    [2, '=A2'],
  ]);
  const base = driver.state.head;
  driver.apply('rows.insert', { sheet: 'One', before: 2 });
  driver.apply('cols.insert', { sheet: 'One', before: 'D' });
  const result = driver.apply('range.copy', copy('A1:B2', 'D3:G6'), base);
  t.match(result, {
    status: 'rebased',
    payload: { sheet: 'One', source: 'A1:B3', toSheet: 'One', to: 'E4:H9' },
  });
  t.strictSame(driver.rows('E4:H6'), [
    [1, '=E4', 1, '=G4'],
    [null, null, null, null],
    [2, '=E6', 2, '=G6'],
  ]);
  driver.apply('rows.delete', { sheet: 'One', from: 1, count: 3 });
  const gone = driver.submit('range.copy', copy('A1:B2', 'D3'), { baseSeq: base });
  t.ok(gone instanceof Rejection && gone.code === 'target_deleted');
});

t.test('too much at once is refused', async (t) => {
  const driver = book([[1]]);
  const result = driver.submit('range.copy', copy('A1', 'B:D'));
  t.ok(result instanceof Rejection && result.code === 'range_too_large');
  t.equal(driver.apply('range.copy', copy('A1', 'B:C')).status, 'applied');
  t.equal(driver.read('C1048576'), 1);
});
