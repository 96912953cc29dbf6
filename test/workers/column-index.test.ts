import t from 'tap';
import type { Input, Value } from '../../server/model/cell-value.ts';
import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';
import { SeededRandom } from '../support/seeded-random.ts';

/**
 * Enough formulas ask the same rows for the kernel to make an index of them, across the border of
 * two chunks and, in the second sheet, far behind the last row that has anything.
 */

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const fuel = 1e9;
const firstRow = 1000;
const rowCount = 400;
const keyCount = 60;

const cells: readonly Input[] = [
  0,
  -0,
  5,
  -5,
  5.5,
  1e300,
  '5',
  ' 5 ',
  '5.50',
  '$5',
  'ant',
  'ANT',
  'bee',
  '',
  true,
  false,
  null,
  { error: '#N/A' },
  { formula: '=0*-1' },
];
const keys: readonly Input[] = [0, 5, -5, 5.5, 7, '5', 'ant', 'Bee', 'wasp', true, false];

/** What a cell shows. */
function valueOf(cell: Input): unknown {
  const isFormula = typeof cell === 'object' && cell !== null && 'formula' in cell;
  return isFormula ? 0 : cell;
}

function folded(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value;
}

/** The number that a criterion sees in a value, or the value. */
function seen(value: unknown): unknown {
  const numerals = new Map<unknown, number>([
    ['5', 5],
    [' 5 ', 5],
    ['5.50', 5.5],
    ['$5', 5],
  ]);
  return numerals.get(value) ?? folded(value);
}

/** Their sum depends on the order in which they are added. */
function weightOf(index: number): number {
  return [1e16, 1, -1e16, 3.1][(index * 7) % 4] ?? 0;
}

function read(kernel: Kernel, sheet: number, column: number): (Value | undefined)[] {
  const area = { row0: 0, column0: column, row1: keyCount - 1, column1: column };
  return kernel.readRange(sheet, area, { lens: 'value', form: valueForm }).map(([value]) => value);
}

t.test('lookups and criteria find by an index what a walk over the rows finds', async (t) => {
  const random = new SeededRandom(21);
  const pick = (list: readonly Input[]): Input => list[random.between(0, list.length - 1)] ?? null;
  const column = Array.from({ length: rowCount }, () => pick(cells));
  const asked = Array.from({ length: keyCount }, () => pick(keys));
  const kernel = Kernel.create();
  const weights = column.map((cell, index) => [cell, weightOf(index)]);
  const table = { row: firstRow - 1, column: 0, inputs: weights };
  for (const [sheet, last] of [firstRow + rowCount - 1, 900_000].entries()) {
    const range = (name: string) => `$${name}$${firstRow}:$${name}$${last}`;
    const inputs = asked.map((key, row) => [
      key,
      { formula: `=MATCH(D${row + 1},${range('A')},0)` },
      { formula: `=COUNTIF(${range('A')},D${row + 1})` },
      { formula: `=SUMIF(${range('A')},D${row + 1},${range('B')})` },
    ]);
    kernel.apply([
      { kind: 'sheetAdd', sheet: sheet + 1, name: `Sheet${sheet + 1}`, index: sheet },
      { kind: 'block', sheet: sheet + 1, ...table },
      { kind: 'block', sheet: sheet + 1, row: 0, column: 3, inputs },
    ]);
  }
  // Then cells change, and with them the first of some keys.
  for (const changed of [undefined, 0, 24, 25, rowCount - 1]) {
    if (changed !== undefined) {
      column[changed] = 'wasp';
      const cell = { row: firstRow - 1 + changed, column: 0, input: 'wasp' };
      kernel.apply([1, 2].map((sheet) => ({ kind: 'cell', sheet, ...cell })));
    }
    while (!kernel.recalculate(now, fuel));
    const places = asked.map((key) => {
      const place = column.findIndex((cell) => folded(valueOf(cell)) === folded(key));
      return place < 0 ? { error: '#N/A' } : place + 1;
    });
    const met = asked.map((key) =>
      column.flatMap((cell, index) => (seen(valueOf(cell)) === seen(key) ? [weightOf(index)] : [])),
    );
    for (const sheet of [1, 2]) {
      const when = `sheet ${sheet}, change of ${changed}`;
      t.same(read(kernel, sheet, 4), places, `MATCH, ${when}`);
      const counts = met.map(({ length }) => length);
      t.same(read(kernel, sheet, 5), counts, `COUNTIF, ${when}`);
      const sums = met.map((list) => list.reduce((sum, weight) => sum + weight, 0));
      t.same(read(kernel, sheet, 6), sums, `SUMIF, ${when}`);
    }
  }
});
