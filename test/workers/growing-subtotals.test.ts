import * as fc from 'fast-check';
import process from 'node:process';
import t from 'tap';

import type { Input } from '../../server/model/cell-value.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { caseCount } from '../support/case-count.ts';
import { OneSheet } from '../support/one-sheet.ts';

/** Subtotals of a column down to each of its rows. */

const sheet = 1;
const rowCount = 60;
const functions = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 101, 103, 109];
const aggregates = functions.filter((which) => which < 12).concat(12, 13);
const ordered = [14, 15, 16, 17, 18, 19];
/** Errors count for the first and are passed over by the second. */
const options = [4, 6];

/** Two arguments are added up cell by cell, and the second one is blank. */
function formulas(row: number): Input[] {
  const grown = `$A$1:A${row + 1}`;
  const subtotals = functions.flatMap((which) => [
    `=SUBTOTAL(${which},${grown})`,
    `=SUBTOTAL(${which},${grown},$KP$1)`,
  ]);
  const aggregated = options.flatMap((option) => [
    ...aggregates.flatMap((which) => [
      `=AGGREGATE(${which},${option},${grown})`,
      `=AGGREGATE(${which},${option},${grown},$KP$1)`,
    ]),
    ...ordered.flatMap((which) => inOrder(`${which},${option}`, grown, row)),
  ]);
  return [...subtotals, ...aggregated].map((formula) => ({ formula }));
}

/** An array is put in order anew each time; one cell with a plus is no array. */
function inOrder(call: string, grown: string, row: number): string[] {
  if (row === 0) return ['=0', '=0'];
  return [`=AGGREGATE(${call},${grown},1)`, `=AGGREGATE(${call},+${grown},1)`];
}

const value = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom<Input>(1, 2, 0.1, -7, 1e16, null) },
  { weight: 2, arbitrary: fc.constantFrom<Input>('x', '2', true) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Input>(
      { formula: '=SUM(KO1:KO3)' },
      { formula: '=SUBTOTAL(9,KO1:KO3)' },
      { formula: '=AGGREGATE(4,6,KO1:KO3)+1' },
    ),
  },
);
const rarely = fc.oneof({ weight: 30, arbitrary: value }, fc.constant<Input>({ error: '#N/A' }));
const row = fc.nat(rowCount - 1);
const step: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(row, rarely).map(([at, input]): Mutation => {
    return { kind: 'cell', sheet, row: at, column: 0, input };
  }),
  fc.integer({ min: -3, max: 9 }).map((input): Mutation => {
    return { kind: 'cell', sheet, row: 0, column: 300, input };
  }),
  fc
    .tuple(row, fc.constantFrom('no' as const, 'filter' as const, 'hand' as const))
    .map(([from, hidden]): Mutation => ({ kind: 'rowsHidden', sheet, from, count: 2, hidden })),
);

function check(book: OneSheet): void {
  const columns = 2 * (functions.length + options.length * (aggregates.length + ordered.length));
  const range = { row0: 0, row1: rowCount - 1, column0: 2, column1: 1 + columns };
  for (const [at, answers] of book.values(range).entries()) {
    for (let column = 0; column < columns; column += 2) {
      const [one, other] = answers.slice(column, column + 2).map((found) => JSON.stringify(found));
      if (one !== other) throw new Error(`row ${at}, column ${column}: ${one}, ${other}`);
    }
  }
}

t.test('they are what they are cell by cell, after each of some edits', async (t) => {
  const data = fc.array(rarely, { minLength: rowCount, maxLength: rowCount });
  fc.assert(
    fc.property(data, fc.array(step, { maxLength: 8 }), (cells, steps) => {
      const inputs = cells.map((input, at) => [input, null, ...formulas(at)]);
      const book = new OneSheet([{ kind: 'block', sheet, row: 0, column: 0, inputs }]);
      check(book);
      for (const mutation of steps) {
        book.kernel.apply([mutation]);
        check(book);
      }
    }),
    { numRuns: caseCount(60) },
  );
  t.pass('for every history that was tried');
});

t.test('twenty thousand of them take less than a second of the processor', async (t) => {
  const inputs = Array.from({ length: 20_000 }, (_, at): Input[] => [
    at % 10,
    { formula: `=SUBTOTAL(109,$A$1:A${at + 1})` },
    { formula: `=SUBTOTAL(3,$A$1:A${at + 1})` },
  ]);
  const book = new OneSheet([{ kind: 'block', sheet, row: 0, column: 0, inputs }]);
  const before = process.cpuUsage();
  book.calculate();
  const { user, system } = process.cpuUsage(before);
  const milliseconds = (user + system) / 1_000;
  t.ok(milliseconds < 1_000, `${milliseconds} ms`);
  const last = { row0: 19_999, row1: 19_999, column0: 1, column1: 2 };
  t.same(book.values(last), [[90_000, 20_000]]);
});
