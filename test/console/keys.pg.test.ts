import t from 'tap';
import type { Test } from 'tap';

import {
  allSaved,
  asked,
  cellShows,
  fieldHolds,
  goTo,
  openSample,
  waitMs,
  type Opened,
} from '../support/console-page.ts';
import { HeldRequests, pressAll } from '../support/held-requests.ts';

/**
 * Keys act in the order they are pressed, wherever those before them lead.
 * Runs long: half a minute in a browser.
 */

const rows = 3_000;

/** A second sheet, whose first column is longer than what a page loads at once. */
async function addLongSheet({ page }: Opened): Promise<void> {
  const inputs = Array.from({ length: rows }, (_, row) => [row + 1]);
  const ops = [
    { kind: 'sheet.add', payload: { name: 'Long', index: 1 } },
    { kind: 'range.set', payload: { sheet: 'Long', range: `A1:A${rows}`, inputs } },
    {
      kind: 'range.set',
      payload: {
        sheet: 'Long',
        range: 'C3:D4',
        inputs: [
          [1, 2],
          [3, 4],
        ],
      },
    },
  ];
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops });
  await page.getByRole('tab', { name: 'Long' }).click({ timeout: waitMs });
  await cellShows(page, 'A1', '1');
}

async function keepsOrder({ page }: Opened): Promise<void> {
  await goTo(page, 'A1');
  const edges = await HeldRequests.of(page, '**/edge?**');
  await pressAll(page, ['Control+ArrowDown', 'ArrowDown', 't', 'a', 'i', 'x', 'Backspace', 'l']);
  await pressAll(page, ['Enter', 'n', 'e', 'x', 't', 'Tab', 'F2', 'b', 'Enter']);
  await edges.letThrough();
  await cellShows(page, `A${rows + 1}`, 'tail');
  await cellShows(page, `A${rows + 2}`, 'next');
  await cellShows(page, `B${rows + 2}`, 'b');
  await allSaved(page);
  await pressAll(page, ['Control+z', 'Control+z', 'Control+z']);
  await cellShows(page, `A${rows + 1}`, '');
}

/** An answer that never comes holds up no other sheet, and what was typed behind it is kept. */
async function leavesWhatNeverEnds({ page }: Opened): Promise<void> {
  await goTo(page, 'A1');
  const edges = await HeldRequests.of(page, '**/edge?**');
  await pressAll(page, ['Control+ArrowDown', 'l', 'o', 's', 't']);
  await page.getByRole('tab', { name: 'Budget' }).click();
  await cellShows(page, 'B5', '700');
  await page.getByText(/Not applied: A1 = lost/u).waitFor({ timeout: waitMs });
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await edges.letThrough();
}

async function remembersSelections(t: Test, { page }: Opened): Promise<void> {
  const name = page.getByLabel('Go to cell');
  await goTo(page, 'B3');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByRole('tab', { name: 'Long' }).click();
  // A text typed at once goes to the sheet that one is led to.
  await pressAll(page, ['ArrowDown', 'ArrowDown', 'ArrowRight', 'q', 'Enter']);
  await fieldHolds(t, name, 'B4');
  await cellShows(page, 'B3', 'q');
  await page.keyboard.press('Control+Shift+PageUp');
  await fieldHolds(t, name, 'B3:B4');
  await cellShows(page, 'B5', '700');
  await page.keyboard.press('Control+Shift+PageDown');
  await fieldHolds(t, name, 'B4');
  await goTo(page, 'B3');
  await page.keyboard.press('Delete');
}

async function goesThroughSelection(t: Test, { page }: Opened): Promise<void> {
  const name = page.getByLabel('Go to cell');
  await goTo(page, 'F3');
  await pressAll(page, ['Shift+ArrowRight', 'Shift+ArrowDown']);
  for (const text of ['1', '2', '3', '4']) await pressAll(page, [text, 'Tab']);
  await fieldHolds(t, name, 'F3:G4');
  await cellShows(page, 'F4', '3');
  await pressAll(page, ['9', 'Control+Enter']);
  await cellShows(page, 'G4', '9');
  await cellShows(page, 'F3', '9');
  await page.keyboard.press('Delete');
  await cellShows(page, 'F3', '');
  await goTo(page, 'D4');
  await page.keyboard.press('Control+a');
  await fieldHolds(t, name, 'C3:D4');
  await page.keyboard.press('Control+a');
  await page.waitForURL(/cell=A1%3A/u, { timeout: waitMs });
  await goTo(page, 'C3');
  await pressAll(page, ['Control+ArrowRight']);
  await fieldHolds(t, name, 'D3');
  await page.keyboard.press('Control+Shift+ArrowDown');
  await fieldHolds(t, name, 'D3:D4');
  await page.keyboard.press('Shift+Space');
  await fieldHolds(t, name, '3:4');
  await goTo(page, 'D4');
  await page.keyboard.press('Control+Space');
  await fieldHolds(t, name, 'D:D');
  await page.keyboard.press('Shift+ArrowRight');
  await fieldHolds(t, name, 'D:E');
  await page.locator('[data-cell="E4"][aria-selected="true"]').waitFor({ state: 'attached' });
  t.equal(await page.locator('[data-cell="E1048576"]').count(), 0, 'it stays where it was');
  await goTo(page, 'b4:c5');
  await fieldHolds(t, name, 'B4:C5');
  // A text typed there stays when the selection moves meanwhile.
  await page.getByLabel('Go to cell').fill('E7');
  await asked(page, 'branches/main/ops', 'POST', {
    writer: 'agent',
    ops: [{ kind: 'rows.insert', payload: { sheet: 'Long', before: 2, count: 1 } }],
  });
  await page.waitForURL(/cell=B5%3AC6/u, { timeout: waitMs });
  await fieldHolds(t, name, 'E7');
  await page.keyboard.press('Enter');
  await page.waitForURL(/cell=E7/u, { timeout: waitMs });
  await asked(page, 'branches/main/ops', 'POST', {
    writer: 'agent',
    ops: [{ kind: 'rows.delete', payload: { sheet: 'Long', from: 2, count: 1 } }],
  });
  await page.waitForURL(/cell=E6/u, { timeout: waitMs });
  await goTo(page, 'nowhere');
  await page.getByText('“nowhere” is no cell').waitFor({ timeout: waitMs });
}

/** Ctrl+click and Shift+F8 add ranges; looks, sums, clearing and one undo are for all of them. */
async function selectsSeveral(t: Test, { page }: Opened): Promise<void> {
  await goTo(page, 'B2');
  await page.keyboard.press('Shift+ArrowDown');
  const c4 = { x: 296, y: 110 };
  await page.locator('.grid-scroller').click({ position: c4, modifiers: ['Control'] });
  await page.getByText('Sum 9,920').waitFor({ timeout: waitMs });
  await pressAll(page, ['Shift+F8', 'ArrowRight', 'Shift+ArrowDown', 'Shift+F8']);
  await page.getByText('Sum 10,910').waitFor({ timeout: waitMs });
  const said = page.locator('.grid [role="status"]').filter({ hasText: 'D4:D5, B2:B3, C4' });
  await said.waitFor({ state: 'attached', timeout: waitMs });
  await pressAll(page, ['Control+b', 'Control+c']);
  await page
    .getByText('Ranges are copied together if they are of the same')
    .waitFor({ timeout: waitMs });
  await page.keyboard.press('Control+d');
  await page.getByText('“Fill down” is for one range').waitFor({ timeout: waitMs });
  await allSaved(page);
  for (const range of ['B2:B3', 'C4', 'D4:D5']) {
    const formats = await asked(page, `formats?range=Budget!${range}`);
    t.match(formats, { styles: [{}, { bold: true }] }, `${range} is bold`);
  }
  await page.keyboard.press('Delete');
  for (const cell of ['B3', 'C4', 'D5']) await cellShows(page, cell, '');
  await page.keyboard.press('Control+z');
  for (const [cell, text] of [
    ['B3', '8,400'],
    ['C4', '320'],
    ['D5', '660'],
  ] as const) {
    await cellShows(page, cell, text);
  }
  // Enter goes through all ranges, and Ctrl+Enter writes into all of them.
  for (const text of ['1', '2', '3', '4', '5']) await pressAll(page, [text, 'Enter']);
  await cellShows(page, 'D5', '2');
  await cellShows(page, 'C4', '5');
  await pressAll(page, ['6', 'Control+Enter']);
  for (const cell of ['B3', 'C4', 'D5']) await cellShows(page, cell, '6');
  await pressAll(page, ['ArrowDown']);
  await fieldHolds(t, page.getByLabel('Go to cell'), 'D5');
}

/**
 * Text that is typed before an input is loaded goes behind it, and the palette takes the first key.
 */
async function losesNothing(t: Test, { page }: Opened): Promise<void> {
  await goTo(page, 'C4');
  await pressAll(page, ['F2', '0', 'Enter']);
  await cellShows(page, 'C4', '30');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('budget!b');
  const find = page.getByRole('combobox', { name: 'Find a command or a place' });
  t.equal(await find.inputValue(), 'budget!b');
  await page.keyboard.type('2');
  await page.keyboard.press('Enter');
  await fieldHolds(t, page.getByLabel('Go to cell'), 'B2');
  const said = page.locator('.grid [role="status"]');
  await said.filter({ hasText: 'B2, 1,200' }).waitFor({ state: 'attached', timeout: waitMs });
  await goTo(page, 'H2');
  await said.filter({ hasText: /^H2, .*, formula$/u }).waitFor({
    state: 'attached',
    timeout: waitMs,
  });
  await goTo(page, 'B2');
  // A dialog that closes gives the caret back with the focus.
  await page.keyboard.press('Control+/');
  await page.getByRole('heading', { name: 'Keys' }).waitFor({ timeout: waitMs });
  await page.keyboard.press('Escape');
  await page.keyboard.type('1300');
  await page.keyboard.press('Enter');
  await cellShows(page, 'B2', '1,300');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+f');
  await page.keyboard.type('sales');
  t.equal(await page.getByLabel('Find', { exact: true }).inputValue(), 'sales');
  await page.keyboard.press('Escape');
}

/** Formulas are shown in the place of values, on this and on other sheets, until they are not. */
async function showsFormulas({ page }: Opened): Promise<void> {
  await goTo(page, 'H2');
  await page.keyboard.press('Control+`');
  await cellShows(page, 'H2', '=SUM(B2:G2)');
  await page.getByRole('tab', { name: 'Long' }).click();
  await cellShows(page, 'A1', '1');
  await page.getByRole('tab', { name: 'Budget' }).click();
  await cellShows(page, 'H6', '=SUM(H2:H5)');
  await page.keyboard.press('Control+`');
  await cellShows(page, 'H6', '63,960');
}

t.test('no key is lost', { timeout: 120_000 }, async (t) => {
  const opened = await openSample(t);
  const { watch } = opened;
  await addLongSheet(opened);
  await t.test('keys behind a jump act where it leads', () => keepsOrder(opened));
  await t.test('a jump that never ends is left', () => leavesWhatNeverEnds(opened));
  await t.test('each sheet keeps its selection', (t) => remembersSelections(t, opened));
  await t.test('keys go through a selection', (t) => goesThroughSelection(t, opened));
  await t.test('fields have the focus at once', (t) => losesNothing(t, opened));
  await t.test('formulas in the place of values', () => showsFormulas(opened));
  await t.test('several ranges are selected', (t) => selectsSeveral(t, opened));
  t.same(watch.take(), []);
});
