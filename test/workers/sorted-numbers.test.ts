import process from 'node:process';
import * as fc from 'fast-check';
import t from 'tap';

import type { Input, Value } from '../../server/model/cell-value.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { caseCount } from '../support/case-count.ts';
import { OneSheet } from '../support/one-sheet.ts';

/** Ranks, percentiles and counts of what lies beyond a number, many over the same column. */

const sheet = 1;
const firstRow = 1_000;
const rowCount = 70;
const all = `$A$${firstRow + 1}:$A$${firstRow + rowCount}`;
const limits = { low: 2, high: 7.5 };

type Answer = number | 'error';
type Question = readonly [formula: string, answer: (sorted: readonly number[]) => Answer];

function placed(sorted: readonly number[], at: number): Answer {
  return sorted[at] ?? 'error';
}

function percentile(sorted: readonly number[], share: number): Answer {
  if (sorted.length === 0) return 'error';
  const position = share * (sorted.length - 1);
  const [below = 0, above = 0] = sorted.slice(Math.floor(position));
  return below + (position - Math.floor(position)) * (above - below || 0);
}

function rank(sorted: readonly number[], value: number, isUpward: boolean): Answer {
  if (!sorted.includes(value)) return 'error';
  return 1 + sorted.filter((other) => (isUpward ? other < value : other > value)).length;
}

/** Counts hold where an error is among the cells, and all else is that error. */
const counts: readonly Question[] = [
  [`=COUNTIF(${all},">2")`, (sorted) => sorted.filter((one) => one > limits.low).length],
  [`=COUNTIF(${all},"<=2")`, (sorted) => sorted.filter((one) => one <= limits.low).length],
  [
    `=COUNTIFS(${all},">=2",${all},"<7.5")`,
    (sorted) => sorted.filter((one) => one >= limits.low && one < limits.high).length,
  ],
  [`=COUNTIFS(${all},">7.5",${all},"<2")`, () => 0],
];
const others: readonly Question[] = [
  [`=RANK(2,${all})`, (sorted) => rank(sorted, 2, false)],
  [`=RANK(2,${all},1)`, (sorted) => rank(sorted, 2, true)],
  [`=LARGE(${all},3)`, (sorted) => placed(sorted, sorted.length - 3)],
  [`=SMALL(${all},2)`, (sorted) => placed(sorted, 1)],
  [`=MEDIAN(${all})`, (sorted) => percentile(sorted, 0.5)],
  [`=PERCENTILE(${all},0.3)`, (sorted) => percentile(sorted, 0.3)],
  [`=QUARTILE(${all},1)`, (sorted) => percentile(sorted, 0.25)],
];
const questions = [...counts, ...others];
/** Each is asked so often that rows are sorted for it. */
const askedRows = 5;

const value = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom<Input>(1, 2, 3, -4, 7.5, 0, 1e300, 2.5) },
  { weight: 3, arbitrary: fc.constantFrom<Input>('x', '2', true, null) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Input>({ formula: '=B1+1' }, { formula: '=SUM(B1:B3)' }),
  },
);
const rarely = fc.oneof({ weight: 12, arbitrary: value }, fc.constant<Input>({ error: '#N/A' }));
const row = fc.nat(rowCount - 1);
const step: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(row, rarely).map(([at, input]): Mutation => {
    return { kind: 'cell', sheet, row: firstRow + at, column: 0, input };
  }),
  fc.integer({ min: -3, max: 9 }).map((input): Mutation => {
    return { kind: 'cell', sheet, row: 0, column: 1, input };
  }),
);

function beginning(cells: readonly Input[]): Mutation[] {
  const inputs = Array.from({ length: askedRows }, () =>
    questions.map(([formula]): Input => ({ formula })),
  );
  return [
    { kind: 'block', sheet, row: firstRow, column: 0, inputs: cells.map((input) => [input]) },
    { kind: 'block', sheet, row: 0, column: 3, inputs },
  ];
}

function check(book: OneSheet): void {
  const column = { row0: firstRow, row1: firstRow + rowCount - 1, column0: 0, column1: 0 };
  const held = book.values(column).flat();
  const sorted = held.filter((one) => typeof one === 'number').sort((a, b) => a - b);
  const hasError = held.some((one) => typeof one === 'object' && one !== null);
  const place = { row0: 0, row1: askedRows - 1, column0: 3, column1: 2 + questions.length };
  for (const answers of book.values(place)) {
    for (const [at, [formula, answerOf]] of questions.entries()) {
      const expected = hasError && at >= counts.length ? 'error' : answerOf(sorted);
      const found = answers[at] ?? null;
      if (!isAnswer(found, expected)) {
        throw new Error(`${formula}: ${JSON.stringify(found)} instead of ${expected}`);
      }
    }
  }
}

function isAnswer(found: Value, expected: Answer): boolean {
  if (expected === 'error') return typeof found === 'object' && found !== null;
  return typeof found === 'number' && Math.abs(found - expected) <= Math.abs(expected) * 1e-9;
}

t.test('they are as one counts them, after each of some edits', async (t) => {
  const data = fc.array(value, { minLength: rowCount, maxLength: rowCount });
  fc.assert(
    fc.property(data, fc.array(step, { maxLength: 8 }), (cells, steps) => {
      const book = new OneSheet(beginning(cells));
      book.calculate();
      check(book);
      for (const mutation of steps) {
        book.kernel.apply([mutation]);
        check(book);
      }
    }),
    { numRuns: caseCount(100) },
  );
  t.pass('for every history that was tried');
});

t.test('twenty thousand of each take less than a second of the processor', async (t) => {
  const count = 20_000;
  const numbers = Array.from({ length: count }, (_, at) => (at * 7_919) % 10_007);
  const ends = `$A$1:$A$${count}`;
  const inputs = numbers.map((number, at): Input[] => {
    const own = `A${at + 1}`;
    return [
      number,
      { formula: `=RANK(${own},${ends})` },
      { formula: `=COUNTIF(${ends},">"&${own})` },
      { formula: `=LARGE(${ends},${at + 1})` },
    ];
  });
  const book = new OneSheet([{ kind: 'block', sheet, row: 0, column: 0, inputs }]);
  const before = process.cpuUsage();
  book.calculate();
  const { user, system } = process.cpuUsage(before);
  const milliseconds = (user + system) / 1_000;
  t.ok(milliseconds < 1_000, `${milliseconds} ms`);
  const [first] = book.values({ row0: 0, row1: 0, column0: 1, column1: 3 });
  t.same(first, [
    1 + numbers.filter((one) => one > 0).length,
    numbers.filter((one) => one > 0).length,
    10_006,
  ]);
});
