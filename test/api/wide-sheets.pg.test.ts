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

t.test('a file of one row that is as wide as a sheet takes few operations', async (t) => {
  const service = await TestService.start(t);
  const credential = await service.register();
  const columns = 16_384;
  const numbers = Array.from({ length: columns }, (_, at) => at);
  const made = await service.request('/v1/workbooks', {
    bytes: Buffer.from(`${numbers.join(',')}\n`),
    headers: { 'content-type': 'text/csv' },
    credential,
  });
  t.match(made, { status: 201, json: { sheets: [{ used: '1:1' }] } });
  const { id, head } = made.json as { id: string; head: number };
  t.ok(head < 30, `${head} operations`);
  const read = await service.request(`/v1/workbooks/${id}/slice?range=1:1`, { credential });
  t.same((read.json as { rows: unknown }).rows, [numbers]);
});

t.test(
  'a slice of whole rows ends at the last column, in a sheet of a million cells',
  async (t) => {
    const book = await Book.create(await TestService.start(t));
    const ops = [
      { kind: 'range.fill', payload: { sheet: 'Sheet1', range: 'A1:XFC64', input: 1 } },
      { kind: 'rows.move', payload: { sheet: 'Sheet1', from: 2, count: 2, before: 40 } },
      { kind: 'cells.set', payload: { sheet: 'Sheet1', cells: [{ a1: 'A70', input: 'last' }] } },
    ];
    const answer = await book.ask('/branches/main/ops', { body: { writer: 'w', ops } });
    t.equal(answer.status, 200, answer.text.slice(0, 300));
    const begun = performance.now();
    const { json } = await book.ask('/slice?range=A64:XFD65');
    const [full, blank] = (json as { rows: readonly (readonly unknown[])[] }).rows;
    t.equal(full?.length, 16_383);
    t.ok(full?.every((cell) => cell === 1));
    t.ok(blank?.every((cell) => cell === null));
    const tail = await book.ask('/slice?range=A:A');
    t.same((tail.json as { rows: unknown[] }).rows.length, 70);
    const seconds = (performance.now() - begun) / 1_000;
    t.ok(seconds < secondsMost, `${seconds} s`);
  },
);
