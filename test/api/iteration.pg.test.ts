import t from 'tap';

import { KeptWorkbook } from '../support/kept-workbook.ts';

/** Cycles that are iterated as settings of the workbook say. */

function setting(path: string, value: unknown): object {
  return { kind: 'settings.set', payload: { path, value } };
}

t.test('iteration is switched on, read, edited, kept over a restart and in files', async (t) => {
  const book = await KeptWorkbook.create(t);
  await book.set({ A1: '=A1+1', A2: '=0.5*A2+1', B1: '=A1*2', C1: 'x' });
  t.same(await book.slice('A1:B2'), [
    [{ error: '#CIRC!' }, { error: '#CIRC!' }],
    [{ error: '#CIRC!' }, null],
  ]);
  const { head } = await book.submit(setting('iteration.enabled', true));
  // Rounds are made with all cells of cycles, as long as any of them moves.
  const expected = [
    [100, 200],
    [2, null],
  ];
  t.same(await book.slice('A1:B2'), expected);
  t.equal((await book.set({ C1: 'y' })).head, head + 1);
  t.same(await book.slice('A1:B2'), expected, 'an edit elsewhere shows nothing');
  await book.set({ A1: '=A1+C2', C2: 3 });
  await book.submit(setting('iteration.maxCount', 7));
  t.same(await book.slice('A1:B1'), [[21, 42]]);
  t.same(await book.slice('A1:B2', `&ref=main@${head}`), expected, 'an older position');
  const values = await book.request('values');
  t.match(values.json, {
    values: [
      { cell: 'A1', value: 21 },
      { cell: 'B1', value: 42 },
    ],
  });

  await book.restart();
  t.same(await book.slice('A1:B1'), [[21, 42]], 'a model made anew');
  await book.submit(setting('iteration.maxChange', 0.6));
  await book.set({ A1: 21, B2: '=A2' });
  t.same(await book.slice('A2:B2'), [[1.5, 1.5]]);

  const { bytes } = await book.export('format=xlsx');
  await book.import(bytes);
  t.same(await book.slice('A1:B2'), [
    [21, 42],
    [1.5, 1.5],
  ]);
  await book.submit(setting('iteration.enabled', false));
  t.same(await book.slice('A2:A2'), [[{ error: '#CIRC!' }]]);
});
