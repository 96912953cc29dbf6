import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';

import { openPostgres } from '../../server/storage/postgres.ts';
import { letterTo } from '../support/claimed-agent.ts';
import { IdentityWorld } from '../support/identity-world.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

/** Letters that are late, refused or sent twice. Runs long: it waits for them. */

async function registered(service: TestService): Promise<string> {
  const { json } = await service.request('/agent/auth', { body: { type: 'anonymous' } });
  return (json as { data: { claim_token: string } }).data.claim_token;
}

t.test('a letter that the mail server refuses is sent again', async (t) => {
  const world = await IdentityWorld.start(t);
  world.mail.refusals = 2;
  const asked = await world.claim(await world.agent(), 'a@example.com');
  t.equal(asked.status, 200, 'the sender does not wait for it');
  t.match((await world.mail.letter('a@example.com')).code, /^\d{6}$/);
});

t.test('a letter outlives the process, sealed', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const settings = {
    DATABASE_URL: await createMigratedDatabase(),
    IDENTITY_KEY_FILE: `${folder}/identity.key`,
  };
  // Nobody listens there, so the letter stays.
  const first = await TestService.start(t, { ...settings, MAIL_URL: 'smtp://127.0.0.1:1' });
  const claim_token = await registered(first);
  const email = 'a@example.com';
  await first.request('/agent/auth/claim', { body: { claim_token, email } });
  const sql = openPostgres({ url: settings.DATABASE_URL, applicationName: 'quire-test' });
  t.teardown(() => sql.end({ timeout: 1 }));
  const [row] = await sql<{ sealed: Buffer }[]>`select sealed from mail_outbox`;
  t.ok(row);
  t.notMatch(row?.sealed.toString('latin1'), /Your code|example/);
  await first.app.stop();
  // The first process's lease of the letter ends after a minute; the test does not wait for that.
  await sql`update mail_outbox set next_at = now() - interval '1 second'`;
  const second = await TestService.start(t, settings);
  const { code: otp } = await letterTo(second.url, email);
  const done = await second.request('/agent/auth/claim/complete', { body: { claim_token, otp } });
  t.equal(done.status, 200);
  for (let wait = 0; wait < 200; wait++) {
    if ((await sql`select from mail_outbox`).length === 0) break;
    await sleep(25);
  }
  t.same(await sql`select from mail_outbox`, [], 'nothing is left of it');
});

t.test('the page of letters is for a developer on the same machine', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const service = await TestService.start(t, { MAIL_URL: `file://${folder}/mail` });
  t.same((await service.request('/_dev/mail')).json, { letters: [] });
  const claim_token = await registered(service);
  const email = 'a@example.com';
  await service.request('/agent/auth/claim', { body: { claim_token, email, link: true } });
  const { code, deny } = await letterTo(service.url, email);
  t.match(code, /^\d{6}$/);
  t.match(deny, /\/claim\/deny\?token=/);
  t.equal((await readdir(`${folder}/mail`)).filter((name) => name.endsWith('.eml')).length, 1);
  const page = await service.request('/_dev/mail', { headers: { accept: 'text/html' } });
  t.match(page.text, /<td>a@example\.com<\/td>/);
  const proxied = { headers: { 'x-forwarded-for': '127.0.0.1' } };
  t.equal((await service.request('/_dev/mail', proxied)).status, 404);
  const foreign = await TestService.start(t, { SITE_URL: 'https://books.example' });
  const byName = foreign.url.replace('127.0.0.1', 'localhost');
  t.equal((await fetch(`${byName}/claim/deny?token=x`)).status, 200, 'the site is served there');
  t.equal((await fetch(`${byName}/_dev/mail`)).status, 404);
  const off = await TestService.start(t, { DEV_HOOKS: 'off' });
  t.equal((await off.request('/_dev/mail')).status, 404);
});
