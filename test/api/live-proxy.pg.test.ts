import t from 'tap';

import { Book } from '../support/book.ts';
import { EventClient } from '../support/event-client.ts';
import { fill, holeIn } from '../support/live-checks.ts';
import { LiveClient, refusalOf, setCell } from '../support/live-client.ts';
import { ReverseProxy } from '../support/reverse-proxy.ts';
import { ServiceDoor } from '../support/service-door.ts';
import { TestService } from '../support/test-service.ts';

t.test('sockets live behind a proxy, however it cuts the bytes', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const proxy = await ReverseProxy.open(t, service.url);
  const outside = book.at(new ServiceDoor(proxy.url));
  const start = await fill(book, 1);
  for (const framing of ['json', 'msgpack'] as const) {
    for (const pieceBytes of [Infinity, 1, 7]) {
      proxy.pieceBytes = pieceBytes;
      const watcher = await LiveClient.join(outside, { framing, hello: { lastSeq: start } });
      const writer = await LiveClient.join(outside, { framing });
      const text = 'tea '.repeat(500);
      const id = `${framing}-${pieceBytes}`;
      const { lastSeq, status } = await writer.submit([setCell('A1', `${text}${id}`, id)]);
      t.equal(status, 'applied', `${framing} in pieces of ${pieceBytes}`);
      await watcher.find((message) => message['lastSeq'] === lastSeq);
      t.equal(holeIn(watcher, start), undefined);
      writer.close();
      t.match(await writer.closed, { code: 1005 });
      watcher.send({ kind: 'nonsense' });
      t.match(await watcher.closed, { code: 4400 }, 'the code of a close comes through');
    }
  }
  const path = '/v1/workbooks/wb_none/ws?branch=main';
  t.equal(await refusalOf(LiveClient.open(outside, { path })), 404);
  t.equal(await refusalOf(LiveClient.open(outside, { credential: 'nonsense' })), 401);
});

t.test('a proxy that is started anew costs nobody an operation', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const proxy = await ReverseProxy.open(t, service.url);
  const outside = book.at(new ServiceDoor(proxy.url));
  const start = await fill(book, 1);
  const before = await LiveClient.join(outside, { hello: { lastSeq: start } });
  const last = await fill(book, 50);
  await before.find((message) => message['lastSeq'] === last);
  proxy.cut();
  t.match(await before.closed, { code: 1006 });
  const missed = await fill(book, 50);
  const after = await LiveClient.join(outside, { hello: { lastSeq: last } });
  await after.find((message) => message['lastSeq'] === missed);
  t.equal(holeIn(after, last), undefined);
});

t.test('events come at once through a proxy that reads answers whole', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const proxy = await ReverseProxy.open(t, service.url);
  const start = await fill(book, 1);
  const events = await EventClient.open(book.at(new ServiceDoor(proxy.url)), {
    query: `?after=${start}`,
  });
  const last = await fill(book, 3);
  await events.next('op_applied', ({ lastSeq }) => lastSeq === last);
  t.equal(events.seqs.length, 3);
  const table = { name: 'Goods', keyColumn: 'sku', schema: { sku: 'text' } };
  const made = await book.ask('/branches/main/tables', { body: table });
  const { seq } = made.json as { seq: number };
  const abort = new AbortController();
  const path = `/v1/workbooks/${book.id}/tables/Goods/changes?from=main@${seq}`;
  const answer = await fetch(proxy.url + path, {
    headers: { authorization: `Bearer ${book.credential}`, accept: 'text/event-stream' },
    signal: abort.signal,
  });
  await book.ask('/branches/main/tables/Goods/rows', { body: { rows: [{ sku: 'tea' }] } });
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of answer.body ?? []) {
    text += decoder.decode(piece as Uint8Array, { stream: true });
    if (text.includes('"tea"')) break;
  }
  t.match(text, /event: changes\n/u);
  abort.abort();
  events.close();
});
