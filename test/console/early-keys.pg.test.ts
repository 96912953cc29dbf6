import t from 'tap';

import { allSaved, cellShows, openSample, visit, waitMs } from '../support/console-page.ts';
import { HeldRequests, pressAll } from '../support/held-requests.ts';

/** Runs long: keys come before a real browser has loaded. */

// Keys that are pressed before the cells of a sheet are there go into the cell shown as chosen.

const opened = await openSample(t);

t.test('of a page that is loaded anew', async (t) => {
  const { page, watch } = opened;
  await page.getByLabel('Go to cell').fill('H2');
  await page.getByLabel('Go to cell').press('Enter');
  await page.waitForURL(/cell=H2/u, { timeout: waitMs });
  const state = await HeldRequests.of(page, '**/state');
  await page.reload();
  await page.getByRole('navigation', { name: 'Workbook' }).waitFor({ timeout: waitMs });
  await page.getByText('Connecting…').waitFor({ timeout: waitMs });
  await pressAll(page, ['t', 'w', 'o', 'Space', 'x', 'Backspace', '1', 'Enter']);
  await pressAll(page, ['5', 'Tab', 'ArrowDown', '=', '1', '+', '1', 'Enter']);
  await state.letThrough();
  await cellShows(page, 'H2', 'two 1');
  await cellShows(page, 'H3', '5');
  await cellShows(page, 'I4', '2');
  await allSaved(page);
  t.same(watch.take(), []);
});

t.test('of one that was led to by a link, which keeps the focus', async (t) => {
  const { page, watch } = opened;
  await visit(page, 'Compare');
  const state = await HeldRequests.of(page, '**/state');
  await visit(page, 'Cells');
  await page.getByText('Connecting…').waitFor({ timeout: waitMs });
  const shown = await page.getByLabel('Go to cell').inputValue();
  await pressAll(page, ['q', 'Enter']);
  await state.letThrough();
  await cellShows(page, shown, 'q');
  await allSaved(page);
  t.same(watch.take(), []);
});

t.test('those that belong to a field stay there', async (t) => {
  const { page } = opened;
  await page.getByLabel('Go to cell').fill('J9');
  await page.getByLabel('Go to cell').press('Enter');
  await page.waitForURL(/cell=J9/u, { timeout: waitMs });
  const state = await HeldRequests.of(page, '**/state');
  await page.reload();
  const name = page.getByLabel('Go to cell');
  await name.focus();
  await name.fill('');
  await page.keyboard.type('B2');
  t.equal(await name.inputValue(), 'B2');
  await state.letThrough();
  await cellShows(page, 'J9', '');
});
