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

const square = [
  [1, 2, 3],
  [4, 5, 6],
  [7, 8, 9],
];

type Shift = 'right' | 'down' | 'left' | 'up';

function shift(driver: StateDriver, range: string, direction: Shift) {
  const isInsert = direction === 'right' || direction === 'down';
  const kind = isInsert ? 'range.insert' : 'range.delete';
  return driver.submit(kind, { sheet: 'One', range, shift: direction });
}

/** Returns a formula far away as it is after the cells have shifted. */
function retargeted(formula: string, range: string, direction: Shift): unknown {
  const driver = book();
  driver.apply('cells.set', { sheet: 'Two', cells: [{ a1: 'H20', input: formula }] });
  shift(driver, range, direction);
  return driver.read('H20', 1);
}

t.test('cells make room and close up', async (t) => {
  const down = book(square);
  shift(down, 'B2:B3', 'down');
  t.strictSame(down.rows('A1:C5'), [
    [1, 2, 3],
    [4, null, 6],
    [7, null, 9],
    [null, 5, null],
    [null, 8, null],
  ]);
  shift(down, 'B2:B3', 'up');
  t.strictSame(down.rows('A1:C4'), [...square, [null, null, null]]);
  const right = book(square);
  shift(right, 'A2:B2', 'right');
  t.strictSame(right.rows('A1:E3'), [
    [1, 2, 3, null, null],
    [null, null, 4, 5, 6],
    [7, 8, 9, null, null],
  ]);
  shift(right, 'A2:B3', 'left');
  t.strictSame(right.rows('A1:E3'), [
    [1, 2, 3, null, null],
    [4, 5, 6, null, null],
    [9, null, null, null, null],
  ]);
});

t.test('references follow within the band that shifts, and nowhere else', async (t) => {
  t.equal(retargeted('=One!B5+One!C5+One!B1', 'B2:B3', 'down'), '=One!B7+One!C5+One!B1');
  t.equal(retargeted('=One!B5+One!B1+One!A5', 'B2:B3', 'up'), '=One!B3+One!B1+One!A5');
  t.equal(retargeted('=One!D2+One!D3+One!A2', 'B2:C2', 'right'), '=One!F2+One!D3+One!A2');
  t.equal(retargeted('=One!D2+One!D3+One!A2', 'B2:C2', 'left'), '=One!B2+One!D3+One!A2');
  t.equal(retargeted('=One!B2+One!$B$3+One!C2', 'B2:B3', 'up'), '=#REF!+#REF!+One!C2');
  t.equal(retargeted('=B5', 'B2', 'down'), '=B5', 'of another sheet');
});

t.test('ranges grow, shrink, or stay when they are wider than the band', async (t) => {
  t.equal(retargeted('=SUM(One!B1:B5)', 'B2:B3', 'down'), '=SUM(One!B1:B7)');
  t.equal(retargeted('=SUM(One!B2:B5)', 'B2:B3', 'down'), '=SUM(One!B4:B7)');
  t.equal(retargeted('=SUM(One!A1:B5)', 'B2:B3', 'down'), '=SUM(One!A1:B5)');
  t.equal(retargeted('=SUM(One!A1:B5)', 'A2:B2', 'down'), '=SUM(One!A1:B6)');
  t.equal(retargeted('=SUM(One!A1:B5)', 'A2:C2', 'down'), '=SUM(One!A1:B6)');
  t.equal(retargeted('=SUM(One!B1:B5)', 'B2:B3', 'up'), '=SUM(One!B1:B3)');
  t.equal(retargeted('=SUM(One!B1:B5)', 'B4:B9', 'up'), '=SUM(One!B1:B3)');
  t.equal(retargeted('=SUM(One!B3:B9)', 'B1:B5', 'up'), '=SUM(One!B1:B4)');
  t.equal(retargeted('=SUM(One!B3:B4)', 'B3:B9', 'up'), '=SUM(#REF!)');
  t.equal(retargeted('=SUM(One!B1:E1)', 'C1', 'left'), '=SUM(One!B1:D1)');
  t.equal(retargeted('=SUM(One!B1:E2)', 'C1', 'left'), '=SUM(One!B1:E2)');
  t.equal(retargeted('=SUM(One!B:B)', 'B2:B3', 'down'), '=SUM(One!B:B)');
  t.equal(retargeted('=SUM(One!2:2)', 'B2:B3', 'down'), '=SUM(One!2:2)');
  t.equal(retargeted('=SUM(One!B5:B1048576)', 'B2', 'down'), '=SUM(One!B6:B1048576)');
  t.equal(retargeted('=One!B1048576', 'B2', 'down'), '=#REF!');
});

t.test('formulas in the band go along and keep what they mean', async (t) => {
  const driver = book([
    [1, '=A1', '=B1+B2'],
    [2, '=A2', '=B2+B3'],
    [3, '=A3', '=B3+B4'],
  ]);
  shift(driver, 'B2', 'down');
  t.strictSame(driver.rows('A1:C4'), [
    [1, '=A1', '=B1+B3'],
    [2, null, '=B3+B4'],
    [3, '=A2', '=B4+B5'],
    [null, '=A3', null],
  ]);
  shift(driver, 'A1:B1', 'left');
  t.strictSame(driver.rows('A1:C2'), [
    ['=#REF!+B3', null, null],
    [2, null, '=B3+B4'],
  ]);
});

t.test('content is not pushed off the sheet, number formats are', async (t) => {
  const driver = book();
  const cells = [
    { a1: 'B1048575', input: 1 },
    { a1: 'C1048576', fmt: '0.0' },
  ];
  driver.apply('cells.set', { sheet: 'One', cells });
  const result = shift(driver, 'B2:B3', 'down');
  t.ok(result instanceof Rejection && result.code === 'grid_full');
  t.match(shift(driver, 'B2', 'down'), { status: 'applied' });
  t.equal(driver.read('B1048576'), 1);
  t.match(shift(driver, 'C2', 'down'), { status: 'applied' });
  t.match(shift(driver, 'B1048576', 'up'), { status: 'applied' });
  t.equal(driver.read('B1048576'), null);
});

t.test('whole rows and columns are inserted and deleted as such', async (t) => {
  const driver = book(square);
  const row = shift(driver, '2:3', 'down');
  t.match(row, { status: 'applied', kind: 'rows.insert', payload: { before: 2, count: 2 } });
  t.match(shift(driver, 'B:B', 'right'), { kind: 'cols.insert', payload: { before: 2, count: 1 } });
  t.strictSame(driver.rows('A1:D4')[3], [4, null, 5, 6]);
  t.match(shift(driver, 'B:B', 'left'), { kind: 'cols.delete' });
  t.match(shift(driver, '2:3', 'up'), { kind: 'rows.delete' });
  t.strictSame(driver.rows('A1:C3'), square);
});

t.test('a table shifts as a whole, grows by its whole width, and is never torn', async (t) => {
  const driver = book([
    ['', '', ''],
    ['', 'Id', 'Price'],
    ['', 1, 2],
    ['', 3, 4],
  ]);
  driver.apply('table.create', { name: 'Sales', sheetRange: 'One!B2:C4' });
  const place = () => driver.state.tables.summaries(driver.state.structure)[0]?.range;
  const code = (range: string, direction: Shift) => {
    const result = shift(driver, range, direction);
    return result instanceof Rejection ? result.code : place();
  };
  t.equal(code('B1', 'down'), 'table_in_the_way');
  t.equal(code('A3', 'right'), 'table_in_the_way');
  t.equal(code('B1:C1', 'down'), 'B3:C5');
  t.equal(code('A4:C4', 'down'), 'B3:C6', 'a row more');
  t.equal(code('A3:A6', 'right'), 'C3:D6');
  t.equal(code('D1:D9', 'right'), 'C3:E6', 'a column more');
  t.match(driver.state.tables.summaries(driver.state.structure)[0]?.schema.columns, [
    { name: 'Id' },
    { name: 'Column2' },
    { name: 'Price' },
  ]);
  t.equal(code('C5:E5', 'up'), 'C3:E5');
  t.equal(code('C7:C9', 'down'), 'C3:E5', 'below it');
  t.equal(code('A1:E9', 'up'), undefined);
});

t.test('names follow', async (t) => {
  const driver = book();
  driver.apply('name.set', { name: 'tax', ref: 'One!B5' });
  driver.apply('name.set', { name: 'relative', formula: '=One!B5' });
  shift(driver, 'B2', 'down');
  t.match(driver.state.nameSummaries(), [{ formula: '=One!B5' }, { formula: '=One!$B$6' }]);
  shift(driver, 'A6', 'left');
  t.match(driver.state.nameSummaries(), [{ formula: '=One!B5' }, { formula: '=One!$A$6' }]);
});

t.test('nothing to shift is a noop', async (t) => {
  const driver = book(square);
  t.equal((shift(driver, 'F1:G2', 'down') as { status: string }).status, 'noop');
  t.equal((shift(driver, 'A7:C9', 'up') as { status: string }).status, 'noop');
});

t.test('carried from an older base', async (t) => {
  const driver = book(square);
  const base = driver.state.head;
  driver.apply('rows.insert', { sheet: 'One', before: 1 });
  const payload = { sheet: 'One', range: 'B2', shift: 'down' };
  const result = driver.apply('range.insert', payload, base);
  t.match(result, { status: 'rebased', payload: { sheet: 'One', range: 'B3', shift: 'down' } });
  t.strictSame(driver.rows('B2:B5').flat(), [2, null, 5, 8]);
  driver.apply('rows.delete', { sheet: 'One', from: 3 });
  const gone = driver.submit('range.delete', { ...payload, shift: 'up' }, { baseSeq: base });
  t.ok(gone instanceof Rejection && gone.code === 'target_deleted');
  const strict = { baseSeq: base, strict: true };
  const cells = [{ a1: 'B9', input: 1 }];
  const met = driver.submit('cells.set', { sheet: 'One', cells }, strict);
  t.ok(met instanceof Rejection && met.code === 'conflict', 'all that shifts was written to');
});
