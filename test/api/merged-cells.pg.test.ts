import t from 'tap';

import { KeptWorkbook } from '../support/kept-workbook.ts';

const blocked = { error: '#SPILL!' };

t.test('an array does not spill into merged cells', async (t) => {
  const book = await KeptWorkbook.create(t);
  const merge = (range: string): object => {
    return { kind: 'cellmerge.add', payload: { sheet: 'Sheet1', range } };
  };
  await book.set({ A1: '=SEQUENCE(3)', C1: '=COUNT(A1:A3)' });
  t.same(await book.slice('A1:C3'), [
    [1, null, 3],
    [2, null, null],
    [3, null, null],
  ]);
  const { head } = await book.submit(merge('A3:B3'));
  const expected = [
    [blocked, null, 0],
    [null, null, null],
    [null, null, null],
  ];
  t.same(await book.slice('A1:C3'), expected);
  await book.restart();
  t.same(await book.slice('A1:C3'), expected, 'in a model made anew');
  const { bytes } = await book.export('format=xlsx');
  const { id } = book;
  await book.import(bytes);
  t.same(await book.slice('A1:C3'), expected, 'and in a file');
  book.id = id;
  const insert = { kind: 'rows.insert', payload: { sheet: 'Sheet1', before: 2, count: 1 } };
  await book.submit(insert);
  t.same(await book.slice('A1:C1'), [[1, null, 3]], 'pushed out of its way');
  await book.submit({ kind: 'rows.delete', payload: { sheet: 'Sheet1', from: 2, count: 1 } });
  t.same(await book.slice('A1:C3'), expected);
  await book.submit({ kind: 'cellmerge.remove', payload: { sheet: 'Sheet1', range: 'B3' } });
  t.same(await book.slice('A1:C1'), [[1, null, 3]]);
  t.same(await book.slice('A1:C1', `&ref=main@${head}`), [[blocked, null, 0]], 'as it was');
});
