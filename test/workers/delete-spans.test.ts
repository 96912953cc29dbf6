import * as fc from 'fast-check';
import t from 'tap';

import type { Input } from '../../server/model/cell-value.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { inputForm, valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';

const rowCount = 24;
const columnCount = 4;
const noon = { clockSerial: 45_000, seedHigh: 1, seedLow: 2 };

const line = fc.integer({ min: 1, max: rowCount });
const letter = fc.constantFrom('A', 'B', 'C', 'D');
const corner = fc
  .tuple(fc.constantFrom('', '$'), letter, fc.constantFrom('', '$'), line)
  .map((parts) => parts.join(''));
const formula = fc.oneof(
  corner.map((cell) => `=${cell}*2`),
  fc.tuple(corner, corner).map(([a, b]) => `=SUM(${a}:${b})`),
  fc.constantFrom('=SUM(T[n])', '=ROWS(T)', '=SUM(B:B)', '=ROW()', '=SUM(3:9)', '=Tax+1'),
);
const fill = fc.record({
  row: fc.nat(rowCount - 1),
  column: fc.nat(columnCount),
  rows: fc.integer({ min: 1, max: 8 }),
  input: fc.oneof(
    formula.map((text): Input => ({ formula: text })),
    fc.integer({ min: 1, max: 99 }),
  ),
});

function book(fills: readonly { row: number; column: number; rows: number; input: Input }[]) {
  const kernel = Kernel.create();
  const start: Mutation[] = [
    { kind: 'sheetAdd', sheet: 1, name: 'S', index: 0 },
    { kind: 'nameSet', name: 'Tax', scope: undefined, formula: '=SUM(S!$B$4:$B$9)' },
  ];
  kernel.apply(start);
  const table = { row: 2, column: 1, rowCount: 12, columnCount: 2, columns: ['n', 'm'] };
  kernel.apply([
    { kind: 'tableSet', name: 'T', sheet: 1, ...table, headerRow: true, totalsRow: false },
  ]);
  for (const { row, column, rows, input } of fills) {
    const size = { rowCount: rows, columnCount: 1 };
    kernel.apply([{ kind: 'fill', sheet: 1, row, column, ...size, input }]);
  }
  kernel.recalculate(noon, 1e9);
  return kernel;
}

function content(kernel: Kernel): string {
  kernel.recalculate(noon, 1e9);
  const area = { row0: 0, row1: rowCount + 8, column0: 0, column1: columnCount + 1 };
  const inputs = kernel.readRange(1, area, { lens: 'input', form: inputForm });
  const values = kernel.readRange(1, area, { lens: 'value', form: valueForm });
  return JSON.stringify({ inputs, values }).replaceAll(/[$A-Z0-9]+:[$A-Z0-9]+/gu, spelledAlike);
}

/** Which corner of an area comes first may depend on the way it came to be. */
function spelledAlike(area: string): string {
  const corners = area.replaceAll('$', '').split(':');
  const parts = (pattern: RegExp) => corners.map((corner) => corner.replace(pattern, '')).sort();
  return [...parts(/[0-9]/gu), ...parts(/[A-Z]/gu)].join(' ');
}

t.test('deleting many pieces at once is deleting one after the other', async (t) => {
  let joinedCount = 0;
  const gone = fc.uniqueArray(fc.nat(rowCount - 1), { minLength: 2, maxLength: 12 });
  fc.assert(
    fc.property(fc.array(fill, { maxLength: 14 }), gone, (fills, lines) => {
      const deletions = lines
        .toSorted((a, b) => b - a)
        .map((from): Mutation => ({ kind: 'delete', axis: 'row', sheet: 1, from, count: 1 }));
      const [single, joined] = [book(fills), book(fills)];
      for (const deletion of deletions) single.apply([deletion]);
      joined.apply(deletions);
      joinedCount++;
      const [one, other] = [content(single), content(joined)];
      if (one !== other) throw new Error(`${one}\n${other}`);
    }),
    { numRuns: 150 },
  );
  t.ok(joinedCount >= 150);
});

t.test('ten thousand rows in pieces go without the kernel running out of memory', async (t) => {
  const kernel = Kernel.create();
  const size = { rowCount: 40_000, columnCount: 1 };
  kernel.apply([
    { kind: 'sheetAdd', sheet: 1, name: 'S', index: 0 },
    { kind: 'fill', sheet: 1, row: 0, column: 0, ...size, input: 1 },
    { kind: 'fill', sheet: 1, row: 0, column: 1, ...size, input: { formula: '=A1+A$1' } },
  ]);
  const deletions = Array.from({ length: 10_000 }, (_, index): Mutation => {
    return { kind: 'delete', axis: 'row', sheet: 1, from: 39_999 - index * 4, count: 1 };
  });
  kernel.apply(deletions);
  kernel.recalculate(noon, 1e12);
  const area = { row0: 29_999, row1: 30_000, column0: 1, column1: 1 };
  t.same(kernel.readRange(1, area, { lens: 'value', form: valueForm }), [[2], [null]]);
});
