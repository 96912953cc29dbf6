import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import {
  allSaved,
  asked,
  cellShows,
  cellText,
  enter,
  fieldHolds,
  goTo,
  openSample,
  put,
  take,
  waitMs,
  type Opened,
} from '../support/console-page.ts';

/**
 * Cells are selected by headers, keys and the mouse.
 * Runs long: half a minute in a browser.
 */

const [rowHeader, columnHeader, columnPx, rowPx] = [56, 26, 96, 24];

const nameBox = (page: Page) => page.getByLabel('Go to cell');

/** Returns the pixel of the middle of a cell, counted from 0; -1 is the header. */
async function pixelOf(page: Page, row: number, column: number) {
  const { x, y } = (await page.locator('.grid').boundingBox()) ?? { x: 0, y: 0 };
  return {
    x: x + (column < 0 ? 20 : rowHeader + (column + 0.5) * columnPx),
    y: y + (row < 0 ? 10 : columnHeader + (row + 0.5) * rowPx),
  };
}

async function press(page: Page, row: number, column: number, key?: string): Promise<void> {
  const { x, y } = await pixelOf(page, row, column);
  if (key !== undefined) await page.keyboard.down(key);
  await page.mouse.click(x, y);
  if (key !== undefined) await page.keyboard.up(key);
}

/** Shift extends whole lines from the first one, and a formula takes lines by their headers. */
async function selectsLines(t: Test, { page }: Opened): Promise<void> {
  await press(page, -1, 3);
  await press(page, -1, 5, 'Shift');
  await fieldHolds(t, nameBox(page), 'D:F');
  await press(page, -1, 2, 'Shift');
  await fieldHolds(t, nameBox(page), 'C:D');
  await press(page, 7, -1);
  await press(page, 9, -1, 'Shift');
  await fieldHolds(t, nameBox(page), '8:10');
  await press(page, 5, -1, 'Shift');
  await fieldHolds(t, nameBox(page), '6:8');
  await goTo(page, 'K9');
  await page.keyboard.type('=SUM(');
  await press(page, -1, 1);
  await fieldHolds(t, page.locator('.grid-editor'), '=SUM(B:B');
  await page.keyboard.press('Escape');
}

async function typeKeys(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Merged cells are one: for the mouse, for arrows, for what is typed and pasted. */
async function mergesCells(t: Test, { page }: Opened): Promise<void> {
  for (const [cell, text] of Object.entries({ B20: 'two', A21: 'three', C20: 'next' })) {
    await enter(page, cell, text);
  }
  await goTo(page, 'A20:B21');
  await page.getByText('Insert', { exact: true }).click();
  await page.getByRole('button', { name: 'Merge cells' }).click();
  await page.getByText(/The first value is kept/u).waitFor({ timeout: waitMs });
  await cellShows(page, 'A20', 'two');
  await allSaved(page);
  t.match(await asked(page, 'slice?lens=input&range=Budget!A20:B21'), {
    rows: [
      ['two', null],
      [null, null],
    ],
  });
  // The view has the row of the selection at its end.
  await goTo(page, 'A1');
  await press(page, 20, 1);
  await fieldHolds(t, nameBox(page), 'A20:B21');
  await page.keyboard.type('one');
  await page.keyboard.press('Enter');
  await fieldHolds(t, nameBox(page), 'A22');
  await cellShows(page, 'A20', 'one');
  await page.keyboard.press('ArrowUp');
  await fieldHolds(t, nameBox(page), 'A20:B21');
  await page.keyboard.press('ArrowRight');
  await fieldHolds(t, nameBox(page), 'C20');
  await typeKeys(page, 'ArrowDown', 'ArrowLeft');
  await fieldHolds(t, nameBox(page), 'A20:B21');
  await page.keyboard.press('Shift+ArrowUp');
  await fieldHolds(t, nameBox(page), 'A19:B21');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowRight');
  await fieldHolds(t, nameBox(page), 'A20:C21');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('below');
  await page.keyboard.press('Enter');
  await cellShows(page, 'C21', 'below');
  await goTo(page, 'C20');
  await take(page, 'copy');
  await goTo(page, 'B21');
  await fieldHolds(t, nameBox(page), 'A20:B21');
  await put(page);
  await cellShows(page, 'A20', 'next');
  await allSaved(page);
  t.match(await asked(page, 'slice?lens=input&range=Budget!A20:B21'), {
    rows: [
      ['next', null],
      [null, null],
    ],
  });
  await goTo(page, 'E20');
  await page.keyboard.type('=');
  await press(page, 20, 1);
  await fieldHolds(t, page.locator('.grid-editor'), '=A20');
  await page.keyboard.press('Escape');
}

/** Enter returns to where Tab began; Ctrl+A grows and never shrinks, and keeps the active cell. */
async function stepsOn(t: Test, { page }: Opened): Promise<void> {
  await goTo(page, 'J10');
  for (const text of ['a', 'b']) {
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  }
  await page.keyboard.type('c');
  await page.keyboard.press('Enter');
  await fieldHolds(t, nameBox(page), 'J11');
  await typeKeys(page, 'Tab', 'Tab', 'Enter');
  await fieldHolds(t, nameBox(page), 'J12');
  await typeKeys(page, 'Tab', 'ArrowRight', 'Enter');
  await fieldHolds(t, nameBox(page), 'L13');
  await goTo(page, 'B3');
  await page.keyboard.press('Control+a');
  await fieldHolds(t, nameBox(page), 'A1:H6');
  await page.keyboard.press('Control+a');
  await fieldHolds(t, nameBox(page), 'A1:L21');
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+a');
  await fieldHolds(t, nameBox(page), 'A1:L21');
  await page.keyboard.press('Enter');
  await page.keyboard.type('8500');
  await page.keyboard.press('Enter');
  await cellShows(page, 'B4', '8,500');
  await page.keyboard.press('Control+z');
  await goTo(page, 'M22');
  for (let times = 0; times < 3; times++) {
    await page.keyboard.press('Control+a');
    await fieldHolds(t, nameBox(page), 'A1:L21');
  }
}

/** The handle fills as far as the column beside goes on, and cells scroll below a resting mouse. */
async function drags(t: Test, { page }: Opened): Promise<void> {
  await enter(page, 'K2', '1');
  // The first row and column are frozen, and tell nothing of how far the rest is scrolled.
  await goTo(page, 'B2');
  const inputs = [1, 2, 3, 4].map((number) => [number]);
  const payload = { sheet: 'Budget', range: 'J2:J5', inputs };
  await asked(page, 'branches/main/ops', 'POST', {
    writer: 'agent',
    ops: [{ kind: 'range.set', payload }],
  });
  await cellShows(page, 'J5', '4');
  await press(page, 1, 10);
  const { x, y } = await pixelOf(page, 1, 10);
  await page.mouse.dblclick(x + columnPx / 2 - 1, y + rowPx / 2 - 1);
  await fieldHolds(t, nameBox(page), 'K2:K5');
  await cellShows(page, 'K5', '1');
  t.equal(await cellText(page, 'K6'), '');
  const grid = (await page.locator('.grid').boundingBox()) ?? { x: 0, y: 0, height: 0 };
  const lastRow = async () => Number(/(\d+)$/u.exec(await nameBox(page).inputValue())?.[1] ?? 0);
  const rests = async (row: number, column: number) => {
    const from = await pixelOf(page, row, column);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x, grid.y + grid.height + 6, { steps: 4 });
    for (let tries = 0; tries < 400 && (await lastRow()) < 80; tries++)
      await page.waitForTimeout(50);
    await page.mouse.up();
    t.ok((await lastRow()) >= 80, 'rows come while the mouse rests');
    await goTo(page, 'B2');
  };
  await rests(2, 2);
  await rests(2, -1);
}

/** Cells that the page has not loaded are merged with what they hold. */
async function mergesFarCells(t: Test, { page }: Opened): Promise<void> {
  const deep = [{ a1: 'A3400', input: 'deep' }];
  const ops = [{ kind: 'cells.set', payload: { sheet: 'Budget', cells: deep } }];
  const sent = await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops });
  const { head } = sent as { readonly head: number };
  await page.getByText(`main@${head}`).first().waitFor({ timeout: waitMs });
  await goTo(page, 'A3000:B3500');
  await page.getByText('Insert', { exact: true }).click();
  await page.getByRole('button', { name: 'Merge cells' }).click();
  await page
    .getByText(`main@${head + 4}`)
    .first()
    .waitFor({ timeout: waitMs });
  t.match(await asked(page, 'slice?range=Budget!A3000'), { rows: [['deep']] });
}

/** An area whose first cell is far above has its look all the same. */
async function showsDeepArea(t: Test, { page }: Opened): Promise<void> {
  const style = { range: 'A3000', style: { fill: { fg: '#00FF00' } } };
  const ops = [{ kind: 'format.set', payload: { sheet: 'Budget', ...style } }];
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops });
  await goTo(page, 'H3480');
  await page.waitForURL(/cell=H3480/u, { timeout: waitMs });
  await page.reload();
  const isGreen = () =>
    page.evaluate<boolean>(`(() => {
      const canvas = document.querySelector('canvas.grid-canvas');
      const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
      const at = 60 * window.devicePixelRatio;
      probe.drawImage(canvas, at, at, 1, 1, 0, 0, 1, 1);
      const { data } = probe.getImageData(0, 0, 1, 1);
      return data[1] === 255 && data[0] === 0;
    })()`);
  await page.locator('.grid-canvas').waitFor({ timeout: waitMs });
  for (let tries = 0; tries < 200 && !(await isGreen()); tries++) await page.waitForTimeout(50);
  t.ok(await isGreen());
  t.equal(await page.getByLabel('Go to cell').inputValue(), 'H3480');
}

t.test('cells are selected in every way', { timeout: 280_000 }, async (t) => {
  const opened = await openSample(t);
  await t.test('lines are selected by their headers', (t) => selectsLines(t, opened));
  await t.test('merged cells are one', (t) => mergesCells(t, opened));
  await t.test('keys go through cells', (t) => stepsOn(t, opened));
  await t.test('cells are dragged over', (t) => drags(t, opened));
  await t.test('far cells are merged with what they hold', (t) => mergesFarCells(t, opened));
  await t.test('a cell far above is seen', (t) => showsDeepArea(t, opened));
  t.same(opened.watch.take(), []);
});
