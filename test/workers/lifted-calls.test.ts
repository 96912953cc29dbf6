import t from 'tap';

import { cellName, columnName } from '../../server/model/address.ts';
import type { Value } from '../../server/model/cell-value.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';
import { Choice } from '../fuzz/choice.ts';
import { caseCount } from '../support/case-count.ts';
import { readFunctionTable } from '../support/function-table.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { testSeed } from '../support/test-seed.ts';

/**
 * A call over columns answers in each row what a call with the cells of that row answers, and what
 * a call with their values written out does, to the last bit: whatever takes many values at once is
 * held against what takes them one by one.
 */

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const sheet = 1;
const rowCount = 8;
const argumentsMost = 6;
/** Columns of one formula: its arguments, over columns, by cells, written out. */
const stride = argumentsMost + 3;

const numbers = [
  0, 1, 2, 3, 5, 12, 0.5, -1, -2.5, 1.005, 60, 255, 1e15, 1e-7, 1e308, 43_831, 46_000.75,
];
const texts = ['', 'a', 'B', 'abc', '12', '1e3', '$1,200', '2020-02-29', '13:45', '3+4i', 'é', 'm'];
const others: readonly Value[] = [true, false, null, { error: '#N/A' }, { error: '#DIV/0!' }];
const values: readonly Value[] = [...numbers, ...texts, ...others];

const operators = ['+', '-', '*', '/', '^', '&', '=', '<', '>=', '<>'];

/**
 * Functions that lift in all their arguments and answer one value, the same each time; VDB takes a
 * step a period, so that it may run out of fuel in one way and not in another.
 */
const functions = readFunctionTable().filter(
  ({ kinds, flags, most, name }) =>
    /^v+$/.test(kinds) &&
    flags === '' &&
    most > 0 &&
    !/^(RAND.*|SEQUENCE|MUNIT|REGEXEXTRACT|VDB)$/.test(name),
);

interface Shape {
  readonly argumentCount: number;
  readonly write: (parts: readonly string[]) => string;
}

function chooseShape(choice: Choice): Shape {
  if (choice.oneIn(6)) {
    const operator = choice.pick(operators);
    return { argumentCount: 2, write: ([left = '', right = '']) => `=${left}${operator}${right}` };
  }
  const { name, fewest, most } = choice.pick(functions);
  const argumentCount = choice.between(Math.max(1, fewest), Math.min(most, argumentsMost));
  return { argumentCount, write: (parts) => `=${name}(${parts.join(',')})` };
}

function written(value: Value): string {
  if (typeof value === 'string') return `"${value}"`;
  if (typeof value === 'object') return value?.error ?? '';
  return String(value).toUpperCase();
}

/** The cells of one formula from a column on, and their values by row. */
function cellsOf(shape: Shape, choice: Choice, column: number): Mutation[] {
  const rows = choice.times(rowCount, () =>
    choice.times(shape.argumentCount, () => choice.pick(values)),
  );
  const formula = (row: number, at: number, parts: readonly string[]): Mutation => {
    const input = { formula: shape.write(parts) };
    return { kind: 'cell', sheet, row, column: column + argumentsMost + at, input };
  };
  const spans = rows[0]?.map((_, at) => {
    const name = columnName(column + at);
    return `${name}1:${name}${rowCount}`;
  });
  return [
    { kind: 'block', sheet, row: 0, column, inputs: rows },
    formula(0, 0, spans ?? []),
    ...rows.flatMap((row, index) => [
      formula(
        index,
        1,
        row.map((_, at) => cellName(index, column + at)),
      ),
      formula(index, 2, row.map(written)),
    ]),
  ];
}

/** Yields the differences among the three ways of each formula. */
function* differences(shapes: readonly Shape[], choice: Choice): Generator<string> {
  const kernel = Kernel.create();
  kernel.apply([
    { kind: 'sheetAdd', sheet, name: 'One', index: 0 },
    ...shapes.flatMap((shape, index) => cellsOf(shape, choice, index * stride)),
  ]);
  while (!kernel.recalculate(now, 1e8));
  const area = { row0: 0, row1: rowCount - 1, column0: 0, column1: shapes.length * stride };
  const rows = kernel.readRange(sheet, area, { lens: 'value', form: valueForm });
  for (const [index, { argumentCount, write }] of shapes.entries()) {
    const from = index * stride;
    for (const row of rows) {
      const inputs = row.slice(from, from + argumentCount);
      const [over, byCell, byValue] = row
        .slice(from + argumentsMost, from + stride)
        .map((value) => JSON.stringify(value));
      // An empty argument stands for another value than an empty cell does.
      const isWritten = inputs.every((value) => value !== null);
      if (over === byCell && (!isWritten || byCell === byValue)) continue;
      const answers = [over, byCell, byValue].join(', ');
      yield `${write(inputs.map(written))}: ${answers}`;
    }
  }
}

t.test('calls over columns, by cells and by values agree', async (t) => {
  const choice = new Choice(new SeededRandom(testSeed));
  const count = caseCount(40);
  for (let round = 0; round < count; round++) {
    const shapes = choice.times(25, () => chooseShape(choice));
    const found = [...differences(shapes, choice)];
    if (found.length > 0) t.same(found, [], `round ${round} of QUIRE_SEED=${testSeed}`);
  }
  t.ok(functions.length > 100, `${functions.length} functions`);
});
