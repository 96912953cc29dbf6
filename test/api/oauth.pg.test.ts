import * as oidc from 'openid-client';
import t from 'tap';

import { Browser } from '../support/browser.ts';
import { IdentityWorld } from '../support/identity-world.ts';
import {
  allow,
  ask,
  asked,
  callback,
  codeFor,
  register,
  requestOf,
  send,
  signedIn,
  trade,
  verifier,
} from '../support/oauth-client.ts';

t.test('openid-client gets tokens, uses, refreshes and revokes them', async (t) => {
  const world = await IdentityWorld.start(t);
  const { url } = world.service;
  const browser = await signedIn(world, 'ada@example.com');
  const config = await oidc.dynamicClientRegistration(
    new URL(url),
    { redirect_uris: [callback], client_name: 'strict', token_endpoint_auth_method: 'none' },
    oidc.None(),
    { algorithm: 'oauth2', execute: [oidc.allowInsecureRequests] },
  );
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
  const target = oidc.buildAuthorizationUrl(config, {
    redirect_uri: asked,
    scope: 'read write',
    state: 'state',
    resource: url,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  const page = await browser.get(target.pathname + target.search);
  t.match(page.text, /<strong>strict<\/strong>/);
  t.match(page.headers.get('content-security-policy'), "form-action 'self' http://127.0.0.1:43210");
  const back = await allow(browser, page);
  const tokens = await oidc.authorizationCodeGrant(config, back, {
    pkceCodeVerifier,
    expectedState: 'state',
  });
  t.match(tokens, {
    access_token: /^wbo_\w{38}$/,
    refresh_token: /^wbr_\w{38}$/,
    scope: 'read write',
  });
  const me = (credential: string) => world.service.request('/agent/auth/me', { credential });
  t.match((await me(tokens.access_token)).json, {
    data: { kind: 'human', scopes: ['read', 'write'] },
  });
  const refreshed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '');
  t.not(refreshed.access_token, tokens.access_token);
  t.not(refreshed.refresh_token, tokens.refresh_token);
  t.equal((await me(refreshed.access_token)).status, 200);
  await oidc.tokenRevocation(config, refreshed.access_token);
  t.equal((await me(refreshed.access_token)).status, 401);
  await oidc.tokenRevocation(config, refreshed.refresh_token ?? '');
  t.equal((await me(tokens.access_token)).status, 401, 'all of the consent ended');
});

t.test('a client without PKCE, or with a weaker one, gets no code', async (t) => {
  const world = await IdentityWorld.start(t);
  const { url } = world.service;
  const browser = await signedIn(world, 'ada@example.com');
  const clientId = await register(url);
  const { code_challenge: _c, code_challenge_method: _m, ...bare } = requestOf(clientId);
  const requests = [
    bare,
    { ...bare, code_challenge: verifier },
    { ...bare, code_challenge: verifier, code_challenge_method: 'plain' },
    { ...bare, code_challenge: 'short', code_challenge_method: 'S256' },
  ];
  for (const request of requests) {
    const { status, headers } = await ask(browser, request);
    t.equal(status, 303);
    const { searchParams } = new URL(headers.get('location') ?? '');
    t.equal(searchParams.get('error'), 'invalid_request');
    t.equal(searchParams.get('state'), 's t&te');
    t.equal(searchParams.get('iss'), url);
    t.equal(searchParams.get('code'), null);
  }
  const code = await codeFor(browser, clientId);
  const wrong = await trade(url, clientId, code, { code_verifier: 'w'.repeat(43) });
  t.match(wrong, { status: 400, json: { error: 'invalid_grant' } });
  const again = await trade(url, clientId, code);
  t.match(again, { status: 400, json: { error: 'invalid_grant' } }, 'one guess is one code');
  const none = await trade(url, clientId, await codeFor(browser, clientId), { code_verifier: '' });
  t.equal(none.status, 400);
});

t.test('a code or refresh token that comes twice ends everything of its grant', async (t) => {
  const world = await IdentityWorld.start(t);
  const { url } = world.service;
  const browser = await signedIn(world, 'ada@example.com');
  const clientId = await register(url);
  const status = async (credential: string) =>
    (await world.service.request('/agent/auth/me', { credential })).status;
  const refresh = (refresh_token: string, more = {}) =>
    send(`${url}/oauth2/token`, {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token,
      ...more,
    });

  const code = await codeFor(browser, clientId);
  const first = await trade(url, clientId, code);
  t.equal(await status(first.json.access_token), 200);
  t.equal((await trade(url, clientId, code)).status, 400);
  t.equal(await status(first.json.access_token), 401, 'the code was stolen');

  const second = await trade(url, clientId, await codeFor(browser, clientId));
  const third = await refresh(second.json.refresh_token);
  t.equal(await status(third.json.access_token), 200);
  t.match(await refresh(second.json.refresh_token), {
    status: 400,
    json: { error: 'invalid_grant' },
  });
  t.equal(await status(third.json.access_token), 401, 'the refresh token was stolen');
  t.equal((await refresh(third.json.refresh_token)).status, 400);

  const fourth = await trade(url, clientId, await codeFor(browser, clientId));
  const same = await Promise.all(
    Array.from({ length: 4 }, () => refresh(fourth.json.refresh_token)),
  );
  t.ok(same.filter((answer) => answer.status === 200).length <= 1, 'at the same time too');

  const fifth = await trade(url, clientId, await codeFor(browser, clientId));
  t.match(await refresh(fifth.json.refresh_token, { scope: 'read account' }), {
    status: 400,
    json: { error: 'invalid_scope' },
  });
  const sixth = await trade(url, clientId, await codeFor(browser, clientId));
  const other = await register(url);
  t.match(await refresh(sixth.json.refresh_token, { client_id: other }), { status: 400 });
  world.clock.forward(3_601);
  t.equal(await status(sixth.json.access_token), 401, 'an hour, however much it is used');
});

t.test('a person takes back what they allowed', async (t) => {
  const world = await IdentityWorld.start(t);
  const { url } = world.service;
  const browser = await signedIn(world, 'ada@example.com');
  const clientId = await register(url);
  const { json } = await trade(url, clientId, await codeFor(browser, clientId));
  const page = await browser.get('/agents');
  t.match(page.text, /a &lt;b&gt;client&lt;\/b&gt;/);
  const field = (name: string): string =>
    new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(page.text)?.[1] ?? '';
  const given = { form_token: field('form_token') };
  await browser.post('/agents/revoke', { ...given, grant: field('grant') });
  const credential = json.access_token;
  t.equal((await world.service.request('/agent/auth/me', { credential })).status, 401);
  const fields = { grant_type: 'refresh_token', client_id: clientId };
  const back = () => send(`${url}/oauth2/token`, { ...fields, refresh_token: json.refresh_token });
  t.equal((await back()).status, 400, 'and does not come back');
  const second = await trade(url, clientId, await codeFor(browser, clientId));
  await browser.post('/agents/revoke', { ...given, all: 'yes', sure: 'yes' });
  const { refresh_token } = second.json;
  t.equal(
    (await send(`${url}/oauth2/token`, { ...fields, refresh_token })).status,
    400,
    'all of it',
  );
});

t.test('nobody is led where the client did not register', async (t) => {
  const world = await IdentityWorld.start(t);
  const { url } = world.service;
  const browser = await signedIn(world, 'ada@example.com');
  const clientId = await register(url);
  const places = [
    'https://evil.example/callback',
    'http://127.0.0.1/callback/../x',
    'http://127.0.0.1/callback?x=1',
    'http://127.0.0.1@evil.example/callback',
    'http://localhost/callback',
    'http://127.0.0.1/callback#x',
    'javascript:alert(1)',
    '',
  ];
  for (const redirect_uri of places) {
    const page = await ask(browser, requestOf(clientId, { redirect_uri }));
    t.equal(page.status, 400, redirect_uri);
    t.equal(page.headers.get('location'), null);
  }
  t.equal((await ask(browser, requestOf('cli_unknown'))).status, 400);
  const errors: readonly [Record<string, string>, string][] = [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ scope: 'read admin' }, 'invalid_scope'],
    [{ resource: 'https://evil.example' }, 'invalid_target'],
  ];
  for (const [more, error] of errors) {
    const { headers } = await ask(browser, requestOf(clientId, more));
    t.equal(new URL(headers.get('location') ?? '').searchParams.get('error'), error);
  }
  const refused = await allow(browser, await ask(browser, requestOf(clientId)), 'refuse');
  t.equal(refused.searchParams.get('error'), 'access_denied');
  for (const bad of [
    'http://evil.example/x',
    'javascript:alert(1)',
    'https://a.b/#x',
    'nonsense',
  ]) {
    const answer = await fetch(`${url}/oauth2/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [bad] }),
    });
    t.match(await answer.json(), { error: 'invalid_redirect_uri' }, bad);
  }
});

t.test('consent is asked of who is signed in, and on our own page', async (t) => {
  const world = await IdentityWorld.start(t);
  const { url } = world.service;
  const clientId = await register(url);
  const stranger = new Browser(url);
  const { status, location } = await ask(stranger, requestOf(clientId));
  t.equal(status, 303);
  t.match(location, /^\/login\?next=%2Foauth2%2Fauthorize/);
  const browser = await signedIn(world, 'ada@example.com');
  const page = await ask(browser, requestOf(clientId));
  t.match(page.text, /a &lt;b&gt;client&lt;\/b&gt;/);
  t.match(page.text, /read all your workbooks/);
  t.notMatch(page.text, /what your account uses/, 'what was not asked for is not granted');
  const request = new URLSearchParams(requestOf(clientId)).toString();
  const forged = await browser.post('/oauth2/authorize', { request, decision: 'allow' });
  t.equal(forged.status, 403);
  const foreign = { origin: 'https://evil.example' };
  t.equal((await browser.post('/oauth2/authorize', { request }, foreign)).status, 403);
});

t.test('only services with the secret learn what a token is worth', async (t) => {
  const secret = 'a secret between services';
  const world = await IdentityWorld.start(t, { INTROSPECTION_SECRET: secret });
  const { url } = world.service;
  const browser = await signedIn(world, 'ada@example.com');
  const clientId = await register(url);
  const { json } = await trade(url, clientId, await codeFor(browser, clientId));
  const look = (token: string, key: string) =>
    send(`${url}/oauth2/introspect`, { token }, { authorization: `Bearer ${key}` });
  t.equal((await look(json.access_token, 'wrong')).status, 401);
  t.equal((await look(json.access_token, json.access_token)).status, 401);
  t.match((await look(json.access_token, secret)).json, {
    active: true,
    scope: 'read write',
    client_id: clientId,
    username: 'ada@example.com',
    aud: url,
    exp: Number,
  });
  t.same((await look('wbo_nonsense', secret)).json, { active: false });
  await send(`${url}/oauth2/revoke`, { token: json.access_token });
  t.same((await look(json.access_token, secret)).json, { active: false });
  t.equal((await send(`${url}/oauth2/revoke`, { token: 'nonsense' })).status, 200);
  const closed = await IdentityWorld.start(t);
  const none = await send(`${closed.service.url}/oauth2/introspect`, { token: 'x' });
  t.equal(none.status, 401, 'without a secret nobody may ask');
});
