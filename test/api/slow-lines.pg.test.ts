import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import t from 'tap';

import { Book } from '../support/book.ts';
import { TestService } from '../support/test-service.ts';

/** Runs long: it waits for readers and writers that are slow. */

// A client on a slow line has as long for its body as the page says, and is answered.

t.test('a body that trickles in for longer than ten seconds is read and answered', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const cells = [{ a1: 'A1', input: 'x'.repeat(100) }];
  const body = JSON.stringify({ ops: [{ kind: 'cells.set', payload: { cells } }], writer: 'w' });
  const { hostname, port, host } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  t.teardown(() => socket.destroy());
  const answer: string[] = [];
  socket.setEncoding('utf8').on('data', (text: string) => answer.push(text));
  const head = [
    `POST /v1/workbooks/${book.id}/branches/main/ops HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${book.credential}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const pieces = 24;
  const size = Math.ceil(body.length / pieces);
  const ended = once(socket, 'close').then(() => 'cut off');
  for (let at = 0; at < body.length; at += size) {
    socket.write(body.slice(at, at + size));
    const isCut = await Promise.race([wait(600), ended]);
    t.equal(isCut, undefined, `at ${at} of ${body.length}`);
  }
  await Promise.race([wait(2_000), ended, once(socket, 'data')]);
  t.match(answer.join(''), /^HTTP\/1\.1 200 OK[^]*"status":"applied"/u);
});
