import t from 'tap';

import { Book } from '../support/book.ts';
import { TestService } from '../support/test-service.ts';

// Sheets with something in every column: no operation on their lines keeps others waiting.

/** Longest time of one operation; it was a minute. */
const secondsMost = 10;

t.test('rows and columns of the widest sheet are deleted at once', async (t) => {
  const book = await Book.create(await TestService.start(t));
  const apply = async (kind: string, payload: object): Promise<void> => {
    const begun = performance.now();
    const ops = [{ kind, payload: { sheet: 'Sheet1', ...payload } }];
    const answer = await book.ask('/branches/main/ops', { body: { writer: 'w', ops } });
    t.match(answer.json, { status: 'applied' }, answer.text.slice(0, 300));
    const seconds = (performance.now() - begun) / 1_000;
    t.ok(seconds < secondsMost, `${kind} ${JSON.stringify(payload)}: ${seconds} s`);
  };
  const read = async (range: string): Promise<unknown> => {
    const { json } = await book.ask(`/slice?range=${range}`);
    return (json as { rows: unknown }).rows;
  };
  await apply('range.fill', { range: '9:9', input: 1 });
  await apply('rows.delete', { from: 2, count: 3 });
  t.same(await read('XFC6:XFD6'), [[1, 1]]);
  await apply('rows.delete', { from: 6, count: 1 });
  t.same(await read('XFC6:XFD6'), [[null, null]]);
  await apply('range.fill', { range: '1:1', input: 2 });
  // Columns that were moved stand in runs of their own.
  for (let column = 0; column < 40; column++) {
    await apply('cols.move', { from: 'B', count: 1, before: 'XFA' });
  }
  await apply('cols.delete', { from: 'A', count: 16_383 });
  t.same(await read('A1:B1'), [[2, null]]);
});
