import t from 'tap';

import { Formulas } from '../../workers/formulas.ts';
import { lawFaults } from '../support/law-checks.ts';
import { listed } from '../support/record-driver.ts';
import { drive, StateDriver } from '../support/state-driver.ts';

const formulas = new Formulas();

function book(cells: Readonly<Record<string, string>> = {}): StateDriver {
  const driver = new StateDriver(formulas);
  driver.apply('sheet.add', { name: 'Plan' });
  driver.apply('sheet.add', { name: 'Lists' });
  set(driver, cells);
  return driver;
}

function set(driver: StateDriver, cells: Readonly<Record<string, string>>): void {
  const list = Object.entries(cells).map(([a1, input]) => ({ a1, input }));
  if (list.length > 0) driver.apply('cells.set', { sheet: 'Plan', cells: list });
}

const plan = { sheet: 'Plan' };

t.test('a lost end is the next line inwards, be it one that came later', async (t) => {
  const driver = book({ D9: '=SUM(A2:B6)', E9: '=SUM(Lists!$A$2:$A$6)', F9: '=SUM(A2)' });
  driver.apply('rows.insert', { ...plan, before: 3 });
  driver.apply('rows.delete', { ...plan, from: 2 });
  t.equal(driver.read('D9'), '=SUM(A2:B6)');
  driver.apply('rows.insert', { ...plan, before: 6 });
  driver.apply('rows.delete', { ...plan, from: 7 });
  t.equal(driver.read('D9'), '=SUM(A2:B6)');
  t.equal(driver.read('F9'), '=SUM(#REF!)');
  driver.apply('cols.insert', { ...plan, before: 'B' });
  driver.apply('cols.delete', { ...plan, from: 'C' });
  t.equal(driver.read('D9'), '=SUM(A2:B6)');
  driver.apply('rows.insert', { sheet: 'Lists', before: 6, count: 2 });
  driver.apply('rows.delete', { sheet: 'Lists', spans: [{ from: 2 }, { from: 8 }] });
  t.equal(driver.read('E9'), '=SUM(Lists!$A$2:$A$6)');
  t.same(lawFaults(driver), []);
});

t.test(
  'an end that is moved away counts as deleted, unless it stays beside the rest',
  async (t) => {
    const moved = (move: object) => {
      const driver = book({ C30: '=SUM(A2:A6)', D30: '=SUM($A$2:$A$6)' });
      driver.apply('rows.move', { ...plan, ...move });
      t.same(lawFaults(driver), []);
      t.equal(String(driver.read('D30')).replaceAll('$', ''), driver.read('C30'));
      return driver.read('C30');
    };
    t.equal(moved({ from: 6, before: 20 }), '=SUM(A2:A5)', 'away');
    t.equal(moved({ from: 2, before: 20 }), '=SUM(A2:A5)', 'the first one');
    t.equal(moved({ from: 6, before: 2 }), '=SUM(A2:A6)', 'to the other end');
    t.equal(moved({ from: 6, before: 4 }), '=SUM(A2:A6)', 'into the middle');
    t.equal(moved({ from: 6, count: 2, before: 2 }), '=SUM(A4:A7)', 'with one beside it');
    t.equal(moved({ from: 6, count: 2, before: 4 }), '=SUM(A2:A7)', 'among the rest, with another');
    t.equal(moved({ from: 2, count: 5, before: 10 }), '=SUM(A5:A9)', 'all of it');
    t.equal(moved({ from: 3, count: 2, before: 20 }), '=SUM(A2:A4)', 'from the middle');
    t.equal(moved({ from: 1, count: 2, before: 8 }), '=SUM(A1:A4)', 'with one before it');
    t.equal(moved({ spans: [{ from: 5 }, { from: 6 }], before: 20 }), '=SUM(A2:A4)', 'two in one');
    t.equal(moved({ spans: [{ from: 6 }, { from: 2 }], before: 20 }), '=SUM(A2:A4)', 'both ends');
  },
);

t.test('what was inserted beside an end that moves away later stays in the range', async (t) => {
  const driver = book({ C30: '=SUM(A2:A6)' });
  driver.apply('rows.insert', { ...plan, before: 6 });
  driver.apply('rows.move', { ...plan, from: 7, before: 20 });
  t.equal(driver.read('C31'), '=SUM(A2:A6)');
  driver.apply('rows.move', { ...plan, from: 19, before: 2 });
  t.equal(driver.read('C31'), '=SUM(A3:A7)');
  t.same(lawFaults(driver), []);
});

t.test('names, rules, links and calculated columns lose their ends alike', async (t) => {
  const driver = book();
  driver.apply('name.set', { name: 'tax', ref: 'Plan!A2:A6' });
  const rule = { type: 'expression', formula1: '=SUM(A2:A6)>SUM($A$2:$A$6)' };
  driver.apply('cf.set', { ...plan, ranges: ['D1:D30'], rule });
  driver.apply('cf.set', {
    sheet: 'Lists',
    ranges: ['D1'],
    rule: { ...rule, formula1: '=SUM(Plan!A2:A6)>1' },
  });
  driver.apply('hyperlink.set', { sheet: 'Lists', a1: 'A1', location: 'Plan!A2:A6' });
  const schema = { columns: [{ name: 'k' }, { name: 'x', formula: '=SUM(Plan!$A$2:$A$6)' }] };
  driver.apply('table.create', { name: 'Own', keyColumn: 'k', schema });
  driver.apply('rows.upsert', { table: 'Own', rows: [{ k: 1 }] });
  const shown = () => ({
    name: driver.state.nameSummaries()[0]?.formula,
    rules: listed(driver, 'cf').map(([, value]) => value),
    link: listed(driver, 'hyperlink').map(([, value]) => value),
    column: driver.state.tables.named('Own')?.columns[1]?.formula,
  });
  driver.apply('rows.insert', { ...plan, before: 3 });
  driver.apply('rows.delete', { ...plan, from: 2 });
  const all = {
    name: '=Plan!$A$2:$A$6',
    rules: ['=SUM(A2:A6)>SUM($A$2:$A$6)', '=SUM(Plan!A2:A6)>1'].map((formula1) => ({
      rule: { formula1 },
    })),
    link: [{ location: 'Plan!A2:A6' }],
    column: '=SUM(Plan!$A$2:$A$6)',
  };
  t.match(shown(), all);
  driver.apply('rows.insert', { ...plan, before: 6 });
  driver.apply('rows.move', { ...plan, from: 7, before: 20 });
  t.match(shown(), all);
  t.same(lawFaults(driver), []);
});

t.test('a rule whose first cell goes keeps what the next one had', async (t) => {
  const driver = book();
  const rule = { type: 'expression', formula1: '=SUM(A2:A6)>$B$1' };
  driver.apply('cf.set', { ...plan, ranges: ['D2:D30'], rule });
  driver.apply('rows.insert', { ...plan, before: 4 });
  driver.apply('rows.delete', { ...plan, from: 2, count: 2 });
  const [[range, value] = []] = listed(driver, 'cf');
  t.equal(range, 'D2:D29');
  t.match(value, { rule: { formula1: '=SUM(A2:A7)>$B$1' } });
  t.same(lawFaults(driver), []);
});

t.test('an edit inside of ranges stores nothing anew', async (t) => {
  const driver = book({ C20: '=SUM(A2:A9)', C21: '=A5+A12', C22: '=SUM(A:A)+SUM(5:5)' });
  const { dictionary } = driver.state.coding;
  const count = dictionary.formulaCount;
  driver.apply('rows.delete', { ...plan, from: 4, count: 3 });
  driver.apply('rows.move', { ...plan, from: 3, before: 30 });
  driver.apply('rows.insert', { ...plan, before: 4 });
  driver.apply('rows.delete', { ...plan, from: 12, count: 2 });
  t.equal(dictionary.formulaCount, count);
  t.same(lawFaults(driver), []);
});

t.test('a long fill that loses its common end is stored anew as one formula', async (t) => {
  const driver = book();
  driver.apply('range.fill', { ...plan, range: 'B1:B3000', input: '=SUM(A$1:A1)' });
  driver.apply('range.fill', { ...plan, range: 'C20:C3019', input: '=SUM(A11:A20)' });
  const { dictionary } = driver.state.coding;
  const count = dictionary.formulaCount;
  driver.apply('rows.insert', { ...plan, before: 2 });
  driver.apply('rows.delete', { ...plan, from: 1 });
  t.equal(driver.read('B2'), '=SUM(A$1:A2)');
  t.equal(driver.read('B3000'), '=SUM(A$1:A3000)');
  t.ok(dictionary.formulaCount < count + 4, `${dictionary.formulaCount - count} more formulas`);
  driver.apply('rows.insert', { ...plan, before: 1500 });
  driver.apply('rows.delete', { ...plan, from: 1499 });
  t.equal(driver.read('C1508'), '=SUM(A1499:A1508)');
  t.equal(driver.read('C1509'), '=SUM(A1500:A1509)');
  t.equal(driver.read('C1520'), '=SUM(A1511:A1520)');
  driver.apply('rows.move', { ...plan, from: 1, before: 2001 });
  t.equal(driver.read('B1'), '=SUM(A$1:A1)');
  t.equal(driver.read('B1999'), '=SUM(A$1:A2000)');
  t.equal(driver.read('B2001'), '=SUM(A$1:A2001)');
  t.ok(dictionary.formulaCount < count + 20, `${dictionary.formulaCount - count} more formulas`);
  t.same(lawFaults(driver), []);
});

t.test('a fork knows nothing of the ends that are lost elsewhere', async (t) => {
  const driver = book({ C20: '=SUM(A2:A9)' });
  driver.apply('rows.insert', { ...plan, before: 3 });
  const fork = new StateDriver(formulas);
  fork.take(driver.state.fork());
  const hash = drive(fork.state.stateHash());
  driver.apply('rows.delete', { ...plan, from: 2 });
  t.equal(drive(fork.state.stateHash()), hash);
  t.equal(fork.read('C21'), '=SUM(A2:A10)');
  fork.apply('rows.delete', { ...plan, from: 10 });
  t.equal(fork.read('C20'), '=SUM(A2:A9)');
  fork.apply('rows.delete', { ...plan, from: 2 });
  t.equal(fork.read('C19'), driver.read('C20') === '=SUM(A2:A9)' ? '=SUM(A2:A8)' : 'neither');
});

t.test('ranges on a sheet that is deleted are gone, whatever lay at their ends', async (t) => {
  const driver = book({ C1: '=SUM(Lists!A2:A9)' });
  driver.apply('name.set', { name: 'tax', ref: 'Lists!A2:A6' });
  driver.apply('rows.insert', { sheet: 'Lists', before: 3 });
  driver.apply('rows.delete', { sheet: 'Lists', from: 2 });
  driver.apply('sheet.delete', { sheet: 'Lists' });
  t.equal(driver.read('C1'), '=SUM(#REF!)');
  driver.apply('sheet.add', { name: 'Lists' });
  t.equal(driver.read('C1'), '=SUM(#REF!)');
  t.equal(driver.state.nameSummaries()[0]?.formula, '=#REF!');
  t.same(lawFaults(driver), []);
});

t.test('a range of which both ends go is gone, whatever was between them once', async (t) => {
  const driver = book({ D30: '=SUM(A5:A7)' });
  driver.apply('name.set', { name: 'tax', ref: 'Plan!A5:A7' });
  driver.apply('rows.move', { ...plan, from: 6, before: 1 });
  driver.apply('range.fill', { sheet: 'Lists', range: 'A1:A900', input: '=SUM(Plan!B6:B$7)' });
  const { dictionary } = driver.state.coding;
  driver.apply('rows.delete', { ...plan, from: 6, count: 2 });
  t.equal(driver.read('D28'), '=SUM(#REF!)');
  t.equal(driver.state.nameSummaries()[0]?.formula, '=#REF!');
  const count = dictionary.formulaCount;
  driver.apply('range.fill', { ...plan, range: 'E1:E900', input: '=SUM(Lists!A1:A9)' });
  driver.apply('rows.delete', { sheet: 'Lists', from: 1, count: 950 });
  t.ok(dictionary.formulaCount < count + 4, `${dictionary.formulaCount - count} more formulas`);
  t.same(lawFaults(driver), []);
});

t.test('a formula that named a sheet before it was there means it from then on', async (t) => {
  for (const [kind, payload] of [
    ['sheet.add', { name: 'Late' }],
    ['sheet.add', { name: 'LATE', copyOf: 'Lists' }],
    ['sheet.rename', { sheet: 'Lists', name: 'late' }],
  ] as const) {
    const driver = book({ C1: '=Late!B5', C2: "=SUM('Late'!B5:B9)+A3" });
    driver.apply('range.fill', { ...plan, range: 'D1:D9', input: '=COUNT(Late!$B$5:B9)' });
    driver.apply('name.set', { name: 'tax', formula: '=Late!$B$5:$B$9' });
    const rule = { type: 'expression', formula1: '=SUM(Late!A2:A6)>1' };
    driver.apply('cf.set', { ...plan, ranges: ['D1'], rule });
    driver.apply('rows.insert', { ...plan, before: 3 });
    driver.apply(kind, payload);
    t.same(lawFaults(driver), [], kind);
    const { name = '' } =
      driver.state.sheetSummaries().find((one) => /late/iu.test(one.name)) ?? {};
    t.equal(driver.read('C1'), `=${name}!B5`, 'the sheet is spelled as it is called');
    t.equal(driver.state.nameSummaries()[0]?.formula, `=${name}!$B$5:$B$9`);
    t.match(listed(driver, 'cf'), [['D1', { rule: { formula1: `=SUM(${name}!A2:A6)>1` } }]]);
    driver.apply('rows.insert', { sheet: 'late', before: 2 });
    driver.apply('sheet.rename', { sheet: 'Late', name: 'Now' });
    driver.apply('rows.delete', { sheet: 'Now', from: 10 });
    t.equal(driver.read('C1'), '=Now!B6');
    t.equal(driver.read('C2'), '=SUM(Now!B6:B9)+A4');
    t.equal(driver.read('D10'), '=COUNT(Now!$B$6:B17)');
    t.equal(driver.state.nameSummaries()[0]?.formula, '=Now!$B$6:$B$9');
    t.match(listed(driver, 'cf'), [['D1', { rule: { formula1: '=SUM(Now!A3:A7)>1' } }]]);
    t.same(lawFaults(driver), [], `after ${kind}`);
  }
});

t.test('sheets are spelled as they are called, and nothing else', async (t) => {
  const texts = {
    "=plan!A1+'LISTS'!B2": '=Plan!A1+Lists!B2',
    '=SUM(lists!A:A)&"lists!A1"': '=SUM(Lists!A:A)&"lists!A1"',
    "='lists'!fee+Other!A1": '=Lists!fee+Other!A1',
    '=LET(lists,1,lists+lists!A1)': '=LET(lists,1,lists+Lists!A1)',
    '=COUNT(Sales[[#All],[lists!a]])': '=COUNT(Sales[[#All],[lists!a]])',
  };
  for (const [entered, shown] of Object.entries(texts)) {
    const driver = book({ C1: entered });
    t.equal(driver.read('C1'), shown);
    driver.apply('rows.insert', { sheet: 'Lists', before: 50 });
    t.equal(driver.read('C1'), shown);
    t.same(lawFaults(driver), []);
  }
});

t.test('rules of rows that are sorted go on meaning the same places', async (t) => {
  const driver = book({ A1: '3', A2: '2', A3: '1' });
  const rule = { type: 'expression', formula1: '=$A1>$A$2+SUM($A$1:$A$2)' };
  driver.apply('cf.set', { ...plan, ranges: ['A1:B3'], rule });
  driver.apply('range.sort', { ...plan, range: '1:3', order: [3, 2, 1] });
  t.match(listed(driver, 'cf'), [['A1:B3', { rule }]]);
  t.same(lawFaults(driver), []);
});

t.test('a table that was dropped is as if it had never been', async (t) => {
  const driver = book({ A1: 'k', A2: '1', C1: '=ROWS(Own)', C2: '=SUM(Own[k])' });
  driver.apply('table.create', { name: 'Own', sheetRange: 'Plan!A1:A2' });
  t.same(lawFaults(driver), []);
  driver.apply('table.drop', { table: 'Own' });
  t.same(lawFaults(driver), []);
});

t.test('a calculated column that is altered by somebody late keeps its formula', async (t) => {
  const driver = book();
  const schema = { columns: [{ name: 'k' }, { name: 'x', formula: '=SUM(Plan!$A$4:$A$6)' }] };
  driver.apply('table.create', { name: 'Own', keyColumn: 'k', schema });
  const { head } = driver.state;
  driver.apply('rows.delete', { ...plan, from: 2 });
  driver.submit(
    'table.column.alter',
    { table: 'Own', column: 'x', type: 'text' },
    { baseSeq: head },
  );
  t.equal(driver.state.tables.named('Own')?.columns[1]?.formula, '=SUM(Plan!$A$3:$A$5)');
  t.same(lawFaults(driver), []);
});
