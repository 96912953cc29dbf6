import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import {
  allSaved,
  asked,
  cellShows,
  checkScreen,
  fieldHolds,
  goTo,
  openSample,
  visit,
  waitMs,
  type Opened,
} from '../support/console-page.ts';

/** Runs long: two sheets are looked at in a real browser. */

/** Sheets whose columns run from right to left: what is seen, pressed, dragged and scrolled. */

const [rowHeader, columnHeader, columnPx, rowPx] = [56, 26, 96, 24];

const nameBox = (page: Page) => page.getByLabel('Go to cell');

async function gridBox(page: Page) {
  return (await page.locator('.grid').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
}

/** Returns the pixel of the middle of a cell, counted from 0 and from the right; -1 is the header. */
async function pixelOf(page: Page, row: number, column: number) {
  const { x, y, width } = await gridBox(page);
  return {
    x: x + width - (column < 0 ? 20 : rowHeader + (column + 0.5) * columnPx),
    y: y + (row < 0 ? 10 : columnHeader + (row + 0.5) * rowPx),
  };
}

async function press(page: Page, row: number, column: number): Promise<void> {
  const { x, y } = await pixelOf(page, row, column);
  await page.mouse.click(x, y);
}

async function drag(
  page: Page,
  from: { readonly x: number; readonly y: number },
  by: readonly [number, number],
): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + by[0], from.y + by[1], { steps: 4 });
  await page.mouse.up();
}

async function turned(page: Page, direction: 'ltr' | 'rtl'): Promise<void> {
  await page.locator(`.grid[dir="${direction}"]`).waitFor({ timeout: waitMs });
}

/** The colour of a pixel of the cells, from the left and the top. */
function colourAt(page: Page, x: number, y: number): Promise<string> {
  return page.evaluate<string>(`(() => {
    const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const canvas = document.querySelector('.grid-canvas');
    probe.drawImage(canvas, ${x}, ${y}, 1, 1, 0, 0, 1, 1);
    return probe.getImageData(0, 0, 1, 1).data.join();
  })()`);
}

async function comesToHave(t: Test, page: Page, column: number, colour: string): Promise<void> {
  const { x, y } = await gridBox(page);
  const middle = await pixelOf(page, 0, column);
  const look = () => colourAt(page, Math.round(middle.x - x) + 30, Math.round(middle.y - y) - 6);
  for (let tries = 0; tries < 400 && (await look()) !== colour; tries++) {
    await page.waitForTimeout(50);
  }
  t.equal(await look(), colour);
}

/** The menu of the tab turns a sheet, and its cells are drawn from the right. */
async function isTurned(t: Test, { page }: Opened): Promise<void> {
  const inputs = [
    ['שם', 'עיר', 'Sum', 'טקסט ארוך מאוד שאין לו מקום בתא'],
    ['Tea', '=1+1', '1200', '#1'],
  ];
  const look = { range: 'B1', style: { fill: '#FF0000' } };
  const ops = [
    { kind: 'sheet.add', payload: { name: 'Right' } },
    { kind: 'range.set', payload: { sheet: 'Right', range: 'A1:D2', inputs } },
    { kind: 'format.set', payload: { sheet: 'Right', ...look } },
  ];
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops });
  await page.getByRole('tab', { name: 'Right' }).click({ timeout: waitMs });
  await cellShows(page, 'B2', '2');
  await page.evaluate(`(() => {
    const { get, set } = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, 'width');
    window.clearings = 0;
    const width = {
      get,
      set(pixels) {
        window.clearings++;
        set.call(this, pixels);
      },
    };
    Object.defineProperty(document.querySelector('.grid-canvas'), 'width', width);
  })()`);
  await page.getByLabel('Menu of the sheet Right').click();
  await page.getByRole('button', { name: 'Columns from right to left' }).click();
  await turned(page, 'rtl');
  await allSaved(page);
  await comesToHave(t, page, 1, '255,0,0,255');
  t.equal(await page.evaluate('window.clearings'), 0, 'no other shape makes it black for a while');
  t.match(await asked(page, 'branches/main/state'), {
    sheets: [{}, {}, {}, { name: 'Right', properties: { rtl: true } }],
  });
}

/** Arrows go where they point; Tab, Home and the names of cells are as in any sheet. */
async function isSelected(t: Test, { page }: Opened): Promise<void> {
  await press(page, 1, 2);
  await fieldHolds(t, nameBox(page), 'C2');
  await page.keyboard.press('ArrowLeft');
  await fieldHolds(t, nameBox(page), 'D2');
  await page.keyboard.press('Control+ArrowRight');
  await fieldHolds(t, nameBox(page), 'A2');
  await page.keyboard.press('Shift+ArrowLeft');
  await fieldHolds(t, nameBox(page), 'A2:B2');
  await press(page, 4, 1);
  await page.keyboard.press('Tab');
  await fieldHolds(t, nameBox(page), 'C5');
  await page.keyboard.press('Home');
  await fieldHolds(t, nameBox(page), 'A5');
  await drag(page, await pixelOf(page, 4, 1), [-2 * columnPx, rowPx]);
  await fieldHolds(t, nameBox(page), 'B5:D6');
  await press(page, -1, 3);
  await fieldHolds(t, nameBox(page), 'D:D');
  await press(page, 2, -1);
  await fieldHolds(t, nameBox(page), '3:3');
}

/** The field lies over its cell; an arrow enters a text and points for a formula. */
async function isTypedInto(t: Test, { page }: Opened): Promise<void> {
  await press(page, 4, 2);
  await page.keyboard.type('abc');
  const middle = await pixelOf(page, 4, 2);
  const field = (await page.locator('.grid-editor').boundingBox()) ?? { x: 0, y: 0, width: 0 };
  t.ok(field.x <= middle.x && field.x + field.width >= middle.x, 'the field lies over its cell');
  t.equal(Math.round(field.x + field.width), middle.x + columnPx / 2, 'it grows to the left');
  await page.keyboard.press('ArrowLeft');
  await fieldHolds(t, nameBox(page), 'D5');
  await cellShows(page, 'C5', 'abc');
  await page.keyboard.type('=');
  await page.keyboard.press('ArrowRight');
  await fieldHolds(t, page.locator('.grid-editor'), '=C5');
  await press(page, 1, 1);
  await fieldHolds(t, page.locator('.grid-editor'), '=B2');
  await page.keyboard.press('Escape');
}

/** Edges and the square of the selection are dragged to the left. */
async function isDragged(t: Test, { page }: Opened): Promise<void> {
  const header = await pixelOf(page, -1, 4);
  await drag(page, { x: header.x - columnPx / 2, y: header.y }, [-54, 0]);
  await allSaved(page);
  t.match(await asked(page, 'formats?range=Right!E1'), { slices: [{ columns: [{ px: 150 }] }] });
  await page.keyboard.press('Control+z');
  await allSaved(page);
  await press(page, 1, 2);
  const cell = await pixelOf(page, 1, 2);
  const square = { x: cell.x - columnPx / 2 + 1, y: cell.y + rowPx / 2 - 1 };
  await drag(page, square, [10 - columnPx, 0]);
  await fieldHolds(t, nameBox(page), 'C2:D2');
  await cellShows(page, 'D2', '1201');
}

/** Frozen columns stay at the right; wheel, bar and names of cells lead to the left. */
async function isScrolled(t: Test, { page }: Opened): Promise<void> {
  const props = { kind: 'sheet.props', payload: { sheet: 'Right', freezeCols: 1 } };
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops: [props] });
  await allSaved(page);
  await goTo(page, 'Z1');
  await cellShows(page, 'Z1', '');
  await press(page, 1, 0);
  await fieldHolds(t, nameBox(page), 'A2');
  await goTo(page, 'A1');
  await goTo(page, 'B1');
  const from = await pixelOf(page, 8, 3);
  await page.mouse.move(from.x, from.y);
  await page.mouse.wheel(-3 * columnPx, 0);
  await page.mouse.click(from.x, from.y);
  await fieldHolds(t, nameBox(page), 'G9');
  await page.evaluate(`document.querySelector('.grid-scroller').scrollLeft = -${5 * columnPx}`);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
  await page.mouse.click(from.x, from.y);
  await fieldHolds(t, nameBox(page), 'I9');
  await page.mouse.wheel(20 * columnPx, 0);
  await page.mouse.click(from.x, from.y);
  await fieldHolds(t, nameBox(page), 'D9');
  const { x } = await gridBox(page);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(x - 6, from.y, { steps: 4 });
  const last = async () => /:([A-Z]+)9$/u.exec(await nameBox(page).inputValue())?.[1] ?? '';
  for (let tries = 0; tries < 400 && (await last()).length < 2; tries++) {
    await page.waitForTimeout(50);
  }
  await page.mouse.up();
  t.equal((await last()).length, 2, 'columns come while the mouse rests beyond the left edge');
}

/** Readers of the screen get the cells in their order, and are told that they run to the left. */
async function isRead(t: Test, { page }: Opened): Promise<void> {
  await page.getByRole('tab', { name: 'Budget' }).click();
  await turned(page, 'ltr');
  await page.getByRole('tab', { name: 'Right' }).click();
  await turned(page, 'rtl');
  await goTo(page, 'A1');
  await goTo(page, 'B1');
  await page.locator('[role="columnheader"]:text-is("B")').waitFor({ state: 'attached' });
  const seen = await page.evaluate<unknown>(`(() => {
    const grid = document.querySelector('[role="grid"]');
    const heads = [...grid.querySelectorAll('[role="columnheader"]')].slice(0, 3);
    return [getComputedStyle(grid).direction, ...heads.map((head) => head.textContent)];
  })()`);
  t.same(seen, ['rtl', 'A', 'B', 'C']);
}

t.test('columns run from right to left', { timeout: 170_000 }, async (t) => {
  const opened = await openSample(t);
  const { page } = opened;
  await t.test('a sheet is turned around', (t) => isTurned(t, opened));
  await t.test('cells are selected', (t) => isSelected(t, opened));
  await t.test('cells are typed into', (t) => isTypedInto(t, opened));
  await t.test('edges and squares are dragged', (t) => isDragged(t, opened));
  await t.test('it is scrolled', (t) => isScrolled(t, opened));
  await t.test('it is read out', (t) => isRead(t, opened));
  await checkScreen(t, opened, 'columns from right to left');
  await t.test('another sheet is as it was, and comes back', async (t) => {
    await page.getByRole('tab', { name: 'Budget' }).click();
    await turned(page, 'ltr');
    await page.evaluate(`new MutationObserver(() => {
      setTimeout(() => { window.seenAt = location.search; });
    }).observe(document.querySelector('.grid'), { attributeFilter: ['dir'] })`);
    await page.getByRole('tab', { name: 'Right' }).click();
    await turned(page, 'rtl');
    const address = await page.evaluate<string>('window.seenAt');
    t.match(address, /sheet=Right/u, 'the address has a sheet as soon as it is seen');
    await page.reload();
    await turned(page, 'rtl');
    await cellShows(page, 'B2', '2');
  });
  await t.test('what is compared runs as the sheet does', async () => {
    await visit(page, 'Compare');
    const from = page.getByRole('combobox', { name: 'From', exact: true });
    await from.selectOption('Another position…');
    await page.getByRole('textbox', { name: 'From', exact: true }).fill('main@1');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('button', { name: 'Right!B1' }).first().click({ timeout: waitMs });
    await turned(page, 'rtl');
  });
  t.same(opened.watch.take(), []);
});
