import t from 'tap';

import type { Book } from '../support/book.ts';
import {
  approve,
  conflictsOf,
  fork,
  hashOf,
  makeBook,
  propose,
  run,
  values,
  write,
} from '../support/merged-book.ts';

// A merge is a function of three states: nothing that somebody reads meanwhile changes it.

const sheet = 'Sheet1';

type Look = (book: Book) => Promise<unknown>;

const looks: Record<string, Look> = {
  nothing: () => Promise.resolve(),
  state: (book) => hashOf(book, 'side'),
  checkpoint: (book) => book.ask('/branches/side/checkpoint', { method: 'POST' }),
  commit: (book) => book.ask('/branches/side/commit', { body: { message: 'seen' } }),
  fork: (book) => fork(book, 'other', 'side'),
};

async function movedEnds(): Promise<Book> {
  const book = await makeBook();
  const inputs = Array.from({ length: 9 }, (_, row) => [row + 1]);
  await run(book, 'main', 'range.set', { sheet, range: 'B1:B9', inputs });
  await write(book, 'main', ['F10', '=SUM(B1:B9)']);
  await fork(book, 'side');
  await run(book, 'main', 'rows.move', { sheet, from: 2, count: 2, before: 1 });
  await write(book, 'side', ['H10', 'q']);
  await approve(book, (await propose(book, { source: 'side' })).id);
  return book;
}

async function formula(book: Book, a1: string, ref: string): Promise<unknown> {
  const answer = await book.ask(`/slice?ref=${ref}&range=${a1}&include=formulas`);
  return (answer.json as { formulas?: unknown }).formulas;
}

t.test('a fast-forward is the source, whoever looked at the target before', async (t) => {
  for (const [name, look] of Object.entries(looks)) {
    const book = await movedEnds();
    await look(book);
    const { id, stateHash } = await propose(book, { source: 'main', target: 'side' });
    await approve(book, id);
    t.strictSame(await values(book, 'F10', 'side'), [[40]], name);
    t.equal(await formula(book, 'F10', 'side'), await formula(book, 'F10', 'main'), name);
    t.equal(await hashOf(book, 'side'), await hashOf(book, 'main'), name);
    t.equal(stateHash, await hashOf(book, 'main'), name);
  }
});

t.test('a fast-forward has the hash of its source', async (t) => {
  const book = await makeBook();
  await write(book, 'main', ['A1', 1], ['A2', '=A1']);
  await fork(book, 'side');
  await run(book, 'side', 'rows.insert', { sheet, before: 2, count: 1 });
  await approve(book, (await propose(book, { source: 'side' })).id);
  t.equal(await hashOf(book, 'main'), await hashOf(book, 'side'));
});

t.test('sums over rows that both sides moved among themselves are no conflicts', async (t) => {
  for (const theirs of [
    { kind: 'rows.move', payload: { sheet, from: 5, count: 1, before: 3 } },
    { kind: 'rows.move', payload: { sheet, from: 2, count: 1, before: 6 } },
    { kind: 'cols.move', payload: { sheet, from: 'B', count: 1, before: 'D' } },
  ]) {
    const book = await makeBook();
    const inputs = Array.from({ length: 5 }, (_, row) => [10 ** row, 2 * 10 ** row, 3 * 10 ** row]);
    await run(book, 'main', 'range.set', { sheet, range: 'A1:C5', inputs });
    await write(book, 'main', ['A6', '=SUM(A2:A5)'], ['B6', '=SUM(B2:B5)'], ['C6', '=SUM(C2:C5)']);
    await fork(book, 'side');
    await run(book, 'main', 'rows.move', { sheet, from: 2, count: 1, before: 4 });
    await run(book, 'side', theirs.kind, theirs.payload);
    const { id } = await propose(book, { source: 'side' });
    const kinds = (await conflictsOf(book, id)).map(({ kind }) => kind);
    t.strictSame(
      kinds.filter((kind) => kind !== 'row.order'),
      [],
    );
    const resolve = { bulk: [{ where: {}, choice: 'ours' }] };
    if (kinds.length > 0) await book.ask(`/merges/${id}/resolve`, { body: resolve });
    t.equal((await approve(book, id)).status, 200);
    const sums = await values(book, 'A6:C6');
    t.same((sums as number[][])[0]?.toSorted(), [11110, 22220, 33330]);
  }
});

const removals = {
  'rows.delete': { sheet: 'One', from: 5, count: 2 },
  'sheet.delete': { sheet: 'One' },
};

t.test('names and rules keep what they name of lines and sheets that are gone', async (t) => {
  const formulas = ['=One!A5', '=One!A5:B6', '=SUM(One!A5,Two!A1:A3)', '=One!B5'];
  for (const [at, formula] of formulas.entries()) {
    for (const [kind, payload] of Object.entries(removals)) {
      const book = await makeBook();
      await run(book, 'main', 'sheet.add', { name: 'One' });
      await run(book, 'main', 'sheet.add', { name: 'Two' });
      // Both read as #REF! in the end.
      if (at === 3) await run(book, 'main', 'name.set', { name: 'tax', formula: '=One!A5' });
      await fork(book, 'side');
      await run(book, 'side', 'name.set', { name: 'tax', formula });
      const rule = { type: 'custom', formula1: formula };
      await run(book, 'side', 'validation.set', { sheet, ranges: ['B2:C4', 'D:D'], rule });
      await run(book, 'side', kind, payload);
      const { id, stateHash } = await propose(book, { source: 'side' });
      await approve(book, id);
      const hash = await hashOf(book, 'main');
      t.equal(hash, await hashOf(book, 'side'), `${formula} ${kind}`);
      t.equal(hash, stateHash);
      t.match((await book.ask('/verify', { method: 'POST' })).json, { ok: true });
    }
  }
});
