import t from 'tap';

import { Rejection } from '../../../server/model/rejection.ts';
import { drive, StateDriver } from '../../support/state-driver.ts';

function book(): StateDriver {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'Sheet1' });
  return driver;
}

const set = (a1: string, input: unknown) => ({ sheet: 'Sheet1', cells: [{ a1, input }] });

t.test('set B7 after rows were inserted above', async (t) => {
  const driver = book();
  driver.apply('rows.insert', { sheet: 'Sheet1', before: 7, count: 3 });
  const result = driver.apply('cells.set', set('B7', 1), 1);
  t.equal(result.status, 'rebased');
  t.strictSame(result.payload, set('B10', 1));
  t.equal(driver.read('B10'), 1);
});

t.test('set B7 after its row was deleted', async (t) => {
  const driver = book();
  driver.apply('rows.delete', { sheet: 'Sheet1', from: 6, count: 2 });
  const result = driver.submit('cells.set', set('B7', 1), { baseSeq: 1 });
  t.ok(result instanceof Rejection && result.code === 'target_deleted');
});

t.test('a block parts around inserted rows and loses deleted ones', async (t) => {
  const driver = book();
  const inputs = [[5], [6], [7], [8], [9]];
  driver.apply('rows.insert', { sheet: 'Sheet1', before: 7, count: 2 });
  const split = driver.apply('range.set', { sheet: 'Sheet1', range: 'A5:A9', inputs }, 1);
  t.match(split, { status: 'rebased', payload: { range: 'A5:A6,A9:A11', inputs } });
  t.strictSame([driver.read('A6'), driver.read('A7'), driver.read('A9')], [6, null, 7]);
  driver.apply('rows.delete', { sheet: 'Sheet1', from: 6, count: 4 });
  const clipped = driver.apply('range.set', { sheet: 'Sheet1', range: 'A5:A9', inputs }, 1);
  t.match(clipped, { clipped: ['A6:A7'], payload: { range: 'A5,A6:A7', inputs: [[5], [8], [9]] } });
});

t.test('a formula written before rows came in keeps what it refers to', async (t) => {
  const driver = book();
  driver.apply('rows.insert', { sheet: 'Sheet1', before: 5, count: 2 });
  const grown = driver.apply('cells.set', set('C1', '=SUM(A1:A9)+$B$6'), 1);
  t.match(grown.payload, set('C1', '=SUM(A1:A11)+$B$8'));
  driver.apply('rows.delete', { sheet: 'Sheet1', from: 8, count: 1 });
  const broken = driver.apply('cells.set', set('C2', '=$B$6+A1:A9'), 1);
  t.match(broken.payload, set('C2', '=#REF!+A1:A10'));
});

t.test('formulas show the rows they meant, whatever moved since', async (t) => {
  const driver = book();
  driver.apply('cells.set', set('C1', '=A1+A9'));
  driver.apply('rows.insert', { sheet: 'Sheet1', before: 5 });
  t.equal(driver.read('C1'), '=A1+A10');
  driver.apply('rows.move', { sheet: 'Sheet1', from: 10, before: 1 });
  t.equal(driver.read('C2'), '=A2+A1');
  driver.apply('rows.delete', { sheet: 'Sheet1', from: 1 });
  t.equal(driver.read('C1'), '=A1+#REF!');
  driver.apply('sheet.add', { name: 'My plan' });
  driver.apply('cells.set', set('C3', "='My plan'!A1"));
  driver.apply('sheet.rename', { sheet: 'my plan', name: 'Plan' });
  t.equal(driver.read('C3'), '=Plan!A1');
  driver.apply('sheet.delete', { sheet: 'Plan' });
  t.equal(driver.read('C3'), '=#REF!');
});

t.test('inserting, deleting and moving meet each other', async (t) => {
  const driver = book();
  driver.apply('cells.set', set('A10', 'ten'));
  driver.apply('rows.insert', { sheet: 'Sheet1', before: 3, count: 2 });
  t.match(driver.apply('rows.insert', { sheet: 'Sheet1', before: 10 }, 2).payload, { before: 12 });
  t.equal(driver.read('A13'), 'ten');
  const later = driver.apply('rows.delete', { sheet: 'Sheet1', from: 2, count: 3 }, 2);
  t.match(later.payload, {
    spans: [
      { from: 2, count: 1 },
      { from: 5, count: 2 },
    ],
  });
  t.equal(driver.read('A10'), 'ten');
  const again = driver.apply('rows.delete', { sheet: 'Sheet1', from: 3, count: 2 }, 2);
  t.equal(again.status, 'noop');
  const gone = driver.submit('rows.move', { sheet: 'Sheet1', from: 3, before: 9 }, { baseSeq: 2 });
  t.ok(gone instanceof Rejection && gone.code === 'target_deleted');
});

t.test('rows that come before the first one follow it, as before any other', async (t) => {
  const driver = book();
  driver.apply('cells.set', set('A1', 'first'));
  driver.apply('rows.insert', { sheet: 'Sheet1', before: 1, count: 2 });
  const later = driver.apply('rows.insert', { sheet: 'Sheet1', before: 1 }, 2);
  t.match(later.payload, { before: 3 });
  t.equal(driver.read('A4'), 'first');
});

t.test('sheets are followed by identity', async (t) => {
  const driver = book();
  driver.apply('sheet.rename', { sheet: 'Sheet1', name: 'Plan' });
  const result = driver.apply('cells.set', set('A1', 5), 1);
  t.match(result, { status: 'rebased', payload: { sheet: 's1.1.0' } });
  driver.apply('sheet.add', { name: 'Other' });
  driver.apply('sheet.delete', { sheet: 'Plan' });
  const gone = driver.submit('cells.set', set('A1', 5), { baseSeq: 1 });
  t.ok(gone instanceof Rejection && gone.code === 'target_deleted');
  const unknown = driver.submit('cells.set', set('A1', 5));
  t.ok(unknown instanceof Rejection && unknown.code === 'sheet_not_found');
});

t.test('a fill that rows came into is spelled out', async (t) => {
  const driver = book();
  driver.apply('rows.insert', { sheet: 'Sheet1', before: 3 });
  const fill = { sheet: 'Sheet1', range: 'B2:B4', input: '=A1' };
  const result = driver.apply('range.fill', fill, 1);
  t.match(result, {
    kind: 'range.set',
    payload: { range: 'B2,B4:B5', inputs: [['=A1'], ['=A2'], ['=A4']] },
  });
  const even = driver.apply('range.fill', { ...fill, range: 'B7:B9', input: '=A7*2' }, 1);
  t.match(even, { kind: 'range.fill', payload: { range: 'B8:B10', input: '=A8*2' } });
});

t.test('preconditions, strict and what is so already', async (t) => {
  const driver = book();
  driver.apply('cells.set', set('A1', '=b1+1'));
  driver.apply('cells.set', set('A2', "'=text"));
  t.equal(driver.apply('cells.set', set('A1', '=b1+1')).status, 'noop');
  const met = driver.submit('cells.set', set('A3', 1), { expect: { A1: '=B1+1', A2: "'=text" } });
  t.notOk(met instanceof Rejection);
  const failed = driver.submit('cells.set', set('A3', 2), { expect: { A3: null } });
  t.ok(failed instanceof Rejection && failed.code === 'precondition_failed');
  const strict = driver.submit('cells.set', set('A3', 2), { baseSeq: 2, strict: true });
  t.ok(strict instanceof Rejection && strict.code === 'conflict');
  t.notOk(
    driver.submit('cells.set', set('A4', 2), { baseSeq: 2, strict: true }) instanceof Rejection,
  );
});

t.test('a full grid refuses to push content off', async (t) => {
  const driver = book();
  driver.apply('cells.set', set('A1048576', 1));
  const result = driver.submit('rows.insert', { sheet: 'Sheet1', before: 1 });
  t.ok(result instanceof Rejection && result.code === 'grid_full');
  driver.apply('rows.delete', { sheet: 'Sheet1', from: 5 });
  t.equal(driver.read('A1048575'), 1);
  driver.apply('rows.insert', { sheet: 'Sheet1', before: 1 });
  t.equal(driver.read('A1048576'), 1);
});

t.test('typed texts set the format they imply', async (t) => {
  const driver = book();
  const cells = [
    { a1: 'A1', input: '12.5%' },
    { a1: 'A2', input: '2026-01-31' },
    { a1: 'A3', input: "'=x" },
  ];
  const result = driver.apply('cells.set', { sheet: 'Sheet1', cells, parse: true });
  t.strictSame(result.payload, {
    sheet: 'Sheet1',
    cells: [
      { a1: 'A1', input: 0.125, fmt: '0.00%' },
      { a1: 'A2', input: 46053, fmt: 'yyyy-mm-dd' },
      { a1: 'A3', input: "'=x" },
    ],
  });
  const sheet = driver.state.structure.sheets[0];
  const range = { row0: 0, column0: 0, row1: 2, column1: 0 };
  t.ok(sheet);
  if (sheet) {
    t.strictSame(driver.state.numberFormats(sheet, range), [
      ['0.00%'],
      ['yyyy-mm-dd'],
      ['General'],
    ]);
  }
});

t.test('an operation without a sheet keeps the one it meant when others come', (t) => {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'One' });
  const base = driver.state.head;
  driver.apply('sheet.add', { name: 'Two' });
  const same = driver.apply('cells.set', { cells: [{ a1: 'A1', input: 0 }] }, base);
  t.equal(same.status, 'applied', 'it is the first sheet still');
  driver.apply('sheet.move', { sheet: 'Two', index: 0 });
  const cells = driver.apply('cells.set', { cells: [{ a1: 'A1', input: 1 }] }, base);
  const filled = driver.apply('range.fill', { range: 'B1:B2', input: 2 }, base);
  t.equal(cells.status, 'rebased');
  t.equal(filled.status, 'rebased');
  const again = driver.replayed();
  t.equal(again.state.head, driver.state.head);
  t.equal(drive(again.state.stateHash()), drive(driver.state.stateHash()));
  // Sheet One is the second one now.
  t.same([driver.read('A1', 1), driver.read('B1', 1)], [1, 2]);
  t.end();
});
