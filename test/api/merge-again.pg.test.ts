import t from 'tap';

import type { Book } from '../support/book.ts';
import {
  approve,
  conflictsOf,
  fork,
  makeBook,
  propose,
  run,
  values,
  write,
} from '../support/merged-book.ts';

// Branches that are merged again after one of two shifts was chosen, and the other one taken back.

const sheet = 'Sheet1';
const pairs = Array.from({ length: 8 }, (_, row) => [row + 1, (row + 1) * 10]);

async function bookOfPairs(): Promise<Book> {
  const book = await makeBook();
  await run(book, 'main', 'range.set', { sheet, range: 'D1:E8', inputs: pairs });
  await fork(book, 'f');
  return book;
}

const shift = (kind: 'insert' | 'delete', range: string, direction: string) =>
  [`range.${kind}`, { sheet, range, shift: direction }] as const;

interface Wishes {
  readonly strategy?: 'ours' | 'theirs';
  readonly squash?: boolean;
}

/** Merges one branch into another one. */
async function merged(book: Book, source: string, target: string, wishes: Wishes = {}) {
  const { id } = await propose(book, { source, target, ...wishes });
  const answer = await approve(book, id);
  if (answer.status !== 200) throw new Error(answer.text);
  return id;
}

const directions = [
  ['f', 'main'],
  ['main', 'f'],
] as const;

t.test('a squashed merge that took shifts back is merged again without a change', async (t) => {
  const book = await bookOfPairs();
  await run(book, 'main', ...shift('delete', 'D1:D2', 'up'));
  await run(book, 'main', ...shift('delete', 'D1:D2', 'up'));
  await run(book, 'f', ...shift('delete', 'D1:D2', 'left'));
  const squashed = { squash: true, strategy: 'theirs' } as const;
  await merged(book, 'f', 'main', squashed);
  const column = [10, 20, 5, 6, 7, 8, null, null];
  const rows = column.map((one, row) => [one, row < 2 ? null : (row + 1) * 10]);
  t.strictSame(await values(book, 'D1:E8'), rows);
  const { id } = await propose(book, { source: 'f', ...squashed });
  t.strictSame(await conflictsOf(book, id), []);
  t.equal((await approve(book, id)).status, 200);
  t.strictSame(await values(book, 'D1:E8'), rows);
});

for (const [source, target] of directions) {
  t.test(`a deletion that was not made moves nothing later: ${source} to ${target}`, async (t) => {
    const book = await bookOfPairs();
    await run(book, 'main', ...shift('delete', 'D3', 'up'));
    await write(book, 'f', ['D3', 99]);
    await merged(book, 'f', 'main', { strategy: 'theirs' });
    await write(book, 'f', ['D5', 77], ['F1', '=D5']);
    await write(book, 'main', ['D7', 66]);
    const { id } = await propose(book, { source, target });
    t.strictSame(await conflictsOf(book, id), []);
    t.equal((await approve(book, id)).status, 200);
    const column = [[1], [2], [99], [4], [77], [6], [66], [8], [null]];
    t.strictSame(await values(book, 'D1:D9', target), column);
    t.strictSame(await values(book, 'F1', target), [[77]]);
  });

  t.test(
    `edits go where a shift of the source was taken back: ${source} to ${target}`,
    async (t) => {
      const book = await bookOfPairs();
      await run(book, 'main', ...shift('insert', 'D2:D3', 'down'));
      await run(book, 'f', ...shift('delete', 'D1:D3', 'left'));
      await merged(book, 'f', 'main', { strategy: 'ours' });
      await write(book, 'f', ['D2', 77], ['F8', '=D2'], ['D5', 55]);
      await write(book, 'main', ['E3', 33]);
      const { id } = await propose(book, { source, target });
      t.strictSame(await conflictsOf(book, id), []);
      t.equal((await approve(book, id)).status, 200);
      t.strictSame(await values(book, 'D1:E8', target), [
        [1, 10],
        [null, 77],
        [null, 33],
        [2, 40],
        [3, 50],
        [4, 60],
        [55, 70],
        [6, 80],
      ]);
      t.strictSame(await values(book, 'F8', target), [[77]]);
    },
  );

  t.test(
    `a shift that the target took back is not made again: ${source} to ${target}`,
    async (t) => {
      const book = await bookOfPairs();
      await run(book, 'main', ...shift('insert', 'D2:D3', 'down'));
      await run(book, 'main', ...shift('delete', 'D6', 'up'));
      await run(book, 'f', ...shift('delete', 'D1:D3', 'left'));
      await merged(book, 'f', 'main', { strategy: 'theirs' });
      const before = await values(book, 'D1:E8');
      await write(book, 'f', ['D2', 77], ['D7', 55]);
      await write(book, 'main', ['D3', 33]);
      const { id } = await propose(book, { source, target });
      t.strictSame(await conflictsOf(book, id), []);
      t.equal((await approve(book, id)).status, 200);
      t.strictSame(before, [
        [10, null],
        [20, null],
        [30, null],
        [5, 40],
        [6, 50],
        [7, 60],
        [8, 70],
        [null, 80],
      ]);
      t.strictSame(await values(book, 'D1:E8', target), [
        [10, null],
        [77, null],
        [33, null],
        [5, 40],
        [6, 50],
        [55, 60],
        [8, 70],
        [null, 80],
      ]);
    },
  );
}

t.test('formats and notes stay where an insertion was taken back', async (t) => {
  const book = await bookOfPairs();
  await run(book, 'main', ...shift('insert', 'D2:D3', 'down'));
  await run(book, 'main', 'format.set', { sheet, range: 'D2', style: { bold: true } });
  await run(book, 'main', 'note.set', { sheet, a1: 'D3', text: 'mine' });
  await run(book, 'f', ...shift('delete', 'D1:D3', 'left'));
  await merged(book, 'f', 'main', { strategy: 'theirs' });
  t.strictSame(await values(book, 'D1:D3'), [[10], [20], [30]]);
  t.match((await book.ask('/formats?ref=main&range=D2')).json, { styles: [{}, { bold: true }] });
  const { json } = await book.ask('/records?ref=main&types=note');
  t.match(json, { records: [{ ranges: ['D3'], value: { text: 'mine' } }] });
});

for (const isBack of [false, true]) {
  const where = isBack ? 'its branch' : 'main';
  t.test(`a shift that a third branch took back moves later edits in ${where}`, async (t) => {
    const book = await bookOfPairs();
    await fork(book, 'g');
    await run(book, 'f', ...shift('delete', 'D1:D2', 'left'));
    await run(book, 'g', ...shift('insert', 'E1:E2', 'down'));
    await merged(book, 'f', 'main');
    await merged(book, 'g', 'main', { strategy: 'theirs' });
    await write(book, 'f', ['D1', 77]);
    const [source, target] = isBack ? ['main', 'f'] : ['f', 'main'];
    const { id } = await propose(book, { source, target });
    t.strictSame(await conflictsOf(book, id), []);
    t.equal((await approve(book, id)).status, 200);
    t.strictSame(await values(book, 'D1:E4', target), [
      [1, null],
      [2, null],
      [3, 77],
      [4, 20],
    ]);
  });
}
