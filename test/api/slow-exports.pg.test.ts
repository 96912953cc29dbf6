import t from 'tap';

import { Book } from '../support/book.ts';
import { SlowClient } from '../support/slow-client.ts';
import { TestService } from '../support/test-service.ts';

const textLength = 30_000;
const rowCount = 2_500;
/** Time in which others are answered: a reader who stands still is cut off only after ten seconds. */
const answeredMilliseconds = 5_000;

/** A workbook whose CSV is far larger than what sockets and memory hold of it. */
async function largeBook(service: TestService): Promise<Book> {
  const book = await Book.create(service, { credential: await service.registerClaimed() });
  const input = 'x'.repeat(textLength);
  const fill = { kind: 'range.fill', payload: { range: `A1:A${rowCount}`, input } };
  const { status, text } = await book.ask('/branches/main/ops', {
    body: { writer: 'w', ops: [fill] },
  });
  if (status !== 200) throw new Error(text);
  return book;
}

t.test('readers of large files who stand still hold nobody up, and get all of it', async (t) => {
  const service = await TestService.start(t, { WORKERS: '1' });
  const large = await largeBook(service);
  const line = `GET /v1/workbooks/${large.id}/branches/main/export?format=csv`;
  const readers = Array.from({ length: 3 }, () =>
    SlowClient.begin(service.url, large.credential, { line }),
  );
  await Promise.all(readers.map((reader) => reader.pause()));

  const other = await Book.create(service, { credential: await service.registerClaimed() });
  const heavy = '=SUM(MAP(SEQUENCE(20000),LAMBDA(x,x+1)))';
  const cells = [{ a1: 'A1', input: heavy }];
  const begun = performance.now();
  const body = { writer: 'w', ops: [{ kind: 'cells.set', payload: { cells } }] };
  t.equal((await other.ask('/branches/main/ops', { body })).status, 200);
  t.match((await other.ask('/slice?range=A1')).json, { rows: [[200_030_000]] });
  for (const format of ['xlsx', 'csv']) {
    const { status } = await other.ask(`/branches/main/export?format=${format}`);
    t.equal(status, 200, format);
  }
  t.match((await large.ask('/slice?range=A1')).json, { rows: [[/^x+$/u]] });
  const took = performance.now() - begun;
  t.ok(took < answeredMilliseconds, `others were answered after ${took} ms`);

  const [patient, ...rest] = readers;
  for (const reader of rest) reader.leave();
  const received = await patient?.rest();
  t.ok(received?.isWhole, 'the file comes to its end');
  const { text = '' } = received ?? {};
  const letters = text.slice(text.indexOf('\r\n\r\n')).replaceAll(/[^x]/gu, '');
  t.equal(letters.length, textLength * rowCount);
});
