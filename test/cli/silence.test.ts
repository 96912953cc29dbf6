import { once } from 'node:events';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import t, { type Test } from 'tap';

import { QuireCommand, type Ran } from '../support/quire-command.ts';

/** Runs long: it waits for as long as the command does. */

t.setTimeout(240_000);

const book = 'wb_00000000000000000000000000';
const slowMilliseconds = 25_000;

async function listening(t: Test, server: Server): Promise<QuireCommand> {
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const quire = await QuireCommand.at(
    t,
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  );
  return quire.with({ QUIRE_KEY: `wbk_live_${'a'.repeat(38)}` });
}

async function timed(run: Promise<Ran>): Promise<Ran & { readonly seconds: number }> {
  const start = performance.now();
  return { ...(await run), seconds: (performance.now() - start) / 1_000 };
}

t.test('who takes connections and says nothing is named, in bounded time', async (t) => {
  const quire = await listening(t, createServer());
  const calls = [['ls'], ['new'], ['export', book, '-o', 'a.xlsx'], ['login', '--anonymous']];
  const all = await Promise.all(calls.map((words) => timed(quire.run(words))));
  for (const [index, ran] of all.entries()) {
    const name = calls[index]?.join(' ') ?? '';
    t.match(ran, { code: 7, stderr: /127\.0\.0\.1:\d+ takes connections and says nothing/ }, name);
    t.ok(ran.seconds < 45, `${name}: ${ran.seconds} s`);
  }
  const signIn = await timed(quire.run(['login', '--browser']));
  t.match(signIn, { code: 7, stderr: /does not answer: nothing is heard/ });
  t.ok(signIn.seconds < 45, `${signIn.seconds} s`);
});

t.test('an answer that falls silent in its middle is told, in bounded time', async (t) => {
  const quire = await listening(
    t,
    createHttp((request, response) => {
      if (request.url === '/health') return;
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"workbooks": [');
    }),
  );
  const ran = await timed(quire.run(['ls', '--no-retry']));
  t.match(ran, { code: 1, stderr: /ended before its end/ });
  t.ok(ran.seconds < 45, `${ran.seconds} s`);
});

t.test('a service that lives is waited for, however long it takes', async (t) => {
  let asked = 0;
  let probes = 0;
  const answer: RequestListener = (request, response) => {
    const isProbe = request.url === '/health';
    if (isProbe) probes++;
    else asked++;
    const delay = isProbe ? 0 : slowMilliseconds;
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"workbooks":[],"total":0,"offset":0,"limit":50,"nextOffset":null}');
    }, delay);
  };
  const quire = await listening(t, createHttp(answer));
  const ran = await timed(quire.run(['ls']));
  t.match(ran, { code: 0 });
  t.ok(ran.seconds >= slowMilliseconds / 1_000);
  t.equal(asked, 1, 'nothing is asked again');
  t.ok(probes >= 1);
});
