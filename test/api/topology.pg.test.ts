import t from 'tap';

import type { Addresses } from '../../server/model/addresses.ts';
import { Browser } from '../support/browser.ts';
import { letterTo } from '../support/claimed-agent.ts';
import { sendRaw } from '../support/raw-http.ts';
import { TestService } from '../support/test-service.ts';

const threePorts = { LISTEN_API: '0', LISTEN_AUTH: '0', LISTEN_SITE: '0' };

interface Operation {
  readonly servers?: readonly { readonly url: string }[];
}

type Place = 'api' | 'auth' | 'site';

/** Documents that say where to go, and a process about itself. */
const everywhere =
  /^\/(?:auth\.md|llms\.txt|robots\.txt|favicon\..*|health|ready|metrics|\.well-known\/(?!oauth-auth).*)?$/;

/** Every route with the places it is served at; those of the site are in no reference. */
async function placesOf({ authUrl, baseUrl }: Addresses): Promise<[string, string, Place[]][]> {
  const answer = await fetch(`${baseUrl}/openapi.json`);
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Operation>> };
  const rows = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { servers }]): [string, string, Place[]] => {
      const own: Place = servers?.[0]?.url === authUrl ? 'auth' : 'api';
      const places: Place[] = everywhere.test(path) ? ['api', 'auth', 'site'] : [own];
      return [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x1'), places];
    }),
  );
  const pages = ['/login', '/agents', '/policy', '/terms', '/claim/deny', '/oauth2/authorize'];
  return [...rows, ...pages.map((path): [string, string, Place[]] => ['GET', path, ['site']])];
}

t.test('on three ports each route is at its own address and at no other', async (t) => {
  const { app } = await TestService.start(t, threePorts);
  const { baseUrl, authUrl, siteUrl } = app.addresses;
  t.equal(new Set([baseUrl, authUrl, siteUrl]).size, 3);
  const urls: Record<Place, string> = { api: baseUrl, auth: authUrl, site: siteUrl };
  const rows = await placesOf(app.addresses);
  t.ok(rows.length > 60);
  t.ok(rows.some(([, path, places]) => path === '/agent/auth' && places.includes('auth')));
  for (const [method, path, places] of rows) {
    for (const place of ['api', 'auth', 'site'] as const) {
      const answer = await fetch(urls[place] + path, { method, redirect: 'manual' });
      const text = await answer.text();
      const isThere = !(answer.status === 404 && /No route has the path/.test(text));
      t.equal(isThere, places.includes(place), `${method} ${path} at ${place}: ${answer.status}`);
    }
  }
});

t.test('a Host header that names another listener, or nobody, is refused', async (t) => {
  const { app } = await TestService.start(t, threePorts);
  const { baseUrl, authUrl, siteUrl } = app.addresses;
  const hostOf = (url: string): string => new URL(url).host;
  const ask = async (url: string, host: string): Promise<string> => {
    const head = `GET /robots.txt HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    const answer = await sendRaw(Number(new URL(url).port), [head]);
    return answer.slice(9, 12);
  };
  for (const url of [baseUrl, authUrl, siteUrl]) {
    for (const other of [baseUrl, authUrl, siteUrl]) {
      t.equal(await ask(url, hostOf(other)), url === other ? '200' : '421', `${other} at ${url}`);
    }
    for (const host of ['evil.example', `evil.example:${new URL(url).port}`, '127.0.0.1.evil']) {
      t.equal(await ask(url, host), '421', host);
    }
  }
});

t.test('addresses in answers come from the settings, whatever Host says', async (t) => {
  const { app } = await TestService.start(t, threePorts);
  const { baseUrl, authUrl } = app.addresses;
  const port = new URL(authUrl).port;
  const answer = await fetch(`http://localhost:${port}/.well-known/oauth-authorization-server`);
  t.match(await answer.json(), { issuer: authUrl, resource: baseUrl });
  const refused = await fetch(`${baseUrl}/v1/workbooks`, {
    headers: { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
  });
  t.match(
    refused.headers.get('www-authenticate'),
    `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`,
  );
  t.notMatch(await refused.text(), 'evil');
});

t.test(
  'a person signs in at the site and an application gets its token from the other',
  async (t) => {
    const { app } = await TestService.start(t, threePorts);
    const { baseUrl, authUrl, siteUrl } = app.addresses;
    const browser = new Browser(siteUrl);
    const email = 'ada@example.com';
    const asked = await browser.submit(await browser.get('/login'), '/login', { email });
    const { code, deny } = await letterTo(siteUrl, email);
    t.ok(deny.startsWith(`${siteUrl}/claim/deny?`));
    t.match(await browser.submit(asked, '/login/code', { code }), { status: 303 });
    const page = await browser.submit(await browser.get('/agents'), '/agents/keys', { label: 'k' });
    const key = /wbk_live_[0-9A-Za-z]{38}/.exec(page.text)?.[0] ?? '';
    const headers = { authorization: `Bearer ${key}` };
    t.equal((await fetch(`${authUrl}/agent/auth/me`, { headers })).status, 200);
    t.equal((await fetch(`${baseUrl}/v1/workbooks`, { headers })).status, 200);
    const foreign = await browser.post('/agents/keys', { label: 'x' }, { origin: baseUrl });
    t.equal(foreign.status, 403, 'a page of another of our addresses is another site');
  },
);

t.test('pages of other sites can send no form to any page of ours', async (t) => {
  const { app } = await TestService.start(t);
  const { siteUrl } = app.addresses;
  const forms = `/login /login/code /logout /logout/all /oauth2/authorize
    /agents/revoke /agents/unlink /agents/merge /agents/keys`.split(/\s+/);
  for (const path of forms) {
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, {}]) {
      const { status } = await new Browser(siteUrl).post(path, { email: 'a@b.example' }, headers);
      t.equal(status, 403, path);
    }
  }
});
