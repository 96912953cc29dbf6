import * as fc from 'fast-check';
import t from 'tap';

import { namesInFormula, renameInFormula } from '../../../server/state/formulas/formula-names.ts';
import { Formulas } from '../../../workers/formulas.ts';

const rename = (text: string, from: string, to: string, isInside = false) =>
  renameInFormula(text, ({ kind, table, name }) => {
    if (kind !== 'column' || name !== from) return undefined;
    return table === 'Sales' || (table === undefined && isInside) ? to : undefined;
  });

t.test('columns are found wherever a structured reference may name them', async (t) => {
  const cases = [
    ['=SUM(Sales[a])', '=SUM(Sales[b])'],
    ['=Sales[[#All],[a]:[z]]', '=Sales[[#All],[b]:[z]]'],
    ['=Sales[[#Headers],[#Data],[a]]', '=Sales[[#Headers],[#Data],[b]]'],
    ['=Sales[@a]+Sales[@[a]]', '=Sales[@b]+Sales[@[b]]'],
    ['=Sales[ [a]:[a] ]', '=Sales[ [b]:[b] ]'],
    ['="Sales[a]"&Sales[a]', '="Sales[a]"&Sales[b]'],
    ["='Sales[a]'!A1+Sales[a]", "='Sales[a]'!A1+Sales[b]"],
    ['=R[1]C[-1]+Sales[a]*RC[2]', '=R[1]C[-1]+Sales[b]*RC[2]'],
  ] as const;
  for (const [before, after] of cases) t.equal(rename(before, 'a', 'b'), after);
  for (const text of ['=Other[a]', '=[@a]', '="Sales[a]"', '=[a.xlsx]Sales!A1', '=Sales[#All]']) {
    t.equal(rename(text, 'a', 'b'), undefined, text);
  }
  t.equal(rename('=[@a]*[a]+[@[a]]', 'a', 'b', true), '=[@b]*[b]+[@[b]]');
});

t.test('names are written so that they are read as the same ones', async (t) => {
  t.equal(rename('=Sales[@a]', 'a', 'Unit price'), '=Sales[@[Unit price]]');
  t.equal(rename('=Sales[a]', 'a', "it's [x]#@"), "=Sales[it''s '[x']'#'@]");
  t.equal(rename("=Sales[it''s '[x']]", "it's [x]", 'a'), '=Sales[a]');
  const formulas = new Formulas();
  const name = fc.string({
    minLength: 1,
    maxLength: 12,
    unit: fc.constantFrom(...`aB7 [].,#@'"$-`.split(''), 'é'),
  });
  fc.assert(
    fc.property(name, (column) => {
      if (column.trim() !== column) return;
      for (const text of ['=SUM(Sales[a],Sales[[#All],[a]])', '=Sales[@a]&"a"']) {
        const renamed = rename(text, 'a', column);
        if (column === 'a' || renamed === undefined) continue;
        if (!formulas.check(renamed).ok) throw new Error(`${renamed} is no formula`);
        const again = formulas.fromR1C1(formulas.toR1C1(renamed, 0, 0), 0, 0);
        const named = namesInFormula(again).filter(({ kind }) => kind === 'column');
        if (named.some((place) => place.name !== column)) throw new Error(`${again} of ${column}`);
      }
    }),
    { numRuns: 300 },
  );
  t.pass('the kernel reads them back');
});

t.test('tables are words that are neither functions nor sheets', async (t) => {
  const words = (text: string) =>
    namesInFormula(text).flatMap(({ kind, name }) =>
      kind === 'word' || kind === 'table' ? [name] : [],
    );
  t.same(words('=ROWS(Sales)+Other!A1+Third(B)'), ['Sales', 'B']);
  t.same(words('=Sales[a]+"Sales"'), ['Sales']);
});

const renamed = (text: string) =>
  renameInFormula(text, ({ kind, name, sheet }) => {
    const isNamed = (kind === 'word' || kind === 'name') && name.toLowerCase() === 'ab';
    return isNamed ? (sheet ? 'far' : 'vat') : undefined;
  });

t.test('what is defined is found where the formula means it', async (t) => {
  const cases = [
    ['=ab', '=vat'],
    ['=AB*2+abc+a.ab', '=vat*2+abc+a.ab'],
    ['=-ab%&"ab"', '=-vat%&"ab"'],
    ['=ab(3)+ab:B2', '=vat(3)+vat:B2'],
    ["=Plan!ab+'It''s [not'!ab+'It''s'!ab", "=Plan!far+'It''s [not'!ab+'It''s'!far"],
    ['=SUM(ab:ac)+ab', '=SUM(ab:ac)+vat'],
    ['=SUM(Plan!ab:ac,$ab:$ac,Plan!ab:B2)', '=SUM(Plan!ab:ac,$ab:$ac,Plan!far:B2)'],
    ['=SUM(First:ab!A1,ab:Last!A1)+ab!A1', undefined],
    ['=[Book]ab!ab+[1]x!ab:ac+[ab]', undefined],
    ['=ab[ab]+[@ab]', undefined],
    ['=#N/A+ab', '=#N/A+vat'],
    ['=LET(ab,1,ab+Plan!ab)+ab', '=LET(ab,1,ab+Plan!far)+vat'],
    ['=LET(ab,ab,ab)', '=LET(ab,vat,ab)'],
    ['=LET(x,ab,ab,x+ab,ab(x))+ab', '=LET(x,vat,ab,x+vat,ab(x))+vat'],
    ['=LET(x,{1,2},ab)', '=LET(x,{1,2},vat)'],
    ['=LET(x,SUM(ab,ab),ab,(ab,ab),ab)', '=LET(x,SUM(vat,vat),ab,(vat,vat),ab)'],
    ['=LAMBDA(x,ab,x+ab)(ab)', '=LAMBDA(x,ab,x+ab)(vat)'],
    ['=LAMBDA(x,[ab],x+ab)(ab)', '=LAMBDA(x,[ab],x+ab)(vat)'],
    ['=LET(x,1,LET(x,ab,x))', '=LET(x,1,LET(x,vat,x))'],
    ['=LAMBDA(ab)', '=LAMBDA(vat)'],
    ['=MAP(ab,LAMBDA(ab,LET(y,ab,ab+y)))+ab', '=MAP(vat,LAMBDA(ab,LET(y,ab,ab+y)))+vat'],
    ['=LET( ab , 1 , ab ) + ab', '=LET( ab , 1 , ab ) + vat'],
    ['=_xlfn.LET(_xlpm.ab,1,_xlpm.ab)+ab', '=_xlfn.LET(_xlpm.ab,1,_xlpm.ab)+vat'],
    ['=IF(R[1]C1:R2C[-2],ab,Plan!R[-1]C)', '=IF(R[1]C1:R2C[-2],vat,Plan!R[-1]C)'],
    ["=First:Last!R[1]C[1]+'a b'!R[1]C+ab", "=First:Last!R[1]C[1]+'a b'!R[1]C+vat"],
  ] as const;
  for (const [before, after] of cases) t.equal(renamed(before), after, before);
  const errors = '=#N/A+#NAME?+#REF!+#DIV/0!';
  const words = namesInFormula(errors).map(({ name }) => name);
  t.same(words, [], 'no error is a name');
});
