import t from 'tap';
import type { Input, Value } from '../../server/model/cell-value.ts';
import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';
import { SeededRandom } from '../support/seeded-random.ts';

/** Sorts here are longer than in the golden files, where no two pieces are merged. */

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const fuel = 1e9;

function modelOf(rows: readonly (readonly Input[])[]): Kernel {
  const kernel = Kernel.create();
  kernel.apply([
    { kind: 'sheetAdd', sheet: 1, name: 'Sheet1', index: 0 },
    { kind: 'block', sheet: 1, row: 0, column: 0, inputs: rows },
  ]);
  return kernel;
}

function evaluate(kernel: Kernel, row: number, column: number, formula: string): void {
  kernel.apply([{ kind: 'cell', sheet: 1, row, column, input: { formula } }]);
  kernel.recalculate(now, fuel);
}

function column(kernel: Kernel, number: number, rowCount: number): (Value | undefined)[] {
  const area = { row0: 0, column0: number, row1: rowCount - 1, column1: number };
  return kernel.readRange(1, area, { lens: 'value', form: valueForm }).map(([value]) => value);
}

function keysOf(shape: string, count: number, random: SeededRandom): number[] {
  const ascending = Array.from({ length: count }, (_, index) => index >> 1);
  if (shape === 'ascending') return ascending;
  if (shape === 'descending') return ascending.toReversed();
  const isTail = (index: number) => shape === 'random' || index > count * 0.9;
  return ascending.map((key, index) => (isTail(index) ? Math.floor(random.next() * 50) : key));
}

/** Between the two values that stand next to the share, as PERCENTILE.INC. */
function percentile(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? NaN;
  const above = sorted[Math.ceil(place)] ?? NaN;
  return below + (place - Math.floor(place)) * (above - below);
}

/** The row that a formula like =A12*2 reads. */
function rowReadBy(formula: Value | undefined): number {
  return typeof formula === 'string' ? Number(/^=A(\d+)\*2$/.exec(formula)?.[1]) - 1 : NaN;
}

t.test('lines are sorted by value and equal ones stay as they were', async (t) => {
  const random = new SeededRandom(11);
  for (const count of [2, 31, 32, 33, 64, 65, 100, 1000, 1025]) {
    for (const shape of ['random', 'ascending', 'descending', 'unsorted tail']) {
      const keys = keysOf(shape, count, random);
      const lines = keys.map((key, line) => ({ key, line }));
      const kernel = modelOf(lines.map(({ key, line }) => [line, key]));
      evaluate(kernel, 0, 3, `=SORTBY(A1:A${count},B1:B${count})`);
      evaluate(kernel, 0, 4, `=SORTBY(A1:A${count},B1:B${count},-1)`);
      const upwards = lines.toSorted((a, b) => a.key - b.key).map(({ line }) => line);
      const downwards = lines.toSorted((a, b) => b.key - a.key).map(({ line }) => line);
      t.same(column(kernel, 3, count), upwards, `${count} lines, ${shape}, upwards`);
      t.same(column(kernel, 4, count), downwards, `${count} lines, ${shape}, downwards`);
    }
  }
});

/** Numbers, texts, booleans, errors; those of one kind in the order of their list. */
const ranked: readonly Input[] = [
  -3.5,
  0,
  1e-9,
  7,
  1e300,
  '',
  '1',
  'ant',
  'Bee',
  'bees',
  false,
  true,
  { error: '#DIV/0!' },
  { error: '#N/A' },
];

/** Rows of a rank (none when the cell is blank), another key of few values, and a line. */
function mixedLines(count: number, random: SeededRandom) {
  return Array.from({ length: count }, (_, line) => {
    const rank = random.between(0, ranked.length);
    const input = rank === ranked.length ? null : (ranked[rank] ?? null);
    const spelled = input === 'Bee' && line % 2 === 1 ? 'bEE' : input;
    return { rank, key: random.between(0, 3), line, input: spelled };
  });
}

t.test(
  'values of all kinds are sorted by kind, blanks behind, equal ones as they were',
  async (t) => {
    const random = new SeededRandom(15);
    for (const count of [2, 17, 33, 64, 500, 1025]) {
      const lines = mixedLines(count, random);
      const kernel = modelOf(lines.map(({ input, key, line }) => [input, key, line]));
      const table = `A1:C${count}`;
      evaluate(kernel, 0, 4, `=CHOOSECOLS(SORT(${table}),3)`);
      evaluate(kernel, 0, 5, `=CHOOSECOLS(SORT(${table},1,-1),3)`);
      evaluate(kernel, 0, 6, `=CHOOSECOLS(SORT(${table},{2,1},{-1,1}),3)`);
      type Line = (typeof lines)[number];
      const behind = (one: Line) => (one.rank === ranked.length ? 1 : 0);
      const downwards = (a: Line, b: Line) => behind(a) - behind(b) || b.rank - a.rank;
      const orders = [
        (a: Line, b: Line) => a.rank - b.rank,
        downwards,
        (a: Line, b: Line) => b.key - a.key || a.rank - b.rank,
      ];
      for (const [index, order] of orders.entries()) {
        const expected = lines.toSorted(order).map(({ line }) => line);
        t.same(column(kernel, 4 + index, count), expected, `${count} lines, order ${index}`);
      }
    }
  },
);

t.test('of equal lines the first stays, or none of those that have an equal', async (t) => {
  const random = new SeededRandom(16);
  for (const count of [33, 200, 1025]) {
    // Longer than the values are many, so that some stand there once and most do not.
    const lines = mixedLines(count, random).map((one) => ({ ...one, input: one.input ?? '-' }));
    const rare = lines.map((one) => (one.line % 40 === 7 ? { ...one, input: one.line } : one));
    const kernel = modelOf(rare.map(({ input }) => [input]));
    evaluate(kernel, 0, 2, `=UNIQUE(A1:A${count})`);
    evaluate(kernel, 0, 3, `=UNIQUE(A1:A${count},FALSE,TRUE)`);
    const groups = new Map<string, Input[]>();
    for (const { input } of rare) {
      const name = JSON.stringify(input).toLowerCase();
      groups.set(name, [...(groups.get(name) ?? []), input]);
    }
    const firsts = [...groups.values()].map(([first]) => first);
    const single = [...groups.values()].filter(({ length }) => length === 1).flat();
    t.same(column(kernel, 2, firsts.length + 1), [...firsts, null], `${count} lines`);
    t.same(column(kernel, 3, single.length + 1), [...single, null], `once of ${count} lines`);
  }
});

/** Pieces of sixteen are sorted by themselves: the counts lie on both sides of their multiples. */
t.test('order statistics of lists longer than a piece leave out what is no number', async (t) => {
  const random = new SeededRandom(17);
  for (const count of [15, 16, 17, 32, 33, 49, 64, 65, 1000]) {
    for (const shape of ['random', 'ascending', 'descending', 'unsorted tail']) {
      const numbers = keysOf(shape, count, random).map((key) => key * 0.1 - 1);
      const others = [[null], ['text'], [true], ['5']];
      const rows = numbers.flatMap((value, index) =>
        index % 5 === 4 ? [[value], ...others] : [[value]],
      );
      const sorted = numbers.toSorted((a, b) => a - b);
      const range = `A1:A${rows.length}`;
      const kernel = modelOf(rows);
      evaluate(kernel, 0, 2, `=SMALL(${range},SEQUENCE(${count}))`);
      evaluate(kernel, 0, 3, `=LARGE(${range},SEQUENCE(${count + 1}))`);
      t.same(column(kernel, 2, count), sorted, `${count} ${shape}, smallest first`);
      const largest = [...sorted.toReversed(), { error: '#NUM!' }];
      t.same(column(kernel, 3, count + 1), largest, `${count} ${shape}, largest first`);
      for (const share of [0, 0.1, 0.5, 0.77, 1]) {
        evaluate(kernel, 0, 4, `=PERCENTILE(${range},${share})-0`);
        const found = Number(column(kernel, 4, 1)[0]);
        const expected = percentile(sorted, share);
        t.ok(Math.abs(found - expected) <= 1e-12, `${count} ${shape}, ${share}: ${found}`);
      }
    }
  }
});

t.test('lines that wait to be computed are not compared', async (t) => {
  const count = 300;
  const kernel = modelOf([
    // Leaves in scratch memory what, taken for keys, is texts at addresses beyond the end.
    [{ formula: '=LEN(REPT(UNICHAR(514),200)&REPT("xyz",3000))' }],
    [{ formula: `=SORT(C1:C${count})` }],
  ]);
  const inputs = Array.from({ length: count }, (_, row) => [{ formula: `="t"&${1000 - row}` }]);
  kernel.apply([{ kind: 'block', sheet: 1, row: 0, column: 2, inputs }]);
  kernel.recalculate(now, fuel);
  const texts = Array.from({ length: count }, (_, row) => `t${1000 - row}`);
  t.same(column(kernel, 0, count + 1).slice(1), texts.toSorted());
});

t.test('groups are sorted by their values and equal ones stay in key order', async (t) => {
  const count = 500;
  const random = new SeededRandom(12);
  const sums = Array.from({ length: count }, () => Math.floor(random.next() * 40));
  const keys = sums.map((_, index) => (index * 7) % count);
  const kernel = modelOf(keys.map((key, line) => [key, sums[line] ?? 0]));
  evaluate(kernel, 0, 3, `=GROUPBY(A1:A${count},B1:B${count},SUM,0,0,-2)`);
  const groups = keys.map((key, line) => ({ key, sum: sums[line] ?? 0 }));
  const expected = groups.toSorted((a, b) => b.sum - a.sum || a.key - b.key);
  t.same(
    column(kernel, 3, count),
    expected.map(({ key }) => key),
  );
});

t.test('a forecast does not depend on the order of its points', async (t) => {
  const rows = Array.from({ length: 200 }, (_, index) => [index + 1, (index % 7) + index / 3]);
  const random = new SeededRandom(13);
  const mixed = rows
    .map((row) => ({ row, place: random.next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ row }) => row);
  const forecasts = [rows, mixed].map((points) => {
    const kernel = modelOf(points);
    evaluate(kernel, 0, 3, '=FORECAST.ETS(210,B1:B200,A1:A200,7)');
    return column(kernel, 3, 1)[0];
  });
  t.type(forecasts[0], 'number');
  t.equal(forecasts[0], forecasts[1]);
});

t.test('edits find their readers in long lists, whatever moved before', async (t) => {
  const count = 3000;
  const random = new SeededRandom(14);
  const rowOf = () => Math.floor(random.next() * count);
  const kernel = modelOf(Array.from({ length: count }, (_, row) => [row]));
  kernel.recalculate(now, fuel);
  for (const place of [1, 2, 3]) {
    const inputs = Array.from({ length: count }, () => [{ formula: `=A${rowOf() + 1}*2` }]);
    kernel.apply([{ kind: 'block', sheet: 1, row: 0, column: place, inputs }]);
    kernel.recalculate(now, fuel);
    const from = 100 * place;
    kernel.apply([
      { kind: 'move', axis: 'row', sheet: 1, from, count: 500, before: 2000 },
      { kind: 'cell', sheet: 1, row: rowOf(), column: 0, input: -1 },
      { kind: 'insert', axis: 'row', sheet: 1, from: from + 700, count: 1 },
      { kind: 'cell', sheet: 1, row: rowOf(), column: 0, input: -2 },
      { kind: 'delete', axis: 'row', sheet: 1, from: from + 700, count: 1 },
    ]);
    kernel.recalculate(now, fuel);
  }
  const area = { row0: 0, column0: 0, row1: count - 1, column1: 3 };
  const form = (value: Value) => value;
  const values = kernel.readRange(1, area, { lens: 'value', form });
  const formulas = kernel.readRange(1, area, { lens: 'formula', form });
  const wrong = values.flatMap((cells, row) =>
    [1, 2, 3].filter(
      (place) => cells[place] !== Number(values[rowReadBy(formulas[row]?.[place])]?.[0]) * 2,
    ),
  );
  t.equal(formulas.flat().filter((text) => typeof text === 'string').length, count * 3);
  t.equal(wrong.length, 0);
});
