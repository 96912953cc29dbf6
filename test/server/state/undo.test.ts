import * as fc from 'fast-check';
import t from 'tap';

import { Rejection } from '../../../server/model/rejection.ts';
import { contentDifference, contentOf, UndoDriver } from '../../support/undo-driver.ts';

function begun(rowCount = 0): UndoDriver {
  const driver = new UndoDriver();
  driver.apply('sheet.add', { name: 'One' });
  const inputs = Array.from({ length: rowCount }, (_, row) => [row, `row ${row}`]);
  if (rowCount > 0) driver.apply('range.set', { sheet: 'One', range: 'A1', inputs });
  return driver;
}

const set = (a1: string, input: unknown) => ({ sheet: 'One', cells: [{ a1, input }] });

t.test('rows that were sorted stand as before, with those that came since', async (t) => {
  const numbers = Array.from({ length: 40 }, (_, index) => index + 1);
  const shuffled = fc.shuffledSubarray(numbers, { minLength: 30, maxLength: 40 });
  fc.assert(
    fc.property(shuffled, fc.integer({ min: 1, max: 40 }), (order, before) => {
      const driver = begun(40);
      const content = contentOf(driver.state);
      driver.apply('range.sort', { sheet: 'One', range: '1:40', order });
      const sorted = driver.state.head;
      const found = driver.undo();
      if (found instanceof Rejection) throw found;
      const difference = contentDifference(content, contentOf(driver.state));
      if (difference !== undefined) throw new Error(difference);
      driver.undo();
      driver.apply('rows.insert', { sheet: 'One', before, count: 2 });
      driver.apply('cells.set', set(`A${before}`, 'new'));
      const result = driver.undo(sorted + 2);
      if (result instanceof Rejection) throw result;
      const column = driver.rows('A1:A42').map(([value]) => value);
      const old = column.filter((value) => typeof value === 'number');
      const isSorted = old.every((value, index) => value === index);
      if (!isSorted || old.length !== 40) throw new Error(column.join());
      const at = column.indexOf('new');
      if (column[at + 1] !== null) throw new Error('new rows stay together');
    }),
    { numRuns: 60 },
  );
  const driver = begun(40);
  driver.apply('range.sort', { sheet: 'One', range: '1:40', keys: [{ col: 'A', desc: true }] });
  const result = driver.undo();
  t.match(result, { status: 'applied', payload: { ops: [{ kind: 'range.sort' }] } }, 'in one part');
});

t.test('a range over rows that were sorted has the ends that it had', async (t) => {
  const driver = begun(6);
  driver.apply('cells.set', set('C1', '=SUM(A3:B5)'));
  driver.apply('range.sort', { sheet: 'One', range: '2:4', order: [4, 3, 2] });
  const sorted = driver.state.head;
  driver.apply('rows.insert', { sheet: 'One', before: 1 });
  driver.undo();
  driver.undo(sorted);
  t.same(driver.rows('C1:C1'), [['=SUM(A3:B5)']]);
});

t.test('lines go with what was undone, but not with what others put there', async (t) => {
  const driver = begun(3);
  driver.apply('rows.insert', { sheet: 'One', before: 2, count: 3 });
  const inserted = driver.state.head;
  driver.apply('cells.set', set('C3', 'theirs'));
  driver.apply('note.set', { sheet: 'One', a1: 'A4', text: 'theirs' });
  t.match(driver.undo(inserted), { status: 'applied', clipped: ['One!3:3', 'One!4:4'] });
  t.same(driver.rows('A1:C5'), [
    [0, 'row 0', null],
    [null, null, 'theirs'],
    [null, null, null],
    [1, 'row 1', null],
    [2, 'row 2', null],
  ]);
});

t.test('what was deleted means the same again', async (t) => {
  const driver = begun(4);
  driver.apply('name.set', { name: 'second', ref: 'One!A2' });
  driver.apply('format.set', { sheet: 'One', range: '2:2', style: { bold: true } });
  driver.apply('cells.set', set('D1', '=A2+$A$3'));
  const content = contentOf(driver.state);
  driver.apply('rows.delete', { sheet: 'One', from: 2, count: 2 });
  t.equal(driver.read('D1'), '=#REF!+#REF!');
  const deleted = driver.state.head;
  driver.apply('rows.insert', { sheet: 'One', before: 1 });
  const inserted = driver.state.head;
  driver.undo(deleted);
  t.equal(driver.read('D2'), '=A3+$A$4');
  driver.undo(inserted);
  t.equal(contentDifference(content, contentOf(driver.state)), undefined);

  driver.apply('sheet.add', { name: 'Two' });
  driver.apply('cells.set', { sheet: 'Two', cells: [{ a1: 'A1', input: '=One!A1' }] });
  driver.apply('sheet.delete', { sheet: 'One' });
  const gone = driver.state.head;
  driver.apply('sheet.add', { name: 'One' });
  t.match(driver.undo(gone), { status: 'applied' });
  t.same(
    driver.state.structure.sheets.map(({ name }) => name),
    ['One (2)', 'Two', 'One'],
    'another sheet has its name',
  );
  t.equal(driver.read('A1', 1), "='One (2)'!A1");
});

t.test('an undo of too much says so, and leaves nothing behind', async (t) => {
  const driver = begun();
  const text = 'x'.repeat(32_000);
  const inputs = Array.from({ length: 140 }, (_, row) => [`${row} ${text}`]);
  driver.apply('range.set', { sheet: 'One', range: 'A1', inputs });
  driver.apply('range.clear', { sheet: 'One', range: 'A:A' });
  const content = contentOf(driver.state);
  const result = driver.undo();
  t.match(result, { code: 'range_too_large' });
  t.equal(contentDifference(content, contentOf(driver.state)), undefined);
});
