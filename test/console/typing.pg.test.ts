import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import {
  allSaved,
  asked,
  cellShows,
  enter,
  fieldHolds,
  goTo,
  openSample,
  visit,
  waitMs,
  type Opened,
} from '../support/console-page.ts';

/** A text comes into the cell that it is typed for, wherever somebody goes meanwhile. */

const [rowHeader, columnHeader, columnPx, rowPx] = [56, 26, 96, 24];

const bar = (page: Page) => page.getByLabel('Formula', { exact: true });
const nameBox = (page: Page) => page.getByLabel('Go to cell');

async function press(page: Page, row: number, column: number): Promise<void> {
  const { x, y } = (await page.locator('.grid').boundingBox()) ?? { x: 0, y: 0 };
  await page.mouse.click(
    x + rowHeader + (column + 0.5) * columnPx,
    y + columnHeader + (row + 0.5) * rowPx,
  );
}

async function turnTo(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name }).click();
  await isOn(page, name);
}

async function isOn(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name, selected: true }).waitFor({ timeout: waitMs });
}

async function inputOf(page: Page, cell: string): Promise<unknown> {
  await allSaved(page);
  const { rows } = (await asked(page, `slice?lens=input&range=${cell}`)) as { rows: unknown[][] };
  return rows[0]?.[0] ?? '';
}

/** A formula takes cells of another sheet, and is entered into its own. */
async function pointsElsewhere(t: Test, { page }: Opened): Promise<void> {
  await goTo(page, 'H30');
  await page.keyboard.type('=');
  await turnTo(page, 'Suppliers');
  await press(page, 2, 0);
  await fieldHolds(t, bar(page), '=Suppliers!A3');
  await page.keyboard.type('&"-"&');
  await turnTo(page, 'Budget');
  // The first row is frozen.
  await press(page, 0, 0);
  await page.keyboard.press('Enter');
  await isOn(page, 'Budget');
  await fieldHolds(t, nameBox(page), 'H31');
  t.equal(await inputOf(page, 'Budget!H30'), '=Suppliers!A3&"-"&A1');
  await page.keyboard.type('=sum(');
  await turnTo(page, 'Suppliers');
  await press(page, 1, 2);
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Tab');
  await isOn(page, 'Budget');
  await fieldHolds(t, nameBox(page), 'I31');
  t.equal(await inputOf(page, 'Budget!H31'), '=SUM(Suppliers!B2:B3)');
  t.equal(await inputOf(page, 'Suppliers!A3'), 'Borealis Travel');
  await page.keyboard.type('=');
  await turnTo(page, 'Suppliers');
  await page.keyboard.press('Escape');
  await isOn(page, 'Budget');
  await fieldHolds(t, nameBox(page), 'I31');
  await bar(page).click();
  await page.keyboard.type('=1&');
  await turnTo(page, 'Suppliers');
  await press(page, 1, 2);
  await fieldHolds(t, bar(page), '=1&Suppliers!B2');
  await page.keyboard.press('Enter');
  await isOn(page, 'Budget');
  await cellShows(page, 'I31', '1Leeds');
  t.equal(await inputOf(page, 'Budget!I31'), '=1&Suppliers!B2');
}

/** A text that is no formula is entered before another sheet is shown. */
async function entersBeforeTurning(t: Test, { page }: Opened): Promise<void> {
  await goTo(page, 'H32');
  await page.keyboard.type('half');
  await turnTo(page, 'Suppliers');
  await fieldHolds(t, nameBox(page), 'A1');
  await goTo(page, 'B3');
  await turnTo(page, 'Budget');
  await cellShows(page, 'H32', 'half');
  await goTo(page, 'H33');
  await bar(page).click();
  await page.keyboard.type('in the bar');
  await turnTo(page, 'Suppliers');
  await turnTo(page, 'Budget');
  await cellShows(page, 'H33', 'in the bar');
  t.equal(await inputOf(page, 'Budget!H32'), 'half');
  t.equal(await inputOf(page, 'Suppliers!B3'), 'Oslo');
}

/** A text that was typed is there when somebody goes to another screen or another branch. */
async function entersOnLeaving(t: Test, { page }: Opened): Promise<void> {
  await goTo(page, 'Q1');
  await page.keyboard.type('left');
  await visit(page, 'Merges');
  await page.getByRole('heading', { name: 'Merges' }).waitFor({ timeout: waitMs });
  await visit(page, 'Cells');
  await allSaved(page);
  await goTo(page, 'Q1');
  await cellShows(page, 'Q1', 'left');
  await goTo(page, 'Q2');
  await bar(page).click();
  await page.keyboard.type('=1+1');
  await page.getByLabel('Branch', { exact: true }).selectOption('less-travel');
  await page
    .locator('.branch code')
    .filter({ hasText: /^less-travel@/u })
    .waitFor({ timeout: waitMs });
  await allSaved(page);
  t.equal(await inputOf(page, 'Budget!Q2'), '=1+1');
  await page.getByLabel('Branch', { exact: true }).selectOption('main');
  await page
    .locator('.branch code')
    .filter({ hasText: /^main@/u })
    .waitFor({ timeout: waitMs });
  await allSaved(page);
  await goTo(page, 'Q2');
  await cellShows(page, 'Q2', '2');
}

/** A formula is closed where it was left open, and offered to be edited where it is none. */
async function closesFormulas(t: Test, { page }: Opened): Promise<void> {
  await enter(page, 'Q3', '=SUM(B2:B5');
  await cellShows(page, 'Q3', '10610');
  await enter(page, 'Q4', '=LEN("abc');
  await allSaved(page);
  t.same(await page.getByRole('alert').allTextContents(), [], 'nothing is refused');
  t.equal(await inputOf(page, 'Budget!Q4'), '=LEN("abc")');
  await cellShows(page, 'Q4', '3');
  await goTo(page, 'Q5');
  await bar(page).click();
  await page.keyboard.type('=MAX({1,2');
  await page.keyboard.press('Enter');
  await cellShows(page, 'Q5', '2');
  for (let count = 0; count < 6; count++) await enter(page, 'Q6', '=1+');
  const tray = page.getByRole('alert', { name: 'Not applied' });
  await tray.getByText('6 edits were not applied').waitFor({ timeout: waitMs });
  const box = await tray.boundingBox();
  t.ok(box && box.height <= 130, 'the tray leaves room for the cells');
  await tray.getByRole('button', { name: 'Edit again' }).first().click();
  await fieldHolds(t, page.locator('.grid-editor'), '=1+');
  await tray.getByText('5 edits were not applied').waitFor({ timeout: waitMs });
  for (const key of ['2', 'Enter']) await page.keyboard.press(key);
  await cellShows(page, 'Q6', '3');
  // An edit that is applied takes all of them away.
  await tray.waitFor({ state: 'detached', timeout: waitMs });
}

/** Dates and times of formulas show as such, and days are typed without a year. */
async function readsDays(t: Test, { page }: Opened): Promise<void> {
  const typed = [
    ['R2', '=DATE(2026,1,31)', '1/31/2026'],
    ['R3', '=TIME(14,30,0)', '2:30 PM'],
    ['R4', 'Dec 5', '5-Dec'],
    ['R5', '5-Dec', '5-Dec'],
    ['R6', 'Dec 2026', 'Dec-26'],
  ] as const;
  for (const [cell, input] of typed) await enter(page, cell, input);
  for (const [cell, , shown] of typed) await cellShows(page, cell, shown);
  await allSaved(page);
  await page.reload();
  for (const [cell, , shown] of typed) {
    await goTo(page, cell);
    await cellShows(page, cell, shown);
  }
  t.equal(await inputOf(page, 'Budget!R2'), '=DATE(2026,1,31)');
}

t.test('what is typed finds its cell', { timeout: 280_000 }, async (t) => {
  const opened = await openSample(t);
  await t.test('a formula takes cells of another sheet', (t) => pointsElsewhere(t, opened));
  await t.test('a text is entered before a sheet turns', (t) => entersBeforeTurning(t, opened));
  await t.test('a text is entered when somebody leaves', (t) => entersOnLeaving(t, opened));
  await t.test('formulas are closed', (t) => closesFormulas(t, opened));
  await t.test('days and times are read', (t) => readsDays(t, opened));
  t.same(opened.watch.take(), []);
});
