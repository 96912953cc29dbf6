import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';

import { openPostgres } from '../../server/storage/postgres.ts';
import { Browser } from '../support/browser.ts';
import { letterTo, newEmail } from '../support/claimed-agent.ts';
import { allow, ask, codeFor, register, requestOf, send, trade } from '../support/oauth-client.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { doubleProgram, ServiceProcess } from '../support/service-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { UpstreamProvider } from '../support/upstream-provider.ts';

interface Answer {
  readonly data?: { readonly credential?: string; readonly claim_token?: string };
}

/** Secrets that were used and must not be found anywhere, by what each is. */
class Secrets {
  readonly found = new Map<string, string>();

  keep(what: string, secret: string | null | undefined): string {
    if (secret === null || secret === undefined || secret.length < 6) throw new Error(what);
    this.found.set(`${what} ${this.found.size}`, secret);
    return secret;
  }
}

async function post(url: string, body: unknown, credential?: string): Promise<Answer> {
  const headers = {
    'content-type': 'application/json',
    ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
  };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await answer.json()) as Answer;
}

/** All that an agent does with secrets; refusals are logged with more than what went well. */
async function useAsAgent(url: string, secrets: Secrets): Promise<string> {
  const keep = ({ data }: Answer): string => secrets.keep('credential', data?.credential);
  const registered = await post(`${url}/agent/auth`, { type: 'anonymous' });
  const credential = keep(registered);
  const claim_token = secrets.keep('claim token', registered.data?.claim_token);
  const email = newEmail();
  await post(`${url}/agent/auth/claim`, { claim_token, email });
  const { code, deny } = await letterTo(url, email);
  secrets.keep('code', code);
  secrets.keep('code as shown', `${code.slice(0, 3)} ${code.slice(3)}`);
  secrets.keep('deny token', new URL(deny).searchParams.get('token'));
  await post(`${url}/agent/auth/claim/complete`, { claim_token, otp: code.replace(/^./, 'x') });
  const claimed = keep(await post(`${url}/agent/auth/claim/complete`, { claim_token, otp: code }));
  const rotated = keep(await post(`${url}/agent/auth/rotate`, {}, claimed));
  await post(`${url}/agent/auth/rotate`, { credential }, credential);
  await post(`${url}/v1/workbooks`, { name: claimed, nonsense: claim_token }, 'wbk_live_x');
  await post(`${url}/agent/auth/revoke`, { credential: claimed });
  await fetch(deny, { method: 'POST' });
  return rotated;
}

/** All that is done with an address that opens a table; it is refused, too. */
async function useAddress(url: string, credential: string, secrets: Secrets): Promise<void> {
  const send = async (path: string, body: object): Promise<{ id: string; url: string }> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${credential}` };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as { id: string; url: string };
  };
  const { id } = await send('/v1/workbooks', {});
  const schema = { columns: [{ name: 'Town' }] };
  const table = { name: 'Towns', keyColumn: 'Town', schema };
  await send(`/v1/workbooks/${id}/branches/main/tables`, table);
  const link = await send(`/v1/workbooks/${id}/tables/Towns/reconciliation`, {});
  secrets.keep('token of an address', link.url.slice(-43));
  for (const path of ['', '?queries=x', '/preview?id=x', '/nowhere', '/suggest/x']) {
    await fetch(link.url + path);
  }
  await fetch(link.url, { method: 'POST', body: 'x' });
}

/** All that a person and an application do. */
async function useAsPerson(url: string, secrets: Secrets): Promise<void> {
  const email = newEmail();
  const browser = new Browser(url);
  await browser.post('/login', { email, next: '/agents' });
  secrets.keep('sign-in cookie', browser.cookies.get('wb_signin'));
  const { code } = await letterTo(url, email);
  secrets.keep('sign-in code', code);
  await browser.post('/login/code', { code, next: '/agents' });
  secrets.keep('session', browser.cookies.get('wb_session'));
  const page = await browser.get('/agents');
  secrets.keep('form token', /name="form_token"\s+value="([^"]+)"/.exec(page.text)?.[1]);
  const made = await browser.submit(page, '/agents/keys', { label: 'k' });
  secrets.keep('key', /wbk_live_[0-9A-Za-z]{38}/.exec(made.text)?.[0]);
  const clientId = await register(url);
  const back = await allow(browser, await ask(browser, requestOf(clientId)));
  const granted = secrets.keep('authorization code', back.searchParams.get('code'));
  await trade(url, clientId, granted, { code_verifier: 'w'.repeat(43) });
  const good = secrets.keep('authorization code', await codeFor(browser, clientId));
  const { json } = await trade(url, clientId, good);
  secrets.keep('access token', json.access_token);
  const refresh_token = secrets.keep('refresh token', json.refresh_token);
  const fields = { grant_type: 'refresh_token', client_id: clientId, refresh_token };
  const next = await send(`${url}/oauth2/token`, fields);
  secrets.keep('refresh token', next.json.refresh_token);
  await send(`${url}/oauth2/token`, fields);
  await send(`${url}/oauth2/revoke`, { token: next.json.access_token });
}

async function useUpstream(
  url: string,
  upstream: UpstreamProvider,
  secrets: Secrets,
): Promise<void> {
  upstream.accounts.set('ada', { email: 'ada@example.com', email_verified: true });
  for (const isBroken of [false, true]) {
    const browser = new Browser(url);
    const out = await browser.get('/login/acme');
    secrets.keep('flow', browser.cookies.get('wb_flow'));
    const back = await upstream.visit(out.location ?? '', 'ada');
    secrets.keep('code of the provider', back.searchParams.get('code'));
    secrets.keep('state', back.searchParams.get('state'));
    if (isBroken) back.searchParams.set('state', 'x');
    const { status } = await browser.get(back.href.replace(url, ''));
    t.equal(status, isBroken ? 503 : 303);
  }
}

t.test('no secret that was used is in the log, however much is logged', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const secrets = new Secrets();
  const upstream = await UpstreamProvider.start(t);
  const { issuer, clientSecret: client_secret } = upstream;
  const providers = { acme: { name: 'Acme', issuer, client_id: 'quire', client_secret } };
  await writeFile(`${folder}/providers.json`, JSON.stringify(providers));
  secrets.keep('client secret', client_secret);
  const databaseUrl = await createMigratedDatabase();
  const service = await ServiceProcess.start(
    t,
    folder,
    {
      DATABASE_URL: databaseUrl,
      SIGN_IN_PROVIDERS_FILE: `${folder}/providers.json`,
      INTROSPECTION_SECRET: secrets.keep('introspection secret', 'only-services-know-this'),
      LOG_LEVEL: 'trace',
      DEV_HOOKS: 'on',
    },
    doubleProgram,
  );
  const { url } = service;
  upstream.serve([`${url}/oauth/callback/acme`]);
  secrets.keep('master key', (await readFile(`${folder}/keys/identity.key`, 'utf8')).trim());
  const credential = await useAsAgent(url, secrets);
  await useAddress(url, credential, secrets);
  await useAsPerson(url, secrets);
  await useUpstream(url, upstream, secrets);
  const token = secrets.keep('token that is asked about', `wbo_${'7'.repeat(38)}`);
  const authorization = 'Bearer only-services-know-this';
  await send(`${url}/oauth2/introspect`, { token }, { authorization });
  await send(`${url}/oauth2/introspect`, { token }, { authorization: `${authorization}!` });

  // Faults of ours are logged with everything that the error knows.
  const sql = openPostgres({ url: databaseUrl, applicationName: 'quire-test', connectionCount: 1 });
  t.teardown(() => sql.end({ timeout: 1 }));
  const faulty = ['credential', 'registration', 'oauth_client', 'session', 'reconciliation_link'];
  for (const table of faulty) {
    await sql.unsafe(`alter table ${table} rename to away`);
    const opened = secrets.keep('address during a fault', `${'A'.repeat(42)}${table.length % 10}`);
    await fetch(`${url}/v1/reconciliation/${opened}`);
    const fresh = secrets.keep('key during a fault', `wbk_live_${'0'.repeat(38)}`);
    await post(`${url}/agent/auth/revoke`, { credential }, fresh);
    await post(`${url}/agent/auth/claim`, {
      claim_token: `wbc_${'0'.repeat(38)}`,
      email: 'a@b.cc',
    });
    const browser = new Browser(url);
    browser.cookies.set('wb_session', secrets.keep('session during a fault', 'S'.repeat(43)));
    await browser.get('/agents');
    await post(`${url}/oauth2/register`, { redirect_uris: ['http://127.0.0.1/x'] });
    await sql.unsafe(`alter table away rename to ${table}`);
  }
  await sleep(200);
  await service.stop();
  const log = service.logLines.join('\n');
  t.ok(service.logLines.length > 40, 'much was logged');
  t.match(log, /request failed/, 'faults too');
  t.ok(secrets.found.size > 30);
  for (const [what, secret] of secrets.found) {
    const pattern = secret.length === 6 ? new RegExp(`(?<!\\d)${secret}(?!\\d)`) : secret;
    t.notMatch(log, pattern, what);
  }
});
