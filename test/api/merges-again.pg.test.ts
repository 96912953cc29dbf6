import t from 'tap';

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
import type { Book } from '../support/book.ts';

// A branch that is squashed is proposed again: then nothing is asked, and nothing changes.

const sheet = 'Sheet1';

async function formulas(book: Book, range: string, ref = 'main'): Promise<unknown> {
  const query = `ref=${encodeURIComponent(ref)}&range=${range}&lens=formula`;
  return ((await book.ask(`/slice?${query}`)).json as { rows: unknown }).rows;
}

/** Merges the branch `f` as one that was squashed, then proposes it again. */
async function mergedAgain(book: Book): Promise<string> {
  const first = await propose(book, { source: 'f', squash: true });
  const { status, text } = await approve(book, first.id);
  t.equal(status, 200, text);
  return (await propose(book, { source: 'f' })).id;
}

t.test(
  'a block that was cut stays where it is when cells left blank are cut after it',
  async (t) => {
    const book = await makeBook();
    await write(book, 'main', ['H1', '=A2']);
    await fork(book, 'f');
    await run(book, 'f', 'range.move', { sheet, source: 'A1:B2', to: 'E1' });
    await run(book, 'f', 'range.move', { sheet, source: 'A1:A2', to: 'A2' });
    const again = await mergedAgain(book);
    t.strictSame(await conflictsOf(book, again), []);
    for (const ref of ['main', `merge:${again}`]) {
      t.strictSame(await formulas(book, 'H1', ref), [['=E2']], ref);
      t.strictSame(await values(book, 'H1', ref), [[21]], ref);
    }
  },
);

t.test('an array ends at the rows that are left of those it was written for', async (t) => {
  const book = await makeBook();
  await run(book, 'main', 'rows.insert', { sheet, before: 1 });
  await fork(book, 'f');
  await run(book, 'main', 'rows.delete', { sheet, from: 1 });
  await run(book, 'f', 'cells.set', {
    sheet,
    cells: [{ a1: 'D3', input: '=SUM(A1:A3)*2', array: 'D3:D5' }],
  });
  const again = await mergedAgain(book);
  t.strictSame(await conflictsOf(book, again), []);
  for (const ref of ['main', `merge:${again}`]) {
    t.strictSame(await values(book, 'D2:D3', ref), [[64], [64]], ref);
  }
});

t.test(
  'a formula shows the blank row that is left of a table, also before a restart',
  async (t) => {
    const book = await makeBook();
    const schema = { columns: [{ name: 'k' }, { name: 'v' }] };
    await run(book, 'main', 'table.create', { name: 'Items', keyColumn: 'k', schema });
    const rows = ['a', 'b'].map((k, v) => ({ k, v: v + 1 }));
    await run(book, 'main', 'rows.import', { table: 'Items', rows });
    await write(book, 'main', ['H1', '=Items!B2+1']);
    await fork(book, 'f');
    await run(book, 'main', 'rows.delete', { table: 'Items', keys: ['a'] });
    await run(book, 'f', 'rows.delete', { table: 'Items', keys: ['b'] });
    t.strictSame(await values(book, 'H1'), [[{ error: '#REF!' }]]);
    const { id } = await propose(book, { source: 'f' });
    t.equal((await approve(book, id)).status, 200);
    t.strictSame(await formulas(book, 'H1'), [['=Items!B2+1']]);
    t.strictSame(await values(book, 'H1'), [[1]]);
  },
);

t.test('rows that a merge puts into an array have cells of it', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  const array = { a1: 'D1', input: '=SUM(A1:A3)', array: 'D1:D3' };
  await run(book, 'main', 'cells.set', { sheet, cells: [array] });
  await run(book, 'f', 'rows.insert', { sheet, before: 2, count: 5 });
  const { id } = await propose(book, { source: 'f' });
  t.equal((await approve(book, id)).status, 200);
  t.strictSame(await values(book, 'D7'), [[63]]);
  const ops = [{ kind: 'cells.set', payload: { sheet, cells: [{ a1: 'D7', input: 1 }] } }];
  const { status, json } = await book.ask('/branches/main/ops', { body: { ops } });
  t.equal(status, 409);
  t.match(json, { detail: /D7 is a part of Sheet1!D1:D8/ });
});

t.test('the first cell of an array that the other side moved away fills no other', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  const array = { a1: 'D1', input: '=SUM(A1:A1)', array: 'D1:D3' };
  await run(book, 'f', 'cells.set', { sheet, cells: [array] });
  await run(book, 'main', 'rows.move', { sheet, from: 1, before: 6 });
  for (const [source, target] of [
    ['main', 'f'],
    ['f', 'main'],
  ]) {
    const { id } = await propose(book, { source, target });
    const { status, text } = await approve(book, id);
    t.equal(status, 200, text);
    t.strictSame(await values(book, 'D1:D5', target), [[null], [null], [null], [null], [11]]);
  }
});
