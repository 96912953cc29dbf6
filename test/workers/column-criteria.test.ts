import t from 'tap';
import type { Input, Value } from '../../server/model/cell-value.ts';
import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';
import { OneSheet } from '../support/one-sheet.ts';
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

/** Returns the value that a cell shows. */
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
  // Cells change from the second round on, and with them the first cell of some keys.
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

/** Few keys in many rows: chains of rows with one key are long. */
const regions = ['north', 'east', 'South', 'west'];
const products = 40;

interface Sale {
  region: string;
  product: number;
  amount: number;
}

interface Query {
  readonly name: string;
  readonly formula: (row: number) => string;
  /** Rows that are asked about, and what they must have. */
  readonly rows: (index: number) => readonly [from: number, end: number];
  readonly meets: (sale: Sale, own: Sale) => boolean;
}

const saleCount = 1_300;
const sameRegion = (sale: Sale, own: Sale): boolean => folded(sale.region) === folded(own.region);
const sameProduct = (sale: Sale, own: Sale): boolean => sale.product === own.product;

const queries: readonly Query[] = [
  {
    name: 'growing range',
    formula: (row) => `=SUMIFS(C$1:C${row},A$1:A${row},A${row})`,
    rows: (index) => [0, index + 1],
    meets: sameRegion,
  },
  {
    name: 'moving window',
    formula: (row) => `=SUMIFS(C${row}:C${row + 59},A${row}:A${row + 59},A${row})`,
    rows: (index) => [index, index + 60],
    meets: sameRegion,
  },
  {
    name: 'two criteria, the rarer one second',
    formula: (row) => `=SUMIFS(C:C,A:A,A${row},B:B,B${row})`,
    rows: () => [0, saleCount],
    meets: (sale, own) => sameRegion(sale, own) && sameProduct(sale, own),
  },
  {
    name: 'two criteria, the rarer one first, ranges that lie apart',
    formula: (row) => `=SUMIFS(C$3:C$1200,B$3:B$1200,B${row},A$3:A$1200,A${row})`,
    rows: () => [2, 1_200],
    meets: (sale, own) => sameRegion(sale, own) && sameProduct(sale, own),
  },
  {
    name: 'one criterion that no index serves',
    formula: (row) => `=SUMIFS(C:C,B:B,B${row},C:C,">2")`,
    rows: () => [0, saleCount],
    meets: (sale, own) => sameProduct(sale, own) && sale.amount > 2,
  },
];

t.test('criteria over few keys, growing and moving ranges', (t) => {
  const random = new SeededRandom(22);
  const sales = Array.from({ length: saleCount }, (_, index): Sale => ({
    region: regions[random.between(0, 3)] ?? '',
    product: random.between(1, products),
    amount: weightOf(index),
  }));
  const book = new OneSheet();
  const cells = sales.map(({ region, product, amount }, index): Input[] => [
    region,
    product,
    amount,
    ...queries.map(({ formula }): Input => ({ formula: formula(index + 1) })),
  ]);
  book.enterBlock(0, 0, cells);
  const check = (when: string): void => {
    for (const [number, { name, rows, meets }] of queries.entries()) {
      const expected = sales.map((own, index) =>
        sales
          .slice(...rows(index))
          .reduce((sum, sale) => (meets(sale, own) ? sum + sale.amount : sum), 0),
      );
      t.strictSame(book.column(3 + number, 0, saleCount - 1), expected, `${name}, ${when}`);
    }
  };
  check('built');
  for (const row of [0, 5, 1_023, 1_024, saleCount - 1]) {
    const sale = sales[row];
    if (sale === undefined) throw new Error('there is no such row');
    sale.region = regions[(regions.indexOf(sale.region) + 1) % 4] ?? '';
    sale.product = products + 1;
    book.enterBlock(row, 0, [[sale.region, sale.product]]);
    check(`row ${row} changed`);
  }
  // So many that the whole column is filed anew.
  for (let row = 100; row < 700; row++) {
    const sale = sales[row];
    if (sale !== undefined) sale.region = 'north';
  }
  book.kernel.apply([
    { kind: 'fill', sheet: 1, row: 100, column: 0, rowCount: 600, columnCount: 1, input: 'north' },
  ]);
  check('600 rows changed');
  t.end();
});

t.test('a text that reads as a date is found by the date of this year', (t) => {
  const book = new OneSheet();
  const dates = Array.from({ length: 60 }, (_, index): Input[] => [index % 2 ? '3/4' : index]);
  book.enterBlock(0, 0, dates);
  const counting = Array.from({ length: 5 }, (): Input[] => [
    { formula: '=COUNTIF(A$1:A$60,B$1)' },
  ]);
  book.enterBlock(0, 2, counting);
  const ofMarch4 = { 2025: 45_720, 2026: 46_085 };
  book.enter(0, 1, ofMarch4[2025]);
  t.same(
    book.column(2, 0, 4),
    Array.from({ length: 5 }, () => 30),
  );
  book.clockSerial = 46_100;
  book.enter(0, 1, ofMarch4[2026]);
  t.same(
    book.column(2, 0, 4),
    Array.from({ length: 5 }, () => 30),
  );
  book.kernel.apply([{ kind: 'setting', name: 'date1904', value: true }]);
  t.same(
    book.column(2, 0, 4),
    Array.from({ length: 5 }, () => 0),
  );
  book.enter(0, 1, ofMarch4[2026] - 1_462);
  t.same(
    book.column(2, 0, 4),
    Array.from({ length: 5 }, () => 30),
  );
  t.end();
});

t.test('what is known of columns takes a bounded amount of memory', (t) => {
  const book = new OneSheet();
  const columns = 16;
  const rowCount = 500_000;
  const fill = { kind: 'fill', sheet: 1, row: 0, column: 0, rowCount } as const;
  book.kernel.apply([{ ...fill, columnCount: columns, input: { formula: '=ROW()+COLUMN()' } }]);
  book.calculate();
  const before = book.kernel.statistics().usedBytes;
  const letters = Array.from({ length: columns }, (_, index) => String.fromCodePoint(65 + index));
  const asking = (key: number): Input[][] =>
    Array.from({ length: 4 }, (_, index) =>
      letters.map((name): Input => ({ formula: `=COUNTIF(${name}:${name},${key + index})` })),
    );
  for (const key of [1_000, 2_000, 3_000]) {
    book.enterBlock(0, columns + 2, asking(key));
    const counts = book.values({
      row0: 0,
      row1: 3,
      column0: columns + 2,
      column1: columns * 2 + 1,
    });
    t.same(
      counts,
      asking(key).map((row) => row.map(() => 1)),
    );
  }
  const taken = book.kernel.statistics().usedBytes - before;
  t.ok(taken < 72_000_000, `${taken} bytes`);
  t.ok(taken > 10_000_000, `${taken} bytes`);
  t.end();
});
