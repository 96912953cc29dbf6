import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';

import { hangUp, plainFetch } from '../../client/cli/plain-fetch.ts';

async function serve(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    hangUp();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function heard(request: IncomingMessage): Promise<object> {
  const { method, url, headers } = request;
  return { method, url, body: await text(request), authorization: headers.authorization };
}

t.test('a redirect keeps method and body, and the credential stays with its service', async (t) => {
  const seen: object[] = [];
  const note: RequestListener = (request, response) => {
    void heard(request).then((one) => seen.push(one) && response.end('{"is":"there"}'));
  };
  const other = await serve(t, note);
  const url = await serve(t, (request, response) => {
    if (request.url === '/here') return note(request, response);
    const [status, location] =
      request.url === '/near'
        ? [308, '/here']
        : request.url === '/see'
          ? [303, '/here']
          : [307, `${other}/far`];
    response.writeHead(status, { location }).end('moved');
  });
  const init = { method: 'POST', headers: { authorization: 'Bearer x' }, body: 'rows' };
  for (const path of ['/near', '/see', '/away']) {
    const answer = await plainFetch(url + path, init);
    t.same(await answer.json(), { is: 'there' });
  }
  t.same(seen, [
    { method: 'POST', url: '/here', body: 'rows', authorization: 'Bearer x' },
    { method: 'GET', url: '/here', body: '', authorization: 'Bearer x' },
    { method: 'POST', url: '/far', body: 'rows', authorization: undefined },
  ]);
});

t.test('who is sent on and on is told so', async (t) => {
  const url = await serve(t, (_, response) => response.writeHead(302, { location: '/' }).end());
  await t.rejects(plainFetch(url), { message: 'fetch failed', cause: { message: /redirects/ } });
});

t.test('a packed body is read as it was, whole and as a stream', async (t) => {
  const sent = 'line\n'.repeat(10_000);
  const url = await serve(t, ({ headers }, response) => {
    const isPacked = headers['accept-encoding'] === 'gzip';
    response.setHeader('content-encoding', isPacked ? 'gzip' : 'identity');
    response.end(isPacked ? gzipSync(sent) : sent);
  });
  t.equal(await (await plainFetch(url)).text(), sent);
  t.equal((await (await plainFetch(url)).arrayBuffer()).byteLength, sent.length);
  const { body } = await plainFetch(url);
  t.equal(await new Response(body).text(), sent);
});

t.test('a body that is cut off is no whole one, packed or not', async (t) => {
  const packed = gzipSync('line\n'.repeat(10_000));
  const url = await serve(t, ({ url: path }, response) => {
    response.setHeader('content-length', packed.length);
    if (path === '/packed') response.setHeader('content-encoding', 'gzip');
    response.write(packed.subarray(0, 40), () => response.destroy());
  });
  for (const path of ['/plain', '/packed']) await t.rejects((await plainFetch(url + path)).text());
});

t.test('a body goes with every method, and an abort says why', async (t) => {
  const lengths: unknown[] = [];
  const url = await serve(t, (request, response) => {
    lengths.push([request.method, request.headers['content-length']]);
    if (request.method === 'GET') return;
    response.writeHead(204).end();
  });
  for (const method of ['POST', 'DELETE', 'PUT']) {
    const answer = await plainFetch(url, { method, body: 'é' });
    t.match(answer, { ok: true, status: 204 });
    t.equal(answer.headers.get('content-type'), null);
    t.equal(await answer.text(), '');
  }
  await plainFetch(url, { method: 'POST' });
  t.same(lengths, [
    ['POST', '2'],
    ['DELETE', '2'],
    ['PUT', '2'],
    ['POST', '0'],
  ]);
  const abort = new AbortController();
  const waiting = plainFetch(url, { signal: abort.signal });
  const reason = new Error('given up');
  abort.abort(reason);
  await t.rejects(waiting, reason);
});
