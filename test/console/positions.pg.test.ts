import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import {
  allSaved,
  asked,
  cellShows,
  checkScreen,
  enter,
  goTo,
  openSample,
  waitMs,
  type Opened,
} from '../support/console-page.ts';

/** Runs long: the slider of the history leads a real browser from position to position. */

/** Positions of a branch: found by keys and by the list, and brought back whole or in part. */

const waited = { timeout: waitMs };

async function isAt(page: Page, position: string): Promise<void> {
  const told = page.getByRole('region', { name: 'Positions' }).getByText(`main@${position}`);
  await told.waitFor(waited);
  await page.waitForTimeout(300);
}

/** Arrows go on from position to position, by groups and by named versions as well. */
async function stepsByKeys(t: Test, opened: Opened, named: number): Promise<void> {
  const { page } = opened;
  const ticks = page.locator('.history-ticks');
  await ticks
    .locator('.tick.version')
    .first()
    .waitFor({ ...waited, state: 'attached' });
  t.equal(await ticks.locator('.tick.version').count(), 2);
  t.equal(await ticks.locator('.tick.merge').count(), 0);
  t.match(await ticks.locator('.day').allTextContents(), [/\d/u], 'one day');
  const [handle, tick] = await Promise.all([
    page.locator('#history').boundingBox(),
    ticks.locator('.tick.version').last().boundingBox(),
  ]);
  const end = (handle?.x ?? 0) + (handle?.width ?? 0);
  t.ok(Math.abs(end - 8 - (tick?.x ?? 0) - 1) < 3, 'the last tick is below the end of the slider');
  await page.keyboard.press('Alt+h');
  await page.keyboard.press('Control+ArrowLeft');
  await isAt(page, `${named} (First plan)`);
  await cellShows(page, 'B5', '700');
  await page.keyboard.press('ArrowRight');
  await isAt(page, `${named + 1}:`);
  await page.keyboard.press('ArrowRight');
  await isAt(page, `${named + 2}:`);
  await checkScreen(t, opened, 'a position by keys');
  await page.keyboard.press('Shift+ArrowLeft');
  await isAt(page, `${named} (First plan)`);
  await page.keyboard.press('Shift+ArrowRight');
  await isAt(page, `${named + 3}:`);
  await page.keyboard.press('Control+ArrowRight');
  await isAt(page, `${named + 4} (Second plan)`);
  await allSaved(page);
}

/** The newest position is led to where answers are late, and stays the newest one. */
async function comesBackSlowly(t: Test, { page }: Opened, named: number): Promise<void> {
  let lateMs = 800;
  await page.route('**/branches/main/state*', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, lateMs));
    await route.continue();
  });
  await page.keyboard.press('Alt+h');
  await page.keyboard.press('Control+ArrowLeft');
  await isAt(page, `${named} (First plan)`);
  await page.getByText('an older position').waitFor(waited);
  await page.keyboard.press('Control+ArrowRight');
  await isAt(page, `${named + 4} (Second plan)`);
  await allSaved(page);
  t.match(page.url(), /at=main(?:&|$)/u, 'the branch itself is shown, and no older position');
  lateMs = 0;
}

/** A drag that pauses, so that its position is shown, goes on. */
async function dragsOn(t: Test, { page }: Opened, named: number): Promise<void> {
  const slider = page.locator('#history');
  const pointAt = async (seq: number) => {
    const { width, height } = (await slider.boundingBox()) ?? { width: 0, height: 0 };
    const x = 8 + ((width - 16) * seq) / (named + 4);
    await slider.hover({ position: { x, y: height / 2 } });
  };
  await pointAt(named + 4);
  await page.mouse.down();
  for (const seq of [named + 3, named + 2, named + 1]) await pointAt(seq);
  await isAt(page, `${named + 1}:`);
  await page.getByText('an older position').waitFor(waited);
  for (const seq of [named + 2, named + 3]) await pointAt(seq);
  await isAt(page, `${named + 3}:`);
  await page.mouse.up();
  t.match(page.url(), new RegExp(`main%40${named + 3}`, 'u'));
  await page.getByRole('link', { name: 'Back to now' }).click();
  await allSaved(page);
}

/** The list tells of one cell alone, and of each operation of a group. */
async function listsOfCell(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await goTo(page, 'B2');
  await page.getByRole('button', { name: 'All versions' }).click();
  const panel = page.getByRole('complementary', { name: 'History' });
  await panel.getByText(/typed: 3 changes, 3 cells/u).waitFor(waited);
  const on = panel.getByRole('combobox', { name: 'On', exact: true });
  await on.selectOption('the selected cell, B2');
  const items = panel.getByRole('listitem');
  await panel.getByText(/typed: 3 changes, 3 cells/u).waitFor({ ...waited, state: 'detached' });
  const newest = items.filter({ hasText: 'typed' }).first();
  await newest.waitFor(waited);
  await newest.getByRole('link').first().click();
  await page.getByText('an older position').waitFor(waited);
  t.equal(await on.inputValue(), '[cell]', 'the filter stays');
  t.match(page.url(), /on=%5Bcell%5D/u, 'it is in the address');
  await page.reload();
  await newest.waitFor(waited);
  t.equal(await on.inputValue(), '[cell]', 'also over a reload');
  await on.selectOption('all sheets');
  const group = items.filter({ hasText: 'typed: 3 changes' });
  await group.getByText('One by one').click(waited);
  await group.getByRole('listitem').nth(2).waitFor(waited);
  t.equal(await group.getByRole('listitem').count(), 3);
  await checkScreen(t, opened, 'operations one by one');
  const below = await page.evaluate<number>('document.documentElement.scrollHeight - innerHeight');
  t.equal(below, 0, 'the list scrolls in its panel, and the page stays as it is');
  await page.getByRole('link', { name: 'Back to now' }).click();
  await panel.getByRole('button', { name: 'Close' }).click();
  await allSaved(page);
}

/** A cell, a sheet or all of it comes back as operations; what moved meanwhile is followed. */
async function bringsBack(t: Test, opened: Opened, named: number): Promise<void> {
  const { page } = opened;
  const look = { sheet: 'Budget', range: 'A2:B2', style: { strike: true } };
  const ops = [
    { kind: 'format.set', payload: look },
    { kind: 'rows.insert', payload: { sheet: 'Budget', before: 1, count: 1 } },
  ];
  await asked(page, 'branches/main/ops', 'POST', { writer: 'other', ops });
  const struck = async () => JSON.stringify(await asked(page, 'formats?range=Budget!A3:B3'));
  t.match(await struck(), /strike/u);
  await cellShows(page, 'B3', '100');
  const then = page.url().replace(/at=main[^&]*/u, `at=main%40${named}`);
  await page.goto(then.replace(/cell=[^&]*/u, 'cell=B2'));
  await cellShows(page, 'B2', '1,200');
  await checkScreen(t, opened, 'ways back');
  await page.getByRole('button', { name: 'Bring back B2', exact: true }).click();
  await allSaved(page);
  await cellShows(page, 'B3', '1,200');
  await cellShows(page, 'B4', '101');
  await page.goto(then);
  await page.getByRole('button', { name: 'Bring back Budget' }).click(waited);
  await allSaved(page);
  await cellShows(page, 'B4', '8,400');
  await cellShows(page, 'B5', '310');
  t.notMatch(await struck(), /strike/u, 'the looks as well');
  t.match(await asked(page, 'slice?range=Suppliers!B2'), { rows: [['York']] }, 'no other sheet');
  await page.goto(then);
  await page.getByRole('button', { name: 'Bring this version back' }).click(waited);
  await allSaved(page);
  await cellShows(page, 'B2', '1,200');
  t.match(await asked(page, 'slice?range=Suppliers!B2'), { rows: [['Leeds']] });
  const { ops: done } = (await asked(page, 'branches/main/ops?before=9999&limit=40')) as {
    ops: { kind: string }[];
  };
  const kinds = done.map(({ kind }) => kind).filter((kind) => kind !== 'format.set');
  t.same(kinds.slice(0, 3), ['revert', 'range.set', 'range.set']);
}

t.test('positions of a branch', { timeout: 120_000 }, async (t) => {
  const opened = await openSample(t);
  const { page } = opened;
  const name = (message: string) =>
    asked(page, 'branches/main/commit', 'POST', { message, writer: 'me' });
  const { seq: named } = (await name('First plan')) as { seq: number };
  for (const [cell, input] of [
    ['B2', '100'],
    ['B3', '101'],
    ['B4', '102'],
  ] as const) {
    await enter(page, cell, input);
  }
  await allSaved(page);
  await name('Second plan');
  await page.reload();
  await allSaved(page);
  await t.test('by keys', (t) => stepsByKeys(t, opened, named));
  await t.test('by keys, with late answers', (t) => comesBackSlowly(t, opened, named));
  await t.test('by dragging', (t) => dragsOn(t, opened, named));
  await t.test('in a list', (t) => listsOfCell(t, opened));
  const york = { sheet: 'Suppliers', cells: [{ a1: 'B2', input: 'York' }] };
  const ops = [{ kind: 'cells.set', payload: york }];
  await asked(page, 'branches/main/ops', 'POST', { writer: 'other', ops });
  await t.test('brought back', (t) => bringsBack(t, opened, named));
  t.same(opened.watch.take(), []);
});
