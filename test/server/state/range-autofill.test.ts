import t from 'tap';

import { Rejection } from '../../../server/model/rejection.ts';
import { Formulas } from '../../../workers/formulas.ts';
import { StateDriver } from '../../support/state-driver.ts';

const formulas = new Formulas();

function book(): StateDriver {
  const driver = new StateDriver(formulas);
  driver.apply('sheet.add', { name: 'One' });
  return driver;
}

interface Options {
  readonly series?: object;
  readonly format?: string;
  readonly dateSystem?: number;
}

/**
 * Returns the cells that follow some cells below them; backward, the cells above them, nearest
 * first.
 */
function filled(source: readonly unknown[], count: number, options: Options = {}): unknown[] {
  const { driver, payload } = prepared(source, options);
  const target = `C${20 + source.length}:C${19 + source.length + count}`;
  driver.apply('range.autofill', { ...payload, target });
  return driver.rows(target).flat();
}

function filledUp(source: readonly unknown[], count: number, options: Options = {}): unknown[] {
  const { driver, payload } = prepared(source, options);
  const target = `C${20 - count}:C19`;
  driver.apply('range.autofill', { ...payload, target });
  return driver.rows(target).flat().toReversed();
}

function prepared(source: readonly unknown[], { series, format, dateSystem }: Options) {
  const driver = book();
  if (dateSystem !== undefined) {
    driver.apply('settings.set', { path: 'dateSystem', value: dateSystem });
  }
  const range = `C20:C${19 + source.length}`;
  driver.apply('range.set', { sheet: 'One', range, inputs: source.map((input) => [input]) });
  if (format !== undefined) driver.apply('numfmt.set', { sheet: 'One', range, pattern: format });
  return { driver, payload: { sheet: 'One', source: range, ...(series && { series }) } };
}

function code(payload: object, inputs: readonly (readonly unknown[])[] = [[1]]): string {
  const driver = book();
  driver.apply('range.set', { sheet: 'One', range: 'C3', inputs });
  const result = driver.submit('range.autofill', { sheet: 'One', source: 'C3', ...payload });
  return result instanceof Rejection ? result.code : result.status;
}

t.test('numbers go on along the line through them', async (t) => {
  t.strictSame(filled([5], 3), [5, 5, 5], 'a single one is copied');
  t.strictSame(filled([1, 2], 3), [3, 4, 5]);
  t.strictSame(filled([1, 3], 3), [5, 7, 9]);
  t.strictSame(filled([10, 8], 3), [6, 4, 2]);
  t.strictSame(filled([0.1, 0.2], 3), [0.3, 0.4, 0.5]);
  t.strictSame(filled([1, 2, 4], 2), [5.33333333333333, 6.83333333333333], 'least squares');
  t.strictSame(filledUp([1, 2], 3), [0, -1, -2]);
});

t.test('a step, a stop, growth', async (t) => {
  t.strictSame(filled([5], 3, { series: { type: 'linear' } }), [6, 7, 8]);
  t.strictSame(filled([5], 3, { series: { type: 'linear', step: 2.5 } }), [7.5, 10, 12.5]);
  t.strictSame(filledUp([5], 3, { series: { type: 'linear', step: 2 } }), [7, 9, 11]);
  t.strictSame(filled([5], 3, { series: { step: -2 } }), [3, 1, -1]);
  t.strictSame(filled([1, 2], 4, { series: { stop: 4 } }), [3, 4, null, null]);
  t.strictSame(filled([2, 1], 4, { series: { stop: -0.5 } }), [0, null, null, null]);
  t.strictSame(filled([3], 3, { series: { type: 'growth', step: 2 } }), [6, 12, 24]);
  t.strictSame(filled([2, 6], 3, { series: { type: 'growth' } }), [18, 54, 162]);
  t.strictSame(
    filledUp([2, 6], 2, { series: { type: 'growth' } }),
    [0.666666666666667, 0.222222222222222],
  );
  t.strictSame(filled([1e200], 3, { series: { type: 'growth', step: 1e100 } }), [
    1e300,
    null,
    null,
  ]);
  t.strictSame(filled([1, 2], 3, { series: { type: 'copy' } }), [1, 2, 1]);
});

t.test('what a series leaves alone keeps what it held', async (t) => {
  const driver = book();
  driver.apply('range.set', { sheet: 'One', range: 'A1', inputs: [[1], [2], [9], ['=A1'], [7]] });
  driver.apply('range.autofill', {
    sheet: 'One',
    source: 'A1:A2',
    target: 'A1:A5',
    series: { stop: 3 },
  });
  t.strictSame(driver.rows('A1:A5').flat(), [1, 2, 3, '=A1', 7]);
});

t.test('dates go on by days, months or years', async (t) => {
  const date = { format: 'yyyy-mm-dd' };
  t.strictSame(filled([46053], 2, date), [46054, 46055]);
  t.strictSame(filledUp([46053], 2, date), [46052, 46051]);
  t.strictSame(filled([46053, 46060], 2, date), [46067, 46074], 'weeks');
  t.strictSame(filled([45658, 45689], 2, date), [45717, 45748], '1 January, 1 February');
  t.strictSame(filled([45688, 45716], 2, date), [45747, 45777], 'the last day of the month');
  t.strictSame(filled([45658, 46023], 2, date), [46388, 46753], 'years');
  t.strictSame(
    filled([45688], 2, { format: 'mmm-yy' }),
    [45716, 45747],
    'months where no days show',
  );
  t.strictSame(filled([45688], 2, { format: 'yyyy' }), [46053, 46418]);
  t.strictSame(filled([0.5], 2, { format: 'h:mm' }), [0.541666666666667, 0.583333333333333]);
  t.strictSame(filled([59], 3, date), [60, 61, 62], 'the day that never was');
});

t.test('a series of dates by unit', async (t) => {
  const by = (unit: string, step?: number) => ({ series: { type: 'date', unit, step } });
  t.strictSame(filled([46052], 3, by('weekday')), [46055, 46056, 46057], 'after a Friday');
  t.strictSame(filled([46052], 2, by('weekday', 5)), [46059, 46066]);
  t.strictSame(filledUp([46055], 2, by('weekday')), [46052, 46051]);
  t.strictSame(filled([45688], 3, by('month')), [45716, 45747, 45777]);
  t.strictSame(filled([45688.25], 2, by('month', -1)), [45657.25, 45626.25]);
  t.strictSame(filled([45351], 2, by('year')), [45716, 46081], '29 February');
  t.strictSame(filled([31], 2, by('month')), [60, 91], 'to 29 February 1900');
  t.strictSame(filled([30], 2, { ...by('month'), dateSystem: 1904 }), [59, 90]);
  t.strictSame(filled([46053], 2, by('day', 7)), [46060, 46067]);
  t.strictSame(filled([2958465], 2, by('month')), [null, null], 'the calendar ends');
});

t.test('texts with a number count', async (t) => {
  t.strictSame(filled(['Item 1'], 3), ['Item 2', 'Item 3', 'Item 4']);
  t.strictSame(filled(['Item 1', 'Item 3'], 2), ['Item 5', 'Item 7']);
  t.strictSame(filled(['A009'], 2), ['A010', 'A011']);
  t.strictSame(filled(['Q3'], 3), ['Q4', 'Q1', 'Q2']);
  t.strictSame(filled(['1st place'], 3), ['2nd place', '3rd place', '4th place']);
  t.strictSame(filled(['11th'], 2), ['12th', '13th']);
  t.strictSame(filledUp(['Item 1'], 3), ['Item 0', 'Item 1', 'Item 2'], "Excel's way below zero");
  t.strictSame(filled(['Item 1', 'Task 8'], 4), ['Item 2', 'Task 9', 'Item 3', 'Task 10']);
  t.strictSame(filled(['Item 1', 'Item 2', 'Item 9'], 2), ['Item 1', 'Item 2'], 'no even step');
  t.strictSame(filled(["'5"], 2), ['6', '7'], 'a number kept as text');
});

t.test('days and months go round', async (t) => {
  t.strictSame(filled(['Mon'], 3), ['Tue', 'Wed', 'Thu']);
  t.strictSame(filled(['saturday'], 2), ['sunday', 'monday']);
  t.strictSame(filled(['NOV'], 3), ['DEC', 'JAN', 'FEB']);
  t.strictSame(filled(['May'], 2), ['Jun', 'Jul']);
  t.strictSame(filled(['April', 'May'], 2), ['June', 'July']);
  t.strictSame(filled(['Mon', 'Wed'], 3), ['Fri', 'Sun', 'Tue']);
  t.strictSame(filledUp(['January'], 2), ['December', 'November']);
});

t.test('everything else repeats, each part for itself', async (t) => {
  t.strictSame(filled(['x', true, { error: '#N/A' }, ''], 5), [
    'x',
    true,
    { error: '#N/A' },
    null,
    'x',
  ]);
  t.strictSame(filled([1, 'x', 2, ''], 6), [3, 'x', 4, null, 5, 'x']);
  t.strictSame(filledUp([1, 'x', 2], 4), [0, 'x', -1, -2]);
});

t.test('formulas are copied, number formats too', async (t) => {
  t.strictSame(filled(['=A20*2', '=$A$1'], 3), ['=A22*2', '=$A$1', '=A24*2']);
  t.strictSame(filledUp(['=A3'], 4), ['=A2', '=A1', '=#REF!', '=#REF!']);
  const { driver, payload } = prepared([1, 2], { format: '0.0' });
  driver.apply('range.autofill', { ...payload, target: 'C20:C24' });
  const sheet = driver.state.structure.sheets[0];
  const last = { row0: 23, row1: 23, column0: 2, column1: 2 };
  t.strictSame(sheet && driver.state.numberFormats(sheet, last), [['0.0']]);
  t.equal(driver.apply('range.autofill', { ...payload, target: 'C20:C24' }).status, 'noop');
});

t.test('in all four directions, line by line', async (t) => {
  const driver = book();
  const inputs = [
    [1, 2],
    ['=C3', 'Mon'],
  ];
  driver.apply('range.set', { sheet: 'One', range: 'C3', inputs });
  const fill = (target: string) =>
    driver.apply('range.autofill', { sheet: 'One', source: 'C3:D4', target });
  fill('C3:F4');
  t.strictSame(driver.rows('C3:F4'), [
    [1, 2, 3, 4],
    ['=C3', 'Mon', '=E3', 'Tue'],
  ]);
  fill('A3:D4');
  t.strictSame(driver.rows('A3:B4'), [
    [-1, 0],
    ['=A3', 'Sun'],
  ]);
  fill('C5:D6');
  t.strictSame(driver.rows('C5:D6'), [
    [1, 2],
    ['=C5', 'Tue'],
  ]);
  fill('C1:D4');
  t.strictSame(driver.rows('C1:D2'), [
    [1, 2],
    ['=C1', 'Sun'],
  ]);
});

t.test('what fits no series is refused', async (t) => {
  t.equal(code({ target: 'C3:D4' }), 'bad_target');
  t.equal(code({ target: 'C5:C6' }), 'bad_target');
  t.equal(code({ target: 'C2:C6' }), 'bad_target');
  t.equal(code({ target: 'C3' }), 'bad_target');
  t.equal(code({ target: 'C4:C9', series: { type: 'linear' } }, [['x']]), 'bad_series');
  t.equal(code({ target: 'C4:C9', series: { type: 'growth' } }), 'bad_series');
  t.equal(
    code({ target: 'C4:C9', series: { type: 'date', unit: 'month', step: 0.5 } }),
    'bad_series',
  );
  t.equal(
    code({ source: 'C3:C4', target: 'C5:C9', series: { type: 'growth' } }, [[0], [1]]),
    'bad_series',
  );
  t.equal(code({ target: 'A3:XFD3' }), 'bad_target');
  t.equal(code({ target: 'C3:C1048576' }), 'applied');
  t.equal(code({ target: 'C4:C9', series: { type: 'copy' } }, [['']]), 'noop');
});

t.test('carried from an older base', async (t) => {
  const driver = book();
  driver.apply('range.set', { sheet: 'One', range: 'A1', inputs: [[1], [2]] });
  const base = driver.state.head;
  driver.apply('rows.insert', { sheet: 'One', before: 1 });
  driver.apply('rows.insert', { sheet: 'One', before: 5 });
  const payload = { sheet: 'One', source: 'A1:A2', target: 'A1:A4' };
  const result = driver.apply('range.autofill', payload, base);
  t.match(result, { status: 'rebased', payload: { source: 'A2:A3', target: 'A4:A6' } });
  t.strictSame(driver.rows('A1:A6').flat(), [null, 1, 2, 3, 4, 5]);
  driver.apply('rows.delete', { sheet: 'One', from: 4, count: 3 });
  const gone = driver.submit('range.autofill', payload, { baseSeq: base });
  t.ok(gone instanceof Rejection && gone.code === 'target_deleted');
});
