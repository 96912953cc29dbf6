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

// Rows and columns that one branch deletes, among cells that either of them inserts or deletes.

const sheet = 'Sheet1';
const numbers = Array.from({ length: 8 }, (_, row) => [row + 1]);

interface Shifted {
  readonly kind: 'range.insert' | 'range.delete';
  readonly range: string;
  /** The numbers that are left, from the top, without row 5. */
  readonly rows: readonly (number | null)[];
}

const shifts: readonly Shifted[] = [
  { kind: 'range.insert', range: 'D3', rows: [1, 2, null, 3, 44, 6, 77, 8] },
  { kind: 'range.insert', range: 'D5', rows: [1, 2, 3, 44, null, 6, 77, 8] },
  { kind: 'range.insert', range: 'D4:D6', rows: [1, 2, 3, null, null, null, 44, 6, 77, 8] },
  { kind: 'range.insert', range: 'D7', rows: [1, 2, 3, 44, 6, null, 77, 8] },
  { kind: 'range.insert', range: 'C4:E4', rows: [1, 2, 3, null, 44, 6, 77, 8] },
  { kind: 'range.delete', range: 'D2', rows: [1, 3, 44, 6, 77, 8] },
  { kind: 'range.delete', range: 'D5:D6', rows: [1, 2, 3, 44, 77, 8] },
  { kind: 'range.delete', range: 'D6', rows: [1, 2, 3, 44, 77, 8] },
];

const shift = (book: Book, branch: string, { kind, range }: Shifted) =>
  run(book, branch, kind, { sheet, range, shift: kind === 'range.insert' ? 'down' : 'up' });

async function bookOfNumbers(): Promise<Book> {
  const book = await makeBook();
  await run(book, 'main', 'range.set', { sheet, range: 'D1:D8', inputs: numbers });
  await write(book, 'main', ['G1', '=D4'], ['G2', '=D7']);
  await fork(book, 'f');
  return book;
}

const deleteRow = (book: Book, branch: string) =>
  run(book, branch, 'rows.delete', { sheet, from: 5, count: 1 });

async function choose(book: Book, id: string, choice: string): Promise<void> {
  const where = { kind: 'row.edit_delete' };
  const answer = await book.ask(`/merges/${id}/resolve`, { body: { bulk: [{ where, choice }] } });
  if (answer.status !== 200) throw new Error(answer.text);
}

const column = async (book: Book, target: string, length: number) =>
  ((await values(book, `D1:D${length + 1}`, target)) as unknown[][]).flat();

for (const [source, target] of [
  ['f', 'main'],
  ['main', 'f'],
] as const) {
  for (const shifted of shifts) {
    const { kind, range, rows } = shifted;
    t.test(`${kind} ${range} beside a deleted row: ${source} into ${target}`, async (t) => {
      const book = await bookOfNumbers();
      await deleteRow(book, 'main');
      await write(book, 'f', ['D4', 44], ['D7', 77]);
      await shift(book, 'f', shifted);
      const { id } = await propose(book, { source, target });
      t.strictSame(await conflictsOf(book, id), []);
      t.equal((await approve(book, id)).status, 200);
      t.strictSame(await column(book, target, rows.length), [...rows, null]);
      t.strictSame(await values(book, 'G1:G2', target), [[44], [77]]);
      const { id: back } = await propose(book, { source: target, target: source });
      t.strictSame(await conflictsOf(book, back), []);
      t.equal((await approve(book, back)).status, 200);
      t.strictSame(await column(book, source, rows.length), [...rows, null], 'and back');
    });

    t.test(`${kind} ${range} by who deleted a row: ${source} into ${target}`, async (t) => {
      const book = await bookOfNumbers();
      await deleteRow(book, 'main');
      await write(book, 'f', ['D4', 44], ['D7', 77]);
      // The same cells without row 5.
      const later = { D7: 'D6', 'D5:D6': 'D5', D6: 'D5' }[range];
      await shift(book, 'main', { ...shifted, range: later ?? range });
      const { id } = await propose(book, { source, target });
      t.strictSame(await conflictsOf(book, id), []);
      t.equal((await approve(book, id)).status, 200);
      t.strictSame(await column(book, target, rows.length), [...rows, null]);
    });
  }

  t.test(`an edit of a shifted cell of the row is asked about: ${source}`, async (t) => {
    for (const [choice, rows] of [
      ['delete', [1, 2, null, 3, 44, 6, 7, 8]],
      ['keep', [1, 2, null, 3, 44, 55, 6, 7]],
    ] as const) {
      const book = await bookOfNumbers();
      await deleteRow(book, 'main');
      await shift(book, 'f', { kind: 'range.insert', range: 'D3', rows });
      await write(book, 'f', ['D5', 44], ['D6', 55]);
      const { id } = await propose(book, { source, target });
      t.match(await conflictsOf(book, id), [{ kind: 'row.edit_delete', status: 'open' }]);
      t.equal((await conflictsOf(book, id)).length, 1);
      await choose(book, id, choice);
      t.strictSame(await conflictsOf(book, id, '?status=open'), []);
      t.equal((await approve(book, id)).status, 200);
      t.strictSame(await column(book, target, rows.length - 1), rows, choice);
    }
  });
}

t.test('rows that each branch deletes, and cells that one of them shifts', async (t) => {
  for (const [kind, rows] of [
    ['range.insert', [null, null, 3, 4]],
    ['range.delete', [4, 5, 6, 7]],
  ] as const) {
    for (const target of ['main', 'f']) {
      const book = await bookOfNumbers();
      await run(book, 'main', 'rows.delete', { sheet, from: 1, count: 1 });
      await run(book, 'f', 'rows.delete', { sheet, from: 2, count: 1 });
      await shift(book, 'f', { kind, range: 'D1:D2', rows: [] });
      const { id } = await propose(book, { source: target === 'f' ? 'main' : 'f', target });
      t.strictSame(await conflictsOf(book, id), [], kind);
      t.equal((await approve(book, id)).status, 200);
      t.strictSame(await column(book, target, 3), rows, `${kind} into ${target}`);
    }
  }
});

t.test('a block that is cut after a shift is there once when a row goes', async (t) => {
  for (const target of ['main', 'f']) {
    const book = await bookOfNumbers();
    await deleteRow(book, 'main');
    await shift(book, 'f', { kind: 'range.insert', range: 'D1:D2', rows: [] });
    await run(book, 'f', 'range.move', { sheet, source: 'D3:D5', to: 'I1' });
    const { id } = await propose(book, { source: target === 'f' ? 'main' : 'f', target });
    t.strictSame(await conflictsOf(book, id), []);
    t.equal((await approve(book, id)).status, 200);
    const rows = (await values(book, 'D1:I12', target)) as unknown[][];
    const counted = rows.flat().filter((held) => typeof held === 'number');
    const sorted = counted.toSorted((a, b) => a - b);
    t.strictSame(sorted, [1, 2, 3, 4, 4, 6, 7, 7, 8], 'with what G1 and G2 show');
  }
});

t.test('a column that goes takes along the cells that it had', async (t) => {
  const book = await makeBook();
  await run(book, 'main', 'range.set', { sheet, range: 'A5:H5', inputs: [numbers.flat()] });
  await fork(book, 'f');
  await run(book, 'main', 'cols.delete', { sheet, from: 5, count: 1 });
  await write(book, 'f', ['D5', 44]);
  await run(book, 'f', 'range.insert', { sheet, range: 'B5', shift: 'right' });
  const { id } = await propose(book, { source: 'f' });
  t.strictSame(await conflictsOf(book, id), []);
  t.equal((await approve(book, id)).status, 200);
  t.strictSame(await values(book, 'A5:H5'), [[1, null, 2, 3, 44, 6, 7, 8]]);
});

t.test(
  'cells that are shifted over a row which the same branch inserted stay the same',
  async (t) => {
    const cases = [
      ['range.insert', 'D1:D2', [null, null, 1, 2, null, 33, 4, 5, 6, 7, 8]],
      ['range.delete', 'D1', [2, null, 33, 4, 5, 6, 7, 8, null]],
    ] as const;
    for (const [kind, range, rows] of cases) {
      for (const target of ['main', 'f']) {
        const book = await bookOfNumbers();
        await write(book, 'main', ['D3', 33], ['G3', '=D2']);
        await run(book, 'f', 'rows.insert', { sheet, before: 3, count: 1 });
        await shift(book, 'f', { kind, range, rows: [] });
        const { id } = await propose(book, { source: target === 'f' ? 'main' : 'f', target });
        t.strictSame(await conflictsOf(book, id), [], kind);
        t.equal((await approve(book, id)).status, 200);
        t.strictSame(await column(book, target, rows.length - 1), rows, `${kind} into ${target}`);
        t.strictSame(await values(book, 'G4', target), [[2]]);
        const { id: back } = await propose(book, {
          source: target,
          target: target === 'f' ? 'main' : 'f',
        });
        t.strictSame(await conflictsOf(book, back), [], 'and back');
      }
    }
  },
);

t.test('and where the other branch shifted cells behind it', async (t) => {
  const above = [null, null, 1, 22, null, 3, 4, 5, 6, 7];
  const cases = [
    { range: 'E8', rows: [...above, 8, null], beside: [['in'], ['below'], [null]] },
    { range: 'D8', rows: [...above, 'in', 8], beside: [['below'], [null], [null]] },
  ];
  for (const { range, rows, beside } of cases) {
    for (const target of ['main', 'f']) {
      const source = target === 'f' ? 'main' : 'f';
      const book = await bookOfNumbers();
      await write(book, 'main', ['D2', 22], ['E8', 'below']);
      await shift(book, 'main', { kind: 'range.insert', range, rows: [] });
      await write(book, 'main', [range, 'in']);
      await run(book, 'f', 'rows.insert', { sheet, before: 3, count: 1 });
      await shift(book, 'f', { kind: 'range.insert', range: 'D1:D2', rows: [] });
      const { id } = await propose(book, { source, target });
      t.strictSame(await conflictsOf(book, id), [], range);
      t.equal((await approve(book, id)).status, 200);
      t.strictSame(
        await values(book, 'D1:D12', target),
        rows.map((value) => [value]),
        range,
      );
      t.strictSame(await values(book, 'E9:E11', target), beside, `${range} into ${target}`);
      const { id: back } = await propose(book, { source: target, target: source });
      t.strictSame(await conflictsOf(book, back), [], 'and back');
    }
  }
});
