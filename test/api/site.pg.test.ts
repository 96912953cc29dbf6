import t from 'tap';

import { Browser } from '../support/browser.ts';
import { IdentityWorld, wrongCode } from '../support/identity-world.ts';

async function signIn(world: IdentityWorld, browser: Browser, email: string): Promise<void> {
  const before = world.mail.lettersTo(email).length;
  const asked = await browser.submit(await browser.get('/login'), '/login', { email });
  t.equal(asked.status, 200, asked.text);
  const { code } = await world.mail.letter(email, before + 1);
  const done = await browser.submit(asked, '/login/code', { code });
  t.equal(done.status, 303);
  t.equal(done.location, '/agents');
}

t.test('a person signs in with a code and sees and revokes what acts in their name', async (t) => {
  const world = await IdentityWorld.start(t);
  const { service } = world;
  const email = 'ada@example.com';
  const linked = await world.agent('<i>linked</i>');
  const { data } = await world.claimed(linked, email, true);
  const key = data.credential ?? '';
  const browser = new Browser(service.url);
  t.match(await browser.get('/agents'), { status: 303, location: '/login?next=/agents' });
  await signIn(world, browser, email);
  const page = await browser.get('/agents');
  t.equal(page.status, 200);
  t.match(page.text, linked.userId);
  t.match(page.text, '&lt;i&gt;linked&lt;/i&gt;', 'what a client calls itself is text');
  t.match(page.text, /An agent was claimed with a code/);
  t.match(page.headers.get('content-security-policy'), /form-action 'self'/);
  t.equal(page.headers.get('cache-control'), 'no-store');
  t.equal(page.headers.get('access-control-allow-origin'), null);

  const made = await browser.submit(page, '/agents/keys', { label: 'laptop' });
  const secret = /wbk_live_[0-9A-Za-z]{38}/.exec(made.text)?.[0] ?? '';
  const me = (credential: string) => service.request('/agent/auth/me', { credential });
  t.match((await me(secret)).json, {
    data: { kind: 'human', scopes: ['read', 'write', 'account'] },
  });
  t.equal((await me(key)).status, 200);
  const listed = await browser.get('/agents');
  t.match(listed.text, 'laptop');
  t.notMatch(listed.text, secret, 'it is shown once');
  await browser.submit(listed, '/agents/revoke', { agent: linked.userId });
  t.equal((await me(key)).status, 401, 'at once');
  t.equal((await me(secret)).status, 200);
  await browser.submit(listed, '/agents/revoke', { all: 'yes', agent: linked.userId });
  t.equal((await me(secret)).status, 200, 'only what the form names');
  const { form_token } = tokenOf(listed.text);
  const sure = await browser.post('/agents/revoke', { form_token, all: 'yes' });
  t.equal((await me(secret)).status, 200, 'a person is asked first');
  const done = await browser.submit(sure, '/agents/revoke');
  t.equal(done.location, '/agents?done=revokedAll');
  t.match((await browser.get('/agents?done=revokedAll')).text, /Everything is revoked/);
  t.equal((await me(secret)).status, 401);
  t.match(await browser.submit(listed, '/logout'), { status: 303, location: '/login' });
  t.match(await browser.get('/agents'), { status: 303 });
  for (const path of ['/', '/policy', '/terms']) t.ok((await browser.get(path)).status < 400, path);
});

function tokenOf(text: string): { form_token: string } {
  return { form_token: /name="form_token"\s+value="([^"]+)"/.exec(text)?.[1] ?? '' };
}

t.test('a linked agent is unlinked, or merged later', async (t) => {
  const world = await IdentityWorld.start(t);
  const { service } = world;
  const email = 'ada@example.com';
  const browser = new Browser(service.url);
  await signIn(world, browser, email);
  const [first, second] = [await world.agent(), await world.agent()];
  const keys: string[] = [];
  for (const agent of [first, second]) {
    const { data } = await world.claimed(agent, email, true);
    keys.push(data.credential ?? '');
  }
  const [one = '', two = ''] = keys;
  const book = await service.request('/v1/workbooks', { credential: two, body: { name: 'b' } });
  const { id } = book.json as { id: string };
  const token = tokenOf((await browser.get('/agents')).text);
  const unlink = await browser.post('/agents/unlink', { ...token, agent: first.userId });
  await browser.submit(unlink, '/agents/unlink');
  t.match((await service.request('/agent/auth/me', { credential: one })).json, {
    data: { kind: 'anonymous', scopes: ['read', 'write'], owner: null },
  });
  const merge = await browser.post('/agents/merge', { ...token, agent: second.userId });
  await browser.submit(merge, '/agents/merge');
  t.match(await service.request('/agent/auth/me', { credential: two }), {
    status: 401,
    json: { error: 'credential_superseded' },
  });
  const page = await browser.submit(await browser.get('/agents'), '/agents/keys', { label: 'k' });
  const credential = /wbk_live_[0-9A-Za-z]{38}/.exec(page.text)?.[0] ?? '';
  t.match(await service.request(`/v1/workbooks/${id}`, { credential }), {
    status: 200,
    json: { namespace: 'ada' },
  });
});

t.test('forms of other sites, other sessions and no session do nothing', async (t) => {
  const world = await IdentityWorld.start(t);
  const { url } = world.service;
  const browser = new Browser(url);
  await signIn(world, browser, 'ada@example.com');
  const { form_token } = tokenOf((await browser.get('/agents')).text);
  const keys = { form_token, label: 'x' };
  const evil = 'https://evil.example';
  for (const headers of [
    { origin: evil },
    { origin: 'null' },
    {},
    { origin: url, 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    const refused = await browser.post('/agents/keys', keys, headers);
    t.equal(refused.status, 403, JSON.stringify(headers));
  }
  t.equal((await browser.post('/agents/keys', { label: 'x' })).status, 403, 'no token');
  const other = new Browser(url);
  await signIn(world, other, 'eve@example.com');
  const stolen = tokenOf((await other.get('/agents')).text);
  t.equal((await browser.post('/agents/keys', { ...stolen, label: 'x' })).status, 403);
  const nobody = new Browser(url);
  t.match(await nobody.post('/agents/keys', keys), {
    status: 303,
    location: '/login?next=/agents',
  });
  t.notMatch((await browser.get('/agents')).text, />x<br/, 'nothing was made');
  const evils = { ...stolen, agent: 'agt_x', key: 'crd_x' };
  t.equal((await other.post('/agents/revoke', evils)).status, 303, 'what is not theirs stays');
});

t.test('a session that was there before is not signed in', async (t) => {
  const world = await IdentityWorld.start(t);
  const browser = new Browser(world.service.url);
  const planted = 'A'.repeat(43);
  browser.cookies.set('wb_session', planted);
  await signIn(world, browser, 'ada@example.com');
  t.not(browser.cookies.get('wb_session'), planted);
  const thief = new Browser(world.service.url);
  thief.cookies.set('wb_session', planted);
  t.equal((await thief.get('/agents')).status, 303);
});

t.test('a code signs in only the browser that asked for it, and once', async (t) => {
  const world = await IdentityWorld.start(t);
  const { url } = world.service;
  const [victim, thief] = [new Browser(url), new Browser(url)];
  const email = 'ada@example.com';
  const asked = await victim.submit(await victim.get('/login'), '/login', { email });
  const { code, text } = await world.mail.letter(email);
  t.match(text, 'Whoever enters it is signed in as you.');
  t.equal((await thief.post('/login/code', { code, next: '/agents' })).status, 409);
  t.equal((await victim.submit(asked, '/login/code', { code: wrongCode(code) })).status, 401);
  t.equal((await victim.submit(asked, '/login/code', { code })).status, 303);
  const again = new Browser(url);
  again.cookies.set('wb_signin', victim.cookies.get('wb_signin') ?? '');
  t.ok((await again.post('/login/code', { code, next: '/' })).status >= 400, 'a replay');
});

t.test('after signing in nobody is sent to another site', async (t) => {
  const world = await IdentityWorld.start(t);
  const { url } = world.service;
  const hosts = ['https://evil.example', '//evil.example', '/\\evil.example', '/\t/evil.example'];
  for (const next of [
    ...hosts,
    'javascript:alert(1)',
    '/%0d%0aSet-Cookie:a=b',
    'evil',
    '\\\\evil',
  ]) {
    const browser = new Browser(url);
    const page = await browser.get(`/login?next=${encodeURIComponent(next)}`);
    t.notMatch(page.text, /value="(?:https?:|\/\/|\/\\|javascript)/, next);
    const email = `a${hosts.indexOf(next)}${next.length}@example.com`;
    await browser.post('/login', { email, next });
    const { code } = await world.mail.letter(email);
    const { location } = await browser.post('/login/code', { code, next });
    t.match(location, /^\/(?:agents|%0d%0aSet-Cookie:a=b)$/, `${next} leads to ${location}`);
  }
});

t.test('over https the cookie is for this host and secure connections alone', async (t) => {
  const world = await IdentityWorld.start(t, { SITE_URL: 'https://books.example' });
  // By this name every address is served, whatever SITE_URL says.
  const browser = new Browser(world.service.url.replace('127.0.0.1', 'localhost'));
  const answer = await browser.post(
    '/login',
    { email: 'ada@example.com', next: '/' },
    { origin: 'https://books.example' },
  );
  const cookie = answer.headers.get('set-cookie') ?? '';
  t.match(cookie, /^__Host-wb_signin=/);
  for (const part of ['; Secure', '; HttpOnly', '; SameSite=Lax', '; Path=/'])
    t.match(cookie, part);
  t.notMatch(cookie, /Domain/);
});
