import { createServer } from 'node:http';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import type { Test } from 'tap';

import { Browser } from '../support/browser.ts';
import { IdentityWorld } from '../support/identity-world.ts';
import { signedIn } from '../support/oauth-client.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { UpstreamProvider } from '../support/upstream-provider.ts';

interface World extends IdentityWorld {
  readonly upstream: UpstreamProvider;
}

async function start(t: Test, provider: Readonly<Record<string, unknown>> = {}): Promise<World> {
  const upstream = await UpstreamProvider.start(t);
  const path = `${await makeTemporaryFolder(t)}/providers.json`;
  const { issuer, clientSecret: client_secret } = upstream;
  const acme = { name: 'Acme <&>', issuer, client_id: 'quire', client_secret, ...provider };
  await writeFile(path, JSON.stringify({ acme }));
  const world = await IdentityWorld.start(t, { SIGN_IN_PROVIDERS_FILE: path });
  upstream.serve([`${world.service.url}/oauth/callback/acme`]);
  return Object.assign(world, { upstream });
}

/** There and back; the answer to coming back. */
async function through(
  { upstream, service }: World,
  browser: Browser,
  name: string,
): Promise<{ status: number; location: string | undefined; text: string }> {
  const out = await browser.get('/login/acme?next=/agents');
  if (out.status !== 303) throw new Error(out.text);
  const back = await upstream.visit(out.location ?? '', name);
  return browser.get(back.href.replace(service.url, ''));
}

async function shownEmail(browser: Browser): Promise<string | undefined> {
  const { text } = await browser.get('/agents');
  return /<span class="quiet">([^<]+)</.exec(text)?.[1];
}

t.test('who has an account elsewhere signs in with it', async (t) => {
  const world = await start(t);
  const { upstream } = world;
  upstream.accounts.set('ada', { email: 'Ada@Example.com', email_verified: true });
  const browser = new Browser(world.service.url);
  const login = await browser.get('/login?next=/agents');
  t.match(login.text, '<a href="/login/acme?next=%2Fagents">Sign in with Acme &lt;&amp;&gt;</a>');
  t.match(await through(world, browser, 'ada'), { status: 303, location: '/agents' });
  t.equal(await shownEmail(browser), 'ada@example.com');
  t.notOk([...browser.cookies.values()].includes(''), 'no cookie is left empty');

  const byCode = await signedIn(world, 'ada@example.com');
  const made = await browser.submit(await browser.get('/agents'), '/agents/keys', { label: 'one' });
  t.equal(made.status, 200);
  t.match((await byCode.get('/agents')).text, '>one', 'both ways lead to one account');

  upstream.accounts.set('ada', { email: 'new@example.com', email_verified: true });
  const later = new Browser(world.service.url);
  t.match(await through(world, later, 'ada'), { status: 303 });
  t.equal(await shownEmail(later), 'ada@example.com', 'it stays their account');
});

t.test('an address that the provider has not checked opens no account', async (t) => {
  const world = await start(t);
  const { upstream } = world;
  await signedIn(world, 'victim@example.com');
  const accounts = [
    { email: 'victim@example.com', email_verified: false },
    { email: 'victim@example.com' },
    { email_verified: true },
    {},
    { email: 'no address', email_verified: true },
  ];
  for (const [nth, account] of accounts.entries()) {
    upstream.accounts.set(`eve${nth}`, account);
    const browser = new Browser(world.service.url);
    const answer = await through(world, browser, `eve${nth}`);
    t.equal(answer.status, 403, JSON.stringify(account));
    t.equal((await browser.get('/agents')).status, 303);
  }
});

t.test('only the browser that went comes back, once, and from where it went', async (t) => {
  const world = await start(t);
  const { upstream, service } = world;
  upstream.accounts.set('ada', { email: 'ada@example.com', email_verified: true });
  const [victim, thief] = [new Browser(service.url), new Browser(service.url)];
  const out = await thief.get('/login/acme?next=/agents');
  const back = await upstream.visit(out.location ?? '', 'ada');
  const path = back.href.replace(service.url, '');
  t.equal((await victim.get(path)).status, 400, 'nobody is signed in as somebody else');
  await victim.get('/login/acme?next=/agents');
  t.equal((await victim.get(path)).status, 503, 'not even on a way of their own');
  t.equal((await victim.get('/agents')).status, 303);
  const state = new URLSearchParams(back.search);
  state.set('state', 'x');
  const other = new Browser(service.url);
  other.cookies.set('wb_flow', thief.cookies.get('wb_flow') ?? '');
  t.equal((await thief.get(path)).status, 303);
  t.equal((await other.get(path)).status, 400, 'a replay');
  const refused = new Browser(service.url);
  await refused.get('/login/acme');
  t.equal((await refused.get('/oauth/callback/acme?error=access_denied')).status, 403);
  const late = new Browser(service.url);
  const way = await late.get('/login/acme');
  world.clock.forward(601);
  const then = await upstream.visit(way.location ?? '', 'ada');
  t.equal((await late.get(then.href.replace(service.url, ''))).status, 400, 'too late');
});

t.test('what a browser brings back is not believed', async (t) => {
  const world = await start(t);
  const { service } = world;
  for (const query of ['', '?code=x', '?code=x&state=y', '?state=y', '?code=x&code=y&state=z']) {
    const browser = new Browser(service.url);
    const out = await browser.get('/login/acme');
    const state = new URL(out.location ?? '').searchParams.get('state') ?? '';
    const answer = await browser.get(`/oauth/callback/acme${query.replace('y', state)}`);
    t.equal(answer.status, 503, query);
    t.equal((await browser.get('/agents')).status, 303);
  }
  const stranger = new Browser(service.url);
  t.equal((await stranger.get('/login/nobody')).status, 404);
  t.equal((await stranger.get('/oauth/callback/nobody?code=x')).status, 404);
  for (const next of ['https://evil.example', '//evil.example']) {
    const browser = new Browser(service.url);
    world.upstream.accounts.set('ada', { email: 'ada@example.com', email_verified: true });
    const out = await browser.get(`/login/acme?next=${encodeURIComponent(next)}`);
    const back = await world.upstream.visit(out.location ?? '', 'ada');
    t.match(await browser.get(back.href.replace(service.url, '')), { location: '/agents' });
  }
});

t.test('an account of GitHub is taken by its checked primary address', async (t) => {
  const github = await githubDouble(t);
  const world = await start(t, { kind: 'github', issuer: github.url });
  const browser = new Browser(world.service.url);
  const out = new URL((await browser.get('/login/acme')).location ?? '');
  t.equal(out.origin + out.pathname, `${github.url}/login/oauth/authorize`);
  const state = out.searchParams.get('state') ?? '';
  const back = await browser.get(`/oauth/callback/acme?code=good&state=${state}`);
  t.match(back, { status: 303, location: '/agents' });
  t.equal(await shownEmail(browser), 'octo@example.com');
  github.emails = [{ email: 'victim@example.com', primary: true, verified: false }];
  const second = new Browser(world.service.url);
  const away = new URL((await second.get('/login/acme')).location ?? '');
  const again = away.searchParams.get('state') ?? '';
  const refused = await second.get(`/oauth/callback/acme?code=good&state=${again}`);
  t.equal(refused.status, 403);
});

interface GithubDouble {
  readonly url: string;
  emails: readonly { email: string; primary: boolean; verified: boolean }[];
}

async function githubDouble(t: Pick<Test, 'teardown'>): Promise<GithubDouble> {
  const double: GithubDouble = {
    url: '',
    emails: [
      { email: 'other@example.com', primary: false, verified: true },
      { email: 'octo@example.com', primary: true, verified: true },
    ],
  };
  const server = createServer((request, response) => {
    const answers: Record<string, unknown> = {
      '/login/oauth/access_token': { access_token: 'gho_x', token_type: 'bearer', scope: '' },
      '/api/v3/user': { id: 583_231, login: 'octo' },
      '/api/v3/user/emails': double.emails,
    };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answers[request.url ?? '']));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(double, { url: `http://127.0.0.1:${port}` });
}
