import t from 'tap';

import { RealBrowser } from '../support/chromium.ts';
import {
  allSaved,
  cellShows,
  enter,
  goTo,
  trySample,
  visit,
  waitMs,
} from '../support/console-page.ts';
import { CutProxy } from '../support/cut-proxy.ts';
import { TestService } from '../support/test-service.ts';

/** A service that does not answer for a while: each screen says so, and goes on when it is back. */

const waited = { timeout: waitMs };
const line = await CutProxy.start(t);
const service = await TestService.start(t);
const browser = await RealBrowser.start(t);
const { page, context } = await browser.open({ proxy: line.url });
await trySample(page, service.url);
await visit(page, 'Merges');
await page.getByRole('heading', { name: 'Merges' }).waitFor(waited);

t.test('cells that were led to meanwhile', async (t) => {
  line.cut();
  await visit(page, 'Cells');
  const told = page.getByText('The service does not answer.');
  await told.nth(1).waitFor(waited);
  await goTo(page, 'B9');
  await page.keyboard.type('early');
  await page.keyboard.press('Enter');
  line.mend();
  await cellShows(page, 'B9', 'early');
  await allSaved(page);
  await told.first().waitFor({ state: 'detached', ...waited });
  t.equal(await told.count(), 0);
});

t.test('a screen whose code was not there', async (t) => {
  line.cut();
  await visit(page, 'Tables');
  const told = page.getByText('The service did not send this part of the page.');
  await told.waitFor(waited);
  await page.getByRole('button', { name: 'Try again' }).last().click(waited);
  t.ok(await told.isVisible(), 'the page stays while nobody answers');
  line.mend();
  await page.getByRole('button', { name: 'Try again' }).last().click(waited);
  await page.getByRole('heading', { name: 'Tables' }).waitFor(waited);
});

t.test('a network that goes is noticed, and what is typed is sent when it comes', async () => {
  await visit(page, 'Cells');
  await allSaved(page);
  await context.setOffline(true);
  await enter(page, 'B10', 'on the way');
  await page.getByText(/^Offline since/u).waitFor(waited);
  await page.getByText(/1 edit waits here, also over a reload/u).waitFor(waited);
  await context.setOffline(false);
  await allSaved(page);
  await cellShows(page, 'B10', 'on the way');
});
