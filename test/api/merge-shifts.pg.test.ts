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

// Cells that one branch inserted, deleted or cut: the other branch's edits go with the contents.

const sheet = 'Sheet1';
const numbers = Array.from({ length: 8 }, (_, row) => [row + 1]);

async function bookOfNumbers(): Promise<Book> {
  const book = await makeBook();
  await run(book, 'main', 'range.set', { sheet, range: 'D1:D8', inputs: numbers });
  await write(book, 'main', ['D9', '=SUM(D1:D8)']);
  await fork(book, 'f');
  return book;
}

const insert = (book: Book, branch: string, range: string) =>
  run(book, branch, 'range.insert', { sheet, range, shift: 'down' });

async function merged(book: Book, source: string, target: string): Promise<string> {
  const { id } = await propose(book, { source, target });
  const answer = await approve(book, id);
  if (answer.status !== 200) throw new Error(answer.text);
  return id;
}

for (const [source, target] of [
  ['f', 'main'],
  ['main', 'f'],
] as const) {
  t.test(`an edit goes with a cell that was shifted: ${source} into ${target}`, async (t) => {
    const book = await bookOfNumbers();
    await insert(book, 'main', 'D3');
    await write(book, 'f', ['D5', 99], ['E1', '=D5']);
    const { id } = await propose(book, { source, target });
    t.strictSame(await conflictsOf(book, id), []);
    t.equal((await approve(book, id)).status, 200);
    const column = [[1], [2], [null], [3], [4], [99], [6], [7], [8], [130]];
    t.strictSame(await values(book, 'D1:D10', target), column);
    t.strictSame(await values(book, 'E1', target), [[99]]);
  });
}

t.test('cells that both branches insert and what they wrote there are all there', async (t) => {
  const book = await bookOfNumbers();
  await insert(book, 'main', 'D3');
  await write(book, 'main', ['D3', 'ours']);
  await insert(book, 'f', 'D6:D7');
  await write(book, 'f', ['D6', 'theirs'], ['D8', 66]);
  await merged(book, 'f', 'main');
  const column = [[1], [2], ['ours'], [3], [4], [5], ['theirs'], [null], [66], [7], [8]];
  t.strictSame(await values(book, 'D1:D11'), column);
  await merged(book, 'main', 'f');
  t.strictSame(await values(book, 'D1:D11', 'f'), column, 'and back, with nothing shifted again');
});

t.test(
  'cells come between those that the other branch deletes, and nothing is there twice',
  async (t) => {
    const book = await bookOfNumbers();
    const deleted = { sheet, range: 'D1:D3', shift: 'up' };
    await run(book, 'main', 'range.delete', deleted);
    await insert(book, 'main', 'D2:D4');
    await insert(book, 'f', 'C2:D4');
    const id = await merged(book, 'f', 'main');
    const column = [[null], [null], [null], [4], [null], [null], [null], [5], [6], [7], [8]];
    t.strictSame(await values(book, 'D1:D11'), column);
    await merged(book, 'main', 'f');
    t.strictSame(await values(book, 'D1:D11', 'f'), column);
    const { id: back } = await propose(book, { revertOf: id });
    t.equal((await approve(book, back)).status, 200);
    t.strictSame(await values(book, 'D1:D5'), [[4], [null], [null], [null], [5]]);
  },
);

t.test('a shift that was undone is not followed', async (t) => {
  const book = await bookOfNumbers();
  const seq = await insert(book, 'main', 'D3');
  await run(book, 'main', 'undo', { of: seq });
  await write(book, 'f', ['D5', 99]);
  const { id } = await propose(book, { source: 'f' });
  t.strictSame(await conflictsOf(book, id), []);
  t.equal((await approve(book, id)).status, 200);
  t.strictSame(await values(book, 'D1:D8'), [[1], [2], [3], [4], [99], [6], [7], [8]]);
});

t.test('a shift or a cut in a unit that is rejected does not happen', async (t) => {
  for (const [kind, payload] of [
    ['range.insert', { sheet, range: 'D3', shift: 'down' }],
    ['range.move', { sheet, source: 'D3:D4', to: 'G1' }],
  ] as const) {
    const book = await bookOfNumbers();
    await run(book, 'f', kind, payload);
    await write(book, 'main', ['D1', 11]);
    const { id } = await propose(book, { source: 'f' });
    const groups = [{ id: 'all', members: ['*'], decision: 'reject' }];
    const grouped = await book.ask(`/merges/${id}/units`, { method: 'PUT', body: { groups } });
    t.equal(grouped.status, 200, grouped.text);
    t.equal((await approve(book, id)).status, 200);
    t.strictSame(await values(book, 'D1:D8'), [[11], ...numbers.slice(1)], kind);
  }
});

t.test('a merge with a shift is taken back', async (t) => {
  const book = await bookOfNumbers();
  await insert(book, 'f', 'D3');
  await write(book, 'main', ['D5', 99]);
  const id = await merged(book, 'f', 'main');
  t.strictSame(await values(book, 'D3:D6'), [[null], [3], [4], [99]]);
  const { id: back } = await propose(book, { revertOf: id });
  t.equal((await approve(book, back)).status, 200);
  t.strictSame(await values(book, 'D3:D6'), [[3], [4], [99], [6]]);
});

t.test('shifts that cross are one conflict, and the chosen one is done', async (t) => {
  for (const [choice, rows] of [
    [
      'ours',
      [
        [1, 1],
        [2, 2],
        [3, null],
        [4, null],
        [66, 3],
        [6, 4],
      ],
    ],
    [
      'theirs',
      [
        [1, null],
        [2, null],
        [3, null],
        [4, 4],
        [66, 5],
        [6, 6],
      ],
    ],
  ] as const) {
    const book = await makeBook();
    const pairs = numbers.map(([number]) => [number, number]);
    await run(book, 'main', 'range.set', { sheet, range: 'E1:F8', inputs: pairs });
    await fork(book, 'f');
    await run(book, 'main', 'range.insert', { sheet, range: 'F3:F4', shift: 'down' });
    await run(book, 'f', 'range.delete', { sheet, range: 'E1:E3', shift: 'left' });
    await write(book, 'f', ['E5', 66]);
    const { id } = await propose(book, { source: 'f' });
    const [conflict, ...more] = await conflictsOf(book, id);
    t.strictSame(more, []);
    t.match(conflict, {
      kind: 'range.move',
      subtype: 'shift',
      ours: { change: 'moved', value: 'range.insert Sheet1!F3:F4 down' },
      theirs: { change: 'moved', value: 'range.delete Sheet1!E1:E3 left' },
      choices: ['ours', 'theirs'],
    });
    const resolve = (one: string) =>
      book.ask(`/merges/${id}/resolve`, {
        body: { resolutions: [{ id: conflict?.id, choice: one }] },
      });
    t.equal((await resolve('both')).status, 422);
    t.equal((await resolve(choice)).status, 200);
    t.equal((await approve(book, id)).status, 200);
    t.strictSame(await values(book, 'E1:F6'), rows, choice);
  }
});

t.test('what a merge brought in is not shifted again by the next one', async (t) => {
  const book = await bookOfNumbers();
  await insert(book, 'main', 'D3');
  await insert(book, 'f', 'D6:D7');
  await merged(book, 'f', 'main');
  await write(book, 'f', ['D10', 88], ['D4', 44]);
  await write(book, 'main', ['D10', 77]);
  const { id } = await propose(book, { source: 'main', target: 'f' });
  t.strictSame(await conflictsOf(book, id), []);
  t.equal((await approve(book, id)).status, 200);
  const column = [[1], [2], [null], [3], [44], [5], [null], [null], [6], [77], [88]];
  t.strictSame(await values(book, 'D1:D11', 'f'), column);
});

t.test('whoever keeps a cell that the other branch deleted keeps those behind it', async (t) => {
  for (const [choice, column] of [
    ['ours', [[1], [2], [4], [5]]],
    ['theirs', [[1], [2], [99], [4]]],
  ] as const) {
    const book = await bookOfNumbers();
    await run(book, 'main', 'range.delete', { sheet, range: 'D3', shift: 'up' });
    await write(book, 'f', ['D3', 99]);
    const { id } = await propose(book, { source: 'f' });
    const [conflict, ...more] = await conflictsOf(book, id);
    t.match(conflict, { kind: 'cell.value', choices: ['ours', 'theirs', 'base', 'custom'] });
    t.strictSame(more, []);
    const resolutions = [{ id: conflict?.id, choice }];
    const settled = await book.ask(`/merges/${id}/resolve`, { body: { resolutions } });
    t.equal(settled.status, 200, settled.text);
    t.equal((await approve(book, id)).status, 200);
    t.strictSame(await values(book, 'D1:D4'), column, choice);
  }
});

t.test(
  'what names a cell of an insertion follows it where the insertion is not made',
  async (t) => {
    for (const loser of ['ours', 'theirs'] as const) {
      const book = await bookOfNumbers();
      const [own, other] = loser === 'ours' ? ['main', 'f'] : ['f', 'main'];
      await insert(book, own, 'D3:D4');
      await run(book, own, 'name.set', { name: 'extra', ref: `${sheet}!D3` });
      await write(book, own, ['D3', 100], ['F1', '=D3*2'], ['F2', '=SUM(D3:D4)']);
      await write(book, own, ['F6', '=extra+D4'], ['F7', '=D5'], ['D4', '=D3/4']);
      await run(book, other, 'range.insert', { sheet, range: 'C3:C4', shift: 'right' });
      const { id } = await propose(book, { source: 'f' });
      const [asked, ...more] = await conflictsOf(book, id);
      t.match(asked, { kind: 'range.move' });
      t.same(more, []);
      const choice = loser === 'ours' ? 'theirs' : 'ours';
      await book.ask(`/merges/${id}/resolve`, {
        body: { resolutions: [{ id: asked?.id, choice }] },
      });
      t.equal((await approve(book, id)).status, 200);
      t.strictSame(await values(book, 'D3:E4'), [
        [100, 3],
        [25, 4],
      ]);
      t.strictSame(await values(book, 'F1:F2'), [[200], [125]]);
      t.strictSame(await values(book, 'F6:F7'), [[125], [3]]);
    }
  },
);
