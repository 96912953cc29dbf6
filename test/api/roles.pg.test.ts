import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { Test } from 'tap';

import { Browser } from '../support/browser.ts';
import { FrontDoor } from '../support/front-door.ts';
import { MailServer } from '../support/mail-server.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { doubleProgram, ServiceProcess } from '../support/service-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

interface Roles {
  readonly api: string;
  readonly otherApi: string;
  readonly auth: string;
  readonly site: string;
  readonly mail: MailServer;
}

/** The identity service, the site and two of the workbook service, each a process of its own. */
async function startRoles(t: Test): Promise<Roles> {
  const folder = await makeTemporaryFolder(t);
  const mail = await MailServer.start(t);
  const doors = {
    api: await FrontDoor.open(t),
    otherApi: await FrontDoor.open(t),
    auth: await FrontDoor.open(t),
    site: await FrontDoor.open(t),
  };
  const { url: api } = doors.api;
  const { url: otherApi } = doors.otherApi;
  const { url: auth } = doors.auth;
  const { url: site } = doors.site;
  const shared = {
    DATABASE_URL: await createMigratedDatabase(),
    OBJECT_STORE_URL: `file:${folder}/objects`,
    IDENTITY_KEY_FILE: `${folder}/identity.key`,
    TLOG_KEY_FILE: `${folder}/tlog.key`,
    MAIL_URL: mail.url,
    BASE_URL: api,
    AUTH_URL: auth,
    SITE_URL: site,
    LOG_LEVEL: 'warn',
  };
  const processes = [
    ['api', doors.api, api],
    ['api', doors.otherApi, otherApi],
    ['auth', doors.auth, api],
    ['site', doors.site, api],
  ] as const;
  for (const [nth, [ROLE, own, BASE_URL]] of processes.entries()) {
    const settings = { ...shared, ROLE, BASE_URL };
    const started = await ServiceProcess.start(t, `${folder}/${nth}`, settings, doubleProgram);
    t.equal(started.url, own.url, `${ROLE} is ready`);
    own.leadTo(started.port);
  }
  return { api, otherApi, auth, site, mail };
}

interface Data {
  readonly credential: string;
  readonly claim_token: string;
}

async function post(url: string, body: unknown, credential?: string): Promise<Data> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
    },
    body: JSON.stringify(body),
  });
  const { data } = (await answer.json()) as { data?: Data };
  if (data === undefined) throw new Error(`${url} answered ${answer.status}`);
  return data;
}

async function statusOf(url: string, credential: string): Promise<number> {
  const headers = { authorization: `Bearer ${credential}` };
  return (await fetch(`${url}/v1/workbooks`, { headers })).status;
}

/** How long until it is so; the caches would go on for thirty seconds. */
async function until(isSo: () => Promise<boolean>): Promise<number> {
  const started = performance.now();
  while (!(await isSo())) {
    if (performance.now() - started > 15_000) throw new Error('it did not come about');
    await sleep(10);
  }
  return performance.now() - started;
}

t.test('processes of one role each are one service, and a revoked key ends in all', async (t) => {
  const { api, otherApi, auth, site, mail } = await startRoles(t);
  for (const [url, wrong] of [
    [api, '/agent/auth/me'],
    [auth, '/v1/workbooks'],
    [site, '/v1/workbooks'],
    [site, '/agent/auth/me'],
  ] as const) {
    t.equal((await fetch(`${url}/health`)).status, 200);
    t.equal((await fetch(`${url}/ready`)).status, 200);
    t.equal((await fetch(url + wrong)).status, 404, `${wrong} is not at ${url}`);
  }
  const { credential, claim_token } = await post(`${auth}/agent/auth`, { type: 'anonymous' });
  const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'budget' });
  const made = await fetch(`${api}/v1/workbooks`, { method: 'POST', headers, body });
  t.equal(made.status, 201);
  const { id } = (await made.json()) as { id: string };
  t.equal(await statusOf(otherApi, credential), 200);

  const email = 'ada@example.com';
  await post(`${auth}/agent/auth/claim`, { claim_token, email });
  const { code: otp } = await mail.letter(email);
  const claimed = await post(`${auth}/agent/auth/claim/complete`, { claim_token, otp });
  const ended = await until(async () => (await statusOf(api, credential)) === 401);
  await until(async () => (await statusOf(otherApi, credential)) === 401);
  t.comment(`the old key ended elsewhere after ${ended.toFixed(0)} ms`);
  const own = { authorization: `Bearer ${claimed.credential}` };
  for (const url of [api, otherApi]) {
    const answer = await fetch(`${url}/v1/workbooks/${id}`, { headers: own });
    t.match(await answer.json(), { namespace: 'ada' }, 'the workbook moved with it');
  }

  const browser = new Browser(site);
  const asked = await browser.submit(await browser.get('/login'), '/login', { email });
  const { code } = await mail.letter(email, 2);
  t.match(await browser.submit(asked, '/login/code', { code }), { status: 303 });
  const page = await browser.get('/agents');
  const form_token = /name="form_token"\s+value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  await browser.post('/agents/revoke', { form_token, all: 'yes', sure: 'yes' });
  for (const url of [api, otherApi]) {
    const after = await until(async () => (await statusOf(url, claimed.credential)) === 401);
    t.comment(`revoked at the site, ended after ${after.toFixed(0)} ms`);
  }
  t.equal((await fetch(`${auth}/agent/auth/me`, { headers: own })).status, 401);
});
