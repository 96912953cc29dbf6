import t, { type Test } from 'tap';

import { KeptWorkbook } from '../support/kept-workbook.ts';

/** Excel has no numbers between zero and 2.2251E-308: what is entered there is zero. */

const cells = {
  A1: 1e-310,
  A2: -5e-324,
  A3: 3e-308,
  B1: '=A1=0',
  B2: '=IF(A2,"a number","zero")',
  B3: '=A3/10',
  C1: '=COUNTIF(A1:A3,0)',
  C2: '=INDEX(A1:A2,2)',
  C3: '=MAX(A1:A2)',
};

const shown = [
  [0, true, 2],
  [0, 'zero', 0],
  [3e-308, 0, 0],
];

async function checkBook(t: Test, book: KeptWorkbook): Promise<void> {
  t.same(await book.slice('A1:C3'), shown);
}

t.test('a number too small for Excel is zero, warm, cold, exported and imported', async (t) => {
  const book = await KeptWorkbook.create(t);
  await book.set(cells);
  await checkBook(t, book);
  await book.restart();
  await checkBook(t, book);
  const { bytes } = await book.export('format=xlsx');
  await book.import(bytes);
  await checkBook(t, book);
});
