import t from 'tap';

import { parseAddress } from '../../server/model/address.ts';
import { readInput } from '../../server/model/input.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';
import { Choice } from '../fuzz/choice.ts';
import { caseCount } from '../support/case-count.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { testSeed } from '../support/test-seed.ts';

/** Cycles that are iterated, as Excel does it from a fresh start. */

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };

type Cells = Readonly<Record<string, string | number | boolean | null>>;

function cellOf(name: string, input: string | number | boolean | null): Mutation {
  const [first = '', rest] = name.split('!');
  const { row, column } = parseAddress(rest ?? first) ?? { row: 0, column: 0 };
  const sheet = rest === undefined ? 1 : Number(first.slice(1));
  return { kind: 'cell', sheet, row, column, input: readInput(input, {}) };
}

function settings(iterate: boolean, iterations = 100, change = 0.001): Mutation[] {
  return [
    { kind: 'setting', name: 'iterate', value: iterate },
    { kind: 'setting', name: 'iterations', value: iterations },
    { kind: 'setting', name: 'iterationChange', value: change },
  ];
}

class Book {
  readonly kernel = Kernel.create();
  readonly fuel: number;

  constructor(fuel = 1e9) {
    this.fuel = fuel;
    this.kernel.apply([
      { kind: 'sheetAdd', sheet: 1, name: 'S1', index: 0 },
      { kind: 'sheetAdd', sheet: 2, name: 'S2', index: 1 },
      ...settings(true),
    ]);
  }

  change(...mutations: Mutation[]): this {
    this.kernel.apply(mutations);
    for (let calls = 0; !this.kernel.recalculate(now, this.fuel); calls++) {
      if (calls > 200_000) throw new Error('it comes to no end');
    }
    return this;
  }

  set(cells: Cells): this {
    return this.change(...Object.entries(cells).map(([name, input]) => cellOf(name, input)));
  }

  all(): unknown[] {
    const area = { row0: 0, row1: 4, column0: 0, column1: 3 };
    const form = { lens: 'value', form: valueForm } as const;
    return [1, 2].map((sheet) => this.kernel.readRange(sheet, area, form));
  }

  get(name: string): unknown {
    const [first = '', rest] = name.split('!');
    const { row, column } = parseAddress(rest ?? first) ?? { row: 0, column: 0 };
    const area = { row0: row, row1: row, column0: column, column1: column };
    const sheet = rest === undefined ? 1 : Number(first.slice(1));
    return this.kernel.readRange(sheet, area, { lens: 'value', form: valueForm })[0]?.[0];
  }
}

t.test('a cell that adds to itself is computed as often as the settings say', async (t) => {
  const book = new Book().set({ A1: '=A1+1' });
  t.equal(book.get('A1'), 100);
  book.change(...settings(true, 7));
  t.equal(book.get('A1'), 7);
  t.equal(book.set({ C9: 1 }).get('A1'), 7, 'an edit elsewhere begins with 0 again');
  book.change(...settings(false));
  t.same(book.get('A1'), { error: '#CIRC!' });
  book.change(...settings(true, 3));
  t.equal(book.get('A1'), 3);
});

t.test('it ends when the change is small', async (t) => {
  const book = new Book().set({ A1: '=0.5*A1+1', B1: '=A1*10' });
  t.equal(book.get('A1'), 2 - 2 ** -10, 'the eleventh round changes it by less than 0.001');
  t.equal(book.get('B1'), 20 - 10 * 2 ** -10, 'who reads it has its last value');
  book.change(...settings(true, 100, 0));
  t.equal(book.get('A1'), 2);
  book.change(...settings(true, 100, 0.6));
  t.equal(book.get('A1'), 1.5);
});

t.test('interest on an average balance', async (t) => {
  const book = new Book().set({ B1: 1000, B2: 0.1, B3: '=B2*(B1+B4)/2', B4: '=B1+B3-100' });
  t.ok(Math.abs(Number(book.get('B3')) - 100) < 0.01);
  t.ok(Math.abs(Number(book.get('B4')) - 1000) < 0.01);
});

t.test('cells are computed sheet by sheet, row by row, left to right', async (t) => {
  const forward = { A1: '=C1+1', B1: '=A1', C1: '=B1' };
  t.same(
    ['A1', 'B1', 'C1'].map((name) => new Book().set(forward).get(name)),
    [100, 100, 100],
  );
  // Against the order each cell sees what the next one held a round before.
  const backward = { A1: '=B1', B1: '=C1', C1: '=A1+1' };
  const book = new Book().set(backward).change(...settings(true, 7));
  t.same(
    ['A1', 'B1', 'C1'].map((name) => book.get(name)),
    [3, 3, 4],
  );
  const rows = new Book().set({ B1: '=A2', A2: '=B1+1' }).change(...settings(true, 4));
  t.same(
    ['B1', 'A2'].map((name) => rows.get(name)),
    [3, 4],
  );
  const sheets = new Book().set({ 'S2!A1': '=S1!Z9', Z9: '=S2!A1+1' }).change(...settings(true, 4));
  t.same(
    ['Z9', 'S2!A1'].map((name) => sheets.get(name)),
    [4, 4],
  );
  sheets.change({ kind: 'sheetMove', sheet: 2, index: 0 });
  t.same(
    ['Z9', 'S2!A1'].map((name) => sheets.get(name)),
    [4, 3],
    'the order of tabs counts',
  );
});

t.test(
  'what lies between two cells of a cycle takes part, what depends on it comes last',
  async (t) => {
    const book = new Book().set({
      A1: '=IF(A1>5,A1,B1+1)',
      B1: '=A1+C1',
      C1: '=A1*0',
      D1: '=SUM(A1:C1)',
      E1: '=D1&"!"',
    });
    t.same(
      ['A1', 'B1', 'C1', 'D1', 'E1'].map((name) => book.get(name)),
      [6, 6, 0, 12, '12!'],
    );
  },
);

t.test('texts, errors and switches', async (t) => {
  const book = new Book();
  t.equal(book.set({ A1: '=A1&"x"' }).get('A1'), `0${'x'.repeat(100)}`);
  t.same(book.set({ A1: '=1/A1' }).get('A1'), { error: '#DIV/0!' });
  t.equal(
    book
      .set({ A1: '=IFERROR(1/A1,2)' })
      .change(...settings(true, 1))
      .get('A1'),
    2,
  );
  t.equal(book.change(...settings(true, 2)).get('A1'), 0.5);
  book.change(...settings(true)).set({ A1: '=IF(B1,A1+1,0)', B1: false });
  t.equal(book.get('A1'), 0, 'no cycle as long as the branch is not taken');
  t.equal(book.set({ B1: true }).get('A1'), 100);
  t.equal(book.set({ B1: false }).get('A1'), 0);
});

t.test('a cycle through an array', async (t) => {
  const book = new Book().set({ A1: '=SEQUENCE(3)+B5', B5: '=A2' });
  const values = ['A1', 'A2', 'A3', 'B5'].map((name) => book.get(name));
  const again = new Book().set({ B5: '=A2' }).set({ A1: '=SEQUENCE(3)+B5' });
  t.same(
    ['A1', 'A2', 'A3', 'B5'].map((name) => again.get(name)),
    values,
    'in whatever order',
  );
});

t.test('ranges, lookups and totals see each round', async (t) => {
  const rows = Object.fromEntries(Array.from({ length: 80 }, (_, row) => [`D${row + 2}`, row]));
  const book = new Book().set({
    ...rows,
    A1: '=B1+1',
    D1: '=A1',
    B1: '=SUM(D1:D3)-1+COUNTIF(D$1:D$81,-5)',
    C1: '=MATCH(A1,D$1:D$81,0)',
  });
  t.same(
    ['A1', 'B1', 'D1'].map((name) => book.get(name)),
    [50, 50, 50],
  );
});

const formulas = [
  '=A1+1',
  '=0.5*B2+1',
  '=SUM(A1:C3)/20',
  '=IF(A2>3,B1,C1+1)',
  '=IFERROR(1/C3,B3)',
  '=B1&"x"',
  '=INDEX(A1:C3,2,MOD(N(A1),3)+1)+1',
  '=INDIRECT("B"&2)+1',
  '=S2!A1*0.9+1',
  '=S1!C2+1',
  '=MAX(A:A)-1',
  '=SEQUENCE(2)+C1',
  '=COUNTIF(A1:C3,">2")',
  7,
  null,
];

t.test('values do not depend on the order of edits, nor on how fuel is cut', async (t) => {
  for (let index = 0; index < caseCount(60); index++) {
    const choice = new Choice(new SeededRandom(testSeed + index));
    const stepwise = new Book();
    const sliced = new Book(choice.pick([20, 300, 5_000]));
    const cells: Record<string, string | number | null> = {};
    stepwise.change(...settings(true, 12));
    sliced.change(...settings(true, 12));
    for (let step = 0; step < 9; step++) {
      const name = `${choice.oneIn(4) ? 'S2!' : ''}${choice.pick(['A', 'B', 'C'])}${choice.between(1, 3)}`;
      cells[name] = choice.pick(formulas);
      stepwise.set({ [name]: cells[name] });
      sliced.set({ [name]: cells[name] });
      const names = Object.keys(cells);
      const fresh = new Book();
      fresh.kernel.apply(settings(true, 12));
      const order = names.toSorted(() => (choice.oneIn(2) ? 1 : -1));
      fresh.set(Object.fromEntries(order.map((key) => [key, cells[key] ?? null])));
      const expected = fresh.all();
      const seed = `seed ${testSeed + index}, step ${step}: ${JSON.stringify(cells)}`;
      if (!t.same(stepwise.all(), expected, seed)) return;
      if (!t.same(sliced.all(), expected, `${seed} in slices`)) return;
    }
  }
});
