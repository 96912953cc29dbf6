import t from 'tap';

import { Rejection } from '../../../server/model/rejection.ts';
import { Formulas } from '../../../workers/formulas.ts';
import { StateDriver } from '../../support/state-driver.ts';

const formulas = new Formulas();

function book(inputs: readonly (readonly unknown[])[] = []): StateDriver {
  const driver = new StateDriver(formulas);
  driver.apply('sheet.add', { name: 'One' });
  if (inputs.length > 0) driver.apply('range.set', { sheet: 'One', range: 'A1', inputs });
  return driver;
}

type Key = { col: string | number; desc?: boolean; type?: string };

function sorted(inputs: readonly unknown[], key: Partial<Key> = {}): unknown[] {
  const driver = book(inputs.map((input) => [input]));
  const range = `A1:A${inputs.length}`;
  driver.apply('range.sort', { sheet: 'One', range, keys: [{ col: 'A', ...key }] });
  return driver.rows(range).flat();
}

const na = { error: '#N/A' };
const ref = { error: '#REF!' };

t.test('numbers, then texts, then FALSE and TRUE, then errors; blanks last', async (t) => {
  const mixed = [true, 'b', '', 10, na, 'A', -2, false, ref, '', '10', 9.5];
  t.strictSame(sorted(mixed), [-2, 9.5, 10, '10', 'A', 'b', false, true, na, ref, null, null]);
  t.strictSame(
    sorted(mixed, { desc: true }),
    [na, ref, true, false, 'b', 'A', '10', 10, 9.5, -2, null, null],
    'errors are all the same, and blanks last again',
  );
});

t.test('text without regard to case, numbers among texts by type', async (t) => {
  t.strictSame(sorted(['b', 'B', 'a', 'É', 'é', 'A']), ['a', 'A', 'b', 'B', 'É', 'é']);
  t.strictSame(sorted(['10', 9, '1e3', '$20', 'x'], { type: 'number' }), [
    9,
    '10',
    '$20',
    '1e3',
    'x',
  ]);
  t.strictSame(sorted([9, 10, '1', true], { type: 'text' }), ['1', 10, 9, true]);
});

t.test('equal rows keep their order, later keys part them', async (t) => {
  const driver = book([
    ['b', 2, 1],
    ['a', 1, 2],
    ['B', 1, 3],
    ['a', 1, 4],
    ['A', 3, 5],
  ]);
  const range = 'A1:C5';
  driver.apply('range.sort', { sheet: 'One', range, keys: [{ col: 'A' }] });
  t.strictSame(driver.rows('C1:C5').flat(), [2, 4, 5, 1, 3]);
  driver.apply('range.sort', { sheet: 'One', range, keys: [{ col: 1, desc: true }, { col: 2 }] });
  t.strictSame(driver.rows('C1:C5').flat(), [3, 1, 2, 4, 5]);
});

t.test('a header stays, cells beside the range too, number formats go along', async (t) => {
  const driver = book([
    ['name', 'n', 'x'],
    ['b', 2, 'x2'],
    ['a', 1, 'x1'],
  ]);
  driver.apply('numfmt.set', { sheet: 'One', range: 'B2', pattern: '0.0' });
  const keys = [{ col: 'B' }];
  const result = driver.apply('range.sort', { sheet: 'One', range: 'A1:B3', keys, header: true });
  t.strictSame(driver.rows('A1:C3'), [
    ['name', 'n', 'x'],
    ['a', 1, 'x2'],
    ['b', 2, 'x1'],
  ]);
  t.strictSame(result.payload, { sheet: 'One', range: 'A2:B3', keys, order: [3, 2] });
  const sheet = driver.state.structure.sheets[0];
  const column = { row0: 1, row1: 2, column0: 1, column1: 1 };
  t.strictSame(sheet && driver.state.numberFormats(sheet, column), [['General'], ['0.0']]);
  const again = { sheet: 'One', range: 'A1:B3', keys, header: true };
  t.equal(driver.apply('range.sort', again).status, 'noop');
});

t.test('formulas shift as copies within their column; others keep their addresses', async (t) => {
  const driver = book([
    [3, '=A1*2+A$1', '=SUM(A1:A3)'],
    [1, '=A2*2+A$1', '=A1'],
    [2, '=A3*2+$A$2'],
  ]);
  driver.apply('name.set', { name: 'tax', ref: 'One!A1' });
  driver.apply('range.sort', { sheet: 'One', range: 'A1:B3', keys: [{ col: 'A' }] });
  t.strictSame(driver.rows('A1:C3'), [
    [1, '=A1*2+A$1', '=SUM(A1:A3)'],
    [2, '=A2*2+$A$2', '=A1'],
    [3, '=A3*2+A$1', null],
  ]);
  t.match(driver.state.nameSummaries(), [{ formula: '=One!$A$1' }]);
});

t.test('formulas are no keys, unless the caller gives the order', async (t) => {
  const driver = book([
    [1, '=3'],
    [2, '=1'],
    [3, '=2'],
    [4, 9],
  ]);
  const payload = { sheet: 'One', range: 'A1:B4' };
  const refused = driver.submit('range.sort', { ...payload, keys: [{ col: 'B' }] });
  t.ok(refused instanceof Rejection && refused.code === 'sort_needs_values');
  driver.apply('range.sort', { ...payload, keys: [{ col: 'B' }], order: [2, 3, 1] });
  t.strictSame(driver.rows('A1:A4').flat(), [2, 3, 1, 4], 'rows left out stay');
  const code = (order: number[]) => {
    const result = driver.submit('range.sort', { ...payload, order });
    return result instanceof Rejection ? result.code : result.status;
  };
  t.equal(code([2, 2]), 'bad_order');
  t.equal(code([5, 1]), 'bad_order');
  t.equal(code([1, 2, 3, 4]), 'noop');
  t.equal(code([4, 3, 2, 1]), 'applied');
});

t.test('bad keys are refused', async (t) => {
  const driver = book([[2], [1]]);
  const code = (payload: object) => {
    const result = driver.submit('range.sort', { sheet: 'One', ...payload });
    return result instanceof Rejection ? result.code : result.status;
  };
  t.equal(code({ range: 'A1:B2', keys: [{ col: 'C' }] }), 'bad_range');
  t.equal(code({ range: 'A1:B2' }), 'position_missing');
  t.equal(code({ range: 'A1:B2,D1', keys: [{ col: 'A' }] }), 'bad_range');
  t.equal(code({ range: 'A1:B1', keys: [{ col: 'A' }], header: true }), 'noop');
  t.equal(code({ range: 'A:A', keys: [{ col: 'A' }] }), 'applied');
});

const ledger = [
  ['day', 'amount', 'balance', '', '=SUM(B2:B4)'],
  [3, 30, '=B2', '', '=B3'],
  [1, 10, '=C2+B3', '', '=$B$2'],
  [2, 20, '=C3+B4'],
];

t.test('whole rows keep their identity, references their places', async (t) => {
  const driver = book(ledger);
  driver.apply('name.set', { name: 'first', ref: 'One!A2' });
  const base = driver.state.head;
  const keys = [{ col: 'A' }];
  driver.apply('range.sort', { sheet: 'One', range: '1:4', keys, header: true });
  const [sheet] = driver.state.structure.sheets;
  t.equal(
    sheet?.rows
      .spansAt(0, 5)
      .map(({ offset, length }) => `${offset}+${length}`)
      .join(' '),
    '0+1 2+2 1+1 4+1',
  );
  t.strictSame(driver.rows('A1:E4'), [
    ['day', 'amount', 'balance', null, '=SUM(B2:B4)'],
    [1, 10, '=C1+B2', null, '=$B$2'],
    [2, 20, '=C2+B3', null, null],
    [3, 30, '=B4', null, '=B5'],
  ]);
  t.match(driver.state.nameSummaries(), [{ formula: '=One!$A$2' }]);
  const cells = [{ a1: 'B2', input: 33 }];
  const edit = driver.apply('cells.set', { sheet: 'One', cells }, base);
  t.match(edit, { status: 'rebased', payload: { cells: [{ a1: 'B4', input: 33 }] } });
  driver.apply('rows.delete', { sheet: 'One', from: 2 });
  t.strictSame(driver.rows('A1:E3'), [
    ['day', 'amount', 'balance', null, '=SUM(B2:B3)'],
    [2, 20, '=#REF!+B2', null, null],
    [3, 33, '=B3', null, '=B4'],
  ]);
});

t.test('a sort is what the rest of its submission was written on', async (t) => {
  const driver = book([[2], [1], [3]]);
  const sort = {
    kind: 'range.sort',
    payload: { sheet: 'One', range: '1:3', keys: [{ col: 'A' }] },
  };
  const cells = {
    kind: 'cells.set',
    payload: { sheet: 'One', cells: [{ a1: 'B2', input: 'two' }] },
  };
  const base = driver.state.head;
  driver.apply('rows.insert', { sheet: 'One', before: 3 });
  driver.submitAll([sort, cells], base);
  t.strictSame(driver.rows('A1:B4'), [
    [1, null],
    [2, 'two'],
    [3, null],
    [null, null],
  ]);
});

t.test('carried from an older base', async (t) => {
  const driver = book([
    [3, 'c'],
    [1, 'a'],
    [2, 'b'],
  ]);
  const base = driver.state.head;
  driver.apply('rows.insert', { sheet: 'One', before: 2 });
  const payload = { sheet: 'One', range: 'A1:B3', keys: [{ col: 'A' }] };
  const result = driver.apply('range.sort', payload, base);
  t.match(result, { status: 'rebased', payload: { range: 'A1:B4', order: [3, 4, 1, 2] } });
  t.strictSame(driver.rows('A1:A4').flat(), [1, 2, 3, null], 'what came in between is sorted too');
  const ordered = book([[3], [1], [2]]);
  const before = ordered.state.head;
  ordered.apply('rows.delete', { sheet: 'One', from: 2 });
  ordered.apply('rows.insert', { sheet: 'One', before: 1 });
  const given = { sheet: 'One', range: 'A1:A3', order: [2, 3, 1] };
  const carried = ordered.apply('range.sort', given, before);
  t.match(carried, { payload: { range: 'A2:A3', order: [3, 2] }, clipped: ['A2'] });
  t.strictSame(ordered.rows('A1:A3').flat(), [null, 2, 3]);
  ordered.apply('cols.delete', { sheet: 'One', from: 'A' });
  const gone = ordered.submit('range.sort', payload, { baseSeq: before });
  t.ok(gone instanceof Rejection && gone.code === 'target_deleted');
});
