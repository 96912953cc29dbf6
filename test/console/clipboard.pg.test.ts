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
  waitMs,
  type Opened,
} from '../support/console-page.ts';

/**
 * Cells are copied, cut and pasted as cells, and texts of elsewhere as texts.
 * Runs long: half a minute in a browser.
 */

const rows = 3_000;

async function putText(page: Page, lines: number): Promise<void> {
  await page.evaluate(`window.clip = {
    'text/plain': Array.from({ length: ${lines} }, (_, row) => String(row)).join('\\n'),
  }`);
  await put(page);
}

async function inputsOf(page: Page, range: string): Promise<unknown> {
  return ((await asked(page, `slice?lens=input&range=${range}`)) as { rows: unknown }).rows;
}

async function copiesCells(t: Test, { page }: Opened): Promise<void> {
  await goTo(page, 'H2');
  await take(page, 'copy');
  await goTo(page, 'H8');
  await page.keyboard.press('Shift+ArrowDown');
  await put(page);
  await cellShows(page, 'H9', '0');
  await allSaved(page);
  t.same(await inputsOf(page, 'Budget!H8:H9'), [['=SUM(B8:G8)'], ['=SUM(B9:G9)']]);
  await page.keyboard.press('Control+z');
  await cellShows(page, 'H9', '');
}

/** Cells that are cut take along the references to them, and lines of others take along the cells. */
async function movesCells(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await enter(page, 'K1', '=B5+1');
  await cellShows(page, 'K1', '701');
  await goTo(page, 'B5');
  await take(page, 'cut');
  await asked(page, 'branches/main/ops', 'POST', {
    writer: 'agent',
    ops: [{ kind: 'rows.insert', payload: { sheet: 'Budget', before: 3, count: 1 } }],
  });
  await cellShows(page, 'B6', '700');
  await goTo(page, 'L9');
  await put(page);
  await cellShows(page, 'L9', '700');
  await cellShows(page, 'B6', '');
  await allSaved(page);
  t.same(await inputsOf(page, 'Budget!K1'), [['=L9+1']]);
  await page.keyboard.press('Control+z');
  await cellShows(page, 'B6', '700');
  t.same(await inputsOf(page, 'Budget!K1'), [['=B6+1']]);
  await goTo(page, 'A3');
  await page.getByText('Insert', { exact: true }).click();
  await page.getByRole('button', { name: 'Delete these rows' }).click();
  await cellShows(page, 'B5', '700');
}

/** Two ranges of the same rows are copied as one block, with their formulas, and undone together. */
async function copiesSeveral(t: Test, { page }: Opened): Promise<void> {
  await goTo(page, 'A2:A3');
  await page.keyboard.press('Shift+F8');
  for (let step = 0; step < 7; step++) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowDown');
  t.equal(await take(page, 'copy'), 'Rent\t7,350\nSalaries\t50,550');
  t.equal(await take(page, 'cut'), '');
  await page.getByText('One range at a time is cut').waitFor({ timeout: waitMs });
  await take(page, 'copy');
  await page.keyboard.press('Shift+F8');
  await goTo(page, 'V1');
  await put(page);
  await cellShows(page, 'V2', 'Salaries');
  await allSaved(page);
  const written = [
    ['Rent', '=SUM(Q1:V1)'],
    ['Salaries', '=SUM(Q2:V2)'],
  ];
  t.same(await inputsOf(page, 'Budget!V1:W2'), written);
  await page.keyboard.press('Control+z');
  await cellShows(page, 'V2', '');
  await allSaved(page);
  t.same(await inputsOf(page, 'Budget!V1:W2'), [
    [null, null],
    [null, null],
  ]);
}

async function pastesParts(t: Test, { page }: Opened): Promise<void> {
  await goTo(page, 'H6');
  await take(page, 'copy');
  await goTo(page, 'M1');
  await page.keyboard.press('Control+Shift+V');
  await put(page, true);
  await cellShows(page, 'M1', '63960');
  await allSaved(page);
  t.same(await inputsOf(page, 'Budget!M1'), [[63_960]]);
  await page.getByText('Data', { exact: true }).click();
  await page.getByRole('button', { name: 'Paste formats alone' }).click();
  await cellShows(page, 'M1', '63,960');
  await goTo(page, 'M2');
  await page.keyboard.press('Escape');
  await put(page);
  await allSaved(page);
  t.same(await inputsOf(page, 'Budget!M2'), [[63_960]], 'after Escape a copy is a text');
}

/** Cells of another sheet that were never looked at are copied whole. */
async function copiesUnseenCells(t: Test, { page }: Opened): Promise<void> {
  const inputs = Array.from({ length: rows }, (_, row) => [row + 1]);
  const ops = [
    { kind: 'sheet.add', payload: { name: 'Long' } },
    { kind: 'range.set', payload: { sheet: 'Long', range: `A1:A${rows}`, inputs } },
  ];
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops });
  await page.getByRole('tab', { name: 'Long' }).click({ timeout: waitMs });
  await cellShows(page, 'A1', '1');
  await page.keyboard.press('Control+Space');
  t.equal(await take(page, 'copy'), '');
  // This page may not write to the clipboard by itself.
  await page.getByText('press Ctrl+C once more').waitFor({ timeout: waitMs });
  const text = await take(page, 'copy');
  t.equal(text.split('\n').length, rows);
  t.ok(text.endsWith(`\n${rows}`));
  await page.getByRole('tab', { name: 'Budget' }).click();
  await cellShows(page, 'B5', '700');
  await goTo(page, 'P1');
  await put(page);
  await cellShows(page, 'P1', '1');
  await allSaved(page);
  t.same(await inputsOf(page, `Budget!P${rows}`), [[rows]]);
}

async function asksBeforeLargeOnes(t: Test, { page }: Opened): Promise<void> {
  await goTo(page, 'R1');
  await putText(page, 12_000);
  await page.getByText('This writes 12,000 cells.').waitFor({ timeout: waitMs });
  await page.getByRole('button', { name: 'Leave it' }).click();
  await putText(page, 12_000);
  await page.getByRole('button', { name: 'Paste 12,000 cells' }).press('Enter');
  await cellShows(page, 'R2', '1');
  await allSaved(page);
  t.same(await inputsOf(page, 'Budget!R12000'), [[11_999]]);
  await putText(page, 250_001);
  await page.getByText(/250,000 can be pasted at once/u).waitFor({ timeout: waitMs });
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached', timeout: waitMs });
  // The paste is selected: Enter would go through it.
  await goTo(page, 'R1');
  await page.keyboard.type('on');
  await page.keyboard.press('Enter');
  await cellShows(page, 'R1', 'on');
  await fieldHolds(t, page.getByLabel('Go to cell'), 'R2');
}

/** The menu of the cells has the same, by mouse and by keys. */
async function asksForMenu(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await goTo(page, 'A2');
  await page.keyboard.press('Shift+F10');
  const menu = page.getByRole('menu', { name: 'Selected cells' });
  await menu.waitFor({ timeout: waitMs });
  await checkScreen(t, opened, 'menu of cells');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await goTo(page, 'T1');
  await page.keyboard.press('Shift+F10');
  await menu.getByRole('menuitem', { name: 'Paste' }).click();
  await cellShows(page, 'T1', 'Rent');
  await page.locator('.grid').click({ button: 'right', position: { x: 400, y: 120 } });
  await menu.getByRole('menuitem', { name: 'Rows above' }).click();
  await allSaved(page);
  await cellShows(page, 'R8', '6');
  await page.getByRole('button', { name: 'Undo' }).click();
  await allSaved(page);
  // Cells written before the page has the rows back go to other rows than their numbers say.
  await cellShows(page, 'R8', '7');
  const region = () => page.evaluate<string>('document.activeElement.className');
  await page.keyboard.press('F6');
  t.equal(await page.evaluate('document.activeElement.role'), 'tab');
  await page.keyboard.press('Shift+F6');
  t.equal(await region(), 'grid-editor', 'F6 goes from region to region');
}

/** Looks come along from other spreadsheets, in one step for an undo; plain pastes leave them. */
async function keepsLooks(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const style = (text: string) => `style="${text}"`;
  const markup = `<style>.xl1 {font-weight:700; background:#FFF2CC;}
    .xl2 {mso-number-format:"0\\.000";} .xl3 {mso-number-format:"\\@";}</style><table>
    <tr><td class=xl1>Code</td><td class=xl1 ${style('font-style:italic')}>Sum</td></tr>
    <tr><td class=xl3>007</td><td class=xl2>1.5</td></tr>
    <tr><td class=xl3>008</td><td class=xl2>2.5</td></tr></table>`;
  const clip = { 'text/plain': 'Code\tSum\n007\t1.500\n008\t2.500\n', 'text/html': markup };
  await page.evaluate(`window.clip = ${JSON.stringify(clip)}`);
  await goTo(page, 'V10');
  await put(page);
  await goTo(page, 'W12');
  await cellShows(page, 'W12', '2.500');
  await allSaved(page);
  t.same(await inputsOf(page, 'Budget!V10:W12'), [
    ['Code', 'Sum'],
    ['007', 1.5],
    ['008', 2.5],
  ]);
  const head = { bold: true, fill: { fg: '#FFF2CC' } };
  t.match(await asked(page, 'formats?range=Budget!V10:W11'), {
    styles: [{}, head, { ...head, italic: true }, { numberFormat: '@' }, { numberFormat: '0.000' }],
    slices: [
      {
        cells: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
  });
  await checkScreen(t, opened, 'pasted looks');
  await page.reload();
  await goTo(page, 'W12');
  await cellShows(page, 'V12', '008');
  await cellShows(page, 'W12', '2.500');
  await page.getByRole('button', { name: 'Undo' }).click();
  await cellShows(page, 'V12', '');
  await allSaved(page);
  t.match(await asked(page, 'formats?range=Budget!V10:W12'), { styles: [{}] });
  await page.evaluate(`window.clip = ${JSON.stringify(clip)}`);
  await goTo(page, 'V10');
  // The page knows by then that the cells are no texts any more.
  await page.getByRole('button', { name: 'Bold', pressed: false }).waitFor({ timeout: waitMs });
  await put(page, true);
  await cellShows(page, 'V12', '8');
}

/** Cells are a table with their looks in other spreadsheets, and merged cells come from them. */
async function givesLooks(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const sheet = 'Budget';
  const style = { bold: true, color: '#FF0000', fill: '#FFF2CC', align: 'center' };
  const inputs = [
    ["'007", 1.5],
    ['two\nlines', 'a < b & "c"'],
  ];
  const ops = [
    { kind: 'range.set', payload: { sheet, range: 'V20:W21', inputs } },
    { kind: 'format.set', payload: { sheet, range: 'V20', style } },
    { kind: 'format.set', payload: { sheet, range: 'W20', style: { numberFormat: '#,##0.00' } } },
  ];
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops });
  await goTo(page, 'V20:W21');
  await cellShows(page, 'W20', '1.50');
  await take(page, 'copy');
  const look =
    'color:#FF0000;background:#FFF2CC;text-align:center;mso-number-format:&quot;\\@&quot;';
  t.equal(
    await page.evaluate(`window.clip['text/html']`),
    `<table><tr><td style="${look}"><b>007</b></td>` +
      '<td style="mso-number-format:&quot;\\#\\,\\#\\#0\\.00&quot;">1.50</td></tr>' +
      '<tr><td>two<br style="mso-data-placement:same-cell">lines</td>' +
      '<td>a &lt; b &amp; &quot;c&quot;</td></tr></table>',
  );
  const markup = '<table><tr><td colspan=2>Head</td></tr><tr><td>1</td><td>2</td></tr></table>';
  const clip = { 'text/plain': 'Head\t\n1\t2\n', 'text/html': markup };
  await page.evaluate(`window.clip = ${JSON.stringify(clip)}`);
  await goTo(page, 'V24');
  await put(page);
  await cellShows(page, 'W25', '2');
  await allSaved(page);
  const records = await asked(page, 'records?types=cellmerge&sheet=Budget');
  t.match(records, { records: [{ ranges: ['V24:W24'] }] });
  await page.locator('[data-cell="V24"][aria-colspan="2"]').waitFor({
    state: 'attached',
    timeout: waitMs,
  });
}

t.test('cells go through the clipboard', { timeout: 120_000 }, async (t) => {
  const opened = await openSample(t);
  const { context, watch } = opened;
  await context.grantPermissions([]);
  await t.test('formulas are copied as formulas', (t) => copiesCells(t, opened));
  await t.test('ranges in line are copied together', (t) => copiesSeveral(t, opened));
  await t.test('what is cut takes along references to it', (t) => movesCells(t, opened));
  await t.test('values or formats alone', (t) => pastesParts(t, opened));
  await t.test('cells that were never looked at', (t) => copiesUnseenCells(t, opened));
  await t.test('a large paste says first how many cells', (t) => asksBeforeLargeOnes(t, opened));
  await t.test('the menu has the same', (t) => asksForMenu(t, opened));
  await t.test('looks go along to elsewhere', (t) => givesLooks(t, opened));
  await t.test('looks come along from elsewhere', (t) => keepsLooks(t, opened));
  t.same(watch.take(), []);
});
