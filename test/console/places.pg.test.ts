import t from 'tap';
import type { Test } from 'tap';

import { RealBrowser } from '../support/chromium.ts';
import {
  allSaved,
  asked,
  cellShows,
  checkScreen,
  enter,
  fieldHolds,
  goTo,
  waitMs,
  type Opened,
} from '../support/console-page.ts';
import { TestService } from '../support/test-service.ts';

/** Runs long: a real browser walks through the whole console. */

/** From a blank workbook to names, commands and places that are found, or are not there. */

async function beginsBlank(t: Test, { page }: Opened, url: string): Promise<void> {
  await page.goto(`${url}/console`);
  await page.getByRole('button', { name: 'New blank workbook' }).click({ timeout: waitMs });
  await cellShows(page, 'A1', '');
  await allSaved(page);
  t.match(await asked(page, 'branches/main/state'), { sheets: [{ name: 'Sheet1', used: null }] });
}

async function namesCells(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await enter(page, 'B2', '0.2');
  await goTo(page, 'B2');
  await page.getByText('Data', { exact: true }).click();
  await page.getByRole('button', { name: 'Names…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Names' });
  const field = dialog.getByLabel('Name for Sheet1!B2');
  await field.fill('R1C1');
  await dialog.getByText('a name cannot look like a reference').waitFor();
  await field.fill('rate');
  await checkScreen(t, opened, 'names');
  await dialog.getByRole('button', { name: 'Define the name' }).click();
  await allSaved(page);
  await page.getByRole('button', { name: 'Add a sheet' }).click();
  await page.getByRole('tab', { name: 'Sheet2', selected: true }).waitFor({ timeout: waitMs });
  await goTo(page, 'Rate');
  await page.getByRole('tab', { name: 'Sheet1', selected: true }).waitFor({ timeout: waitMs });
  await fieldHolds(t, page.getByLabel('Go to cell'), 'B2');
  await goTo(page, 'sheet2!C4:D5');
  await page.getByRole('tab', { name: 'Sheet2', selected: true }).waitFor({ timeout: waitMs });
  await fieldHolds(t, page.getByLabel('Go to cell'), 'C4:D5');
  await enter(page, 'A1', '=rate*10');
  await cellShows(page, 'A1', '2');
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'rate name' }).click({ timeout: waitMs });
  await page.getByRole('tab', { name: 'Sheet1', selected: true }).waitFor({ timeout: waitMs });
  await fieldHolds(t, page.getByLabel('Go to cell'), 'B2');
  await page.getByText('Data', { exact: true }).click();
  await page.getByRole('button', { name: 'Names…' }).click();
  await dialog.getByRole('button', { name: 'Delete the name rate' }).click({ timeout: waitMs });
  await dialog.getByRole('button', { name: 'Delete the name rate' }).waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Close' }).click();
  t.match(await asked(page, 'branches/main/state'), { names: [] });
}

async function findsCommands(t: Test, { page }: Opened): Promise<void> {
  const palette = page.getByRole('dialog', { name: 'Commands and places' });
  for (const [text, label] of [
    ['freez', 'Freeze above and left of here'],
    ['rename', 'Rename the workbook'],
    ['delete sheet', 'Rename, duplicate, move, hide or delete the sheet'],
    ['export', 'Export as .xlsx'],
    ['sort', 'Sort by several columns'],
  ] as const) {
    await page.keyboard.press('Control+k');
    await palette.getByRole('combobox').fill(text);
    await palette.getByRole('option', { name: label }).waitFor({ timeout: waitMs });
    await page.keyboard.press('Escape');
  }
  await goTo(page, 'B2');
  await page.keyboard.press('Control+k');
  await palette.getByRole('combobox').fill('bold');
  await page.keyboard.press('Enter');
  await allSaved(page);
  t.match(await asked(page, 'formats?range=Sheet1!B2'), { styles: [{}, { bold: true }] });
  await page.keyboard.type('7');
  await page.keyboard.press('Enter');
  await cellShows(page, 'B2', '7');
}

async function saysWhatIsNotThere(t: Test, opened: Opened, url: string): Promise<void> {
  const { page, watch } = opened;
  const book = /wb_\w+/u.exec(page.url())?.[0] ?? '';
  await page.goto(`${url}/console/${book}?at=nowhere`);
  await page
    .getByRole('heading', { name: 'There is no nowhere here' })
    .waitFor({ timeout: waitMs });
  t.equal(await page.getByText('Connecting…').count(), 0);
  await page.getByRole('link', { name: 'Its main branch' }).click();
  await cellShows(page, 'B2', '7');
  await page.goto(`${url}/console/wb_01AAAAAAAAAAAAAAAAAAAAAAAA`);
  await page.getByRole('heading', { name: 'There is no such workbook' }).waitFor({
    timeout: waitMs,
  });
  t.equal(await page.locator('.grid').count(), 0, 'there is nothing to edit');
  t.same(
    watch.take().filter((text) => !/status of 404/u.test(text)),
    [],
  );
  await checkScreen(t, opened, 'no such workbook');
  await page.goto(`${url}/console/${book}`);
  await cellShows(page, 'B2', '7');
  await allSaved(page);
}

t.test('places and commands', { timeout: 180_000 }, async (t) => {
  const service = await TestService.start(t);
  const browser = await RealBrowser.start(t);
  const opened = await browser.open();
  await t.test('a blank workbook', (t) => beginsBlank(t, opened, service.url));
  await t.test('cells have names', (t) => namesCells(t, opened));
  await t.test('the palette finds commands', (t) => findsCommands(t, opened));
  await t.test('what is not there', (t) => saysWhatIsNotThere(t, opened, service.url));
  t.same(opened.watch.take(), []);
});
