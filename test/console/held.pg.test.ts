import t from 'tap';

import { RealBrowser } from '../support/chromium.ts';
import {
  allSaved,
  bookOf,
  cellShows,
  checkScreen,
  enter,
  trySample,
  waitMs,
} from '../support/console-page.ts';
import { CutProxy } from '../support/cut-proxy.ts';
import { TestService } from '../support/test-service.ts';

/**
 * A branch that was replaced by another one of its name while a page was away: the page shows the
 * new one by itself, and asks about what was typed for the old one.
 */

const waited = { timeout: waitMs };

t.test('edits for a branch that is another one by now wait', { timeout: 90_000 }, async (t) => {
  const service = await TestService.start(t);
  const browser = await RealBrowser.start(t);
  const line = await CutProxy.start(t);
  const { page, watch } = await browser.open({ proxy: line.url });
  await trySample(page, service.url);
  const credential = await page.evaluate<string>(`sessionStorage.getItem('quire.key')`);
  const book = `/v1/workbooks/${bookOf(page)}`;
  await page.goto(page.url().replace('at=main', 'at=less-travel'));
  await allSaved(page);
  await cellShows(page, 'B5', '200');
  line.cut();
  await page.getByText(/^Offline since/u).waitFor(waited);
  await enter(page, 'B2', '777');
  await enter(page, 'B3', '888');
  await page.getByText('The service does not answer.').waitFor(waited);
  const branch = `${book}/branches/less-travel`;
  await service.request(branch, { credential, method: 'DELETE' });
  const body = { name: 'less-travel', from: 'main' };
  await service.request(`${book}/branches`, { credential, body });
  const cells = [{ a1: 'B2', input: 5 }];
  const ops = [{ kind: 'cells.set', payload: { sheet: 'Budget', cells } }];
  await service.request(`${branch}/ops`, { credential, body: { writer: 'other', ops } });
  line.mend();
  const tray = page.getByRole('alert', { name: 'Edits that wait for you' });
  await tray.getByText('now there: 5').waitFor(waited);
  await cellShows(page, 'B5', '700');
  t.equal(await page.getByText('The service does not answer.').count(), 0, 'it does now');
  watch.take();
  await checkScreen(t, { page, watch }, 'edits for another branch');
  await tray.getByRole('button', { name: 'Discard B3 = 888' }).click();
  await cellShows(page, 'B3', '8,400');
  await tray.getByRole('button', { name: 'Send them' }).click();
  await allSaved(page);
  await cellShows(page, 'B2', '777');
  const read = await service.request(`${book}/slice?range=Budget!B2:B3&ref=less-travel`, {
    credential,
  });
  t.match(read.json, { rows: [[777], [8400]] });
  t.equal(await page.getByText(/^Not applied/u).count(), 0);
});
