import t from 'tap';
import type { Test } from 'tap';

import { RealBrowser } from '../support/chromium.ts';
import {
  checkScreen,
  fieldHolds,
  trySample,
  waitMs,
  type Opened,
} from '../support/console-page.ts';
import { TestService } from '../support/test-service.ts';

/** Cells on a phone: the room that they have, and what a finger does. */

/** Bars take a line each, a menu comes from below, and a panel leaves the cells in sight. */
async function fitsPhone(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const heightOf = async (part: string) =>
    (await page.locator(part).first().boundingBox())?.height ?? 0;
  await checkScreen(t, opened, 'sheet on a phone');
  t.ok((await heightOf('.grid')) > 400, 'half of the window is for cells');
  t.equal(await page.evaluate('document.documentElement.scrollHeight <= innerHeight'), true);
  await page.getByText('Insert', { exact: true }).click();
  const item = page.getByRole('button', { name: 'Take merged cells apart' });
  await item.waitFor({ timeout: waitMs });
  await checkScreen(t, opened, 'menu on a phone');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Comments, who wrote it' }).click();
  const panel = page.getByRole('complementary', { name: 'About A1' });
  await panel.getByRole('link', { name: 'See main@' }).first().waitFor({ timeout: waitMs });
  t.ok((await heightOf('.grid')) >= 160, 'cells are in sight above the panel');
  await checkScreen(t, opened, 'comments on a phone');
  await panel.getByRole('button', { name: 'Close' }).click();
}

/** A finger taps a cell, drags the handles of the selection, scrolls, and edits by two taps. */
async function pointsByFinger(t: Test, { page }: Opened): Promise<void> {
  const name = page.getByLabel('Go to cell');
  const { x, y } = (await page.locator('.grid').boundingBox()) ?? { x: 0, y: 0 };
  const devtools = await page.context().newCDPSession(page);
  const touch = async (
    type: 'touchStart' | 'touchMove' | 'touchEnd',
    at: readonly [number, number] | undefined,
  ) => {
    const touchPoints = at ? [{ x: x + at[0], y: y + at[1] }] : [];
    await devtools.send('Input.dispatchTouchEvent', { type, touchPoints });
  };
  const drag = async (from: readonly [number, number], to: readonly [number, number]) => {
    await touch('touchStart', from);
    for (const part of [0.25, 0.5, 0.75, 1]) {
      const [right, down] = [
        from[0] + (to[0] - from[0]) * part,
        from[1] + (to[1] - from[1]) * part,
      ];
      await touch('touchMove', [right, down]);
    }
    await touch('touchEnd', undefined);
  };
  await page.touchscreen.tap(x + 200, y + 60);
  await fieldHolds(t, name, 'B2');
  await drag([256, 78], [290, 160]);
  await fieldHolds(t, name, 'B2:C6');
  await page.getByText(/^Sum/u).waitFor({ timeout: waitMs });
  await drag([148, 46], [100, 60]);
  await fieldHolds(t, name, 'A2:C6');
  await page.touchscreen.tap(x + 200, y + 108);
  await fieldHolds(t, name, 'B4');
  await touch('touchStart', [200, 60]);
  const menu = page.getByRole('menu', { name: 'Selected cells' });
  await menu.waitFor({ timeout: waitMs });
  await touch('touchEnd', undefined);
  await fieldHolds(t, name, 'B2');
  t.ok(await menu.isVisible(), 'a finger that rested leaves the menu open');
  await page.keyboard.press('Escape');
  await page.touchscreen.tap(x + 200, y + 108);
  await fieldHolds(t, name, 'B4');
  await drag([200, 300], [200, 60]);
  await page.locator('[data-cell="A20"]').waitFor({ state: 'attached', timeout: waitMs });
  await fieldHolds(t, name, 'B4');
}

t.test('cells on a phone', { timeout: 90_000 }, async (t) => {
  const service = await TestService.start(t);
  const browser = await RealBrowser.start(t);
  const opened = await browser.open({ width: 400, height: 800, isPhone: true });
  await trySample(opened.page, service.url);
  await t.test('they keep the room', (t) => fitsPhone(t, opened));
  await t.test('a finger selects, scrolls and asks', (t) => pointsByFinger(t, opened));
  t.same(opened.watch.take(), []);
});
