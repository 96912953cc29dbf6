import t from 'tap';

import { KeptWorkbook } from '../support/kept-workbook.ts';

/** Patterns know letters of all languages, as those of PCRE2 do. */
t.test('a pattern asks for letters, warm and cold', async (t) => {
  const book = await KeptWorkbook.create(t);
  await book.set({
    A1: 'Größe: 12 m',
    B1: String.raw`=REGEXEXTRACT(A1,"\p{L}+")`,
    C1: String.raw`=REGEXREPLACE(A1,"[^\p{L}\p{Nd}]+","-")`,
    D1: String.raw`=REGEXTEST(A1,"^\p{Ll}")`,
  });
  const shown = [['Größe: 12 m', 'Größe', 'Größe-12-m', false]];
  t.same(await book.slice('A1:D1'), shown);
  await book.restart();
  t.same(await book.slice('A1:D1'), shown);
});
