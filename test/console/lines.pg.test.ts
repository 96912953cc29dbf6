import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import {
  allSaved,
  asked,
  cellShows,
  checkScreen,
  goTo,
  openSample,
  waitMs,
  type Opened,
} from '../support/console-page.ts';

/** Rows and columns get sizes, and are grouped and folded away, in a real browser. */

const [rowHeader, columnHeader, columnPx, rowPx] = [56, 26, 96, 24];
const waited = { timeout: waitMs };

async function boxOf(page: Page): Promise<{ readonly x: number; readonly y: number }> {
  return (await page.locator('.grid').boundingBox()) ?? { x: 0, y: 0 };
}

function columnsAt(page: Page, range: string) {
  return asked(page, `formats?range=Budget!${range}`) as Promise<{
    readonly slices: readonly {
      readonly columns: readonly object[];
      readonly rows: readonly object[];
    }[];
  }>;
}

async function isHidden(page: Page, cell: string): Promise<void> {
  await page.locator(`[data-cell="${cell}"]`).waitFor({ ...waited, state: 'detached' });
}

async function resizesTogether(t: Test, { page }: Opened): Promise<void> {
  const { x, y } = await boxOf(page);
  await goTo(page, 'C:D');
  const edge = x + rowHeader + 3 * columnPx;
  await page.mouse.move(edge, y + 10);
  await page.mouse.down();
  await page.mouse.move(edge + 24, y + 10, { steps: 3 });
  await page.mouse.up();
  await allSaved(page);
  const { slices } = await columnsAt(page, 'C1:D1');
  t.match(slices[0]?.columns, [{ from: 'C', count: 2, px: columnPx + 24 }]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await allSaved(page);
  t.match((await columnsAt(page, 'C1:D1')).slices[0]?.columns, []);
}

/** Sizes are typed as well, for who does not drag. */
async function typesSizes(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await goTo(page, 'B2:C4');
  const open = async (name: string) => {
    await page.getByText('Lines', { exact: true }).click();
    await page.getByRole('button', { name, exact: true }).click();
  };
  await open('Row height…');
  const rows = page.getByRole('dialog', { name: 'Height of rows 2 to 4' });
  await rows.getByLabel('Height of rows 2 to 4, in pixels').fill('40');
  await checkScreen(t, opened, 'height of rows');
  await page.keyboard.press('Enter');
  await allSaved(page);
  t.match((await columnsAt(page, 'A2:A4')).slices[0]?.rows, [{ from: 2, count: 3, px: 40 }]);
  await open('Row height…');
  await rows.getByRole('button', { name: 'As high as needed' }).click();
  await allSaved(page);
  t.match((await columnsAt(page, 'A2:A4')).slices[0]?.rows, []);
  await open('Column width…');
  const columns = page.getByRole('dialog', { name: 'Width of columns B to C' });
  await columns.getByRole('spinbutton').fill('2');
  t.ok(await columns.getByRole('button', { name: 'Set it' }).isDisabled(), 'too narrow');
  await columns.getByRole('spinbutton').fill('120');
  await columns.getByRole('button', { name: 'Set it' }).click();
  await allSaved(page);
  t.match((await columnsAt(page, 'B1:C1')).slices[0]?.columns, [{ from: 'B', count: 2, px: 120 }]);
  await page.keyboard.press('Control+z');
  await allSaved(page);
}

/** Rows are grouped by a command, and folded by the sign in the header behind them. */
async function foldsRows(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await goTo(page, '2:3');
  await page.getByText('Lines', { exact: true }).click();
  await page.getByRole('button', { name: 'Group these rows', exact: true }).click();
  await allSaved(page);
  t.match((await columnsAt(page, 'A2:A3')).slices[0]?.rows, [{ from: 2, count: 2, level: 1 }]);
  await cellShows(page, 'A2', 'Rent');
  const { x, y } = await boxOf(page);
  const press = (row: number) => page.mouse.click(x + 8, y + columnHeader + (row - 0.5) * rowPx);
  await checkScreen(t, opened, 'grouped rows');
  await press(4);
  await isHidden(page, 'A2');
  await isHidden(page, 'A3');
  await allSaved(page);
  await checkScreen(t, opened, 'folded rows');
  await press(2);
  await cellShows(page, 'A3', 'Salaries');
  await allSaved(page);
  await goTo(page, 'A2');
  await page.getByText('Lines', { exact: true }).click();
  await page.getByRole('button', { name: 'Fold or unfold the group of rows' }).click();
  await isHidden(page, 'A2');
  await goTo(page, 'A4');
  await page.getByText('Lines', { exact: true }).click();
  await page.getByRole('button', { name: 'Fold or unfold the group of rows' }).click();
  await cellShows(page, 'A2', 'Rent');
  await goTo(page, '2:3');
  await page.getByText('Lines', { exact: true }).click();
  await page.getByRole('button', { name: 'Ungroup these rows' }).click();
  await allSaved(page);
  t.match((await columnsAt(page, 'A2:A3')).slices[0]?.rows, []);
}

/** Frozen lines leave room for others, and a note leaves with its cell. */
async function leavesRoom(t: Test, { page }: Opened): Promise<void> {
  const sheet = 'Budget';
  const ops = [
    { kind: 'sheet.props', payload: { sheet, freezeRows: 39, freezeCols: 2 } },
    { kind: 'note.set', payload: { sheet, a1: 'F5', text: 'Raised in May' } },
  ];
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops });
  await page.locator('[data-cell="A1"]').waitFor({ ...waited, state: 'attached' });
  await goTo(page, 'F70');
  await page.locator('[data-cell="F70"]').waitFor({ ...waited, state: 'attached' });
  const { height } = (await page.locator('.grid').boundingBox()) ?? { height: 0 };
  const { y: top } = (await page.locator('.grid-editor').boundingBox()) ?? { y: 0 };
  const { x, y } = await boxOf(page);
  t.ok(top > y && top < y + height, 'the selected cell is in view');
  await goTo(page, 'A1');
  await page.getByText('Lines', { exact: true }).click();
  await page.getByRole('button', { name: 'Freeze nothing' }).click();
  await allSaved(page);
  // The active cell was frozen, and stays in view.
  await isHidden(page, 'F70');
  await page.locator('[data-cell="A1"]').waitFor({ ...waited, state: 'attached' });
  const note = page.getByRole('tooltip');
  await page.mouse.move(x + rowHeader + 5.5 * columnPx, y + columnHeader + 4.5 * rowPx);
  await note.getByText('Raised in May').waitFor(waited);
  const later = { kind: 'note.set', payload: { sheet, a1: 'F5', text: 'Raised in June' } };
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops: [later] });
  await note.getByText('Raised in June').waitFor(waited);
  await page.mouse.wheel(0, 300);
  await note.waitFor({ ...waited, state: 'hidden' });
}

t.test('rows and columns', { timeout: 120_000 }, async (t) => {
  const opened = await openSample(t);
  await t.test('get a size together', (t) => resizesTogether(t, opened));
  await t.test('have typed sizes', (t) => typesSizes(t, opened));
  await t.test('are folded', (t) => foldsRows(t, opened));
  await t.test('leave room where they are frozen', (t) => leavesRoom(t, opened));
  t.same(opened.watch.take(), []);
});
