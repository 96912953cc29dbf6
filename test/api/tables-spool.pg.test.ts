import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';

import { S3Server } from '../support/s3/server.ts';
import { TableBook } from '../support/table-book.ts';

const rowCount = 40_000;
const rowsPath = 'branches/main/tables/Sales/rows';

/** Runs long: bodies of three pieces of the spool go through a store that fails. */

/** Three pieces of the spool. */
function csvOf(price: number): Buffer {
  const lines = Array.from({ length: rowCount }, (_, at) => `k${at},${'r'.repeat(200)},${price}`);
  return Buffer.from(['sku,region,price', ...lines].join('\n'));
}

function send(book: TableBook, bytes: Buffer) {
  return book.ask(rowsPath, { bytes, headers: { 'content-type': 'text/csv', prefer: 'wait=0' } });
}

interface Write {
  readonly status: string;
  readonly poll: string;
  readonly rows: number;
}

async function ended(book: TableBook, { poll }: Write): Promise<Write> {
  for (;;) {
    const { json, status, text } = await book.service.request(poll, {
      credential: book.credential,
      headers: { prefer: 'wait=5' },
    });
    if (status !== 200) throw new Error(text);
    const write = json as Write;
    if (write.status !== 'queued' && write.status !== 'running') return write;
  }
}

t.test('a long body goes through an S3 store that fails now and then', async (t) => {
  const store = await S3Server.start(t);
  const book = await TableBook.start(t, { OBJECT_STORE_URL: store.url });
  await book.sales();
  const key = /^(?:.*\/)?spool\//;
  store.faults.add(
    { operations: ['put'], key, count: 1, fault: { kind: 'reset' } },
    { operations: ['put'], key, count: 1, fault: { kind: 'lostAnswer' } },
    {
      operations: ['put'],
      key,
      count: 1,
      fault: { kind: 'error', status: 503, code: 'SlowDown', when: 'before' },
    },
    { operations: ['get'], key, count: 1, fault: { kind: 'reset' } },
    { operations: ['get'], key, count: 1, fault: { kind: 'truncatedBody' } },
    {
      operations: ['get'],
      key,
      count: 1,
      fault: { kind: 'error', status: 500, code: 'InternalError', when: 'before' },
    },
  );
  const sent = await send(book, csvOf(1));
  t.equal(sent.status, 202, sent.text);
  const write = await ended(book, sent.json as Write);
  t.match(write, { status: 'done', rows: rowCount, result: { inserted: rowCount } });
  t.same([...store.faults.happened.values()], [2, 1, 2, 1], 'every fault was met');
  const groups = await book.ask('tables/Sales/rows?group=price&count=');
  t.match(groups.json, { groups: [{ price: 1, count: rowCount }] });
  // A look at ended writes drops their bodies; without it this has no end.
  while (store.bucket.keys().some((one) => key.test(one))) await sleep(50);
});

t.test('a body that the store does not take is refused, and may be sent again', async (t) => {
  const store = await S3Server.start(t);
  const book = await TableBook.start(t, { OBJECT_STORE_URL: store.url });
  await book.sales();
  store.goAway();
  const refused = await send(book, csvOf(1));
  t.match(refused, { status: 503, json: { code: 'unavailable' } });
  t.match((await book.ask('tables/Sales')).json, { table: { rowCount: 0 } });
  await store.comeBack();
  const write = await ended(book, (await send(book, csvOf(2))).json as Write);
  t.match(write, { status: 'done', result: { inserted: rowCount } });
});
