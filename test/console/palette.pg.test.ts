import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import {
  asked,
  bookOf,
  cellShows,
  checkScreen,
  openSample,
  visit,
  waitMs,
  type Opened,
} from '../support/console-page.ts';

/** The palette leads to every screen, to named positions, and does what letters alone do. */

const waited = { timeout: waitMs };
const palette = (page: Page) => page.getByRole('dialog', { name: 'Commands and places' });

/** Types into the palette, waits until an entry of that name is the first, and takes it. */
async function take(page: Page, text: string, name: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await palette(page).getByRole('combobox').fill(text);
  await palette(page)
    .locator('[role=option][aria-selected=true]')
    .filter({ hasText: name })
    .waitFor(waited);
  await page.keyboard.press('Enter');
}

async function leadsToScreens(t: Test, page: Page): Promise<void> {
  for (const [text, heading] of [
    ['>tables', 'Tables of main'],
    ['>matches', 'Matches'],
    ['>share', 'Settings'],
    ['>usage', 'Usage'],
  ] as const) {
    await take(page, text, text === '>share' ? 'Share, settings' : (heading.split(' ')[0] ?? ''));
    await page.getByRole('heading', { name: heading, exact: true }).waitFor(waited);
    if (heading !== 'Usage') continue;
    t.equal(await page.title(), 'Usage · Quire');
    await page.goBack(waited);
  }
}

/** Named positions are found, and other entries stay at the position that is shown. */
async function findsPositions(t: Test, { page }: Opened): Promise<void> {
  const named = { message: 'Before the rise', tag: 'rise' };
  const { seq } = (await asked(page, 'branches/main/commit', 'POST', named)) as { seq: number };
  await take(page, '@rise', 'Before the rise');
  await page.waitForURL(/at=main%40/u, waited);
  t.match(decodeURIComponent(page.url()), new RegExp(`at=main@${seq}`, 'u'));
  const book = await page.getByLabel('Name of the workbook').inputValue();
  await visit(page, 'Tables');
  await page.getByRole('heading', { name: `Tables of main@${seq}` }).waitFor(waited);
  await page.getByRole('link', { name: 'Suppliers', exact: true }).click(waited);
  await cellShows(page, 'A2', 'Acme Paper Ltd');
  t.equal(await page.title(), `Suppliers main@${seq} · ${book} · Quire`);
  await take(page, 'sheet budget', 'Budget');
  await page.waitForURL(/sheet=Budget/u, waited);
  t.match(decodeURIComponent(page.url()), new RegExp(`at=main@${seq}`, 'u'));
}

/** Letters of a review are commands of the palette, also for those who have switched them off. */
async function settlesByPalette(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const { merges } = (await asked(page, 'merges')) as { merges: readonly { id: string }[] };
  const { origin } = new URL(page.url());
  await page.evaluate(`localStorage.setItem('quire.letters', 'off')`);
  await page.goto(`${origin}/console/${bookOf(page)}/merges/${merges[0]?.id}`);
  await page.getByText('1 of 1 is open').waitFor(waited);
  await page.keyboard.press('t');
  await page.keyboard.press('Control+k');
  await palette(page).getByRole('combobox').fill('>theirs');
  await palette(page).getByText('Take theirs for all that are open').waitFor(waited);
  await checkScreen(t, opened, 'palette of a review');
  await page.keyboard.press('Escape');
  t.equal(await page.locator('.side.chosen').count(), 0, 'the letter alone does nothing');
  await take(page, '>take theirs', 'Take theirs');
  await page.getByText('0 of 1 are open').waitFor(waited);
  await take(page, '>approval', 'Go to the approval');
  await page.locator('#approve-button:focus').waitFor(waited);
  await page.evaluate(`localStorage.removeItem('quire.letters')`);
}

t.test('the palette', { timeout: 120_000 }, async (t) => {
  const opened = await openSample(t);
  await t.test('leads to every screen', (t) => leadsToScreens(t, opened.page));
  await t.test('finds positions and keeps the shown one', (t) => findsPositions(t, opened));
  await t.test('does what letters do', (t) => settlesByPalette(t, opened));
  t.same(opened.watch.take(), []);
});
