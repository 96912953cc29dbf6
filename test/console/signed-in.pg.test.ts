import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import { RealBrowser } from '../support/chromium.ts';
import { letterTo, newEmail } from '../support/claimed-agent.ts';
import { allSaved, cellShows, checkScreen, visit, waitMs } from '../support/console-page.ts';
import { TestService } from '../support/test-service.ts';

/** The console of somebody who is signed in: its token is renewed, and ends when they leave. */

const waited = { timeout: waitMs };

async function signIn(page: Page, url: string): Promise<void> {
  const email = newEmail();
  await page.goto(`${url}/login?next=/console`);
  await page.fill('#email', email);
  await page.click('main button');
  await page.waitForSelector('#code');
  const { code } = await letterTo(url, email);
  await page.fill('#code', code);
  await page.click('main button');
  await page.getByRole('heading', { name: 'Workbooks' }).waitFor(waited);
}

interface Person {
  readonly page: Page;
  readonly service: TestService;
  /** Tokens of the page, each once, in their order. */
  readonly tokens: Set<string>;
}

const newest = ({ tokens }: Person): string => [...tokens].at(-1) ?? '';

/** A token that has ended is replaced, and what was asked for with it is asked again. */
async function goesOn(t: Test, person: Person): Promise<void> {
  const { page, service, tokens } = person;
  await page.getByRole('button', { name: 'Sample' }).click();
  await cellShows(page, 'B5', '700');
  await allSaved(page);
  t.equal(tokens.size, 1);
  const credential = newest(person);
  await service.request('/agent/auth/revoke', { credential, method: 'POST' });
  await visit(page, 'Merges');
  await page.getByRole('link', { name: 'less-travel into main' }).waitFor(waited);
  t.equal(tokens.size, 2, 'a second token');
  t.equal(await page.getByRole('alert').count(), 0);
}

/** A person who leaves is out after a reload too, and the token of the page is worth nothing. */
async function leaves(t: Test, person: Person): Promise<void> {
  const { page, service } = person;
  const mayRead = async () =>
    (await service.request('/v1/workbooks', { credential: newest(person) })).status;
  t.equal(await mayRead(), 200);
  await page.getByText('Account', { exact: true }).click();
  await page.getByRole('button', { name: 'Sign out' }).click(waited);
  const welcome = page.getByRole('heading', { name: 'Spreadsheets with branches' });
  await welcome.waitFor(waited);
  t.equal(await mayRead(), 401);
  await page.reload();
  await welcome.waitFor(waited);
  const elsewhere = await fetch(`${service.url}/console/-/token`, {
    method: 'DELETE',
    headers: { 'sec-fetch-site': 'cross-site' },
  });
  t.equal(elsewhere.status, 403, 'no other site signs anybody out');
}

t.test('somebody who is signed in', { timeout: 90_000 }, async (t) => {
  const service = await TestService.start(t);
  const browser = await RealBrowser.start(t);
  const opened = await browser.open();
  const { page, watch } = opened;
  const tokens = new Set<string>();
  page.on('request', (request) => {
    const token = request.headers()['authorization']?.replace('Bearer ', '');
    if (token !== undefined && request.url().includes('/v1/')) tokens.add(token);
  });
  await signIn(page, service.url);
  await t.test('goes on when a token ends', (t) => goesOn(t, { page, service, tokens }));
  // A browser writes every refusal down.
  t.ok(watch.take().every((text) => /status of 401/u.test(text)));
  await t.test('is not taken for a stranger while nobody answers', async () => {
    await page.route('**/console/-/token', (route) => route.abort());
    await page.goto(`${service.url}/console`);
    await page.getByRole('heading', { name: 'Nobody answers' }).waitFor(waited);
    watch.take();
    await checkScreen(t, opened, 'nobody answers');
    await page.unroute('**/console/-/token');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: /^budget-/u }).waitFor(waited);
  });
  await t.test('leaves', (t) => leaves(t, { page, service, tokens }));
  t.same(watch.take(), []);
});
