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
  visit,
  waitMs,
} from '../support/console-page.ts';
import type { Opened } from '../support/console-page.ts';

/** A merge is reviewed with inputs of one's own, and can be read again once it is over. */

const waited = { timeout: waitMs };

async function writes(
  page: Page,
  branch: string,
  ...cells: readonly (readonly [string, unknown])[]
) {
  const written = cells.map(([a1, input]) => ({ a1, input }));
  const ops = [{ kind: 'cells.set', payload: { sheet: 'Budget', cells: written } }];
  await asked(page, `branches/${branch}/ops`, 'POST', { writer: 'agent', ops });
}

async function proposes(page: Page, source: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Merge', exact: true }).selectOption(source);
  await page.getByRole('button', { name: 'Propose' }).click(waited);
  await page.getByText(`${source} into main`).first().waitFor(waited);
}

async function settlesByOwnInput(t: Test, { page }: Opened): Promise<void> {
  await asked(page, 'branches', 'POST', { name: 'raised', from: 'main' });
  await writes(page, 'main', ['B2', 1000], ['B3', 1]);
  await writes(page, 'raised', ['B2', 2000], ['B3', 2], ['K1', 'new']);
  await visit(page, 'Merges');
  await page.getByLabel('Why, and what to look at').fill('Rents of the new year\nfrom the letter');
  await proposes(page, 'raised');
  await page.getByText('Rents of the new year').waitFor(waited);
  const card = page.getByRole('article', { name: 'Budget!B2, Rent, Jan' });
  await card.getByText('Rent, Jan').waitFor(waited);
  await card.getByLabel('Or an input of your own').fill('1,250');
  await card.getByRole('button', { name: 'Take it' }).click(waited);
  await card.locator('.side.chosen').getByText('1250', { exact: true }).waitFor(waited);
  await page.getByRole('article', { name: 'Budget!B3' }).getByText('Take theirs').click(waited);
  await page.getByText('0 of 2 are open').waitFor(waited);
  await page.getByRole('button', { name: 'Approve and merge' }).click(waited);
  await page.getByText('Merged into main.').waitFor(waited);
  const { rows } = (await asked(page, 'slice?range=Budget!B2:B3')) as { rows: unknown };
  t.same(rows, [[1250], [2]], 'what was typed is a number');
}

async function readsItAgain(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await page.reload();
  await page.getByRole('article', { name: 'Budget!B3, Salaries, Jan' }).waitFor(waited);
  const card = page.getByRole('article', { name: 'Budget!B2' });
  await card.locator('.side.chosen').getByText('1250', { exact: true }).waitFor(waited);
  t.equal(await card.getByRole('button').count(), 0, 'nothing can be chosen any more');
  await page
    .getByText(/3 cells modified|2 cells modified, 1 cell added|1 cell added/u)
    .waitFor(waited);
  await page.getByText('settled conflicts').first().waitFor(waited);
  await page.getByText('merged it').waitFor(waited);
  await checkScreen(t, opened, 'a merge that is over');
  await page.getByRole('link', { name: 'Compare', exact: true }).last().click(waited);
  await page.getByRole('button', { name: 'Budget!K1' }).waitFor(waited);
}

/** A merge whose target goes on meanwhile is approved once what came was seen. */
async function tellsWhatCame(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await asked(page, 'branches', 'POST', { name: 'later', from: 'main' });
  await writes(page, 'later', ['M1', 'later']);
  await visit(page, 'Merges');
  await proposes(page, 'later');
  await page.getByRole('button', { name: 'Approve and merge' }).waitFor(waited);
  await writes(page, 'main', ['N1', 'meanwhile']);
  await page.getByRole('button', { name: 'Approve and merge' }).click(waited);
  const told = page.getByText('Changed since you looked');
  await told.getByText('main went on from').waitFor(waited);
  t.match(opened.watch.take(), [/409/u], 'what was shown is not what would be approved');
  await checkScreen(t, opened, 'a merge whose target went on');
  await told.getByRole('link', { name: 'see what came' }).click(waited);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click(waited);
  const saved = await (await saving).createReadStream();
  const text = (await saved.toArray()).join('');
  t.match(text, /N1.*meanwhile/u, 'what came is a file');
  await page.goBack(waited);
  await page.getByRole('button', { name: 'Approve and merge' }).click(waited);
  await page.getByText('Merged into main.').waitFor(waited);
  await page.getByRole('button', { name: 'Take this merge back' }).click(waited);
  await page.getByRole('button', { name: 'Approve and merge' }).click(waited);
  await page.getByText('Merged into main.').waitFor(waited);
  t.match(await asked(page, 'slice?range=Budget!M1:N1'), { rows: [[null, 'meanwhile']] });
}

async function waitsForOthers(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await asked(page, 'branches', 'POST', { name: 'guarded', from: 'main' });
  await writes(page, 'guarded', ['K2', 1]);
  const protection = { pattern: 'main', requiredApprovals: 1 };
  await asked(page, 'settings', 'PUT', { policy: { protectedBranches: [protection] } });
  await visit(page, 'Merges');
  await page.getByText('Rents of the new year').waitFor(waited);
  await checkScreen(t, opened, 'merges with a description');
  await proposes(page, 'guarded');
  await page.getByText('It waits for: approvals of others').waitFor(waited);
  t.equal(await page.getByRole('button', { name: 'Approve and merge' }).count(), 0);
  t.ok(await page.getByRole('button', { name: 'Approve', exact: true }).isEnabled());
  await visit(page, 'Cells');
  const told = page.getByRole('status').filter({ hasText: 'main is protected' });
  await told.waitFor(waited);
  await goTo(page, 'B2');
  await page.keyboard.type('7');
  await page.keyboard.press('Enter');
  await cellShows(page, 'B2', '1,250');
  t.equal(await page.getByText('Not applied').count(), 0, 'nothing was typed into it');
  await checkScreen(t, opened, 'a protected branch');
  await told.getByRole('button', { name: 'Branch from here' }).click(waited);
  await page.getByRole('textbox', { name: 'Name of the new branch' }).fill('mine');
  await page.getByRole('button', { name: 'Make the branch' }).click(waited);
  await page.getByText('mine@0').first().waitFor(waited);
  await allSaved(page);
  await cellShows(page, 'B2', '1,250');
  await enter(page, 'B2', '7');
  await cellShows(page, 'B2', '7');
}

/** The result of the merge is read beside its conflicts, while they are settled column by column. */
async function showsWhatItComesTo(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await asked(page, 'branches', 'POST', { name: 'columns', from: 'main' });
  await writes(page, 'main', ['D2', 100], ['D3', 200], ['E2', 300]);
  await writes(page, 'columns', ['D2', 1100], ['D3', 1200], ['E2', 1300]);
  await visit(page, 'Merges');
  await proposes(page, 'columns');
  await page.getByText('3 of 3 are open').waitFor(waited);
  const result = (cell: string, text: string) =>
    page
      .getByRole('article', { name: `Budget!${cell}` })
      .locator('.side.result')
      .getByText(text, { exact: true })
      .waitFor(waited);
  await result('D2', '100');
  await result('E2', '300');
  const around = page.locator('.conflict.current .row-around');
  await around.getByRole('columnheader', { name: 'H' }).waitFor(waited);
  t.equal(await around.locator('td.marked').textContent(), '100');
  t.match(await around.locator('tbody td').allTextContents(), ['Rent', '1,250']);
  await checkScreen(t, opened, 'conflicts with what they come to');
  await page.getByRole('combobox', { name: 'in the column' }).selectOption('D');
  t.equal(await page.locator('.conflict').count(), 2);
  const take = page.getByRole('button', { name: 'Take theirs (columns) for 2 open in column D' });
  await take.click(waited);
  await page.getByText('1 of 3 is open').waitFor(waited);
  await result('D2', '1,100');
  await result('D3', '1,200');
  t.equal(await around.locator('td.marked').textContent(), '1,100');
  await page.getByRole('combobox', { name: 'in the column' }).selectOption('');
  await result('E2', '300');
}

/** The card says in plain words what each branch did to cells, and what the choice means. */
async function tellsOfShifts(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const writes = (branch: string, kind: string, payload: object) => {
    const ops = [{ kind, payload }];
    return asked(page, `branches/${branch}/ops`, 'POST', { writer: 'agent', ops });
  };
  const sheet = 'Shifts';
  await writes('main', 'sheet.add', { name: sheet });
  const inputs = Array.from({ length: 6 }, (_, row) => [row, row, row]);
  await writes('main', 'range.set', { sheet, range: 'A1:C6', inputs });
  await asked(page, 'branches', 'POST', { name: 'shifts', from: 'main' });
  await writes('main', 'range.insert', { sheet, range: 'C3:C4', shift: 'down' });
  await writes('shifts', 'range.delete', { sheet, range: 'B1:B3', shift: 'left' });
  await visit(page, 'Merges');
  await proposes(page, 'shifts');
  const card = page.getByRole('article', { name: 'Which cells are shifted' });
  await card
    .getByText('inserted cells at Shifts!C3:C4: what was there and below went down')
    .waitFor(waited);
  await card.getByText('the other one is taken back').waitFor(waited);
  t.notMatch(await card.textContent(), /range\./u, 'no words of operations');
  await checkScreen(t, opened, 'shifts that cross');
  await card.getByRole('button', { name: 'Take theirs' }).click(waited);
  await card
    .locator('.side.chosen')
    .getByText('deleted the cells Shifts!B1:B3: what was to the right of them came to the left')
    .waitFor(waited);
}

/** A change is moved to another part by dragging, and back by keys alone. */
async function movesChange(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await asked(page, 'branches', 'POST', { name: 'parted', from: 'main' });
  for (const sheet of ['Budget', 'Suppliers']) {
    const ops = [{ kind: 'cells.set', payload: { sheet, cells: [{ a1: 'R1', input: 'part' }] } }];
    await asked(page, 'branches/parted/ops', 'POST', { writer: 'agent', ops });
  }
  await visit(page, 'Merges');
  await proposes(page, 'parted');
  const parts = page.getByRole('list', { name: 'Parts of the merge' });
  const lineOf = (name: string) =>
    parts.getByRole('listitem').filter({ has: page.getByLabel(`Decide on ${name}`) });
  await page.getByText('Changes of Budget').click(waited);
  const change = lineOf('Budget').getByText('Budget!R1', { exact: true });
  await change.dragTo(lineOf('Suppliers').getByText('Suppliers', { exact: true }), waited);
  await lineOf('Suppliers').getByText('2 changes').waitFor(waited);
  await page.getByText('Changes of Suppliers').focus(waited);
  await page.keyboard.press('Enter');
  const choice = lineOf('Suppliers').getByLabel('Move Budget!R1 to');
  await choice.waitFor(waited);
  await checkScreen(t, opened, 'changes of a part');
  await choice.focus(waited);
  await page.keyboard.press('ArrowDown');
  await lineOf('Suppliers').getByText('1 change', { exact: true }).waitFor(waited);
  await change.waitFor(waited);
}

/** A day counts from the year that the workbook counts from. */
async function readsDays(t: Test, { page }: Opened): Promise<void> {
  const from1904 = { kind: 'settings.set', payload: { path: 'dateSystem', value: 1904 } };
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops: [from1904] });
  await asked(page, 'branches', 'POST', { name: 'days', from: 'main' });
  await writes(page, 'main', ['P2', 1]);
  await writes(page, 'days', ['P2', 2]);
  await visit(page, 'Merges');
  await proposes(page, 'days');
  const card = page.getByRole('article', { name: 'Budget!P2' });
  await card.getByLabel('Or an input of your own').fill('2024-02-29');
  await card.getByRole('button', { name: 'Take it' }).click(waited);
  await page.getByText('0 of 1 are open').waitFor(waited);
  await page.getByRole('button', { name: 'Approve and merge' }).click(waited);
  await page.getByText('Merged into main.').waitFor(waited);
  t.match(await asked(page, 'slice?range=Budget!P2'), { rows: [[43_889]] });
}

t.test('a merge from its proposal to its record', async (t) => {
  const opened = await openSample(t);
  await cellShows(opened.page, 'B2', '1,200');
  await t.test('an input of its own is read as in a cell', (t) => settlesByOwnInput(t, opened));
  await t.test('it can be read once it is over', (t) => readsItAgain(t, opened));
  await t.test('what came meanwhile is told', (t) => tellsWhatCame(t, opened));
  await t.test('what it comes to is shown', (t) => showsWhatItComesTo(t, opened));
  await t.test('a day of its own counts from 1904', (t) => readsDays(t, opened));
  await t.test('shifts that cross are told in words', (t) => tellsOfShifts(t, opened));
  await t.test('a change is moved from part to part', (t) => movesChange(t, opened));
  await t.test('an approval alone does not merge', (t) => waitsForOthers(t, opened));
  t.same(opened.watch.take(), []);
});
