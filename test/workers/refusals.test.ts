import t from 'tap';

import type { Value } from '../../server/model/cell-value.ts';
import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';

/**
 * Formulas that would take too much time or memory come to an error value: after ten million steps,
 * and without more memory than an evaluation may have. Nothing here ends without fuel. Runs long.
 */
const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const mebibytesMost = 1_280;

interface Cost {
  readonly value: Value;
  readonly mebibytes: number;
}

function costOf(formula: string): Cost {
  const kernel = Kernel.create();
  kernel.apply([
    { kind: 'sheetAdd', sheet: 1, name: 'One', index: 0 },
    { kind: 'fill', sheet: 1, row: 0, column: 0, rowCount: 1_000, columnCount: 1, input: 'aab' },
    { kind: 'cell', sheet: 1, row: 0, column: 4, input: { formula } },
  ]);
  while (!kernel.recalculate(now, 500_000));
  const area = { row0: 0, row1: 0, column0: 4, column1: 4 };
  const value = kernel.readRange(1, area, { lens: 'value', form: valueForm })[0]?.[0] ?? null;
  return { value, mebibytes: kernel.memoryBytes / 2 ** 20 };
}

const invalid: Value = { error: '#VALUE!' };
const spent: Value = { error: '#NUM!' };

const cases: readonly (readonly [formula: string, value: Value])[] = [
  ['=LEN(REPT("a",32767))', 32_767],
  ['=REPT("a",32768)', invalid],
  ['=REPT("ab",1E300)', invalid],
  ['=CONCAT(REPT("a",32767),"b")', invalid],
  ['=CONCATENATE(REPT("a",32767),"b")', invalid],
  ['=REPT("a",32767)&"b"', invalid],
  ['=TEXTJOIN(",",TRUE,A1:A1000,REPT("a",32000))', invalid],
  ['=TEXTJOIN("x",FALSE,B:B)', invalid],
  ['=SUBSTITUTE(REPT("a",32767),"a","bb")', invalid],
  ['=ROWS(SEQUENCE(1048576))', 1_048_576],
  ['=SEQUENCE(1048577)', invalid],
  ['=SEQUENCE(1048576,16384)', invalid],
  ['=SEQUENCE(1E300,1E300)', invalid],
  ['=ROWS(RANDARRAY(1024,1024))', 1_024],
  ['=RANDARRAY(1048576,2)', invalid],
  ['=ROWS(MAKEARRAY(1024,1024,LAMBDA(r,c,1)))', 1_024],
  ['=MAKEARRAY(1025,1024,LAMBDA(r,c,1))', spent],
  ['=MAKEARRAY(1E9,1E9,LAMBDA(r,c,1))', spent],
  ['=LET(f,LAMBDA(g,n,IF(n=0,0,1+g(g,n-1))),f(f,5460))', 5460],
  ['=LET(f,LAMBDA(g,n,IF(n=0,0,1+g(g,n-1))),f(f,5461))', spent],
  ['=LET(f,LAMBDA(g,n,g(g,n+1)+g(g,n+2)),f(f,0))', spent],
  ['=REDUCE(0,SEQUENCE(1048576),LAMBDA(a,b,b))', 1_048_576],
  ['=REDUCE(0,A:B,LAMBDA(a,b,b))', spent],
  ['=SUM(SCAN(0,A:B,LAMBDA(a,b,1)))', spent],
  ['=SUM(MAP(SEQUENCE(1000000),LAMBDA(a,SUM(SEQUENCE(1000)))))', spent],
  ['=MAX(MMULT(MUNIT(900),MUNIT(900)))', 1],
  ['=SUM(MMULT(SEQUENCE(1048576,16,0,0),SEQUENCE(16,16)))', invalid],
  ['=SUM(MMULT(RANDARRAY(1024,1024),MMULT(RANDARRAY(1024,1024),MUNIT(1024))))', spent],
  ['=MDETERM(MUNIT(4096))', 1],
  ['=SUM(MINVERSE(RANDARRAY(1024,1024)),MINVERSE(RANDARRAY(1024,1024)))', spent],
  ['=SUM(MINVERSE(MUNIT(2000)+1))', spent],
  ['=SUM(MUNIT(4096),MUNIT(4096),MUNIT(4096),MUNIT(4096),MUNIT(4096),MUNIT(4096))', spent],
  ['=SUM(LEN(REPT("a",SEQUENCE(100000,1,32767,0))))', spent],
  ['=SUM(--ISNUMBER(SEARCH(REPT("*a",200)&"b",REPT("a",SEQUENCE(9999,1,9999,0)))))', spent],
  ['=FIND(REPT("a",16000)&"b",REPT("a",32767))', invalid],
  ['=COUNTIF(A1:A1000,REPT("*a",200))', invalid],
  ['=COUNTIF(A1:A1000,REPT("*a",100)&"b")', 0],
  ['=REGEXTEST(REPT("a",32767),"(a+)+$")', true],
  ['=SUM(--REGEXTEST(REPT("a",SEQUENCE(999,1,999,0)),"(a|aa)*b"))', spent],
  ['=MODE.SNGL(ROW(1:1048576)*COLUMN(A:P)%,60)', spent],
  ['=ROWS(SORT(ROW(1:1048576)*COLUMN(A:P),1,-1))', spent],
  ['=SUM(A:Z*B:AA)', spent],
  ['=SUM(A:A*2:2)', spent],
  ['=VDB(1E20,1,1E20,0,1E20)', spent],
  ['=AMORDEGRC(1E10,1,2,1,1E300,1E-10)', spent],
  ['=CUMIPMT(0.1,1E15,1,1,1E15,0)', spent],
  ['=BINOM.INV(1E22,0.5,0.5)', 5e21],
];

for (const [formula, expected] of cases) {
  t.test(formula, (t) => {
    const { value, mebibytes } = costOf(formula);
    t.same(value, expected);
    t.ok(mebibytes < mebibytesMost, `${Math.round(mebibytes)} MiB`);
    t.end();
  });
}

t.test('texts that are no formulas for their size', (t) => {
  const kernel = Kernel.create();
  const problemOf = (text: string) => kernel.checkFormula(text)?.message;
  t.equal(problemOf(`=${'1+'.repeat(4_000)}1`), undefined, '8,002 characters');
  t.match(problemOf(`=${'1+'.repeat(4_200)}1`), /8,?192/u);
  t.equal(problemOf(`=${'SUM('.repeat(64)}1${')'.repeat(64)}`), undefined);
  t.match(problemOf(`=${'SUM('.repeat(65)}1${')'.repeat(65)}`), /nested/u);
  t.equal(problemOf(`=SUM(${'1,'.repeat(254)}1)`), undefined);
  t.match(problemOf(`=SUM(${'1,'.repeat(255)}1)`), /255/u);
  t.match(problemOf(`=${'('.repeat(2_000)}1${')'.repeat(2_000)}`), /nested/u);
  t.match(problemOf(`=${'-'.repeat(5_000)}1`), /nested/u);
  t.end();
});

t.test('a formula that is entered again and again leaves nothing behind', (t) => {
  const kernel = Kernel.create();
  kernel.apply([
    { kind: 'sheetAdd', sheet: 1, name: 'One', index: 0 },
    { kind: 'sheetAdd', sheet: 2, name: 'Two', index: 1 },
  ]);
  const place = { kind: 'cell', sheet: 1, row: 3, column: 1 } as const;
  const used = (): number => {
    for (let time = 0; time < 500; time++) {
      kernel.apply([{ ...place, input: { formula: '=SUM(Two!A1:C9)+Two!A1' } }]);
      while (!kernel.recalculate(now, 1e9));
      kernel.apply([{ ...place, input: null }]);
      while (!kernel.recalculate(now, 1e9));
    }
    return kernel.statistics().usedBytes;
  };
  const before = used();
  t.equal(used(), before);
  t.end();
});
