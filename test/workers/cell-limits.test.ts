import t from 'tap';

import type { Mutation } from '../../server/model/mutation.ts';
import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';

/**
 * Bounds on the cost of a call, whoever makes it: work that takes more is left for another call.
 */

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const steps = 20_000;
/** Functions pay by the millisecond, so a call may go on for one after its end, and begin one. */
const stepsMost = 4 * steps;

function modelOf(...mutations: readonly Mutation[]): Kernel {
  const kernel = Kernel.create();
  kernel.apply([{ kind: 'sheetAdd', sheet: 1, name: 'S', index: 0 }, ...mutations]);
  while (!kernel.recalculate(now, 1e9));
  return kernel;
}

function cell(row: number, column: number, input: string | number): Mutation {
  const isFormula = typeof input === 'string' && input.startsWith('=');
  return { kind: 'cell', sheet: 1, row, column, input: isFormula ? { formula: input } : input };
}

function read(kernel: Kernel, rowCount: number, column = 1): unknown[] {
  const area = { row0: 0, column0: column, row1: rowCount - 1, column1: column };
  return kernel.readRange(1, area, { lens: 'value', form: valueForm }).flat();
}

/** Formulas that cost little for 1 in A1, and much for a million. */
const heavy = {
  'a walk': '=REDUCE(0,SEQUENCE(A1),LAMBDA(a,b,a+b))',
  'a sort': '=SUM(SORT(SEQUENCE(A1,1,A1,-1)))',
  'an array': '=SUM(SEQUENCE(A1)*2)',
  'a recursion': '=LET(f,LAMBDA(f,n,IF(n<1,0,1+f(f,n-1))),SUM(MAP(SEQUENCE(A1),LAMBDA(x,f(f,9)))))',
  'behind another': '=IF(A1>1,SUM(SORT(RANDARRAY(A1)))>0,0)+B1',
};

for (const [name, formula] of Object.entries(heavy)) {
  t.test(`${name} that costs more than a call may is left for another`, async (t) => {
    const cells = [cell(0, 0, 1), cell(0, 1, '=A1+1'), cell(1, 1, formula), cell(2, 1, '=B2+1')];
    const kernel = modelOf(...cells);
    kernel.apply([cell(0, 0, 1_000_000)]);
    let calls = 0;
    for (; calls < 5; calls++) {
      const isDone = kernel.recalculate(now, steps, steps);
      t.ok(kernel.statistics().steps < stepsMost, `${kernel.statistics().steps} steps`);
      if (isDone) break;
    }
    t.equal(calls, 5, 'it never comes to an end that way');
    while (!kernel.recalculate(now, 500_000));
    const fresh = modelOf(cell(0, 0, 1_000_000), ...cells.slice(1));
    t.same(read(kernel, 3), read(fresh, 3), 'what it comes to is the same');
  });
}

t.test('many rows that are computed at once stop when the fuel is used up', async (t) => {
  const count = 2_000;
  const kernel = modelOf(
    cell(0, 0, 1),
    { kind: 'column', sheet: 1, row: 0, column: 2, inputs: Array.from({ length: 9_999 }, () => 1) },
    {
      kind: 'fill',
      sheet: 1,
      row: 0,
      column: 1,
      rowCount: count,
      columnCount: 1,
      input: { formula: '=COUNTIF(C$1:C$9999,$A$1)+ROW()' },
    },
  );
  kernel.apply([cell(0, 0, 2), { ...cell(5, 2, 2) }]);
  for (let isDone = false; !isDone;) {
    isDone = kernel.recalculate(now, 2_000, 500_000);
    t.ok(kernel.statistics().steps < stepsMost, `${kernel.statistics().steps} steps`);
  }
  t.same(read(kernel, 3), [2, 3, 4]);
});

t.test('marking what depends on an edit takes no more steps than it may', async (t) => {
  const formulas = Array.from({ length: 20_000 }, (_, row) => ({
    formula: `=$A$1+${'1+'.repeat(row % 97)}C${row + 1}`,
  }));
  const kernel = modelOf(cell(0, 0, 1), {
    kind: 'column',
    sheet: 1,
    row: 0,
    column: 1,
    inputs: formulas,
  });
  kernel.apply([cell(0, 0, 5)], 1_000);
  t.ok(kernel.statistics().steps <= 1_001, `${kernel.statistics().steps} steps`);
  t.notOk(kernel.isMarked);
  t.ok(kernel.pendingCount >= formulas.length, 'nobody takes it for little');
  // Rows move under what is not marked yet.
  kernel.apply([{ kind: 'insert', sheet: 1, axis: 'row', from: 100, count: 2 }], 1_000);
  while (!kernel.recalculate(now, 1e9));
  t.ok(kernel.isMarked);
  const expected = formulas.map((_, row) => 5 + (row % 97));
  t.same(read(kernel, 20_002), [...expected.slice(0, 100), null, null, ...expected.slice(100)]);
});

t.test('a page of values ends where its texts are long', async (t) => {
  const long = 'x'.repeat(32_767);
  const kernel = modelOf(
    ...Array.from({ length: 100 }, (_, row) => cell(row, 0, `${row}${long.slice(9)}`)),
  );
  const pages: number[] = [];
  for (let at = 0, count = 1; count > 0; at += count) {
    count = kernel.readValues(at, 8_192, ({ row, value }) => {
      t.equal(parseInt(JSON.stringify(value).slice(1), 10), row);
    });
    pages.push(count);
  }
  t.equal(
    pages.reduce((sum, count) => sum + count, 0),
    100,
  );
  t.ok(Math.max(...pages) <= 34, pages.join(' '));
});
