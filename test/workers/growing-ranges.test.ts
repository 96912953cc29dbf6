import * as fc from 'fast-check';
import t from 'tap';

import type { Input } from '../../server/model/cell-value.ts';
import { caseCount } from '../support/case-count.ts';
import { OneSheet } from '../support/one-sheet.ts';

/**
 * Functions over ranges that grow from row to row go on where the one above ended. They come to
 * what they are over arrays of the same values, which are read anew each time, to the last bit.
 */

const rowCount = 80;
const formulaColumn = 3;

/**
 * `@` stands for `A$1:A9`, `&` for the cells beside it; over arrays both have a plus in front. `#` is
 * `A$1:A9` in both.
 */
const questions = [
  'MEDIAN(@)',
  'PERCENTILE(@,0.3)',
  'LARGE(@,2)',
  'QUARTILE.EXC(@,3)',
  'PRODUCT(@)',
  'SUMSQ(@)',
  'STDEV(@)',
  'VAR.P(@)',
  'DEVSQ(@)',
  'CORREL(@,&)',
  'SLOPE(@,&)',
  'INTERCEPT(&,@)',
  'STEYX(@,&)',
  'COVAR(@,&)',
  'RSQ(@,&)',
  'SUM(@)',
  'MAX(@)',
  'MODE(@)',
  'SUMPRODUCT(--(@>2))',
  'SUM((@<=0.1)*3,0.5)',
  'AVERAGE(1-(2<>@))',
  'SUMPRODUCT((@>=1)*(#=3)*@)',
  'SUM(IFERROR(1/(@=1),0.1))',
  'COUNT(0/(@<3))',
  'SUMPRODUCT(1/COUNTIF(#,@))',
  'SUM(COUNTIF(#,@))',
  'SUM(--(FREQUENCY(@,@)>0))',
  'CONCAT(FREQUENCY(@,@))',
  'CONCAT(FREQUENCY(@,&))',
  'COUNTA(UNIQUE(@))',
  'TEXTJOIN("|",FALSE,UNIQUE(@))',
];
const range = {
  row0: 0,
  row1: rowCount - 1,
  column0: formulaColumn,
  column1: formulaColumn + 2 * questions.length - 1,
};

const ordinary = fc.constantFrom<Input>(1, 2, 0.1, -7.25, 1e9, 1e9 + 0.5, 3, 'x', true, null, '2');
const value = fc.oneof(
  { weight: 40, arbitrary: ordinary },
  fc.constantFrom<Input>({ error: '#N/A' }, { formula: '=SUM(1,1)' }),
);
const edits = fc.array(
  fc.tuple(fc.integer({ min: 0, max: rowCount - 1 }), fc.integer({ min: 0, max: 1 }), value),
  { maxLength: 4 },
);
const rows = fc.oneof(
  fc.array(fc.tuple(ordinary, ordinary), { minLength: rowCount, maxLength: rowCount }),
  fc.array(fc.tuple(value, value), { minLength: rowCount, maxLength: rowCount }),
);

function asked(row: number): Input[] {
  return questions.flatMap((question): Input[] => {
    const fill = (sign: string): string =>
      question
        .replaceAll('@', `${sign}A$1:A${row}`)
        .replaceAll('&', `${sign}B$1:B${row}`)
        .replaceAll('#', `A$1:A${row}`);
    return [{ formula: `=${fill('')}` }, { formula: `=${fill('+')}` }];
  });
}

/** Checks all answers; returns how many there are. */
function check(book: OneSheet): number {
  let count = 0;
  // A range of one cell with a plus is one value, which functions read in another way.
  for (const [row, answers] of book.values(range).entries()) {
    if (row === 0) continue;
    for (const [at, question] of questions.entries()) {
      const [grown, anew] = answers.slice(2 * at, 2 * at + 2).map((one) => JSON.stringify(one));
      count++;
      if (grown !== anew) throw new Error(`${question} of ${row + 1} rows: ${grown}, not ${anew}`);
    }
  }
  return count;
}

t.test('functions over growing ranges give what they give over arrays', async (t) => {
  let answerCount = 0;
  fc.assert(
    fc.property(rows, edits, (cells, changes) => {
      const book = new OneSheet();
      book.enterBlock(0, 0, cells);
      book.enterBlock(
        0,
        formulaColumn,
        cells.map((_, at) => asked(at + 1)),
      );
      answerCount += check(book);
      for (const [row, column, input] of changes) {
        book.enter(row, column, input);
        answerCount += check(book);
      }
    }),
    { numRuns: caseCount(30) },
  );
  t.ok(answerCount > rowCount * questions.length, `${answerCount} answers`);
});
