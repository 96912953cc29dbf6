import t from 'tap';

import type { Book } from '../support/book.ts';
import { fork, makeBook, propose, run, write } from '../support/merged-book.ts';

interface Effect {
  readonly text: string;
  readonly value: object;
}

async function buildsOf(book: Book): Promise<number> {
  const { json } = await book.ask('/eval-stats');
  return (json as { cache: { builds: number } }).cache.builds;
}

async function effectsOf(book: Book, id: string): Promise<readonly Effect[]> {
  return ((await book.ask(`/merges/${id}/conflicts`)).json as { effects: readonly Effect[] })
    .effects;
}

const rows = 70_000;

t.test('values of the base beside effects are those of before both sides', async (t) => {
  const book = await makeBook();
  const sheet = 'Sheet1';
  await run(book, 'main', 'range.set', { sheet, range: 'A1', inputs: [[1], [1], [1]] });
  await run(book, 'main', 'range.fill', { sheet, range: `D1:D${rows}`, input: 1 });
  await write(book, 'main', ['E1', `=SUM(D1:D${rows})`], ['E2', '=E1&" in all"'], ['E3', '=A1+A2']);
  await run(book, 'main', 'format.set', { sheet, range: 'E1', style: { numberFormat: '0.00' } });
  await fork(book, 'q3');
  await write(book, 'main', ['D7', 10], ['A1', 5]);
  await write(book, 'q3', ['D60000', 100]);
  const { id } = await propose(book, { source: 'q3' });
  const builds = await buildsOf(book);
  const effects = await effectsOf(book, id);
  t.match(effects, [
    {
      text: 'Sheet1!E1',
      value: { base: rows, ours: rows + 9, theirs: rows + 99, merged: rows + 108 },
    },
    { text: 'Sheet1!E2', value: { base: `${rows} in all`, merged: `${rows + 108} in all` } },
  ]);
  t.equal(effects.length, 2);
  t.same(await effectsOf(book, id), effects, 'the same when it is asked again');
  t.equal(await buildsOf(book), builds, 'no model of the base was made for it');

  await write(book, 'main', ['D8', 3]);
  t.match(await effectsOf(book, id), [
    { value: { base: rows, ours: rows + 11, merged: rows + 110 } },
    { value: { base: `${rows} in all` } },
  ]);
});

t.test('where lines went, the base is read where its cells stood', async (t) => {
  const book = await makeBook();
  const sheet = 'Sheet1';
  await run(book, 'main', 'range.fill', { sheet, range: `D1:D${rows}`, input: 1 });
  await write(book, 'main', ['E9', `=SUM(D1:D${rows})`]);
  await fork(book, 'q3');
  await run(book, 'main', 'rows.delete', { sheet, from: 2, count: 1 });
  await write(book, 'q3', ['D60000', 100]);
  const { id } = await propose(book, { source: 'q3' });
  t.match(await effectsOf(book, id), [
    {
      text: 'Sheet1!E8',
      value: { base: rows, ours: rows - 1, theirs: rows + 99, merged: rows + 98 },
    },
  ]);
});
