import t from 'tap';

import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const sheet = 1;

/** Values of legacy formulas that read A1:B6; each has a cell of column D. */
function valuesOf(formulas: readonly string[]): unknown[] {
  const kernel = Kernel.create();
  const points = [
    [1, 3100],
    [2, 4500],
    [2, 4400],
    [3, 5400],
    [5, 7500],
    [5, 8100],
  ];
  kernel.apply([
    { kind: 'sheetAdd', sheet, name: 'Plan', index: 0 },
    { kind: 'block', sheet, row: 0, column: 0, inputs: points },
    ...formulas.map((formula, row) => {
      const input = { formula, legacy: true } as const;
      return { kind: 'cell', sheet, row, column: 3, input } as const;
    }),
  ]);
  while (!kernel.recalculate(now, 1e8)) continue;
  const area = { row0: 0, column0: 3, row1: formulas.length - 1, column1: 3 };
  return kernel.readRange(sheet, area, { lens: 'value', form: valueForm }).map(([value]) => value);
}

/** As in Excel's help on LINEST, and in the count of different numbers that old workbooks have. */
t.test('a legacy formula calculates with the whole array of a function that answers one', (t) => {
  const lines: [formula: string, value: unknown][] = [
    ['=SUM(--(FREQUENCY(A1:A6,A1:A6)>0))', 4],
    ['=SUM(ABS(FREQUENCY(A1:A6,A1:A6)))', 6],
    ['=ROUND(SUM(LINEST(B1:B6,A1:A6)*{9,1}),6)', 12_400],
    ['=SUM(MODE.MULT(A1:A6)+0)', 7],
    ['=SUM(MMULT({1;2},{3,4})*2)', 42],
    ['=SUM(MINVERSE({2,0;0,4})*4)', 3],
    ['=SUM(MUNIT(3)*2)', 6],
    ['=ROUND(SUM(TREND(A1:A6,A1:A6)*1),9)', 18],
  ];
  t.same(
    valuesOf(lines.map(([formula]) => formula)),
    lines.map(([, value]) => value),
  );
  t.end();
});

/** INDEX(…,0) is how old workbooks have MATCH calculate with arrays without Ctrl+Shift+Enter. */
t.test('a parameter that takes an array has its operators calculate with arrays', (t) => {
  const lines: [formula: string, value: unknown][] = [
    ['=MATCH(1,INDEX((A1:A6=2)*(B1:B6=4400),0),0)', 3],
    ['=SUM(INDEX(A1:A6*2,0))', 36],
    ['=MODE(A1:A6*1)', 2],
    ['=ROUND(IRR(A1:A6*{-20;3;4;5;6;7}),6)', 0.55844],
    ['=ROUND(MIRR(A1:A6*{-20;3;4;5;6;7},0.1,0.1),6)', 0.394802],
    ['=MAX(FREQUENCY(A1:A6*1,B1:B3/1000))', 4],
  ];
  t.same(
    valuesOf(lines.map(([formula]) => formula)),
    lines.map(([, value]) => value),
  );
  t.end();
});

t.test('it shows the first value of an array, and takes one cell of a range', (t) => {
  const lines: [formula: string, value: unknown][] = [
    ['=FREQUENCY(A1:A6,A1:A6)', 1],
    ['=FREQUENCY(A1:A6,A1:A6)*2', 2],
    ['=SUM(A1:A6*2)', 4],
    ['=SUM(TRANSPOSE(A1:A6)*2)', 2],
  ];
  t.same(
    valuesOf(lines.map(([formula]) => formula)),
    lines.map(([, value]) => value),
  );
  t.end();
});
