import * as fc from 'fast-check';
import t from 'tap';

import { cellName, parseAddress } from '../../server/model/address.ts';
import type { Input, Value } from '../../server/model/cell-value.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';

/** Answers of functions about the same ranges are remembered; no value may show that. */

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const sheet = 1;
const rows = 70;
const caseCount = Number(process.env['QUIRE_CASES'] ?? 60);
const spent: Value = { error: '#NUM!' };

/** Each stands in several cells, so that all but the first are remembered. */
const questions = [
  '=SUM(A1:B70)',
  '=MAX(A1:B70)',
  '=MEDIAN(A1:A70)',
  '=SUMSQ(A1:A70)',
  '=STDEV(B1:B70)',
  '=COUNTIF(A1:A70,D1)',
  '=COUNTIF(A1:A70,"x*")',
  '=COUNTIF(B1:B70,">3")',
  '=SUMIF(A1:A70,D2,B1:B70)',
  '=SUMIF(A1:A70,D2,B1)',
  '=LARGE(A1:B70,D3)',
  '=SUBTOTAL(9,A1:B70)',
  '=CORREL(A1:A70,B1:B70)',
  '=IFERROR(PRODUCT(A1:B70),-1)',
  '=COUNTBLANK(A1:B70)',
  '=SUM(A1:B70)+RANK(3,B1:B70)',
];

/** Formulas that make cells of the ranges change while others are calculated. */
const sources = [
  '=SEQUENCE(D3)',
  '=SEQUENCE(D3,2)',
  '=IF(D2>1,"x",3)',
  '=D1&D2',
  '=COUNTIF(B1:B70,D2)',
  '=IF(D3>2,MEDIAN(B1:B70),#N/A)',
  '=MAX(B60:B70)',
  '=INDIRECT("D"&D3)',
  '=SUM(INDIRECT("B"&D3&":B50"))',
];

const value = fc.constantFrom<Input>(1, 2, 3, 4.5, -7, 'x', 'xy', true, null, { error: '#N/A' });
const source = fc.constantFrom(...sources).map((formula): Input => ({ formula }));

const place = fc.record({ row: fc.nat(rows - 1), column: fc.nat(1) });
const edit = fc.oneof(
  fc.tuple(place, fc.oneof({ weight: 3, arbitrary: value }, source)),
  fc.tuple(fc.record({ row: fc.nat(2), column: fc.constant(3) }), value),
);

function mutationOf([at, input]: [{ row: number; column: number }, Input]): Mutation {
  return { kind: 'cell', sheet, ...at, input };
}

function entering(address: string, input: Input): Mutation {
  const at = parseAddress(address);
  if (at === undefined) throw new Error(`${address} is no address`);
  return mutationOf([at, input]);
}

/** Fills from A1 on, or from another column. */
function filling(rowCount: number, columnCount: number, input: Input, column = 0): Mutation {
  return { kind: 'fill', sheet, row: 0, column, rowCount, columnCount, input };
}

function newKernel(mutations: readonly Mutation[]): Kernel {
  const kernel = Kernel.create();
  kernel.apply([{ kind: 'sheetAdd', sheet, name: 'One', index: 0 }, ...mutations]);
  return kernel;
}

function calculate(kernel: Kernel): void {
  while (!kernel.recalculate(now, 1e9));
}

function valueAt(kernel: Kernel, row: number, column: number): Value {
  const area = { row0: row, row1: row, column0: column, column1: column };
  return kernel.readRange(sheet, area, { lens: 'value', form: valueForm })[0]?.[0] ?? null;
}

/** The value of a cell once all is calculated. */
function calculated(kernel: Kernel, address: string): Value {
  calculate(kernel);
  const at = parseAddress(address);
  if (at === undefined) throw new Error(`${address} is no address`);
  return valueAt(kernel, at.row, at.column);
}

function valuesOf(kernel: Kernel): Map<string, unknown> {
  calculate(kernel);
  const area = { row0: 0, row1: rows + 9, column0: 0, column1: 7 };
  const found = kernel.readRange(sheet, area, { lens: 'value', form: valueForm });
  return new Map(
    found.flatMap((row, index) =>
      row.map((one, column) => [cellName(index, column), one ?? null] as const),
    ),
  );
}

t.test('cells that ask the same, while what they ask about changes', (t) => {
  const asked = questions.flatMap((formula, row): Mutation[] =>
    [5, 6, 7].map((column) => mutationOf([{ row, column }, { formula }])),
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(place, value), { minLength: 30, maxLength: 60 }),
      fc.array(edit, { minLength: 1, maxLength: 12 }),
      (data, edits) => {
        const before = [...asked, ...data.map(mutationOf)];
        const stepwise = newKernel(before);
        valuesOf(stepwise);
        for (const [index] of edits.entries()) {
          const made = edits.slice(0, index + 1).map(mutationOf);
          stepwise.apply(made.slice(-1));
          t.strictSame(valuesOf(stepwise), valuesOf(newKernel([...before, ...made])));
        }
      },
    ),
    { numRuns: caseCount },
  );
  t.end();
});

for (const question of ['SUM(A1:A70)', 'STDEV(A1:A70)', 'COUNTIF(A1:A70,9)', 'MATCH(9,A1:A70,0)']) {
  t.test(`${question}: a cell that is computed twice, because others filled what it reads`, (t) => {
    const cells = [
      filling(69, 1, { formula: '=ROW()/100' }),
      entering('A70', { formula: '=SUM(INDIRECT("F2:F9"))' }),
      entering('C1', { formula: `=${question}` }),
      entering('C2', { formula: `=${question}` }),
      entering('C3', { formula: `=${question}` }),
      entering('F1', { formula: '=SEQUENCE(4)' }),
      entering('G1', { formula: `=${question}` }),
      entering('G2', { formula: `=${question}` }),
      entering('G3', { formula: `=${question}` }),
    ];
    const kernel = newKernel(cells);
    t.equal(calculated(kernel, 'A70'), 9);
    const last = newKernel([filling(69, 1, { formula: '=ROW()/100' }), entering('A70', 9)]);
    last.apply([entering('C1', { formula: `=${question}` })]);
    const expected = calculated(last, 'C1');
    for (const address of ['C1', 'C2', 'C3', 'G1', 'G2', 'G3']) {
      t.equal(calculated(kernel, address), expected, address);
    }
    t.end();
  });
}

t.test('answers do not outlive what they were about', (t) => {
  const kernel = newKernel([
    filling(rows, 1, 1),
    entering('C1', { formula: '=COUNTIF(A1:A70,"one")' }),
    entering('C2', { formula: '=SUBTOTAL(109,A1:A70)' }),
    entering('C3', { formula: '=COUNTIF(A1:A70,">1/2/1904")' }),
    entering('C4', { formula: '=MEDIAN(A1:A70)' }),
  ]);
  t.equal(calculated(kernel, 'C1'), 0);
  kernel.apply([entering('C1', null), filling(rows, 1, 'two')]);
  t.equal(calculated(kernel, 'C2'), 0);
  t.same(calculated(kernel, 'C4'), spent);
  kernel.apply([entering('C1', { formula: '=COUNTIF(A1:A70,"two")' })]);
  t.equal(calculated(kernel, 'C1'), rows);
  kernel.apply([filling(rows, 1, 1_000)]);
  t.equal(calculated(kernel, 'C2'), 1_000 * rows);
  t.equal(calculated(kernel, 'C3'), 0);
  kernel.apply([{ kind: 'rowsHidden', sheet, from: 0, count: 69, hidden: 'hand' }]);
  t.equal(calculated(kernel, 'C2'), 1_000);
  kernel.apply([{ kind: 'setting', name: 'date1904', value: true }]);
  t.equal(calculated(kernel, 'C3'), rows, 'January 1904 is there from 0 on');
  t.end();
});

t.test('texts that are put together are told from one another', (t) => {
  const kernel = newKernel([
    filling(rows, 1, { formula: '="k"&ROW()' }),
    filling(rows, 1, { formula: '=SUMIF(A$1:A$70,"k"&ROW(),D$1:D$70)' }, 1),
    filling(rows, 1, { formula: '=ROW()' }, 3),
  ]);
  calculate(kernel);
  for (let row = 0; row < rows; row++) t.equal(valueAt(kernel, row, 1), row + 1);
  t.end();
});

t.test('whoever is answered from memory reads cells that its formula does not name too', (t) => {
  const kernel = newKernel([
    filling(rows, 2, 1),
    entering('D1', { formula: '=SUMIF(A1:A70,">0",B1)' }),
    entering('E1', { formula: '=SUMIF(A1:A70,">0",B1)' }),
  ]);
  t.equal(calculated(kernel, 'E1'), rows);
  kernel.apply([entering('B50', 11)]);
  t.equal(calculated(kernel, 'D1'), rows + 10);
  t.equal(calculated(kernel, 'E1'), rows + 10);
  t.end();
});

t.test('a cell pays for what others have asked before', (t) => {
  const asking = (times: number): Input => ({
    formula: `=REDUCE(0,SEQUENCE(${times}),LAMBDA(a,x,MAX(a,SUM(A1:Z1000))))`,
  });
  const kernel = newKernel([filling(1_000, 26, 1), entering('AB1', asking(10_000))]);
  t.same(calculated(kernel, 'AB1'), spent);
  kernel.apply([entering('AB2', asking(100)), entering('AB3', asking(100))]);
  t.equal(calculated(kernel, 'AB2'), 26_000);
  t.equal(calculated(kernel, 'AB3'), 26_000);
  t.end();
});

t.test('memory too', (t) => {
  const asking = (times: number, size: number): Input => ({
    formula: `=REDUCE(0,SEQUENCE(${times}),LAMBDA(a,x,a+DEVSQ(A1:B500000)))+ROWS(MUNIT(${size}))`,
  });
  const kernel = newKernel([
    filling(500_000, 2, 1),
    entering('D1', asking(24, 1)),
    entering('D2', asking(1, 4_096)),
    entering('D3', asking(24, 4_096)),
  ]);
  t.equal(calculated(kernel, 'D1'), 1);
  t.equal(calculated(kernel, 'D2'), 4_096);
  t.same(calculated(kernel, 'D3'), spent);
  t.end();
});

t.test('who runs out of fuel leaves no answer behind', (t) => {
  const asked = Array.from({ length: 40 }, (_, index) => ({
    formula: `MEDIAN(A1:A${99_001 + index * 2})`,
    expected: 49_501 + index,
    times: 90 + index,
  }));
  const kernel = newKernel([
    filling(100_000, 1, { formula: '=ROW()' }),
    ...asked.map(({ formula, times }, row) => {
      const before = `REDUCE(0,SEQUENCE(${times}),LAMBDA(a,x,MEDIAN(A1:A100000)))*0`;
      return mutationOf([{ row, column: 1 }, { formula: `=${before}+${formula}` }]);
    }),
    ...asked.map(({ formula }, row) =>
      mutationOf([{ row, column: 2 }, { formula: `=${formula}` }]),
    ),
  ]);
  calculate(kernel);
  t.equal(valueAt(kernel, 0, 1), asked[0]?.expected);
  t.same(valueAt(kernel, asked.length - 1, 1), spent);
  for (const [row, { expected }] of asked.entries()) t.equal(valueAt(kernel, row, 2), expected);
  t.end();
});
