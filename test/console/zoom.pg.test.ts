import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import { RealBrowser } from '../support/chromium.ts';
import {
  allSaved,
  asked,
  cellShows,
  checkScreen,
  fieldHolds,
  goTo,
  openSample,
  trySample,
  waitMs,
  type Opened,
} from '../support/console-page.ts';
import { TestService } from '../support/test-service.ts';

/** Runs long: each step of the zoom is looked at in a real browser. */

/** Cells become larger and smaller; what lies under the pointer or between the fingers stays. */

const nameBox = (page: Page) => page.getByLabel('Go to cell');

async function gridBox(page: Page) {
  return (await page.locator('.grid').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
}

const zoomOf = (page: Page) =>
  page.evaluate<number>(`Number(document.querySelector('.grid').style.zoom)`);

async function turnsWheel(page: Page, px: number): Promise<void> {
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, px);
  await page.keyboard.up('Control');
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
}

/** The cell under the pointer stays there, at the top of a sheet and far below. */
async function keepsPlace(t: Test, { page }: Opened): Promise<void> {
  const { x, y } = await gridBox(page);
  const at = { x: x + 700, y: y + 320 };
  await goTo(page, 'CZ900');
  await goTo(page, 'CQ500');
  await page.mouse.click(at.x, at.y);
  const cell = await nameBox(page).inputValue();
  t.match(cell, /^[A-Z]+\d{3}$/u);
  for (const px of [-300, -300, 500, 400, -450]) {
    await page.mouse.move(at.x, at.y);
    await turnsWheel(page, px);
    await page.mouse.click(at.x, at.y);
    await fieldHolds(t, nameBox(page), cell);
  }
}

/** Cells are as large as is asked for: their edges, their field and their texts go along. */
async function isLarger(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await goTo(page, 'A1');
  await goTo(page, 'B2');
  const { x, y } = await gridBox(page);
  await page.mouse.move(x + 10, y + 10);
  await turnsWheel(page, 3_000);
  t.equal(await zoomOf(page), 0.5, 'cells are half as large at least');
  await turnsWheel(page, -9_000);
  t.equal(await zoomOf(page), 2, 'and twice as large at most');
  const canvas = await page.locator('.grid-canvas').boundingBox();
  const { width, height } = await gridBox(page);
  const beside = Math.abs((canvas?.width ?? 0) - width) + Math.abs((canvas?.height ?? 0) - height);
  t.ok(beside < 4, 'it is drawn at the size at which it is shown');
  await page.mouse.click(x + 2 * (56 + 96 + 20), y + 2 * (26 + 24 + 12));
  await fieldHolds(t, nameBox(page), 'B2');
  await page.keyboard.type('1');
  const box = (await page.locator('.grid-editor').boundingBox()) ?? { x: 0, y: 0, height: 0 };
  t.same([box.x - x, box.y - y], [2 * (56 + 96), 2 * (26 + 24)], 'the field lies over its cell');
  await page.keyboard.press('Escape');
  await cellShows(page, 'B2', '1,200');
  await checkScreen(t, opened, 'large cells');
  const edge = { x: x + 2 * (56 + 2 * 96), y: y + 20 };
  await page.mouse.move(edge.x, edge.y);
  await page.mouse.down();
  await page.mouse.move(edge.x + 40, edge.y, { steps: 3 });
  await page.mouse.up();
  await allSaved(page);
  t.match(await asked(page, 'formats?range=Budget!B1'), { slices: [{ columns: [{ px: 116 }] }] });
}

/** Buttons and keys go by the usual sizes; a sheet has its own until somebody chooses one. */
async function isChosen(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const zoom = page.getByRole('group', { name: 'Zoom' });
  const shows = async (percent: number, why: string) => {
    await zoom.getByText(`${percent} %`, { exact: true }).waitFor({ timeout: waitMs });
    t.equal(await zoomOf(page), percent / 100, why);
  };
  const ops = [{ kind: 'sheet.props', payload: { sheet: 'Budget', zoom: 75 } }];
  await page.reload();
  await page.locator('.grid-canvas').waitFor({ timeout: waitMs });
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops });
  await shows(75, 'as the sheet says');
  await zoom.getByRole('button', { name: 'Larger cells' }).click();
  await shows(90, 'the next larger size');
  await goTo(page, 'A1');
  await page.keyboard.press('Control+Alt+-');
  await page.keyboard.press('Control+Alt+-');
  await shows(50, 'smaller by a key');
  t.ok(await zoom.getByRole('button', { name: 'Smaller cells' }).isDisabled());
  await zoom.getByText('50 %').click();
  await shows(100, 'back to the usual size');
  for (let step = 0; step < 3; step++) await page.keyboard.press('Control+Alt+=');
  await shows(200, 'larger by a key');
  await goTo(page, 'A1');
  await page.keyboard.type('=su');
  const popup = page.locator('.grid .formula-popup');
  await popup.getByRole('option').first().waitFor({ timeout: waitMs });
  const [{ x, width }, grid] = [
    (await popup.boundingBox()) ?? { x: 0, width: 0 },
    await gridBox(page),
  ];
  t.ok(x >= grid.x && width <= 1280, 'words stay in the grid');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await checkScreen(t, opened, 'chosen zoom');
  await page.keyboard.press('Control+Alt+0');
  await shows(100, 'by a key as well');
}

/** Two fingers that part make cells larger; one finger scrolls as before. */
async function isPinched(t: Test): Promise<void> {
  const service = await TestService.start(t);
  const browser = await RealBrowser.start(t);
  const { page, context, watch } = await browser.open({ width: 400, height: 800, isPhone: true });
  await trySample(page, service.url);
  const { x, y } = await gridBox(page);
  const touch = await context.newCDPSession(page);
  const fingers = (type: string, ...apart: readonly number[]) =>
    touch.send('Input.dispatchTouchEvent', {
      type: type as 'touchStart',
      touchPoints: apart.map((px, id) => ({ x: x + 150 + px, y: y + 150, id })),
    });
  await fingers('touchStart', -30, 30);
  await fingers('touchMove', -40, 40);
  await fingers('touchMove', -45, 45);
  await fingers('touchEnd');
  for (let tries = 0; tries < 100 && (await zoomOf(page)) !== 1.5; tries++) {
    await page.waitForTimeout(50);
  }
  t.equal(await zoomOf(page), 1.5);
  t.equal(await page.evaluate('window.visualViewport.scale'), 1, 'the page itself is as large');
  t.same(watch.take(), []);
}

t.test('cells are zoomed', { timeout: 170_000 }, async (t) => {
  const opened = await openSample(t);
  await t.test('what is under the pointer stays', (t) => keepsPlace(t, opened));
  await t.test('cells are larger with all that is theirs', (t) => isLarger(t, opened));
  await t.test('a size is chosen', (t) => isChosen(t, opened));
  await t.test('fingers do it as well', isPinched);
  await opened.page.getByLabel('Go to cell').waitFor({ timeout: waitMs });
  t.same(opened.watch.take(), []);
});
