import t from 'tap';

import { Browser } from '../support/browser.ts';
import { IdentityWorld } from '../support/identity-world.ts';
import {
  allow,
  ask,
  asked,
  codeFor,
  register,
  requestOf,
  send,
  signedIn,
  trade,
} from '../support/oauth-client.ts';

interface Operation {
  readonly 'x-scope'?: string;
}

t.test('a code is for its client, its address and its verifier alone', async (t) => {
  const world = await IdentityWorld.start(t);
  const { url } = world.service;
  const browser = await signedIn(world, 'ada@example.com');
  const [mine, other] = [await register(url), await register(url)];
  const password = { grant_type: 'password', username: 'ada', password: 'x' };
  const challenge = requestOf(mine)['code_challenge'] ?? '';
  const wrongs: readonly [string, Record<string, string>, string][] = [
    ['another client', { client_id: other }, 'invalid_grant'],
    ['an unknown client', { client_id: 'cli_unknown' }, 'invalid_client'],
    ['another address', { redirect_uri: 'http://127.0.0.1:1/callback' }, 'invalid_grant'],
    ['no address at all', { redirect_uri: 'nonsense' }, 'invalid_grant'],
    ['none where one was', { redirect_uri: '' }, 'invalid_request'],
    ['a longer verifier', { code_verifier: 'v'.repeat(44) }, 'invalid_grant'],
    ['the challenge itself', { code_verifier: challenge }, 'invalid_grant'],
    ['the password grant', password, 'unsupported_grant_type'],
    ['the client grant', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
  ];
  for (const [name, more, error] of wrongs) {
    const { status, json } = await trade(url, mine, await codeFor(browser, mine), more);
    t.ok(status === 400 || status === 401, `${name}: ${status}`);
    t.equal(json.error, error, name);
    t.equal(json.access_token, undefined);
  }
  const twice = await codeFor(browser, mine);
  const answers = await Promise.all(Array.from({ length: 8 }, () => trade(url, mine, twice)));
  const granted = answers.filter(({ status }) => status === 200);
  t.ok(granted.length <= 1, 'at the same time it counts once');
  for (const { json } of granted) {
    const credential = json.access_token;
    const { status } = await world.service.request('/agent/auth/me', { credential });
    t.equal(status, 401, 'and what it gave has ended');
  }
  const late = await codeFor(browser, mine);
  world.clock.forward(301);
  t.match(await trade(url, mine, late), { status: 400, json: { error: 'invalid_grant' } });
});

t.test('a token does what was consented to on every route, and makes no more', async (t) => {
  const world = await IdentityWorld.start(t);
  const { url } = world.service;
  const browser = await signedIn(world, 'ada@example.com');
  const clientId = await register(url);
  const page = await ask(browser, requestOf(clientId, { scope: 'read' }));
  const code = (await allow(browser, page)).searchParams.get('code') ?? '';
  const { json: tokens } = await trade(url, clientId, code, { scope: 'read write account' });
  t.equal(tokens.scope, 'read', 'asking for more with the code gives no more');
  const credential = tokens.access_token;
  const { json } = await world.service.request('/openapi.json');
  const { paths } = json as { paths: Record<string, Record<string, Operation>> };
  let refused = 0;
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, { 'x-scope': scope }] of Object.entries(item)) {
      if (scope === undefined) continue;
      const at = path.replaceAll(/\{\w+\}/g, 'x1');
      const answer = await world.service.request(at, { method: method.toUpperCase(), credential });
      const { code, error } = (answer.json ?? {}) as { code?: string; error?: string };
      const isRefused = (code ?? error) === 'insufficient_scope';
      t.equal(isRefused, scope !== 'read', `${method} ${path}`);
      if (isRefused) refused++;
    }
  }
  t.ok(refused > 10);
  const rotated = await world.service.request('/agent/auth/rotate', { method: 'POST', credential });
  t.equal(rotated.status, 401, 'a token of an hour becomes no key for ever');
  const wider = await send(`${url}/oauth2/token`, {
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: tokens.refresh_token,
    scope: 'read account',
  });
  t.match(wider, { status: 400, json: { error: 'invalid_scope' } });
  const asKey = await world.service.request('/agent/auth/me', {
    credential: tokens.refresh_token,
  });
  t.equal(asKey.status, 401, 'a refresh token opens nothing itself');
});

t.test('a thief of a refresh token is out as soon as the owner uses theirs', async (t) => {
  const world = await IdentityWorld.start(t);
  const { url } = world.service;
  const browser = await signedIn(world, 'ada@example.com');
  const clientId = await register(url);
  const refresh = (refresh_token: string) =>
    send(`${url}/oauth2/token`, {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token,
    });
  const status = async (credential: string) =>
    (await world.service.request('/agent/auth/me', { credential })).status;
  const first = await trade(url, clientId, await codeFor(browser, clientId));
  const thief = await refresh(first.json.refresh_token);
  const further = await refresh(thief.json.refresh_token);
  t.equal(await status(further.json.access_token), 200);
  t.equal((await refresh(first.json.refresh_token)).status, 400, 'the owner comes late');
  for (const { json } of [first, thief, further]) t.equal(await status(json.access_token), 401);
  t.equal((await refresh(further.json.refresh_token)).status, 400);
  const page = await browser.get('/agents');
  t.match(page.text, /A used code or token came again/, 'and finds it in what happened');
  world.clock.forward(31 * 86_400);
  const again = await signedIn(world, 'ada@example.com');
  const next = await trade(url, clientId, await codeFor(again, clientId));
  world.clock.forward(30 * 86_400 + 1);
  t.equal((await refresh(next.json.refresh_token)).status, 400, 'thirty days unused');
});

t.test(
  'consent is given by a press of the button, in no frame and for what is shown',
  async (t) => {
    const world = await IdentityWorld.start(t);
    const { url } = world.service;
    const browser = await signedIn(world, 'ada@example.com');
    const clientId = await register(url);
    const page = await ask(browser, requestOf(clientId));
    t.match(page.headers.get('content-security-policy'), /frame-ancestors 'none'/);
    t.equal(page.headers.get('x-frame-options'), 'DENY');
    t.equal(page.headers.get('location'), null, 'looking at the page grants nothing');
    const evil = await signedIn(world, 'eve@example.com');
    const theirs = /name="form_token"\s+value="([^"]+)"/.exec(
      (await evil.get('/agents')).text,
    )?.[1];
    const request = new URLSearchParams(requestOf(clientId)).toString();
    const forged = await browser.post('/oauth2/authorize', {
      form_token: theirs ?? '',
      request,
      decision: 'allow',
    });
    t.equal(forged.status, 403, 'the token of another session');
    const stranger = await new Browser(url).post('/oauth2/authorize', {
      request,
      decision: 'allow',
    });
    t.equal(stranger.location, '/login');
    const own = /name="form_token"\s+value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    for (const broken of ['', 'redirect_uri=https://evil.example', `${request}&scope=account`]) {
      const fields = { form_token: own, request: broken, decision: 'allow' };
      const { status, headers } = await browser.post('/oauth2/authorize', fields);
      const location = headers.get('location') ?? asked;
      t.ok(status === 400 || status === 303, broken);
      t.ok(location.startsWith(asked), location);
      t.notMatch(location, /[?&]code=/);
    }
  },
);

t.test('what a client says twice or in another way is refused', async (t) => {
  const world = await IdentityWorld.start(t);
  const { url } = world.service;
  const browser = await signedIn(world, 'ada@example.com');
  const clientId = await register(url);
  const code = await codeFor(browser, clientId);
  const post = (body: string, type = 'application/x-www-form-urlencoded') =>
    fetch(`${url}/oauth2/token`, { method: 'POST', headers: { 'content-type': type }, body });
  const twice = await post(`grant_type=authorization_code&code=${code}&code=${code}`);
  t.match(await twice.json(), { error: 'invalid_request' });
  t.ok([400, 415].includes((await post(JSON.stringify({ code }), 'application/json')).status));
  t.equal((await post('x'.repeat(20_000))).status, 413);
  const query = await fetch(`${url}/oauth2/token?code=${code}&grant_type=authorization_code`, {
    method: 'POST',
  });
  t.ok(query.status >= 400, 'nothing is read from an address, which logs keep');
  const nothing = await post('');
  t.ok(nothing.status === 400 || nothing.status === 415);
});
