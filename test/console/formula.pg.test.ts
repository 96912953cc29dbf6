import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import {
  allSaved,
  asked,
  cellShows,
  checkScreen,
  enter,
  fieldHolds,
  goTo,
  openSample,
  waitMs,
  type Opened,
} from '../support/console-page.ts';

/** Formulas are typed with help: words that go on, arguments, colours, dollars, cells pointed at. */

const [rowHeader, columnHeader, columnPx, rowPx] = [56, 26, 96, 24];

const cellField = (page: Page) => page.locator('.grid-editor');

/** Presses the middle of a cell of the first screen, its row and column counted from 0. */
async function press(page: Page, row: number, column: number): Promise<void> {
  const { x, y } = (await page.locator('.grid').boundingBox()) ?? { x: 0, y: 0 };
  await page.mouse.click(
    x + rowHeader + (column + 0.5) * columnPx,
    y + columnHeader + (row + 0.5) * rowPx,
  );
}

async function inputOf(page: Page, cell: string): Promise<unknown> {
  await allSaved(page);
  const { rows } = (await asked(page, `slice?lens=input&range=Budget!${cell}`)) as {
    rows: unknown[][];
  };
  return rows[0]?.[0];
}

async function offersWords(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await goTo(page, 'J1');
  await page.keyboard.type('=su');
  const list = page.locator('.grid').getByRole('listbox', { name: 'Words that go on' });
  const sumIf = list.getByRole('option', { name: 'SUMIF range, criteria' });
  await sumIf.waitFor({ timeout: waitMs });
  await checkScreen(t, opened, 'formula words');
  const labels = await list.getByRole('option').locator('span:first-child').allTextContents();
  for (let step = 0; step <= labels.indexOf('SUMIF'); step++)
    await page.keyboard.press('ArrowDown');
  t.equal(await sumIf.getAttribute('aria-selected'), 'true');
  await page.keyboard.press('Enter');
  await fieldHolds(t, cellField(page), '=SUMIF(');
  const hint = page.locator('.grid .formula-popup strong');
  t.equal(await hint.textContent(), 'range');
  await page.keyboard.type('B2:B5,');
  t.equal(await hint.textContent(), 'criteria');
  await page.keyboard.type('">500")');
  await checkScreen(t, opened, 'formula colours');
  await page.keyboard.press('Enter');
  await cellShows(page, 'J1', '10300');
}

async function offersNames(t: Test, { page }: Opened): Promise<void> {
  await page.keyboard.type('=SUM(invo');
  const list = page.locator('.grid').getByRole('listbox', { name: 'Words that go on' });
  await list.getByRole('option', { name: 'Invoices table' }).waitFor({ timeout: waitMs });
  await list.getByRole('option', { name: 'Invoices sheet' }).waitFor({ timeout: waitMs });
  await page.keyboard.press('Tab');
  await fieldHolds(t, cellField(page), '=SUM(Invoices[');
  await page.keyboard.type('am');
  await list.getByRole('option', { name: 'Amount column' }).click();
  await fieldHolds(t, cellField(page), '=SUM(Invoices[Amount]');
  await page.keyboard.type(')');
  await page.keyboard.press('Enter');
  await cellShows(page, 'J2', '10625.7');
}

/** Keys and the mouse point at cells; F4 turns the dollars; the formula is the same in the end. */
async function pointsAtCells(t: Test, { page }: Opened): Promise<void> {
  await goTo(page, 'J3');
  await page.keyboard.type('=');
  for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowUp']) await page.keyboard.press(key);
  await fieldHolds(t, cellField(page), '=H2');
  await page.keyboard.press('F4');
  await fieldHolds(t, cellField(page), '=$H$2');
  await page.keyboard.type('+sum(');
  await press(page, 1, 1);
  await fieldHolds(t, cellField(page), '=$H$2+sum(B2');
  await press(page, 2, 2);
  await fieldHolds(t, cellField(page), '=$H$2+sum(C3');
  await page.keyboard.press('Shift+ArrowDown');
  await fieldHolds(t, cellField(page), '=$H$2+sum(C3:C4');
  const colours = page.locator('.grid .formula-layer .reference');
  t.same(await colours.allTextContents(), ['$H$2', 'C3:C4']);
  await page.keyboard.type(')');
  await page.keyboard.press('Enter');
  await fieldHolds(t, page.getByLabel('Go to cell'), 'J4');
  t.equal(await inputOf(page, 'J3'), '=$H$2+SUM(C3:C4)');
}

/** The bar has the same helps, and shows what is typed into the cell. */
async function typesInBar(t: Test, { page }: Opened): Promise<void> {
  const bar = page.getByLabel('Formula', { exact: true });
  await goTo(page, 'J5');
  await page.keyboard.type('=1+');
  await fieldHolds(t, bar, '=1+');
  await page.keyboard.press('Escape');
  await fieldHolds(t, bar, '');
  await bar.click();
  await page.keyboard.type('=2*');
  await press(page, 4, 1);
  await fieldHolds(t, bar, '=2*B5');
  for (const expected of ['=2*$B$5', '=2*B$5', '=2*$B5', '=2*B5']) {
    await page.keyboard.press('F4');
    await fieldHolds(t, bar, expected);
  }
  await page.keyboard.press('End');
  await page.keyboard.type('-1');
  // Going elsewhere enters the text that was typed.
  await press(page, 6, 1);
  await cellShows(page, 'J5', '1399');
  await fieldHolds(t, page.getByLabel('Go to cell'), 'B7');
}

/** Arrows enter a text that was typed, and move the caret of one that is edited. */
async function leadsByArrows(t: Test, { page }: Opened): Promise<void> {
  await goTo(page, 'J7');
  await page.keyboard.type('one');
  await page.keyboard.press('ArrowDown');
  await fieldHolds(t, page.getByLabel('Go to cell'), 'J8');
  await cellShows(page, 'J7', 'one');
  await enter(page, 'J8', 'two');
  await goTo(page, 'J8');
  await page.keyboard.press('F2');
  await fieldHolds(t, cellField(page), 'two');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.type('H');
  await page.keyboard.press('Enter');
  await cellShows(page, 'J8', 'tHwo');
}

t.test('formulas are typed with help', { timeout: 120_000 }, async (t) => {
  const opened = await openSample(t);
  const { watch } = opened;
  await t.test('functions and their arguments', (t) => offersWords(t, opened));
  await t.test('tables, columns and sheets', (t) => offersNames(t, opened));
  await t.test('cells are pointed at', (t) => pointsAtCells(t, opened));
  await t.test('in the bar as in the cell', (t) => typesInBar(t, opened));
  await t.test('arrows lead on', (t) => leadsByArrows(t, opened));
  t.same(watch.take(), []);
});
