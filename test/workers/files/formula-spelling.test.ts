import t from 'tap';
import { formulaToFile, takenNames } from '../../../workers/files/formula-export.ts';
import { formulaFromFile } from '../../../workers/files/formula-import.ts';
import { isExternal } from '../../../workers/files/formula-tokens.ts';
import { functionNames } from '../../../workers/files/function-names.ts';
import { readFunctionTable } from '../../support/function-table.ts';

const pairs = [
  ['A1+1', '=A1+1'],
  ['_xlfn.XLOOKUP(A1,B:B,C:C)', '=XLOOKUP(A1,B:B,C:C)'],
  ['_xlfn._xlws.FILTER(A1:A9,B1:B9>0)', '=FILTER(A1:A9,B1:B9>0)'],
  ['_xlfn.SINGLE(A1:A3)+1', '=@A1:A3+1'],
  ['_xlfn.SINGLE(Rates)', '=@Rates'],
  ['_xlfn.SINGLE(INDEX(A:A,2))', '=@INDEX(A:A,2)'],
  ['_xlfn.SINGLE(A1+B1)', '=@(A1+B1)'],
  ["SUM(_xlfn.ANCHORARRAY('My sheet'!A1))", "=SUM('My sheet'!A1#)"],
  ['_xlfn.SINGLE(_xlfn.ANCHORARRAY(A1))', '=@A1#'],
  ['_xlfn.ANCHORARRAY(INDEX(A:A,2))', '=INDEX(A:A,2)#'],
  ['_xlfn._TRO_ALL(A1:B9)', '=A1.:.B9'],
  ['_xlfn._TRO_TRAILING(A:C)', '=A:.C'],
  ['SUM(_xlfn._TRO_LEADING(Data!A1:B9))', '=SUM(Data!A1.:B9)'],
  ['_xlfn.LET(_xlpm.rate,0.5,_xlpm.rate*A1)', '=LET(rate,0.5,rate*A1)'],
  ['_xlfn.LET(_xlpm.f,_xlfn.LAMBDA(_xlpm.x,_xlpm.x+1),_xlpm.f(2))', '=LET(f,LAMBDA(x,x+1),f(2))'],
  [
    '_xlfn.LAMBDA(_xlpm.x,_xlop.y,IF(_xlfn.ISOMITTED(_xlpm.y),_xlpm.x,1))(2)',
    '=LAMBDA(x,[y],IF(ISOMITTED(y),x,1))(2)',
  ],
  ['SUM(T[[#This Row],[Unit price]],T[[#This Row],[a]])', '=SUM(T[@[Unit price]],T[@a])'],
  ['SUM(T[[#This Row],[a]:[c]])', '=SUM(T[@[a]:[c]])'],
  ['T[#This Row]', '=T[@]'],
  ['T[[#Totals],[a]]&"_xlfn.LET(@[x])"', '=T[[#Totals],[a]]&"_xlfn.LET(@[x])"'],
  ['NETWORKDAYS.INTL(A1,A2)', '=NETWORKDAYS.INTL(A1,A2)'],
] as const;

t.test('a formula of a file may begin with the = that a person types', (t) => {
  t.equal(formulaFromFile('=SUM(A1)'), '=SUM(A1)');
  t.equal(formulaFromFile(' = _xlfn.SINGLE(A1)'), '=@A1');
  t.end();
});

t.test('a formula reads as typed after import and as Excel stores it after export', (t) => {
  for (const [file, typed] of pairs) {
    t.equal(formulaFromFile(file), typed, file);
    t.equal(formulaToFile(typed), file, typed);
  }
  t.end();
});

t.test('a name is a parameter only inside of the LET or LAMBDA that declares it', (t) => {
  t.equal(formulaToFile('=LET(x,1,x)+x'), '_xlfn.LET(_xlpm.x,1,_xlpm.x)+x');
  t.end();
});

t.test('a function that is handed on has a prefix in a file, and a name has none', (t) => {
  const taken = takenNames({ names: [{ name: 'Rate' }], tables: [{ name: 'Days' }] });
  const handed = [
    ['_xlfn.BYROW(A1:B3,_xleta.SUM)', '=BYROW(A1:B3,SUM)'],
    [
      '_xlfn.GROUPBY(A1:A3,B1:B3,_xlfn.HSTACK(_xleta.SUM,_xleta.PERCENTOF))',
      '=GROUPBY(A1:A3,B1:B3,HSTACK(SUM,PERCENTOF))',
    ],
    ['_xlfn.LET(_xlpm.f,_xleta.MAX,_xlpm.f(A1:A3))', '=LET(f,MAX,f(A1:A3))'],
    ['_xlfn.LET(_xlpm.sum,1,_xlpm.sum+1)', '=LET(sum,1,sum+1)'],
    ['SUM(Rate,Plan!Sum,Days[x],TRUE,Unknown)', '=SUM(Rate,Plan!Sum,Days[x],TRUE,Unknown)'],
  ] as const;
  for (const [file, typed] of handed) {
    t.equal(formulaToFile(typed, { taken }), file, typed);
    t.equal(formulaFromFile(file), typed, file);
  }
  t.equal(formulaToFile('=MAP(A1:A3,sum)', { taken }), '_xlfn.MAP(A1:A3,_xleta.SUM)');
  const registered = readFunctionTable().map(({ name }) => name);
  const values = new Set(['TRUE', 'FALSE']);
  t.same(
    [...functionNames],
    registered.filter((name) => !values.has(name)),
  );
  t.end();
});

t.test('a bare column of this row gets the name of its table', (t) => {
  t.equal(formulaToFile('=[@Price]*2', { table: 'Prices' }), 'Prices[[#This Row],[Price]]*2');
  t.equal(formulaToFile('=SUM([Price])', { table: 'Prices' }), 'SUM(Prices[Price])');
  t.end();
});

t.test('references into other workbooks are told from structured ones', (t) => {
  t.equal(isExternal('[1]Sheet1!A1'), true);
  t.equal(isExternal("'[2]My sheet'!A1"), true);
  t.equal(isExternal('SUM([3]!Rates)'), true);
  t.equal(isExternal('[0]!Rates'), false);
  t.equal(isExternal("'[0]My sheet'!A1"), false);
  t.equal(
    formulaFromFile("[0]!Rates+[0]Plan!A1+'[0]My sheet'!A1+T[0]"),
    "=Rates+Plan!A1+'My sheet'!A1+T[0]",
  );
  t.equal(isExternal('Table1[1]'), false);
  t.equal(isExternal('"[1]Sheet1!A1"'), false);
  t.end();
});
