import * as fc from 'fast-check';
import t from 'tap';

import type { Input, Value } from '../../server/model/cell-value.ts';
import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';

/** Arrays that spill side by side, over one another and out of each other's way. */

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const sheet = 1;
const rowCount = 14;
const columnCount = 9;
const caseCount = Number(process.env['QUIRE_CASES'] ?? 100);

interface ArraySize {
  readonly rows: number;
  readonly columns: number;
}

interface Entry {
  readonly row: number;
  readonly column: number;
  readonly entered: ArraySize | 'constant' | undefined;
}

const entry: fc.Arbitrary<Entry> = fc.record({
  row: fc.nat(rowCount - 1),
  column: fc.nat(columnCount - 1),
  entered: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        rows: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 9 })),
        columns: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 5 })),
      }),
    },
    fc.constantFrom('constant' as const, undefined),
  ),
});

function inputOf({ row, column, entered }: Entry): Input {
  if (entered === undefined) return null;
  if (entered === 'constant') return 'x';
  return { formula: `=SEQUENCE(${entered.rows},${entered.columns},${firstOf(row, column)})` };
}

function firstOf(row: number, column: number): number {
  return (row * columnCount + column + 1) * 1_000;
}

function placeOf(row: number, column: number): string {
  return `${row},${column}`;
}

/**
 * Returns the expected values: each array in reading order has its cells if no other has one of
 * them.
 */
function expectedOf(entries: readonly Entry[]): Map<string, Value> {
  const latest = new Map(entries.map((one) => [placeOf(one.row, one.column), one]));
  const standing = [...latest.values()]
    .filter(({ entered }) => entered !== undefined)
    .toSorted((a, b) => a.row - b.row || a.column - b.column);
  const values = new Map<string, Value>(
    standing.map(({ row, column }) => [placeOf(row, column), 'x']),
  );
  for (const { row, column, entered } of standing) {
    if (entered === 'constant' || entered === undefined) continue;
    const cells = Array.from({ length: entered.rows * entered.columns }, (_, index) =>
      placeOf(row + Math.floor(index / entered.columns), column + (index % entered.columns)),
    );
    const isFree = cells.every((cell, index) => index === 0 || !values.has(cell));
    if (!isFree) values.set(placeOf(row, column), { error: '#SPILL!' });
    for (const [index, cell] of isFree ? cells.entries() : []) {
      values.set(cell, firstOf(row, column) + index);
    }
  }
  return values;
}

function valuesOf(kernel: Kernel): Map<string, Value> {
  while (!kernel.recalculate(now, 1e9));
  const area = { row0: 0, row1: rowCount + 9, column0: 0, column1: columnCount + 5 };
  const read = kernel.readRange(sheet, area, { lens: 'value', form: valueForm });
  const cells = read.flatMap((values, row) =>
    values.map((value, column) => [placeOf(row, column), value ?? null] as const),
  );
  return new Map(cells.filter(([, value]) => value !== null));
}

t.test('each array has its cells, whatever was entered before it', (t) => {
  fc.assert(
    fc.property(fc.array(entry, { minLength: 2, maxLength: 40 }), (entries) => {
      const kernel = Kernel.create();
      kernel.apply([{ kind: 'sheetAdd', sheet, name: 'One', index: 0 }]);
      for (const [index, one] of entries.entries()) {
        const { row, column } = one;
        kernel.apply([{ kind: 'cell', sheet, row, column, input: inputOf(one) }]);
        const found = Object.fromEntries(valuesOf(kernel));
        t.strictSame(found, Object.fromEntries(expectedOf(entries.slice(0, index + 1))));
      }
    }),
    { numRuns: caseCount },
  );
  t.end();
});
