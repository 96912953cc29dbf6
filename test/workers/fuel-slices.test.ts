import t from 'tap';

import type { Mutation } from '../../server/model/mutation.ts';
import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const sheet = 1;
const callsMost = 1_000;

/** The values once all is calculated, and in how many calls. */
function calculated(
  cells: readonly Mutation[],
  fuelSteps: number,
): { values: unknown; calls: number } {
  const kernel = Kernel.create();
  kernel.apply([{ kind: 'sheetAdd', sheet, name: 'Plan', index: 0 }, ...cells]);
  let calls = 1;
  while (!kernel.recalculate(now, fuelSteps) && calls < callsMost) calls++;
  const area = { row0: 0, row1: 29, column0: 0, column1: 9 };
  return { values: kernel.readRange(sheet, area, { lens: 'value', form: valueForm }), calls };
}

function formulaAt(row: number, column: number, formula: string): Mutation {
  return { kind: 'cell', sheet, row, column, input: { formula } };
}

const costly = 'SUM(SEQUENCE(200,200))*0';

const workbooks: Record<string, readonly Mutation[]> = {
  'a chain whose cells cost more than a slice before they read one another': Array.from(
    { length: 30 },
    (_, row) => formulaAt(row, 0, row < 29 ? `=${costly}+A${row + 2}+1` : '=1'),
  ),
  'a cycle of such cells': [
    formulaAt(0, 0, `=${costly}+B1`),
    formulaAt(0, 1, `=${costly}+C1`),
    formulaAt(0, 2, `=${costly}+A1`),
  ],
  'an array and who reads it, in a cycle': [
    formulaAt(2, 1, `=${costly}+SEQUENCE(3,3)+A8`),
    formulaAt(7, 0, `=${costly}+D4`),
  ],
  'arrays that read one another': [
    formulaAt(0, 0, `=${costly}+SEQUENCE(4)+SUM(C1:C9)`),
    formulaAt(0, 2, `=${costly}+SEQUENCE(3)+SUM(E1:E9)`),
    formulaAt(0, 4, `=${costly}+SEQUENCE(5)`),
  ],
};

for (const [name, cells] of Object.entries(workbooks)) {
  t.test(`${name}: every call gets on, however little fuel it has`, (t) => {
    const atOnce = calculated(cells, 1e9);
    t.equal(atOnce.calls, 1);
    for (const fuelSteps of [1, 100, 2_000, 20_000]) {
      const { values, calls } = calculated(cells, fuelSteps);
      t.ok(calls < callsMost, `${calls} calls`);
      t.same(values, atOnce.values, `${fuelSteps} steps a call`);
    }
    t.end();
  });
}

t.test('an edit between two calls counts', (t) => {
  const kernel = Kernel.create();
  const cells = Array.from({ length: 9 }, (_, row) =>
    formulaAt(row, 0, row < 8 ? `=${costly}+A${row + 2}+1` : '=1'),
  );
  kernel.apply([{ kind: 'sheetAdd', sheet, name: 'Plan', index: 0 }, ...cells]);
  for (let call = 0; call < 4; call++) t.notOk(kernel.recalculate(now, 1));
  kernel.apply([
    { kind: 'insert', axis: 'row', sheet, from: 3, count: 2 },
    { kind: 'cell', sheet, row: 10, column: 0, input: 100 },
  ]);
  while (!kernel.recalculate(now, 1));
  const area = { row0: 0, row1: 10, column0: 0, column1: 0 };
  t.same(
    kernel.readRange(sheet, area, { lens: 'value', form: valueForm }).map(([value]) => value),
    [108, 107, 106, null, null, 105, 104, 103, 102, 101, 100],
  );
  t.end();
});

t.test('the search for the ends of a trimmed area is paid for at each call', (t) => {
  const cells: Mutation[] = [
    { kind: 'cell', sheet, row: 500, column: 9, input: 1 },
    ...Array.from({ length: 20 }, (_, row) =>
      formulaAt(row, 0, '=SUM(BYROW(B1:B2000,LAMBDA(r,ROWS(J.:.J))))'),
    ),
  ];
  const { values, calls } = calculated(cells, 50_000);
  t.match((values as unknown[][])[19], [2_000]);
  t.ok(calls >= 20, `${calls} calls, of which each has fuel for less than one cell`);
  t.end();
});
