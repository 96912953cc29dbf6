import t from 'tap';

import { parseAddress } from '../../server/model/address.ts';
import type { Input } from '../../server/model/cell-value.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';

/** Values of a sheet do not depend on the order in which its cells were entered. */

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const sheet = 1;
const seen = { row0: 0, column0: 0, row1: 11, column1: 7 };

function entering(address: string, input: Input): Mutation {
  const place = parseAddress(address);
  if (place === undefined) throw new Error(`${address} is no address`);
  return { kind: 'cell', sheet, ...place, input };
}

function newKernel(): Kernel {
  const kernel = Kernel.create();
  kernel.apply([{ kind: 'sheetAdd', sheet, name: 'Plan', index: 0 }]);
  return kernel;
}

function calculate(kernel: Kernel): void {
  while (!kernel.recalculate(now, 1e8));
}

function valuesOf(kernel: Kernel): Map<string, unknown> {
  const rows = kernel.readRange(sheet, seen, { lens: 'value', form: valueForm });
  const cells = rows.flatMap((row, rowIndex) =>
    row.map(
      (value, column) => [`${'ABCDEFGH'.charAt(column)}${rowIndex + 1}`, value ?? null] as const,
    ),
  );
  return new Map(cells.filter(([, value]) => value !== null));
}

function* permutations<Item>(items: readonly Item[]): Generator<Item[]> {
  if (items.length === 0) yield [];
  for (const [index, item] of items.entries()) {
    for (const rest of permutations(items.toSpliced(index, 1))) yield [item, ...rest];
  }
}

const circular = { error: '#CIRC!' };

const cases: readonly {
  readonly name: string;
  readonly cells: Record<string, Input>;
  readonly expected: Record<string, unknown>;
}[] = [
  {
    name: 'what stands in the way of an array ends its cycle through itself',
    cells: { C3: { formula: '=C8*SEQUENCE(8)' }, C4: 1 },
    expected: { C3: { error: '#SPILL!' }, C4: 1 },
  },
  {
    name: 'a cycle by way of the cells of an array, which it does not fill then',
    cells: { B3: { formula: '=SEQUENCE(3,3)+A8' }, A8: { formula: '=D4' } },
    expected: { B3: circular, A8: 0 },
  },
  {
    name: 'a cycle by way of the anchor of an array',
    cells: { B3: { formula: '=SEQUENCE(3,3)+A8' }, A8: { formula: '=COUNT(B3:D5)' } },
    expected: { B3: circular, A8: circular },
  },
  {
    name: 'the same where the reference is computed',
    cells: { B3: { formula: '=SEQUENCE(3,3)+INDIRECT("A8")' }, A8: { formula: '=D4' } },
    expected: { B3: circular, A8: 0 },
  },
  {
    name: 'an array that reads itself has no cells, so who reads them is in no cycle',
    cells: { B3: { formula: '=SEQUENCE(3,3)+COUNT(A.:A:F2)' }, A8: { formula: '=D4' } },
    expected: { B3: circular, A8: 0 },
  },
  {
    name: 'of arrays in a cycle the first in reading order is circular',
    cells: {
      B2: { formula: '=SEQUENCE(2,2)+D5' },
      A5: { formula: '=SEQUENCE(2,4)+COUNT(B2:C3)' },
    },
    expected: { B2: circular, A5: 1, B5: 2, C5: 3, D5: 4, A6: 5, B6: 6, C6: 7, D6: 8 },
  },
  {
    name: 'an array that reads what its cells give it by a computed reference',
    cells: { B3: { formula: '=SEQUENCE(2,1,OFFSET(A1,3,0))' }, A4: { formula: '=B9+1' }, B9: 5 },
    expected: { B3: 6, B4: 7, A4: 6, B9: 5 },
  },
  {
    name: 'a computed reference to cells that an array fills',
    cells: {
      A1: { formula: '=SUM(INDIRECT("B"&1&":B9"))' },
      B2: { formula: '=SEQUENCE(D1)' },
      D1: 4,
    },
    expected: { A1: 10, B2: 1, B3: 2, B4: 3, B5: 4, D1: 4 },
  },
  {
    name: 'of fixed areas over one another the first in reading order has the cells',
    cells: {
      A2: { formula: '=5', array: 'A2:C3' },
      B1: { formula: '={1;2;3;4}', array: 'B1:B4' },
    },
    expected: { B1: 1, B2: 2, B3: 3, B4: 4, A2: 5, C2: 5, A3: 5, C3: 5 },
  },
];

for (const { name, cells, expected } of cases) {
  t.test(name, (t) => {
    const mutations = Object.entries(cells).map(([address, input]) => entering(address, input));
    for (const order of permutations(mutations)) {
      const atOnce = newKernel();
      atOnce.apply(order);
      calculate(atOnce);
      t.same(Object.fromEntries(valuesOf(atOnce)), expected, 'at once');
      const stepwise = newKernel();
      for (const mutation of order) {
        stepwise.apply([mutation]);
        calculate(stepwise);
      }
      t.same(Object.fromEntries(valuesOf(stepwise)), expected, 'step by step');
      stepwise.apply([entering('H12', 1)]);
      calculate(stepwise);
      stepwise.apply([entering('H12', null)]);
      calculate(stepwise);
      t.same(Object.fromEntries(valuesOf(stepwise)), expected, 'after edits elsewhere');
    }
    t.end();
  });
}
