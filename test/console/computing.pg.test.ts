import t from 'tap';
import type { Test } from 'tap';

import {
  cellShows,
  checkScreen,
  openSample,
  visit,
  waitMs,
  type Opened,
} from '../support/console-page.ts';

/** Values that take a while have a bar, and formulas are shown in their place when asked. */

const waited = { timeout: waitMs };
const gone = { state: 'detached', timeout: waitMs } as const;
const computing = { status: 202, json: { status: 'computing', retry_after: 1 } };

async function calculatesCells(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  let isSlow = true;
  await page.route(/\/slice\?/u, (route) => {
    const isOfInputs = route.request().url().includes('lens=input');
    return isSlow && !isOfInputs ? route.fulfill(computing) : route.continue();
  });
  await page.reload();
  const bar = page.getByRole('progressbar', { name: 'Calculated' });
  await bar.waitFor(waited);
  await page.getByText('The service calculates the values of these cells.').waitFor(waited);
  await checkScreen(t, opened, 'cells are calculated');
  await page.getByRole('button', { name: 'Show formulas meanwhile' }).click();
  await bar.waitFor(gone);
  await cellShows(page, 'H2', '=SUM(B2:G2)');
  isSlow = false;
  await page.locator('.grid-editor').press('Control+`');
  await cellShows(page, 'H2', '7,350');
}

async function calculatesRows(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  let isSlow = true;
  await page.route(/\/tables\/[^/]+\/rows\?/u, (route) =>
    isSlow ? route.fulfill(computing) : route.continue(),
  );
  await visit(page, 'Tables');
  await page.getByRole('link', { name: 'Suppliers' }).first().click(waited);
  const bar = page.getByRole('progressbar', { name: 'Calculated' });
  await bar.waitFor(waited);
  await checkScreen(t, opened, 'rows are calculated');
  isSlow = false;
  await bar.waitFor(gone);
  await cellShows(page, 'A2', 'Acme Paper Ltd');
}

t.test('values are waited for', { timeout: 90_000 }, async (t) => {
  const opened = await openSample(t);
  await t.test('in cells', (t) => calculatesCells(t, opened));
  await t.test('in rows of a table', (t) => calculatesRows(t, opened));
  t.same(opened.watch.take(), []);
});
