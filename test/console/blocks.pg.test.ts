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
  waitMs,
  type Opened,
} from '../support/console-page.ts';

/**
 * Rows are sorted and filtered as the blocks that they stand in, with their headers.
 * Runs long: half a minute in a browser.
 */

type Inputs = readonly (readonly unknown[])[];

async function addSheet(page: Page, name: string, blocks: Readonly<Record<string, Inputs>>) {
  const ops = [
    { kind: 'sheet.add', payload: { name } },
    ...Object.entries(blocks).map(([range, inputs]) => ({
      kind: 'range.set',
      payload: { sheet: name, range, inputs },
    })),
  ];
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops });
  await page.getByRole('tab', { name }).click({ timeout: waitMs });
  await page.getByRole('tab', { name, selected: true }).waitFor({ timeout: waitMs });
}

async function inputsOf(page: Page, range: string): Promise<unknown> {
  await allSaved(page);
  const query = new URLSearchParams({ range, lens: 'input' });
  return ((await asked(page, `slice?${query.toString()}`)) as { rows: unknown }).rows;
}

async function choose(page: Page, command: string): Promise<void> {
  await page.getByText('Data', { exact: true }).click();
  await page.getByRole('button', { name: command }).click();
}

const staff = [
  ['Dept', 'Name', 'Pay', 'Twice'],
  ['Ops', 'Ida', 30, '=C2*2'],
  ['Lab', 'Bo', 10, '=C3*2'],
  ['Ops', 'Cy', 20, '=C4*2'],
];

async function sortsBlocks(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const other = [['Left'], ['alone']];
  await addSheet(page, 'Staff', { 'A1:D4': staff, 'F1:F2': other, 'A7:A8': [['zz'], ['aa']] });
  await cellShows(page, 'D4', '40');
  await goTo(page, 'C3');
  await choose(page, 'Sort from low to high');
  await page.getByText('C from low to high; the header stays').waitFor({ timeout: waitMs });
  t.same(
    await inputsOf(page, 'Staff!A1:D4'),
    [staff[0], ['Lab', 'Bo', 10, '=C2*2'], ['Ops', 'Cy', 20, '=C3*2'], ['Ops', 'Ida', 30, '=C4*2']],
    'one cell sorts the block around it, without its header',
  );
  t.same(await inputsOf(page, 'Staff!A7:F8'), [
    ['zz', null, null, null, null, null],
    ['aa', null, null, null, null, null],
  ]);
  t.same(await inputsOf(page, 'Staff!F1:F2'), other, 'other blocks are left alone');
  await goTo(page, 'D2');
  await choose(page, 'Sort from high to low');
  await page.getByText('D from high to low; the header stays').waitFor({ timeout: waitMs });
  t.same(
    await inputsOf(page, 'Staff!B2:D4'),
    [
      ['Ida', 30, '=C2*2'],
      ['Cy', 20, '=C3*2'],
      ['Bo', 10, '=C4*2'],
    ],
    'by what formulas come to',
  );
}

async function asksHowToSort(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await goTo(page, 'B1:B4');
  await choose(page, 'Sort from low to high');
  const dialog = page.getByRole('dialog', { name: 'Sort rows' });
  await dialog.getByLabel('Whole rows of A1:D4').waitFor({ timeout: waitMs });
  await checkScreen(t, opened, 'sort of a part of rows');
  await dialog.getByLabel('Only B1:B4').check();
  await dialog.getByRole('button', { name: 'Sort', exact: true }).click();
  await page.getByText('B2:B4 is sorted by B').waitFor({ timeout: waitMs });
  t.same(
    await inputsOf(page, 'Staff!B1:C4'),
    [
      ['Name', 'Pay'],
      ['Bo', 30],
      ['Cy', 20],
      ['Ida', 10],
    ],
    'one column alone, as it was asked for',
  );
  await page.getByRole('button', { name: 'Undo' }).click();
  await cellShows(page, 'B2', 'Ida');
  await allSaved(page);
  await goTo(page, 'A2');
  await choose(page, 'Sort by several columns');
  await dialog.getByLabel('Sort by').selectOption({ label: 'A – Dept' }, { timeout: waitMs });
  await dialog.getByRole('button', { name: 'By one more column' }).click();
  await dialog.getByLabel('Then by').selectOption({ label: 'B – Name' });
  await dialog.getByLabel('Order').nth(1).selectOption('From high to low');
  await dialog.getByRole('button', { name: 'Sort', exact: true }).click();
  await page.getByText('A from low to high, B from high to low').waitFor({ timeout: waitMs });
  t.same(await inputsOf(page, 'Staff!A1:B4'), [
    ['Dept', 'Name'],
    ['Lab', 'Bo'],
    ['Ops', 'Ida'],
    ['Ops', 'Cy'],
  ]);
  await dialog.waitFor({ state: 'detached' });
  await goTo(page, 'J30');
  await choose(page, 'Sort from low to high');
  await page.getByText('There are no rows to sort here').waitFor({ timeout: waitMs });
}

/** One column's rule decides what another one offers, and nobody stands in a hidden row. */
async function filtersBlocks(t: Test, { page }: Opened): Promise<void> {
  await goTo(page, 'A2');
  await page.keyboard.press('Control+Shift+L');
  const byDept = page.getByRole('dialog', { name: 'Filter by column A' });
  await byDept.getByRole('heading', { name: 'Filter A1:D4 by column A' }).waitFor();
  await byDept.getByLabel('Lab').uncheck({ timeout: waitMs });
  await byDept.getByRole('button', { name: 'Show these rows' }).click();
  await fieldHolds(t, page.getByLabel('Go to cell'), 'A3');
  await allSaved(page);
  await goTo(page, 'B1');
  await page.keyboard.press('Control+Shift+L');
  const byName = page.getByRole('dialog', { name: 'Filter by column B' });
  await byName.getByText('2 of 2 values').waitFor({ timeout: waitMs });
  t.same(await byName.getByRole('checkbox').count(), 2, 'values of rows that are shown');
  await byName.getByRole('button', { name: 'Show these rows' }).click();
  await allSaved(page);
  await goTo(page, 'C3');
  await choose(page, 'Sort from high to low');
  await page.getByText('C from high to low; the header stays').waitFor({ timeout: waitMs });
  t.same(
    await inputsOf(page, 'Staff!B2:B4'),
    [['Bo'], ['Ida'], ['Cy']],
    'hidden rows stay where they are',
  );
  await goTo(page, 'A1');
  await page.keyboard.press('Control+Shift+L');
  await byDept.getByRole('button', { name: 'Take the filter away' }).click();
  await cellShows(page, 'B4', 'Cy');
}

const manyRows = 24_000;

async function filtersManyRows(t: Test, { page }: Opened): Promise<void> {
  const rows = Array.from({ length: manyRows }, (_, row) => [row % 2 === 0 ? 'even' : 'odd', row]);
  await addSheet(page, 'Many', { [`A1:B${manyRows + 1}`]: [['Kind', 'Row'], ...rows] });
  await cellShows(page, 'A3', 'odd');
  await goTo(page, 'A2');
  await page.keyboard.press('Control+Shift+L');
  const dialog = page.getByRole('dialog', { name: 'Filter by column A' });
  await dialog
    .getByRole('heading', { name: `Filter A1:B${manyRows + 1} by` })
    .waitFor({ timeout: waitMs });
  await dialog.getByLabel('odd').uncheck({ timeout: waitMs });
  await dialog.getByRole('button', { name: 'Show these rows' }).click();
  await allSaved(page);
  const hidden = async () => {
    const { slices } = (await asked(page, 'formats?range=Many!A:A')) as {
      slices: { rows: { from: number; count: number; hidden?: boolean }[] }[];
    };
    return slices[0]?.rows.filter((run) => run.hidden === true).map(({ from }) => from) ?? [];
  };
  const all = await hidden();
  t.equal(all.length, manyRows / 2, 'every other row');
  t.same([all[0], all.at(-1)], [3, manyRows + 1]);
  await page.getByRole('button', { name: 'Undo' }).click();
  for (let tries = 0; tries < 100 && (await hidden()).length > 0; tries++) {
    await page.waitForTimeout(100);
  }
  t.same(await hidden(), [], 'and back at once');
}

t.test('blocks of rows', { timeout: 180_000 }, async (t) => {
  const opened = await openSample(t);
  await t.test('they are sorted', (t) => sortsBlocks(t, opened));
  await t.test('what is not clear is asked', (t) => asksHowToSort(t, opened));
  await t.test('they are filtered', (t) => filtersBlocks(t, opened));
  await t.test('many of them', (t) => filtersManyRows(t, opened));
  t.same(opened.watch.take(), []);
});
