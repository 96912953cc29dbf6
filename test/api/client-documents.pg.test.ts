import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import type { Test } from 'tap';

import { IdentityWorld } from '../support/identity-world.ts';
import { allow, ask, callback, requestOf, send, signedIn, trade } from '../support/oauth-client.ts';
import { Browser } from '../support/browser.ts';

/** A place where clients say what they are. */
async function documentServer(
  t: Pick<Test, 'teardown'>,
): Promise<{ url: string; answer: (response: ServerResponse) => void; asked: () => number }> {
  let count = 0;
  const place = { url: '', answer: (response: ServerResponse) => void response.end() };
  const server = createServer((_request, response) => {
    count++;
    place.answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  place.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/client.json`;
  return Object.assign(place, { asked: () => count });
}

const json =
  (content: unknown, type = 'application/json') =>
  (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': type }).end(JSON.stringify(content));

t.test('a client whose id is an address is what the document there says', async (t) => {
  const world = await IdentityWorld.start(t);
  const { url } = world.service;
  const place = await documentServer(t);
  const content = { client_id: place.url, client_name: '<i>doc</i>', redirect_uris: [callback] };
  place.answer = json(content);
  const stranger = new Browser(url);
  t.equal((await ask(stranger, requestOf(place.url))).status, 303, 'sign in first');
  t.equal(place.asked(), 0, 'nobody sends the service out who is not signed in');
  const browser = await signedIn(world, 'ada@example.com');
  const page = await ask(browser, requestOf(place.url));
  t.match(page.text, '&lt;i&gt;doc&lt;/i&gt;</strong> of <code>127.0.0.1:');
  const back = await allow(browser, page);
  const tokens = await trade(url, place.url, back.searchParams.get('code') ?? '');
  t.equal(tokens.status, 200);
  const again = await send(`${url}/oauth2/token`, {
    grant_type: 'refresh_token',
    client_id: place.url,
    refresh_token: tokens.json.refresh_token,
  });
  t.equal(again.status, 200);
  t.match((await browser.get('/agents')).text, '&lt;i&gt;doc&lt;/i&gt;');
  t.equal(place.asked(), 1, 'it is kept for some minutes');
  world.clock.forward(301);
  place.answer = json({ ...content, redirect_uris: ['http://127.0.0.1/other'] });
  t.equal((await ask(browser, requestOf(place.url))).status, 400, 'and then read again');
  const metadata = await world.service.request('/.well-known/oauth-authorization-server');
  t.match(metadata.json, { client_id_metadata_document_supported: true });
});

t.test('a document that is wrong, large or slow makes no client', async (t) => {
  const world = await IdentityWorld.start(t);
  const browser = await signedIn(world, 'ada@example.com');
  const place = await documentServer(t);
  const good = { client_id: place.url, redirect_uris: [callback] };
  const answers: Record<string, (response: ServerResponse) => void> = {
    'of another client': json({ ...good, client_id: `${place.url}?` }),
    'without addresses': json({ client_id: place.url }),
    'with a script for an address': json({ ...good, redirect_uris: ['javascript:alert(1)'] }),
    'with a secret': json({ ...good, token_endpoint_auth_method: 'client_secret_basic' }),
    'of another type': json(good, 'text/html'),
    'too large': json({ ...good, filler: 'x'.repeat(6_000) }),
    'no JSON': (response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
    elsewhere: (response) => void response.writeHead(302, { location: `${place.url}?there` }).end(),
    'not there': (response) => void response.writeHead(404).end(),
    'cut off': (response) => void response.destroy(),
    'never finished': (response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).write('{"client_id":'),
  };
  for (const [name, answer] of Object.entries(answers)) {
    place.answer = answer;
    const page = await ask(browser, requestOf(place.url));
    t.equal(page.status, 400, name);
    t.match(page.text, 'The document of the client', name);
    t.equal(page.headers.get('location'), null);
  }
  place.answer = json(good);
  t.equal((await ask(browser, requestOf(place.url))).status, 200, 'a fault is not kept');
});

t.test('no document is read inside the network', async (t) => {
  const world = await IdentityWorld.start(t);
  const browser = await signedIn(world, 'ada@example.com');
  const place = await documentServer(t);
  const { port } = new URL(place.url);
  for (const clientId of [
    `https://127.0.0.1:${port}/client.json`,
    `https://localhost:${port}/client.json`,
    `https://[::1]:${port}/client.json`,
    `https://[::ffff:127.0.0.1]:${port}/client.json`,
    `https://169.254.169.254/latest/meta-data`,
    `http://10.0.0.1:${port}/client.json`,
    `http://127.0.0.1:${port}/`,
    `http://user@127.0.0.1:${port}/client.json`,
    `http://127.0.0.1:${port}/a/../client.json`,
    `http://127.0.0.1:${port}/client.json#x`,
    `file:///etc/passwd`,
  ]) {
    t.equal((await ask(browser, requestOf(clientId))).status, 400, clientId);
  }
  t.equal(place.asked(), 0);
});
