import t from 'tap';
import { sameEitherWay } from '../../../workers/files/formula-arrays.ts';
import { relativeForm, shiftFormula } from '../../../workers/files/formula-shift.ts';

t.test('relative references move with the formula, all else stays', (t) => {
  const shift = (text: string) => shiftFormula(text, { rows: 2, columns: 1 });
  const pairs = [
    ['=$A3*B$2', '=$A5*C$2'],
    ['=SUM(A:A)+SUM($1:3)+SUM($B:$C)', '=SUM(B:B)+SUM($1:5)+SUM($B:$C)'],
    ["=Sheet1!A1+'a B1 b'!C3", "=Sheet1!B3+'a B1 b'!D5"],
    ['=LOG10(A1)&"A1"', '=LOG10(B3)&"A1"'],
    ['=T[A1]+XFE1+A1048577+Q1.total', '=T[A1]+XFE1+A1048577+Q1.total'],
    ['=A1#+A1:INDEX(A:A,3)', '=B3#+B3:INDEX(B:B,3)'],
    ['=A1.:.C9', '=B3.:.D11'],
    ['=#REF!+{1,2}', '=#REF!+{1,2}'],
  ] as const;
  for (const [text, moved] of pairs) t.equal(shift(text), moved, text);
  t.equal(shiftFormula('=A1', { rows: -1, columns: 0 }), '=A1048576', 'around the edge, as Excel');
  t.end();
});

t.test('formulas filled to other cells have one relative form', (t) => {
  const form = (text: string, rows: number, columns: number) =>
    relativeForm(text, { rows, columns });
  t.equal(form('=$A3*B$2', 2, 1), form('=$A4*C$2', 3, 2));
  t.not(form('=$A3*B$2', 2, 1), form('=$A3*B$2', 3, 1));
  t.not(form('=A1', 0, 0), form('=$A1', 0, 0));
  t.end();
});

t.test('the legacy flag is left out only where it cannot matter', (t) => {
  const same = [
    '=A1+1',
    '=SUM(A1:A3)',
    '=VLOOKUP(A1,AirportCode,2,FALSE)',
    '=SUMIFS(A:A,B:B,C1)',
    '=SUM(Table1[Col])',
    '=TODAY()',
    '=[@x]+T[@[Unit price]]',
  ];
  const different = [
    '=A1:A3',
    '=SUM(A1:A3*2)',
    '=SUM(-A1:A3)',
    '=SUMIFS(A:A,B:B,C1:C2)',
    '=VLOOKUP(A1:A3,B:C,2)',
    '=week()',
    '=Rates',
    '=INDEX(A:A,0)',
    '=SUM(1,{1,2})',
    '=@A1',
    '=T[@[a]:[c]]+1',
    '=T[@]',
  ];
  for (const text of same) t.equal(sameEitherWay(text), true, text);
  for (const text of different) t.equal(sameEitherWay(text), false, text);
  t.end();
});
