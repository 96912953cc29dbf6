import t from 'tap';

import type { Mutation } from '../../server/model/mutation.ts';
import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';
import { OneSheet } from '../support/one-sheet.ts';

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const sheet = 1;

function kernelWith(formula: string, array: string): Kernel {
  const kernel = Kernel.create();
  kernel.apply([
    { kind: 'sheetAdd', sheet, name: 'Plan', index: 0 },
    { kind: 'cell', sheet, row: 1, column: 1, input: { formula, array } },
  ]);
  return kernel;
}

function valuesOf(kernel: Kernel): unknown[][] {
  while (!kernel.recalculate(now, 1e8)) continue;
  const area = { row0: 0, column0: 0, row1: 4, column1: 3 };
  const rows = kernel.readRange(sheet, area, { lens: 'value', form: valueForm });
  return rows.map((row) => row.map((value) => value ?? null));
}

const none = [null, null, null, null];

t.test('ROW and COLUMN without a reference are of each cell that the formula fills', (t) => {
  const rows = kernelWith('=ROW()', 'B2:C4');
  t.same(valuesOf(rows), [none, [null, 2, 2, null], [null, 3, 3, null], [null, 4, 4, null], none]);
  const columns = kernelWith('=COLUMN()*10', 'B2:C2');
  t.same(valuesOf(columns), [none, [null, 20, 30, null], none, none, none]);
  const both = kernelWith('=ROW()*10+COLUMN()', 'B2:C3');
  t.same(valuesOf(both), [none, [null, 22, 23, null], [null, 32, 33, null], none, none]);
  t.end();
});

t.test('they follow when the formula moves, and other formulas are not concerned', (t) => {
  const kernel = kernelWith('=ROW()', 'B2:B3');
  const other: Mutation = { kind: 'cell', sheet, row: 0, column: 3, input: { formula: '=ROW()' } };
  kernel.apply([other]);
  t.same(valuesOf(kernel).flat().filter(Number), [1, 2, 3]);
  kernel.apply([{ kind: 'insert', axis: 'row', sheet, from: 0, count: 1 }]);
  t.same(valuesOf(kernel).flat().filter(Number), [2, 3, 4]);
  t.end();
});

t.test('# behind its first cell is the range that it fills', (t) => {
  const sheet = new OneSheet();
  sheet.enter(1, 2, { formula: '=123', array: 'C2:C5' });
  sheet.enter(6, 2, { formula: '={1,2}', array: 'C7:E8' });
  sheet.enter(1, 5, { formula: '=1/0', array: 'F2:F4' });
  sheet.enterBlock(0, 0, [
    [
      { formula: '=SUM(C2#)' },
      { formula: '=SUM(C3#)' },
      { formula: '=ROWS(C7#)*10+COLUMNS(C7#)' },
      { formula: '=ROWS(F2#)' },
    ],
  ]);
  const first = { row0: 0, row1: 0, column0: 0, column1: 3 };
  t.same(sheet.values(first), [[492, { error: '#REF!' }, 23, 3]]);
  sheet.enter(1, 2, { formula: '=1', array: 'C2:C3' });
  t.same(sheet.values(first)[0]?.[0], 2);
  t.end();
});
