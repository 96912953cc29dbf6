import t from 'tap';

import { claimedAgent } from '../support/claimed-agent.ts';
import { TableBook } from '../support/table-book.ts';

const rowCount = 150_000;
const rowsPath = 'branches/main/tables/Sales/rows';

interface Write {
  readonly status: string;
  readonly poll: string;
  readonly rows: number;
}

/** Rows of some 30 MB, which take seconds to be written. */
function csv(): Buffer {
  const lines = Array.from({ length: rowCount }, (_, at) => `k${at},${'r'.repeat(180)}${at},1`);
  return Buffer.from(['sku,region,price', ...lines].join('\n'));
}

async function ended(book: TableBook, { poll }: Write): Promise<Write> {
  for (;;) {
    const headers = { prefer: 'wait=5' };
    const answer = await book.service.request(poll, { credential: book.credential, headers });
    if (answer.status !== 200) throw new Error(answer.text);
    const write = answer.json as Write;
    if (write.status !== 'queued' && write.status !== 'running') return write;
  }
}

t.test('rows are written no longer than somebody may write', async (t) => {
  const book = await TableBook.start(t);
  await book.sales();
  const { userId, credential } = await claimedAgent(book.service.url);
  const shared = `collaborators/${userId}`;
  await book.ask(shared, { method: 'PUT', body: { role: 'editor' } });
  const headers = { 'content-type': 'text/csv', prefer: 'wait=0' };
  const sent = await book.ask(rowsPath, { bytes: csv(), headers, credential });
  t.equal(sent.status, 202, sent.text);
  t.equal((await book.ask(shared, { method: 'PUT', body: { role: 'viewer' } })).status, 200);
  const write = await ended(book, sent.json as Write);
  t.match(write, { status: 'failed', error: { code: 'forbidden', hint: /owner/u } });
  t.ok(write.rows < rowCount, `${write.rows} rows`);
  const { json } = await book.ask('tables/Sales');
  const { table } = json as { table: { rowCount: number } };
  t.ok(table.rowCount < rowCount, `${table.rowCount} rows are there`);
});
