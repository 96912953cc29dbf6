import { readFile } from 'node:fs/promises';
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

/** Runs long: a sheet of 60,000 rows is looked through in a real browser. */

/** A long sheet is looked through to its end; files and branches have their lists and questions. */

const rowCount = 60_000;

async function addLongSheet(page: Page): Promise<void> {
  const sheet = 'Long';
  const ops = [
    { kind: 'sheet.add', payload: { name: sheet } },
    { kind: 'range.fill', payload: { sheet, range: `A1:E${rowCount}`, input: 'hay' } },
    { kind: 'cells.set', payload: { sheet, cells: [{ a1: `C${rowCount - 1}`, input: 'Needle' }] } },
  ];
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops });
  await page.getByRole('tab', { name: sheet }).click({ timeout: waitMs });
  await cellShows(page, 'A1', 'hay');
}

/** The service adds up what is too much to be loaded, when somebody asks. */
async function addsUp(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const cells = [
    { a1: 'A2', input: 7 },
    { a1: 'B3', input: 8 },
    { a1: 'C4', input: '=1/0' },
  ];
  const ops = [{ kind: 'cells.set', payload: { sheet: 'Long', cells } }];
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops });
  await cellShows(page, 'A2', '7');
  await goTo(page, `A1:E${rowCount}`);
  await page.getByRole('button', { name: 'Add up 300,000 cells' }).click({ timeout: waitMs });
  const told = page.locator('.tally');
  await told.getByText('Count 300,000').waitFor({ timeout: waitMs });
  t.equal(await told.textContent(), 'Sum 15 · Average 7.5 · Count 300,000');
  await checkScreen(t, opened, 'a long sum');
  await goTo(page, 'A2:B3');
  await told.getByText('Count 4').waitFor({ timeout: waitMs });
}

/** A text is looked for in all sheets, in its case, in whole cells or in values, where asked. */
async function findsOtherwise(t: Test, { page }: Opened): Promise<void> {
  await goTo(page, 'A1');
  await page.keyboard.press('Control+f');
  const bar = page.getByRole('search');
  const find = async (text: string, told: string) => {
    await bar.getByLabel('Find', { exact: true }).fill(text);
    await page.keyboard.press('Enter');
    await bar.getByText(told, { exact: true }).waitFor({ timeout: waitMs });
  };
  await bar.getByLabel('All sheets').check();
  await find('cedar', '1 of 2');
  await page.getByRole('tab', { name: 'Suppliers', selected: true }).waitFor({ timeout: waitMs });
  await fieldHolds(t, page.getByLabel('Go to cell'), 'A4');
  await bar.getByLabel('Find', { exact: true }).press('Enter');
  await page.getByRole('tab', { name: 'Invoices', selected: true }).waitFor({ timeout: waitMs });
  await bar.getByLabel('Upper and lower case as typed').check();
  await find('cedar', 'Nothing is found.');
  await find('Cedar Software', '1 of 2');
  await bar.getByLabel('Whole cells').check();
  await find('Cedar Software', '1 of 1');
  await bar.getByLabel('Replace by').fill('Cedar');
  await bar.getByRole('button', { name: 'Replace all' }).click();
  await allSaved(page);
  t.match(await asked(page, 'slice?range=Invoices!B4'), { rows: [['Cedar']] });
  t.match(await asked(page, 'slice?range=Suppliers!A4'), { rows: [['Cedar Software GmbH']] });
  await bar.getByLabel('Values, not formulas').check();
  await find('7350', '1 of 1');
  await fieldHolds(t, page.getByLabel('Go to cell'), 'H2');
  t.ok(await bar.getByRole('button', { name: 'Replace', exact: true }).isDisabled());
  await bar.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('tab', { name: 'Budget' }).click();
}

async function findsFarCells(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await addLongSheet(page);
  await page.keyboard.press('Control+f');
  const field = page.getByLabel('Find', { exact: true });
  await field.fill('needle');
  await page.keyboard.press('Enter');
  await page.getByText('1 of 1', { exact: true }).waitFor({ timeout: waitMs });
  await fieldHolds(t, page.getByLabel('Go to cell'), `C${rowCount - 1}`);
  await page.route(/\/find\?.*cursor=/u, () => undefined);
  await field.fill('nowhere');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing yet, 100,000 cells are looked through…').waitFor({
    timeout: waitMs,
  });
  await checkScreen(t, opened, 'a long search');
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('100,000 cells are looked through: Next goes on.').waitFor();
  await page.unroute(/\/find\?.*cursor=/u);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Nothing is found.').waitFor({ timeout: waitMs });
  await field.fill('hay');
  await page.keyboard.press('Enter');
  await page.getByText(/^1 of 1,000 so far/u).waitFor({ timeout: waitMs });
  await page.getByRole('search').getByRole('button', { name: 'Close' }).click();
  await addsUp(t, opened);
  await page.getByRole('tab', { name: 'Budget' }).click();
  await cellShows(page, 'B5', '700');
}

async function savedFile(page: Page, item: string) {
  await page.getByText('File', { exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download', { timeout: waitMs }),
    page.getByRole('button', { name: item }).click(),
  ]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

async function exportsFiles(t: Test, { page }: Opened): Promise<void> {
  const name = await page.getByLabel('Name of the workbook').inputValue();
  const csv = await savedFile(page, 'Export this sheet as .csv');
  t.equal(csv.name, `${name} - Budget.csv`);
  t.match(csv.bytes.toString().slice(0, 400), /Rent,"1,200",/u, 'as it is shown');
  const book = await savedFile(page, 'Export as .xlsx');
  t.equal(book.name, `${name}.xlsx`);
  t.equal(book.bytes.subarray(0, 2).toString(), 'PK');
}

async function branchNames(page: Page): Promise<readonly string[]> {
  const { branches } = (await asked(page, 'branches')) as { branches: { name: string }[] };
  return branches.map(({ name }) => name);
}

async function deletesBranches(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await page.getByRole('button', { name: 'Branch from here' }).click();
  await page.getByLabel('Name of the new branch').fill('try-out');
  await page.getByRole('button', { name: 'Make the branch' }).click();
  await page.waitForURL(/at=try-out/u, { timeout: waitMs });
  await allSaved(page);
  await enter(page, 'B4', '1');
  await allSaved(page);
  await page.getByRole('button', { name: 'All branches' }).click();
  const dialog = page.getByRole('dialog', { name: 'Branches' });
  await dialog.getByText('1 edit of 1 cell since main').waitFor({ timeout: waitMs });
  await dialog
    .getByText(/^guest-\w+ wrote last, /u)
    .first()
    .waitFor({ timeout: waitMs });
  await dialog.getByRole('searchbox', { name: 'Search' }).fill('TRY');
  await dialog.getByText('1 of 3 branches').waitFor({ timeout: waitMs });
  t.equal(await dialog.getByRole('button', { name: 'Delete the branch main' }).count(), 0);
  await dialog.getByRole('button', { name: 'Delete the branch try-out' }).click();
  await dialog.getByText('It was merged into no branch').waitFor();
  await checkScreen(t, opened, 'deletion of a branch');
  await dialog.getByRole('button', { name: 'Keep it' }).click();
  t.same(await branchNames(page), ['main', 'less-travel', 'try-out']);
  await dialog.getByRole('button', { name: 'Delete the branch try-out' }).click();
  await dialog.getByRole('button', { name: 'Delete try-out', exact: true }).click();
  await page.waitForURL(/at=main/u, { timeout: waitMs });
  await allSaved(page);
  t.same(await branchNames(page), ['main', 'less-travel']);
}

t.test('far cells, files and branches', { timeout: 180_000 }, async (t) => {
  const opened = await openSample(t);
  await t.test('a text in many ways', (t) => findsOtherwise(t, opened));
  await t.test('a long sheet is looked through', (t) => findsFarCells(t, opened));
  await t.test('files are made', (t) => exportsFiles(t, opened));
  await t.test('a branch is deleted', (t) => deletesBranches(t, opened));
  t.same(opened.watch.take(), []);
});
