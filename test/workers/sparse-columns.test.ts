import process from 'node:process';
import * as fc from 'fast-check';
import t from 'tap';

import type { Input } from '../../server/model/cell-value.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { caseCount } from '../support/case-count.ts';
import { OneSheet } from '../support/one-sheet.ts';

/**
 * A condition on a column is computed row by row where few have asked, and from the column's index
 * by all others: both come to the same, to the last bit.
 */

const sheet = 1;
const rowCount = 90;
/** The first of them compute row by row. */
const askedRows = 7;
const keyColumn = 4;
const formulaColumn = 5;

const keys = `$A$1:$A$${rowCount}`;
const others = `$B$1:$B$${rowCount}`;
const numbers = `$C$1:$C$${rowCount}`;

/** `@` stands for the cell with the key. */
const questions = [
  `=SUMPRODUCT((${keys}=@)*${numbers})`,
  `=SUMPRODUCT(--(${keys}=@),${numbers})`,
  `=SUMPRODUCT((${keys}=@)*(${others}<>@)*${numbers})`,
  `=SUMPRODUCT(${numbers},--(@=${keys}),${others})`,
  `=SUMPRODUCT((${keys}=@)/${numbers})`,
  `=SUM((${keys}<>@)*(${others}=2))`,
  `=SUM(${numbers}/(${keys}=@))`,
  `=SUM(IF(${keys}=@,${numbers}))`,
  `=AVERAGE(IF(${keys}=@,${numbers}))`,
  `=MAX(IF(${keys}=@,${numbers},-3))`,
  `=MIN(IF((${keys}=@)*(${others}=1),${numbers},""))`,
  `=MEDIAN(IF(${keys}=@,${numbers}))`,
  `=STDEV(IF(${keys}=@,IF(${others}=1,${numbers})))`,
  `=COUNT(1/(${keys}=@),2/(${others}=@))`,
  `=COUNTA(IF(${keys}=@,${others}))`,
  `=MATCH(1,(${keys}=@)*(${others}=1),0)`,
  `=MATCH(0,(${keys}=@)*(${others}=1),0)`,
  `=XMATCH(TRUE,${keys}=@,0,-1)`,
  `=LOOKUP(2,1/(${keys}=@),${numbers})`,
  `=LOOKUP(1,1/((${keys}=@)*(${others}=2)),${others})`,
  `=LOOKUP(0.5,-(${keys}=@),${numbers})`,
  `=XLOOKUP(1,(${keys}=@)*(${others}=2),${numbers},"none")`,
  `=INDEX(${numbers},MATCH(TRUE,${keys}=@,0))`,
  `=SUM(FILTER(${numbers},${keys}=@,7))`,
  `=TEXTJOIN("|",TRUE,IF(${keys}=@,${others},""))`,
  `=TEXTJOIN("|",FALSE,IFERROR(${numbers}/(${keys}=@),"-"))`,
  `=SUM(IFERROR(1/(${keys}=@),0.1))`,
  `=ROWS(UNIQUE(${keys}=@))&CONCAT(--(${keys}=@))`,
  `=SUM(ABS(-(${keys}=@)+0.1))`,
  `=AND(${keys}=@)&OR(${keys}=@)`,
  `=SUM((${keys}=@)+(${others}=@)%)`,
  `=MMULT(TRANSPOSE(--(${keys}=@)),ROW(${keys}))`,
  `=SUM((${keys}=@)*SEQUENCE(${rowCount}))`,
  `=SUM((${keys}=@)*{1,2})`,
];

const scalars: Input[] = [1, 2, 3, 0, 0.3, 'x', 'X', 'y', '2', '', true, false, null];
/** Not 0.3 to the last bit, but to fifteen digits. */
const nearly = 0.1 + 0.2;
const ordinary = fc.constantFrom<Input>(...scalars, nearly);
const rarely = fc.oneof(
  { weight: 60, arbitrary: ordinary },
  fc.constantFrom<Input>({ error: '#N/A' }, { formula: '=1/0' }, { formula: '=SUM(1,1)' }),
);
const plain = fc.constantFrom<Input>(1, 2, -7.25, 1e16, 0.1, 3);

interface Case {
  readonly key: Input;
  readonly rows: readonly (readonly Input[])[];
}

const someCase: fc.Arbitrary<Case> = fc.record({
  key: fc.constantFrom<Input>(...scalars, nearly, { error: '#N/A' }),
  rows: fc.oneof(
    rowsOf(fc.integer({ min: 1, max: 30 }), fc.constantFrom<Input>(1, 2, 'x', 5), plain),
    rowsOf(ordinary, ordinary, plain),
    rowsOf(rarely, rarely, rarely),
  ),
});

function rowsOf(...columns: readonly fc.Arbitrary<Input>[]): fc.Arbitrary<Input[][]> {
  return fc.array(fc.tuple(...columns), { minLength: rowCount, maxLength: rowCount });
}

function askedBook({ key, rows }: Case, question: string): OneSheet {
  const asked = Array.from({ length: askedRows }, (_, at): Input[] => {
    return [key, { formula: question.replaceAll('@', `E${at + 1}`) }];
  });
  const mutations: Mutation[] = [
    { kind: 'block', sheet, row: 0, column: 0, inputs: rows.map((row) => [...row]) },
    { kind: 'block', sheet, row: 0, column: keyColumn, inputs: asked },
  ];
  return new OneSheet(mutations);
}

t.test('conditions from an index give what they give row by row', async (t) => {
  fc.assert(
    fc.property(someCase, (one) => {
      for (const question of questions) {
        const book = askedBook(one, question);
        book.calculate();
        const area = {
          row0: 0,
          row1: askedRows - 1,
          column0: formulaColumn,
          column1: formulaColumn,
        };
        const answers = book.values(area).map(([answer]) => JSON.stringify(answer));
        const [first] = answers;
        if (answers.every((answer) => answer === first)) continue;
        throw new Error(`${question} of ${JSON.stringify(one.key)}: ${answers.join(', ')}`);
      }
    }),
    { numRuns: caseCount(25) },
  );
  t.pass('for all that was tried');
});

/**
 * Filled down so many rows, each takes two seconds of the processor at most. The limit is far
 * above, so that a busy machine does not decide: it finds what is out of all bounds.
 */
const manyRows = 8_000;
const millisecondsMost = 10_000;
const many = [
  '=SUMPRODUCT(($A$1:$A$8000=A#)*$B$1:$B$8000)',
  '=SUMPRODUCT(($A$1:$A$8000=A#)*($C$1:$C$8000=C#)*$B$1:$B$8000)',
  '=MATCH(1,($A$1:$A$8000=A#)*($B$1:$B$8000=B#),0)',
  '=LOOKUP(2,1/($A$1:$A$8000=A#),$B$1:$B$8000)',
  '=AVERAGE(IF($A$1:$A$8000=A#,$B$1:$B$8000))',
  '=MAX(IF($A$1:$A$8000=A#,$B$1:$B$8000))',
  '=A#/SUMPRODUCT(1/COUNTIF($A$1:$A$8000,$A$1:$A$8000))',
  '=A#/SUM(--(FREQUENCY($A$1:$A$8000,$A$1:$A$8000)>0))',
  '=MEDIAN(B$1:B#)',
  '=PERCENTILE(B$1:B#,0.9)',
  '=PRODUCT(C$1:C#)',
  '=SUMSQ(B$1:B#)',
  '=STDEV(B$1:B#)',
  '=IFERROR(CORREL(A$1:A#,B$1:B#),0)',
  '=IFERROR(SLOPE(B$1:B#,A$1:A#),0)',
];

/** Arrays that are the same in all cells are made once; the rest is done for each row. */
const arrays = [
  '=MATCH(A#&B#,$A$1:$A$8000&$B$1:$B$8000,0)',
  '=SUMPRODUCT((MONTH($A$1:$A$8000)=3)*(DAY($A$1:$A$8000)=C#)*$B$1:$B$8000)',
];

for (const question of [...many, ...arrays]) {
  t.test(`${question} filled down ${manyRows} rows`, async (t) => {
    const inputs = Array.from({ length: manyRows }, (_, at): Input[] => [
      ((at * 7_919) % 1_000) + 1,
      ((at * 7_919) % 997) / 10 + at / 1e4,
      1 + ((at % 7) - 3) / 1e6,
      { formula: question.replaceAll('#', `${at + 1}`) },
    ]);
    const book = new OneSheet([{ kind: 'block', sheet, row: 0, column: 0, inputs }]);
    const before = process.cpuUsage();
    book.calculate();
    const { user, system } = process.cpuUsage(before);
    const milliseconds = (user + system) / 1_000;
    t.ok(milliseconds < millisecondsMost, `${milliseconds} ms`);
  });
}
