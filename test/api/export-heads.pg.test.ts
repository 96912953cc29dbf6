import t from 'tap';

import { Book } from '../support/book.ts';
import { TestService } from '../support/test-service.ts';

/** Runs long: exports of megabytes are left unread. */

/** Writes some 22 MB of text, in more pieces than a thread of the pool may be ahead. */
async function fill(book: Book): Promise<void> {
  const text = 'x'.repeat(4_000);
  for (let at = 0; at < 700; at += 100) {
    const inputs = Array.from({ length: 100 }, (_, row) =>
      Array.from({ length: 8 }, (__, column) => `${text}${at + row} ${column}`),
    );
    const ops = [{ kind: 'range.set', payload: { range: `A${at + 1}:H${at + 100}`, inputs } }];
    const body = { writer: 'w', ops };
    const answer = await book.ask('/branches/main/ops', { body });
    if (answer.status !== 200) throw new Error(answer.text);
  }
}

t.test('an export of which only the head is asked lets its thread go', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  await fill(book);
  const path = '/branches/main/export?format=ndjson';
  for (const headers of [{ 'accept-encoding': 'gzip' }, { 'accept-encoding': 'identity' }]) {
    t.equal((await book.ask(path, { method: 'HEAD', headers })).status, 200);
    t.equal((await book.ask('/branches/main/export?format=csv')).status, 200);
  }
});
