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
  put,
  take,
  visit,
  waitMs,
  type Opened,
} from '../support/console-page.ts';

/**
 * People try here without a thought what they know of other spreadsheets.
 * Runs long: half a minute in a browser.
 */

const [rowHeader, columnHeader, columnPx, rowPx] = [56, 26, 96, 24];

const bar = (page: Page) => page.getByLabel('Formula', { exact: true });
const nameBox = (page: Page) => page.getByLabel('Go to cell');
const menuOf = (page: Page) => page.getByRole('menu', { name: 'Selected cells' });

/** Returns the pixel of the middle of a cell, counted from 0; -1 is the header. */
async function pixelOf(page: Page, row: number, column: number) {
  const { x, y } = (await page.locator('.grid').boundingBox()) ?? { x: 0, y: 0 };
  return {
    x: x + (column < 0 ? 20 : rowHeader + (column + 0.5) * columnPx),
    y: y + (row < 0 ? 10 : columnHeader + (row + 0.5) * rowPx),
  };
}

async function askMenu(page: Page, row: number, column: number): Promise<void> {
  const { x, y } = await pixelOf(page, row, column);
  await page.mouse.click(x, y, { button: 'right' });
}

/** Whole columns have the commands of columns, and no command empties a sheet by mistake. */
async function keepsToLines(t: Test, { page }: Opened): Promise<void> {
  await askMenu(page, -1, 3);
  await fieldHolds(t, nameBox(page), 'D:D');
  const items = await menuOf(page).getByRole('menuitem').allTextContents();
  t.ok(items.includes('Delete these columns') && items.includes('Hide these columns'));
  t.notOk(
    items.some((one) => one.toLowerCase().includes('rows')),
    'rows have their own menu',
  );
  await page.keyboard.press('Escape');
  await page.getByText('Insert', { exact: true }).click();
  await page.getByRole('button', { name: 'Delete these rows' }).click();
  await page.getByText(/These are whole columns/u).waitFor({ timeout: waitMs });
  await askMenu(page, 3, -1);
  const ofRows = await menuOf(page).getByRole('menuitem').allTextContents();
  t.notOk(ofRows.some((one) => one.toLowerCase().includes('columns')));
  await page.keyboard.press('Escape');
  await goTo(page, 'D1');
  await fieldHolds(t, bar(page), 'Mar');
  await askMenu(page, -1, 3);
  await menuOf(page).getByRole('menuitem', { name: 'Delete these columns' }).click();
  await cellShows(page, 'D1', 'Apr');
  await fieldHolds(t, bar(page), 'Apr');
  await page.keyboard.press('Control+z');
  await cellShows(page, 'D1', 'Mar');
  await fieldHolds(t, bar(page), 'Mar');
  await cellShows(page, 'A1', 'Costs');
}

/** A tab has its menu at itself, and after a menu keys go to the cells. */
async function keepsTabs(t: Test, { page }: Opened): Promise<void> {
  const name = page.getByLabel('Name of the sheet');
  await page.getByRole('tab', { name: 'Suppliers' }).dblclick();
  await name.waitFor({ timeout: waitMs });
  await fieldHolds(t, name, 'Suppliers');
  await page.keyboard.type('Firms');
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Firms', selected: true }).waitFor({ timeout: waitMs });
  await allSaved(page);
  await page.getByRole('tab', { name: 'Invoices' }).click({ button: 'right' });
  await fieldHolds(t, name, 'Invoices');
  // Until its cells are there, no key of the grid is heard.
  await cellShows(page, 'A1', 'No');
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowDown');
  await fieldHolds(t, nameBox(page), 'A2');
  await page.getByRole('button', { name: 'Add a sheet' }).click();
  await page.getByRole('tab', { name: 'Sheet2', selected: true }).waitFor({ timeout: waitMs });
  await page.getByLabel('Menu of the sheet Sheet2').click();
  await page.getByRole('button', { name: 'Delete…', exact: true }).click();
  await page.getByRole('button', { name: 'Delete the sheet' }).click();
  await page.getByRole('tab', { name: 'Sheet2' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Control+z');
  await page.getByRole('tab', { name: 'Sheet2' }).waitFor({ timeout: waitMs });
  await page.getByRole('tab', { name: 'Budget' }).click();
  await cellShows(page, 'A1', 'Costs');
}

/** Rows grow with the lines of their texts, unless somebody has set their height. */
async function showsLines(t: Test, { page }: Opened): Promise<void> {
  const top = async (cell: string) => {
    await goTo(page, cell);
    const box = await page.locator('.grid > .formula-field').boundingBox();
    return box?.y ?? 0;
  };
  const heightOf = async (px: (height: number) => boolean) => {
    let height = 0;
    for (let tries = 0; tries < 100; tries++) {
      height = -(await top('K10')) + (await top('K11'));
      if (px(height)) break;
      await page.waitForTimeout(50);
    }
    return height;
  };
  await goTo(page, 'K10');
  for (const line of ['one', 'two', 'three']) {
    await page.keyboard.type(line);
    if (line !== 'three') await page.keyboard.press('Alt+Enter');
  }
  await page.keyboard.press('Enter');
  await allSaved(page);
  t.match(await asked(page, 'formats?range=Budget!K10'), { styles: [{}, { wrap: true }] });
  t.equal(await heightOf((px) => px > 40), 3 * 17 + 3, 'three lines');
  const ops = [{ kind: 'rows.size', payload: { sheet: 'Budget', from: 10, count: 1, px: 30 } }];
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops });
  t.equal(await heightOf((px) => px === 30), 30, 'as high as somebody wants it');
  await page.screenshot({ path: '/tmp/e-lines.png' });
}

/** Notes show under the mouse, a paste is selected, signs begin formulas. */
async function knowsMore(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await goTo(page, 'C3');
  await page.keyboard.press('Shift+F2');
  await page.getByRole('textbox', { name: 'Note of C3' }).fill('Raised in March');
  await page.getByRole('button', { name: 'Keep it' }).click();
  await allSaved(page);
  const { x, y } = await pixelOf(page, 2, 2);
  await page.mouse.move(x, y);
  const note = page.getByRole('tooltip').filter({ hasText: 'Raised in March' });
  for (let tries = 0; tries < 100 && !(await note.isVisible()); tries++) {
    await page.mouse.move(x + (tries % 5), y);
    await page.waitForTimeout(50);
  }
  t.ok(await note.isVisible());
  await page.mouse.move(x + 2 * columnPx, y);
  await note.waitFor({ state: 'hidden' });
  await enter(page, 'K20', '-B2');
  await cellShows(page, 'K20', '-1200');
  await enter(page, 'K21', '+1+2');
  await cellShows(page, 'K21', '3');
  await enter(page, 'K22', '- item');
  await cellShows(page, 'K22', '- item');
  await enter(page, 'K23', '-7');
  await cellShows(page, 'K23', '-7');
  await goTo(page, 'B2:C3');
  await take(page, 'copy');
  await goTo(page, 'M20');
  await put(page);
  await fieldHolds(t, nameBox(page), 'M20:N21');
}

/** The words of a formula begin with the usual ones, and are whole on a phone. */
async function offersUsual(t: Test, { page }: Opened): Promise<void> {
  await goTo(page, 'K24');
  await page.keyboard.type('=su');
  const first = page.locator('.grid').getByRole('option').first();
  await first.filter({ hasText: /^SUM /u }).waitFor({ timeout: waitMs });
  await page.keyboard.press('Tab');
  await fieldHolds(t, page.locator('.grid-editor'), '=SUM(');
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 360, height: 640 });
  for (const cell of ['A12', 'K12']) {
    await goTo(page, cell);
    await page.keyboard.type('=su');
    await first.waitFor({ timeout: waitMs });
    const box = await first.boundingBox();
    t.ok(box && box.x >= 0 && box.x + box.width <= 360, `${cell}: words are whole`);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

/** Somebody who was away is told what came meanwhile, and finds it marked. */
async function tellsWhatCame(t: Test, { page, watch }: Opened): Promise<void> {
  await allSaved(page);
  const told = page.getByRole('status').filter({ hasText: 'Since you were here' });
  await visit(page, 'Tables');
  const ops = [
    { kind: 'cells.set', payload: { sheet: 'Budget', cells: [{ a1: 'E4', input: 24 }] } },
  ];
  const both = { writer: 'agent', ops: [...ops, ...ops] };
  const { head } = (await asked(page, 'branches/main/ops', 'POST', both)) as { head: number };
  await visit(page, 'Cells');
  await cellShows(page, 'E4', '24');
  t.equal(await told.count(), 0, 'nobody was away for a moment');
  await visit(page, 'Tables');
  await page.getByRole('heading', { name: 'Tables' }).waitFor({ timeout: waitMs });
  await page.locator('.grid').first().waitFor({ state: 'detached', timeout: waitMs });
  await page.evaluate(`localStorage.setItem('quire.seen', JSON.stringify(
    JSON.parse(localStorage.getItem('quire.seen')).map(([key, { at }]) =>
      [key, { seq: ${head - 2}, at: at - 7_200_000 }]),
  ))`);
  await visit(page, 'Cells');
  await told.getByText(/Since you were here 2 hours ago: 2 changes by guest/u).waitFor({
    timeout: waitMs,
  });
  await checkScreen(t, { page, watch }, 'changes since a visit');
  await told.getByRole('link', { name: 'Mark them' }).click();
  await page.getByText(/Marked: what differs from main@\d+: 1 cell/u).waitFor({ timeout: waitMs });
  await page.getByRole('link', { name: 'No marks' }).click();
  await told.getByRole('button', { name: 'Close' }).click();
  await told.waitFor({ state: 'hidden' });
}

t.test('habits of other spreadsheets', { timeout: 280_000 }, async (t) => {
  const opened = await openSample(t);
  await t.test('whole lines keep to themselves', (t) => keepsToLines(t, opened));
  await t.test('tabs have their menu', (t) => keepsTabs(t, opened));
  await t.test('rows grow with their lines', (t) => showsLines(t, opened));
  await t.test('notes, signs and pastes', (t) => knowsMore(t, opened));
  await t.test('usual words come first', (t) => offersUsual(t, opened));
  await t.test('what came is told to who comes back', (t) => tellsWhatCame(t, opened));
  await checkScreen(t, opened, 'habits');
});
