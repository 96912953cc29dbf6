import * as fc from 'fast-check';
import t from 'tap';

import { namesInFormula, renameInFormula } from '../../../server/state/structured-names.ts';
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
    namesInFormula(text).flatMap(({ kind, name }) => (kind === 'table' ? [name] : []));
  t.same(words('=ROWS(Sales)+Other!A1+Third(B)'), ['Sales', 'B']);
  t.same(words('=Sales[a]+"Sales"'), ['Sales']);
});
