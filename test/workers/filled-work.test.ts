import t from 'tap';

import type { Input } from '../../server/model/cell-value.ts';
import { OneSheet } from '../support/one-sheet.ts';

/**
 * Formulas that look at their whole column in each of its rows take few steps of fuel for a row,
 * when all are computed and after an edit of the first one. Steps are counted, so that a busy
 * machine does not decide.
 */

const rowCount = 4_000;
/** Most of them took 150 and more before. */
const stepsPerRowMost = 100;
const questions = [
  '=SUMPRODUCT(--(B$1:B$4000>B#))',
  '=SUMPRODUCT((A$1:A$4000=A#)*(B$1:B$4000>B#)*B$1:B$4000)',
  '=SUM((B$1:B#<=B#)*1)',
  '=COUNTIF(A$1:A$4000,"*"&A#&"*")',
  '=MATCH("*"&A#,A$1:A$4000,0)',
  '=MODE(B$1:B#)',
  '=AGGREGATE(9,6,B$1:B#)',
  '=AGGREGATE(14,6,B$1:B#,2)',
  '=AGGREGATE(12,4,B$1:B#)',
  '=STDEV(B#:B$4000)',
];

for (const question of questions) {
  t.test(`${question} filled down`, async (t) => {
    const inputs = Array.from({ length: rowCount }, (_, at): Input[] => [
      `k${(at * 7_919) % 1_000}`,
      ((at * 7_919) % 997) / 10,
      { formula: question.replaceAll('#', `${at + 1}`) },
    ]);
    const book = new OneSheet([{ kind: 'block', sheet: 1, row: 0, column: 0, inputs }]);
    book.calculate();
    const first = book.kernel.statistics().steps / rowCount;
    t.ok(first < stepsPerRowMost, `${first.toFixed(0)} steps a row`);
    book.enter(0, 1, 99.5);
    book.calculate();
    const again = book.kernel.statistics().steps / rowCount;
    t.ok(again < stepsPerRowMost, `${again.toFixed(0)} steps a row after an edit`);
  });
}
