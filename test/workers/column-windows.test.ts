import t from 'tap';

import type { Input, Value } from '../../server/model/cell-value.ts';
import { OneSheet } from '../support/one-sheet.ts';
import { SeededRandom } from '../support/seeded-random.ts';

/**
 * Totals of growing ranges, of their rests and of moving windows, against plain loops: after a
 * build and after edits at the borders of chunks.
 */

const rowCount = 2_200;
const windowRows = 30;
const random = new SeededRandom(23);

/** Their sum depends on the order in which they are added. */
const cells: readonly Input[] = [1e16, 1, -1e16, 3.1, 0.1, 7, 'x', true, null];

function anyCell(): Input {
  return cells[random.between(0, cells.length - 1)] ?? null;
}

function totals(column: readonly Input[], from: number, end: number) {
  const numbers: number[] = [];
  let error: Value = null;
  let filled = 0;
  for (const cell of column.slice(from, end)) {
    if (cell !== null) filled++;
    if (typeof cell === 'number') numbers.push(cell);
    else if (typeof cell === 'object' && cell !== null) error ??= cell as Value;
  }
  return { numbers, error, filled };
}

function sumOf(column: readonly Input[], from: number, end: number): Value {
  const { numbers, error } = totals(column, from, end);
  return error ?? numbers.reduce((sum, number) => sum + number, 0);
}

function leastOf(column: readonly Input[], from: number, end: number): Value {
  const { numbers, error } = totals(column, from, end);
  return error ?? (numbers.length > 0 ? Math.min(...numbers) : 0);
}

function greatestOf(column: readonly Input[], from: number, end: number): Value {
  const { numbers, error } = totals(column, from, end);
  return error ?? (numbers.length > 0 ? Math.max(...numbers) : 0);
}

interface Question {
  readonly name: string;
  readonly formula: (row: number) => string;
  readonly answer: (column: readonly Input[], index: number) => Value;
}

const questions: readonly Question[] = [
  {
    name: 'growing sum',
    formula: (row) => `=SUM(A$1:A${row})`,
    answer: (column, index) => sumOf(column, 0, index + 1),
  },
  {
    name: 'sum of the rest',
    formula: (row) => `=SUM(A${row}:A$${rowCount})`,
    answer: (column, index) => sumOf(column, index, rowCount),
  },
  {
    name: 'sum from within a chunk on',
    formula: (row) => `=SUM(A$700:A${Math.max(row, 700)})`,
    answer: (column, index) => sumOf(column, 699, Math.max(index + 1, 700)),
  },
  {
    name: 'moving sum',
    formula: (row) => `=SUM(A${row}:A${row + windowRows - 1})`,
    answer: (column, index) => sumOf(column, index, index + windowRows),
  },
  {
    name: 'moving sum, then a growing one',
    formula: (row) => `=SUM(A${row}:A${row + 1},A$1:A${row})`,
    answer: (column, index) =>
      sumOf([...column.slice(index, index + 2), ...column.slice(0, index + 1)], 0, rowCount + 2),
  },
  {
    name: 'growing least',
    formula: (row) => `=MIN(A$1:A${row})`,
    answer: (column, index) => leastOf(column, 0, index + 1),
  },
  {
    name: 'growing greatest beside a window',
    formula: (row) => `=MAX(A$1:A${row},A${row}:A${row + windowRows - 1})`,
    answer: (column, index) =>
      greatestOf(column, 0, index + 1) !== null && totals(column, 0, index + 1).error !== null
        ? totals(column, 0, index + 1).error
        : greatestOf(column, 0, index + windowRows),
  },
  {
    name: 'growing counts',
    formula: (row) => `=COUNT(A$1:A${row})*10000+COUNTA(A$1:A${row})`,
    answer: (column, index) => {
      const { numbers, filled } = totals(column, 0, index + 1);
      return numbers.length * 10_000 + filled;
    },
  },
];

t.test('totals of ranges that share their rows', (t) => {
  const column = Array.from({ length: rowCount }, anyCell);
  const book = new OneSheet();
  const inputs = column.map((cell, index): Input[] => [
    cell,
    ...questions.map(({ formula }): Input => ({ formula: formula(index + 1) })),
  ]);
  book.enterBlock(0, 0, inputs);
  const error: Input = { error: '#DIV/0!' };
  const edits: readonly (readonly [row: number, input: Input] | undefined)[] = [
    undefined,
    [0, 5],
    [rowCount - 1, 0.3],
    [1_023, 1e16],
    [1_024, -3],
    [2_047, error],
    [2_047, 4],
    [1_500, error],
    [700, error],
    [1_500, 2],
    [700, null],
    [699, 'text'],
  ];
  for (const edit of edits) {
    if (edit !== undefined) {
      const [row, input] = edit;
      column[row] = input;
      book.enter(row, 0, input);
    }
    const when = edit === undefined ? 'built' : `A${edit[0] + 1} is ${JSON.stringify(edit[1])}`;
    for (const [number, { name, answer }] of questions.entries()) {
      const found = book.column(number + 1, 0, rowCount - 1);
      const expected = column.map((_, index) => answer(column, index));
      const at = found.findIndex((value, index) => textOf(value) !== textOf(expected[index]));
      t.equal(at, -1, `${name}, ${when}`, { found: found[at], expected: expected[at] });
    }
  }
  t.end();
});

function textOf(value: Value | undefined): string {
  return JSON.stringify(value);
}

t.test('a column that sums itself', (t) => {
  const book = new OneSheet();
  const formulas = Array.from({ length: 1_500 }, (_, index): Input[] => [
    { formula: `=SUM(A$1:A${index + 20})/${index + 20}+1` },
  ]);
  book.enterBlock(
    0,
    0,
    Array.from({ length: 20 }, (_, index) => [index * 0.1]),
  );
  book.enterBlock(20, 0, formulas);
  for (const first of [0, 0.7, 1e15]) {
    book.enter(0, 0, first);
    const column = Array.from({ length: 20 }, (_, index) => (index === 0 ? first : index * 0.1));
    let sum = column.reduce((before, number) => before + number, 0);
    for (let row = 20; row < 1_520; row++) {
      const mean = sum / row + 1;
      column.push(mean);
      sum += mean;
    }
    t.same(book.column(0, 0, 1_519), column, `from ${first} on`);
  }
  t.end();
});
