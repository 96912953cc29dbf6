import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import { RealBrowser } from '../support/chromium.ts';
import {
  asked,
  bookOf,
  cellShows,
  checkScreen,
  trySample,
  visit,
  waitMs,
  type Opened,
} from '../support/console-page.ts';
import { TestService } from '../support/test-service.ts';

/** Tables are shown with their constraints, filled by keys alone, and locked where they must be. */

const waited = { timeout: waitMs };

const columns = [
  { name: 'sku', type: 'text' },
  { name: 'state', type: 'text', enum: ['new', 'sold'], nullable: false, default: 'new' },
  { name: 'price', type: 'number' },
  { name: 'twice', formula: '=[@price]*2' },
];
const rows = [
  { sku: 'A', state: 'new', price: 1 },
  { sku: 'B', state: 'sold', price: 2 },
];

async function showsConstraints(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const table = { name: 'Stock', keyColumn: 'sku', schema: { columns } };
  await asked(page, 'branches/main/tables', 'POST', table);
  await asked(page, 'branches/main/tables/Stock/rows', 'POST', { rows });
  await visit(page, 'Tables');
  await page.getByRole('link', { name: 'Stock', exact: true }).click(waited);
  const listed = page.getByRole('list', { name: 'Columns' }).getByRole('listitem');
  await listed.first().waitFor(waited);
  t.match(await listed.allTextContents(), [
    'sku text, key',
    'state text, never blank, one of new | sold, new if left out',
    'price number',
    /^twice any .*2$/u,
  ]);
  await checkScreen(t, opened, 'a table with constraints');
}

/** The grid keeps the focus when something was written, so that the next key goes into it. */
async function fillsByKeys(t: Test, { page }: Opened): Promise<void> {
  await cellShows(page, 'C3', '2');
  await page.locator('.grid-editor').focus(waited);
  for (const key of ['ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
  await page.keyboard.type('10');
  await page.keyboard.press('Enter');
  await cellShows(page, 'D2', '20');
  await page.keyboard.type('30');
  await page.keyboard.press('Enter');
  await cellShows(page, 'D3', '60');
  const { rows: read } = (await asked(page, 'tables/Stock/rows')) as { rows: unknown };
  t.match(read, [{ price: 10 }, { price: 30 }]);
}

/** A value that the column does not take is kept until it is tried again or left. */
async function keepsRefused(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await page.getByLabel('sku', { exact: true }).fill('C');
  await page.getByLabel('state', { exact: true }).fill('lost');
  await page.getByRole('button', { name: 'Add the row' }).click(waited);
  const kept = page.getByRole('region', { name: 'Not written' });
  await kept.getByText('sku: C, state: lost').waitFor(waited);
  t.match(opened.watch.take(), [/4\d\d/u]);
  await checkScreen(t, opened, 'a row that is refused');
  const payload = { table: 'Stock', column: 'state', enum: null };
  const allowed = { kind: 'table.column.alter', payload };
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops: [allowed] });
  await kept.getByRole('button', { name: 'Try again' }).click(waited);
  await cellShows(page, 'B4', 'lost');
  // A row of names and one of letters stand above the rows.
  await page.locator('[role="grid"][aria-rowcount="5"]').waitFor({ ...waited, state: 'attached' });
  t.equal(await kept.count(), 0);
}

/** Both ends of what changed are in the address. */
async function keepsEnds(t: Test, { page }: Opened): Promise<void> {
  await page.getByRole('link', { name: 'Changes', exact: true }).click(waited);
  await page.getByText('3 rows differ').waitFor(waited);
  const { head } = (await asked(page, 'branches/main/state')) as { head: number };
  await page.getByLabel('From').fill(`main@${head - 1}`);
  await page.getByRole('button', { name: 'Compare', exact: true }).click(waited);
  await page.getByText('1 row differs').waitFor(waited);
  await page.reload();
  await page.getByText('1 row differs').waitFor(waited);
  await page.goBack(waited);
  await page.getByText('3 rows differ').waitFor(waited);
  t.notMatch(page.url(), /from=/u);
}

async function isLocked(t: Test, page: Page, reason: string): Promise<void> {
  await page.getByText(reason).waitFor(waited);
  await cellShows(page, 'A2', 'A');
  await page.locator('.grid-editor').focus(waited);
  await page.keyboard.type('x');
  t.equal(await page.locator('.grid-editor').inputValue(), '', 'nothing can be typed');
  t.equal(await page.getByRole('button', { name: /^(?:Delete|Add) /u }).count(), 0);
}

/** A protected branch, an older position and a role are told, with the way out. */
async function tellsLocks(t: Test, ann: Opened, ben: Opened): Promise<void> {
  const { page } = ann;
  const address = page.url().replace(/\?.*$/u, '');
  await page.goto(`${address}?at=main`);
  await cellShows(page, 'A2', 'A');
  const { head } = (await asked(page, 'branches/main/state')) as { head: number };
  await page.goto(`${address}?at=main@${head}`);
  await isLocked(t, page, 'An older position is read only.');
  await visit(page, 'Tables');
  await page.getByRole('heading', { name: `Tables of main@${head}` }).waitFor(waited);
  const policy = { protectedBranches: [{ pattern: 'main' }] };
  await asked(page, 'settings', 'PUT', { policy });
  await page.goto(`${address}?at=main`);
  await isLocked(t, page, 'main is protected: it changes by merges alone.');
  await checkScreen(t, ann, 'a table of a protected branch');
  await page.getByRole('link', { name: 'Import rows' }).click(waited);
  await page.getByText('main is protected').waitFor(waited);
  t.equal(await page.locator('input[type=file]').count(), 0);
  await page.getByRole('button', { name: 'Branch from here' }).click(waited);
  await page.getByRole('textbox', { name: 'Name of the new branch' }).fill('stock');
  await page.getByRole('button', { name: 'Make the branch' }).click(waited);
  await cellShows(page, 'A2', 'A');
  await page.getByRole('button', { name: 'Add the row' }).waitFor(waited);
  t.match(page.url(), /at=stock/u);
  await ben.page.getByText('Account', { exact: true }).click();
  const id = await ben.page.locator('.menu-body code').textContent(waited);
  await asked(page, `collaborators/${id}`, 'PUT', { role: 'viewer' });
  await ben.page.goto(page.url());
  await isLocked(t, ben.page, 'You are a viewer: only an owner or an editor can change this.');
  t.equal(await ben.page.getByRole('button', { name: 'Branch from here' }).count(), 0);
  await checkScreen(t, ben, 'a table for a viewer');
}

/** Where there is none, the screen says what a table is for, and how programs make one. */
async function tellsEmptiness(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const { origin } = new URL(page.url());
  await page.goto(`${origin}/console`);
  await page.getByRole('button', { name: 'New workbook' }).click(waited);
  await page.getByText('Live, all saved').waitFor(waited);
  await visit(page, 'Tables');
  await page.getByText('There is none yet').waitFor(waited);
  await page.getByText(`quire ops ${bookOf(page)}@main`).waitFor(waited);
  await checkScreen(t, opened, 'no tables');
  await visit(page, 'Merges');
  await page.getByText('No merge was proposed yet').waitFor(waited);
  await page.getByText(`quire merge ${bookOf(page)}`).waitFor(waited);
  await checkScreen(t, opened, 'no merges');
}

t.test('tables', { timeout: 200_000 }, async (t) => {
  const service = await TestService.start(t);
  const browser = await RealBrowser.start(t);
  const [ann, ben] = [await browser.open(), await browser.open()];
  await trySample(ann.page, service.url);
  await trySample(ben.page, service.url);
  await t.test('constraints of columns are shown', (t) => showsConstraints(t, ann));
  await t.test('rows are filled by keys alone', (t) => fillsByKeys(t, ann));
  await t.test('what is refused is kept', (t) => keepsRefused(t, ann));
  await t.test('compared ends are in the address', (t) => keepsEnds(t, ann));
  await t.test('locks are told', (t) => tellsLocks(t, ann, ben));
  await t.test('emptiness is told', (t) => tellsEmptiness(t, ann));
  t.same([...ann.watch.take(), ...ben.watch.take()], []);
});
