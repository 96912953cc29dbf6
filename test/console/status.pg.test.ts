import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import { PageWatch, RealBrowser } from '../support/chromium.ts';
import {
  allSaved,
  asked,
  cellShows,
  checkScreen,
  enter,
  trySample,
  waitMs,
  type Opened,
} from '../support/console-page.ts';
import { TestService } from '../support/test-service.ts';

/** The status line beside the branch, when something keeps the page from being live. */

const waited = { timeout: waitMs };

const keyOf = (page: Page) => page.evaluate<string>(`sessionStorage.getItem('quire.key')`);

async function tells(t: Test, page: Page, text: string): Promise<void> {
  await page.getByText(text, { exact: true }).waitFor(waited);
  t.equal(await page.getByText('Live, all saved').count(), 0, `not saved, but: ${text}`);
}

/** A key that the service refuses is told as such, and the way back in is one button. */
async function refusesKey(t: Test, { page, watch }: Opened): Promise<void> {
  const key = await keyOf(page);
  await page.evaluate(`sessionStorage.setItem('quire.key', 'wrong')`);
  await enter(page, 'B9', 'by a live socket');
  await tells(t, page, 'Key refused: use another one');
  await checkScreen(t, { page, watch: new PageWatch() }, 'a key that is refused');
  await page.getByRole('button', { name: 'Use another key' }).first().click(waited);
  await page.getByLabel('Or use a key that you have').fill(key);
  await page.getByRole('button', { name: 'Use the key' }).click(waited);
  await allSaved(page);
  await cellShows(page, 'B9', 'by a live socket');
  watch.take();
}

async function isUnopened(t: Test, { page, watch }: Opened): Promise<void> {
  const key = await keyOf(page);
  await page.evaluate(`sessionStorage.setItem('quire.key', 'wrong')`);
  await page.reload();
  await tells(t, page, 'Key refused: use another one');
  t.equal(await page.getByText('Connecting…').count(), 0);
  await page.evaluate(`sessionStorage.setItem('quire.key', '${key}')`);
  await page.reload();
  await allSaved(page);
  watch.take();
}

async function isOffline(t: Test, page: Page): Promise<void> {
  await page.context().setOffline(true);
  await tells(t, page, 'Offline');
  await enter(page, 'B10', 'later');
  await tells(t, page, 'Offline, 1 edit waits');
  await page.context().setOffline(false);
  await allSaved(page);
}

async function isProtected(t: Test, page: Page): Promise<void> {
  await page.goto(page.url().replace('at=less-travel', 'at=main'));
  await allSaved(page);
  const policy = { protectedBranches: [{ pattern: 'main' }] };
  await asked(page, 'settings', 'PUT', { policy });
  await page.reload();
  await tells(t, page, 'Read only');
}

async function isDeleted(t: Test, page: Page): Promise<void> {
  await page.goto(page.url().replace('at=main', 'at=less-travel'));
  await allSaved(page);
  await asked(page, 'branches/less-travel', 'DELETE');
  await tells(t, page, 'Branch deleted');
}

t.test('the status line says what is true', { timeout: 120_000 }, async (t) => {
  const service = await TestService.start(t);
  const opened = await (await RealBrowser.start(t)).open();
  const { page } = opened;
  await trySample(page, service.url);
  await t.test('of a key that is refused', (t) => refusesKey(t, opened));
  await t.test('also where nothing was opened', (t) => isUnopened(t, opened));
  await t.test('of a network that is away', (t) => isOffline(t, page));
  await t.test('of a branch that was deleted', (t) => isDeleted(t, page));
  await t.test('of a branch that is protected', (t) => isProtected(t, page));
  await t.test('of a key that was revoked', async (t) => {
    await service.request('/agent/auth/revoke', { credential: await keyOf(page), method: 'POST' });
    await tells(t, page, 'Key refused: use another one');
    await page.getByText('You are signed out.').waitFor(waited);
  });
});
