import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import { axeFaults } from '../support/axe.ts';
import { RealBrowser } from '../support/chromium.ts';
import type { PageWatch } from '../support/chromium.ts';
import { IdentityWorld, wrongCode } from '../support/identity-world.ts';
import { register, requestOf } from '../support/oauth-client.ts';
import { TestService } from '../support/test-service.ts';

/** Runs long: every page is looked at in a real browser. */

interface Opened {
  readonly page: Page;
  readonly watch: PageWatch;
}

/** Page by page: its style is in force, nothing is complained of, and everybody can use it. */
async function checkPage(t: Test, { page, watch }: Opened, name: string): Promise<void> {
  t.same(watch.take(), [], `${name}: no complaint of the browser`);
  const font = await page.evaluate<string>('getComputedStyle(document.body).fontFamily');
  t.match(font, /system-ui/, `${name}: the style is in force`);
  t.same(await axeFaults(page), [], `${name}: no fault that axe finds`);
  const viewport = page.viewportSize() ?? { width: 0, height: 0 };
  await page.setViewportSize({ width: 400, height: 800 });
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  t.ok(width <= 400, `${name}: fits a phone (${width})`);
  await page.setViewportSize(viewport);
}

t.test('every page of the site in a real browser', { timeout: 120_000 }, async (t) => {
  const world = await IdentityWorld.start(t);
  const { url } = world.service;
  const browser = await RealBrowser.start(t);
  const { page, watch, context } = await browser.open();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const email = 'ada@example.com';
  for (const path of ['/login', '/policy', '/terms', '/problems/not_found']) {
    await page.goto(url + path);
    await checkPage(t, { page, watch }, path);
  }
  await page.goto(`${url}/claim/deny?token=unknown`);
  await checkPage(t, { page, watch }, 'deny');

  await page.goto(`${url}/login?next=/agents`);
  await page.fill('#email', email);
  await page.click('main button');
  await page.waitForSelector('#code');
  await checkPage(t, { page, watch }, 'code');
  const { code } = await world.mail.letter(email);
  await page.fill('#code', wrongCode(code));
  await page.click('main button');
  await page.waitForSelector('[role=alert]');
  // Chromium tells of every answer that is no success, whatever the page shows.
  t.match(watch.take(), [/401/]);
  await checkPage(t, { page, watch }, 'wrong code');
  await page.fill('#code', code);
  await page.click('main button');
  await page.waitForURL(`${url}/agents`);
  await checkPage(t, { page, watch }, 'agents, none yet');

  const agent = await world.agent('claude');
  world.clock.forward(61);
  await world.claimed(agent, email, true);
  await page.fill('#label', 'laptop');
  await page.click('form[action="/agents/keys"] button');
  await page.waitForSelector('#secret');
  await checkPage(t, { page, watch }, 'new key');
  await page.click('button[data-copy=secret]');
  await page.waitForSelector('text=Copied');
  const secret = await page.textContent('#secret');
  t.equal(await page.evaluate('navigator.clipboard.readText()'), secret);
  t.match(secret, /^wbk_live_/);

  await page.goto(`${url}/agents`);
  t.match(await page.textContent('main'), /An agent was claimed with a code/);
  await checkPage(t, { page, watch }, 'agents');
  await page.click('text=Merge into my account');
  await checkPage(t, { page, watch }, 'merge?');
  await page.click('text=No, go back');

  const clientId = await register(url);
  const query = new URLSearchParams(requestOf(clientId)).toString();
  await page.goto(`${url}/oauth2/authorize?${query}`);
  await checkPage(t, { page, watch }, 'consent');

  await page.goto(`${url}/agents`);
  await page.click('text=Revoke all keys');
  await checkPage(t, { page, watch }, 'revoke all?');
  const me = () => world.service.request('/agent/auth/me', { credential: secret ?? '' });
  t.equal((await me()).status, 200);
  await page.click('main form button');
  await page.waitForSelector('[role=status]');
  await checkPage(t, { page, watch }, 'revoked all');
  t.equal((await me()).status, 401);
});

t.test('the pages in the dark', async (t) => {
  const world = await IdentityWorld.start(t);
  const browser = await RealBrowser.start(t);
  const { page, watch } = await browser.open({ dark: true });
  for (const path of ['/login', '/policy', '/problems/not_found']) {
    await page.goto(world.service.url + path);
    await checkPage(t, { page, watch }, `${path} in the dark`);
  }
});

t.test('the page of letters that went to a folder', async (t) => {
  const service = await TestService.start(t);
  const browser = await RealBrowser.start(t);
  const { page, watch } = await browser.open();
  await page.goto(`${service.url}/login`);
  await page.fill('#email', 'ada@example.com');
  await page.click('main button');
  await page.waitForSelector('#code');
  for (let tries = 0; !(await page.textContent('main'))?.includes('ada@example.com'); tries++) {
    t.ok(tries < 100, 'the letter is written');
    await page.goto(`${service.url}/_dev/mail`);
  }
  await checkPage(t, { page, watch }, '/_dev/mail');
});

t.test('the reference: search, folding, a phone, no complaint', { timeout: 120_000 }, async (t) => {
  const service = await TestService.start(t);
  const browser = await RealBrowser.start(t);
  for (const dark of [false, true]) {
    const { page, watch } = await browser.open({ dark });
    await page.goto(`${service.url}/docs`);
    await checkPage(t, { page, watch }, `/docs${dark ? ' in the dark' : ''}`);
  }
  const { page, watch } = await browser.open();
  await page.goto(`${service.url}/docs`);
  const shown = () => page.locator('article:visible').count();
  const all = await shown();
  await page.fill('#search', 'flush');
  const found = await shown();
  t.ok(found > 0 && found < 5, `${found} of ${all} routes are about flush`);
  await page.fill('#search', 'rows.upsert');
  t.equal(await page.locator('details[data-kind]:visible').count(), 1);
  await page.fill('#search', 'nothing has these words');
  t.ok(await page.isVisible('#none'));
  await page.fill('#search', '');
  t.equal(await shown(), all);
  await page.goto(`${service.url}/docs#cells.set`);
  await page.waitForSelector('[id="cells.set"] pre', { state: 'visible' });
  t.same(watch.take(), []);
  const phone = await browser.open({ width: 400, height: 800 });
  await phone.page.goto(`${service.url}/docs`);
  t.notOk(await phone.page.isVisible('#search'), 'on a phone the menu is closed at first');
  await phone.page.click('nav summary');
  t.ok(await phone.page.isVisible('#search'));
  t.same(phone.watch.take(), []);
});
