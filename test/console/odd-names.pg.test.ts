import t from 'tap';

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
} from '../support/console-page.ts';

/** A sheet whose name has quotes, and texts that run from right to left, are like all others. */

const waited = { timeout: waitMs };
const name = `Q1's "plan"`;
const quoted = `'Q1''s "plan"'`;
const hebrew = 'שלום, עולם 12';

t.test('odd names and texts', { timeout: 90_000 }, async (t) => {
  const { page, watch } = await openSample(t);
  const ops = [
    { kind: 'sheet.add', payload: { name } },
    { kind: 'cells.set', payload: { sheet: name, cells: [{ a1: 'B2', input: 7 }] } },
  ];
  await asked(page, 'branches/main/ops', 'POST', { writer: 'me', ops });
  const tab = page.getByRole('tab', { name, selected: true });
  await page.getByRole('tab', { name }).click(waited);
  await tab.waitFor(waited);
  await cellShows(page, 'B2', '7');
  await goTo(page, 'Budget!A1');
  await page.getByRole('tab', { name: 'Budget', selected: true }).waitFor(waited);
  await goTo(page, `${quoted}!B2`);
  await tab.waitFor(waited);
  await fieldHolds(t, page.getByLabel('Go to cell'), 'B2');
  t.equal(new URL(page.url()).searchParams.get('sheet'), name);
  await page.reload();
  await tab.waitFor(waited);
  await enter(page, 'C3', `=${quoted}!B2*2`);
  await cellShows(page, 'C3', '14');
  await enter(page, 'A5', hebrew);
  await cellShows(page, 'A5', hebrew);
  await goTo(page, 'A5');
  await fieldHolds(t, page.getByLabel('Formula'), hebrew);
  await page.keyboard.press('F2');
  await page.keyboard.type('3');
  await page.keyboard.press('Enter');
  await cellShows(page, 'A5', `${hebrew}3`);
  await allSaved(page);
  await checkScreen(t, { page, watch }, 'odd names and texts');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a command or a place' }).fill(`${quoted}!c3`);
  await page.keyboard.press('Enter');
  await fieldHolds(t, page.getByLabel('Go to cell'), 'C3');
  const base = page.url().replace(/\?.*$/u, '');
  await page.goto(`${base}/diff?from=main@15&to=main`);
  await page.getByRole('button', { name: /plan.*C3/u }).click(waited);
  await page.getByText('nowhere → C3').waitFor(waited);
  await page.getByRole('cell', { name: `${name} sheet added` }).waitFor(waited);
  await page.getByRole('link', { name: 'Open the sheet here' }).click(waited);
  await tab.waitFor(waited);
  await page.goto(`${base}?sheet=${encodeURIComponent(name)}&cell=A5&beside=cell`);
  const panel = page.getByRole('complementary', { name: 'About A5' });
  await panel.getByRole('link', { name: 'See main@' }).first().waitFor(waited);
  await page.goto(`${base}?sheet=${encodeURIComponent(name)}&cell=A5&beside=history`);
  const on = page.getByRole('combobox', { name: 'On', exact: true });
  await on.selectOption('the selected cell, A5', waited);
  await page
    .getByText(/ typed/u)
    .first()
    .waitFor(waited);
  t.same(watch.take(), []);
});
