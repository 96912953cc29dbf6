import * as fc from 'fast-check';
import t from 'tap';

import { cellName } from '../../server/model/address.ts';
import type { Input, Value } from '../../server/model/cell-value.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { caseCount } from '../support/case-count.ts';
import { OneSheet } from '../support/one-sheet.ts';

/**
 * Indexes of columns outlive the recalculation. After each edit of a history every value is, to the
 * last bit, that of a sheet which is calculated for the first time.
 */

/** The data lie in three columns, on both sides of the border between two chunks. */
const firstRow = 985;
const rowCount = 90;
const lastRow = firstRow + rowCount - 1;
const dataColumns = 3;
const formulaColumn = 4;
const range = { row0: firstRow - 20, row1: lastRow + 40, column0: 0, column1: 20 };

const rows = `$${firstRow + 1}:`;
const area = (name: string, end = `$${lastRow + 1}`): string => `$${name}${rows}$${name}${end}`;

/** Filled down beside the data; `#` stands for the row. Many ask the same, some growing ranges. */
const questions = [
  `=MATCH(A#,${area('A')},0)`,
  `=IFERROR(VLOOKUP(B#,$B${rows}$C$${lastRow + 1},2,FALSE),"none")`,
  '=COUNTIF(A:A,A#)',
  `=COUNTIF(${area('B', '#')},B#)`,
  `=SUMIFS(${area('C')},${area('A')},A#,${area('B')},B#)`,
  `=SUM(${area('C', '#')})`,
  `=COUNTA(${area('A', '#')})-COUNT(${area('A', '#')})`,
  `=MAX(${area('B', '#')})`,
  `=SUM(C#:C$${lastRow + 1})`,
  '=XLOOKUP(B#,A:A,C:C,"none")',
  `=COUNTIF(${area('A')},">"&N(B#))`,
  `=COUNTIFS(${area('C')},">=0.1",${area('C')},"<3.3")`,
  `=IFERROR(RANK(2,${area('B')}),"none")`,
  `=IFERROR(LARGE(${area('C')},2),"none")`,
];

/** Added up in another order they give another sum. */
const value = fc.constantFrom<Input>(
  1,
  2,
  3,
  0.1,
  1e16,
  -1e16,
  3.3,
  '2',
  'x',
  'X',
  'ant',
  '3/4',
  '',
  true,
  false,
  null,
  { error: '#N/A' },
);

/** Formulas that make cells of the data wait, and fill one another. */
const source = fc
  .constantFrom(
    '=SEQUENCE(3)',
    '=SEQUENCE(2,2)',
    `=SUM(A$${firstRow + 1}:A${firstRow + 9})/7`,
    `=COUNTIF(A$${firstRow + 1}:A${firstRow + 60},"x")`,
    `=IF(A${firstRow + 1}="x",1,"x")`,
    `=INDIRECT("A"&${firstRow + 3})`,
    `=MATCH(2,B$${firstRow + 1}:B$${lastRow},0)`,
  )
  .map((formula): Input => ({ formula }));

const place = fc.record({
  row: fc.integer({ min: firstRow - 2, max: lastRow + 2 }),
  column: fc.nat(dataColumns - 1),
});
const lines = fc.record({
  axis: fc.constant('row' as const),
  from: fc.integer({ min: firstRow - 3, max: lastRow }),
  count: fc.integer({ min: 1, max: 5 }),
});
const sheet = 1;

type Step = Mutation | 'undo';

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(place, fc.oneof({ weight: 5, arbitrary: value }, source))
      .map(([at, input]): Mutation => ({ kind: 'cell', sheet, ...at, input })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(place, value, fc.integer({ min: 1, max: 40 }))
      .map(([at, input, rowCount]): Mutation => {
        return { kind: 'fill', sheet, ...at, rowCount, columnCount: 1, input };
      }),
  },
  lines.map((span): Mutation => ({ kind: 'insert', sheet, ...span })),
  lines.map((span): Mutation => ({ kind: 'delete', sheet, ...span })),
  fc
    .tuple(lines, fc.integer({ min: firstRow - 3, max: lastRow + 3 }))
    .filter(([{ from, count }, before]) => before < from || before > from + count)
    .map(([span, before]): Mutation => ({ kind: 'move', sheet, ...span, before })),
  fc.constantFrom<Mutation>(
    { kind: 'insert', sheet, axis: 'column', from: 1, count: 1 },
    { kind: 'delete', sheet, axis: 'column', from: 1, count: 1 },
    { kind: 'setting', name: 'date1904', value: true },
    { kind: 'setting', name: 'date1904', value: false },
  ),
  { weight: 3, arbitrary: fc.constant('undo' as const) },
);

const data = fc.array(fc.tuple(value, value, value), { minLength: rowCount, maxLength: rowCount });

function beginning(cells: readonly (readonly Input[])[]): Mutation[] {
  const inputs = cells.map((_, index) =>
    questions.map((text): Input => ({ formula: text.replaceAll('#', `${firstRow + index + 1}`) })),
  );
  return [
    { kind: 'block', sheet, row: firstRow, column: 0, inputs: cells },
    { kind: 'block', sheet, row: firstRow, column: formulaColumn, inputs },
  ];
}

/** Where two sheets differ first. */
function difference(left: readonly Value[][], right: readonly Value[][]): string | undefined {
  for (const [index, row] of left.entries()) {
    for (const [column, one] of row.entries()) {
      const other = right[index]?.[column] ?? null;
      if (textOf(one) === textOf(other)) continue;
      return `${cellName(range.row0 + index, column)}: ${textOf(one)}, fresh ${textOf(other)}`;
    }
  }
  return undefined;
}

function textOf(one: Value): string {
  return Object.is(one, -0) ? '-0' : JSON.stringify(one);
}

/** Calculates after each step, and names the first cell that a fresh sheet has another value for. */
function follow(cells: readonly Input[][], steps: readonly Step[]): string | undefined {
  const mutations = beginning(cells);
  const book = new OneSheet(mutations);
  book.calculate();
  let former: Mutation | undefined;
  for (const [index, one] of steps.entries()) {
    const mutation = one === 'undo' ? former : one;
    if (mutation === undefined) continue;
    former = undefined;
    if (mutation.kind === 'cell') {
      former = { ...mutation, input: book.input(mutation.row, mutation.column) };
    }
    mutations.push(mutation);
    book.kernel.apply([mutation]);
    const fresh = new OneSheet(mutations);
    const found = difference(book.values(range), fresh.values(range));
    if (found !== undefined) return `step ${index}: ${found}`;
  }
  return undefined;
}

t.test('histories of edits, calculated after each', (t) => {
  const histories = fc.array(step, { minLength: 1, maxLength: 14 });
  const law = fc.property(data, histories, (cells, steps) => {
    const found = follow(cells, steps);
    if (found !== undefined) throw new Error(found);
  });
  const result = fc.check(law, { numRuns: caseCount(60) });
  t.equal(result.failed, false, fc.defaultReportMessage(result) ?? '');
  t.end();
});
