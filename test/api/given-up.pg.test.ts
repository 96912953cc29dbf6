import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';

import { Book } from '../support/book.ts';
import { TestService } from '../support/test-service.ts';

// Large diffs and merges for which nobody waits any more. Runs long: each is computed twice.

const [rowCount, columnCount] = [1_500, 80];

function inputsOf(salt: number): unknown[][] {
  return Array.from({ length: rowCount }, (_, row) =>
    Array.from({ length: columnCount }, (__, column) => salt * 1e6 + row * columnCount + column),
  );
}

async function makeBook(t: Test): Promise<Book> {
  const book = await Book.create(await TestService.start(t));
  const fill = async (branch: string, range: string, salt: number): Promise<void> => {
    for (let at = 0; at < rowCount; at += 500) {
      const inputs = inputsOf(salt).slice(at, at + 500);
      const payload = { sheet: 'Sheet1', range: range.replace('#', String(at + 1)), inputs };
      const body = { writer: 'w', ops: [{ kind: 'range.set', payload }] };
      const { status, text } = await book.ask(`/branches/${branch}/ops`, { body });
      if (status !== 200) throw new Error(text);
    }
  };
  await fill('main', 'A#', 1);
  await book.ask('/branches', { body: { name: 'side' } });
  await fill('side', 'A#', 2);
  return book;
}

/** Asks, and goes after a while; resolves with whether the answer had come by then. */
async function askAndGo(book: Book, rest: string, milliseconds: number): Promise<boolean> {
  const url = `${book.service.url}/v1/workbooks/${book.id}${rest}`;
  const headers = { authorization: `Bearer ${book.credential}` };
  try {
    const signal = AbortSignal.timeout(milliseconds);
    await (await fetch(url, { headers, signal })).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

async function timed(book: Book, rest: string): Promise<number> {
  const begun = performance.now();
  const { status, text } = await book.ask(rest);
  if (status !== 200) throw new Error(text);
  return performance.now() - begun;
}

t.test('a diff for which nobody waits any more is given up', async (t) => {
  const book = await makeBook(t);
  // Each with other kinds, of which there are no differences, is compared for itself.
  const asked = '/diff?from=side&to=main&limit=10&kinds=cells';
  await timed(book, `${asked},settings`);
  const whole = await timed(book, asked);
  const kept = await timed(book, asked);
  t.ok(kept < whole / 3, `what was compared is kept: ${kept} for ${whole}`);

  const lost = `${asked},names`;
  t.notOk(await askAndGo(book, lost, whole / 4), 'the client has gone');
  await sleep(whole * 2);
  const anew = await timed(book, lost);
  t.ok(anew > whole / 3, `it was not compared meanwhile: ${anew} for ${whole}`);

  const shared = `${asked},records`;
  const going = askAndGo(book, shared, whole / 4);
  const staying = timed(book, shared);
  t.notOk(await going);
  await staying;
  const after = await timed(book, shared);
  t.ok(after < whole / 3, `it was for somebody else: ${after} for ${whole}`);
});

t.test('a merge for which nobody waits any more is given up', async (t) => {
  const book = await makeBook(t);
  const made = await book.ask('/merges', { body: { source: 'side' } });
  const path = `/merges/${(made.json as { id: string }).id}`;
  await book.set('DA1', 1);
  await timed(book, path);
  await book.set('DA1', 3);
  const whole = await timed(book, path);
  const kept = await timed(book, path);
  t.ok(kept < whole / 3, `what was merged is kept: ${kept} for ${whole}`);
  await book.set('DA1', 2);
  t.notOk(await askAndGo(book, path, whole / 4), 'the client has gone');
  await sleep(whole * 2);
  const anew = await timed(book, path);
  t.ok(anew > whole / 3, `it was not merged meanwhile: ${anew} for ${whole}`);
  t.match(await book.ask(`${path}/approve`, { body: {} }), { json: { state: 'merged' } });
});
