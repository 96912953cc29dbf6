import t from 'tap';
import type { Test } from 'tap';

import {
  allSaved,
  asked,
  cellShows,
  checkScreen,
  enter,
  openSample,
  waitMs,
  type Opened,
} from '../support/console-page.ts';

/** Runs long: a sheet goes and comes back in a real browser. */

/** A sheet goes after a question that says what goes with it, and comes back. */

const questionOf = ({ page }: Opened) =>
  page.getByRole('dialog', { name: 'Delete the sheet Suppliers' });

async function asks({ page }: Opened): Promise<void> {
  await page.getByRole('tab', { name: 'Suppliers' }).click({ button: 'right' });
  await page.getByRole('button', { name: 'Delete…' }).click({ timeout: waitMs });
}

/** The tables, names and formulas of it are told, and a branch for trial does not stay. */
async function tells(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const question = questionOf(opened);
  await asks(opened);
  await question.getByText('Its cells A1:C6 go with it.').waitFor({ timeout: waitMs });
  await question.getByText('With it goes its table Suppliers.').waitFor({ timeout: waitMs });
  await question.getByText('The name terms will name nothing any more.').waitFor();
  const formulas = '2 formulas elsewhere will say #REF!: Budget!J2, Budget!J3.';
  await question.getByText(formulas).waitFor({ timeout: waitMs });
  await checkScreen(t, opened, 'deletion of a sheet');
  await question.getByRole('button', { name: 'Leave it' }).click();
  await question.waitFor({ state: 'detached' });
  const { branches } = (await asked(page, 'branches')) as { branches: { name: string }[] };
  t.notOk(branches.some(({ name }) => name.startsWith('preview')));
  t.match(await asked(page, 'branches/main/state'), { sheets: [{}, { name: 'Suppliers' }, {}] });
}

async function comesBack(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await asks(opened);
  await questionOf(opened).getByRole('button', { name: 'Delete the sheet' }).click();
  await page.getByRole('tab', { name: 'Suppliers' }).waitFor({ state: 'detached' });
  await page.getByText('“Suppliers” is deleted.').waitFor({ timeout: waitMs });
  await cellShows(page, 'J3', '#REF!');
  await page.getByRole('button', { name: 'Bring it back' }).click();
  await page.getByRole('tab', { name: 'Suppliers' }).waitFor({ timeout: waitMs });
  await cellShows(page, 'J3', '61');
  t.equal(await page.getByRole('button', { name: 'Bring it back' }).count(), 0);
  await allSaved(page);
  t.match(await asked(page, 'branches/main/state'), {
    sheets: [{}, { name: 'Suppliers' }, {}],
    tables: [{ name: 'Suppliers' }, {}],
  });
}

/** Another edit takes the offer away: it would be that one which is taken back. */
async function goesOn(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await asks(opened);
  await questionOf(opened).getByRole('button', { name: 'Delete the sheet' }).click();
  await page.getByRole('button', { name: 'Bring it back' }).waitFor({ timeout: waitMs });
  await page.getByRole('tab', { name: 'Budget', selected: true }).waitFor({ timeout: waitMs });
  await enter(page, 'J9', 'on');
  await cellShows(page, 'J9', 'on');
  t.equal(await page.getByRole('button', { name: 'Bring it back' }).count(), 0);
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await page.getByRole('tab', { name: 'Suppliers' }).waitFor({ timeout: waitMs });
  await cellShows(page, 'J3', '61');
}

/** A sheet that is hidden is never shown in the place of one that is gone. */
async function passesHidden(opened: Opened): Promise<void> {
  const { page } = opened;
  const props = { kind: 'sheet.props', payload: { sheet: 'Budget', hidden: true } };
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops: [props] });
  await page.getByRole('tab', { name: 'Budget' }).waitFor({ state: 'detached' });
  await asks(opened);
  await questionOf(opened).getByRole('button', { name: 'Delete the sheet' }).click();
  await page.getByRole('tab', { name: 'Invoices', selected: true }).waitFor({ timeout: waitMs });
  await allSaved(page);
  const url = new URL(page.url());
  url.search = '';
  await page.goto(url.href);
  await page.getByRole('tab', { name: 'Invoices', selected: true }).waitFor({ timeout: waitMs });
}

t.test('a sheet is deleted after a question', { timeout: 170_000 }, async (t) => {
  const opened = await openSample(t);
  const { page } = opened;
  const name = { name: 'terms', ref: 'Suppliers!$C$5' };
  await asked(page, 'branches/main/ops', 'POST', {
    writer: 'agent',
    ops: [{ kind: 'name.set', payload: name }],
  });
  await enter(page, 'J2', '=terms');
  await enter(page, 'J3', '=J2+1');
  await cellShows(page, 'J3', '61');
  await t.test('it says what goes', (t) => tells(t, opened));
  await t.test('it comes back', (t) => comesBack(t, opened));
  await t.test('it comes back behind another edit', (t) => goesOn(t, opened));
  await t.test('hidden sheets are passed over', () => passesHidden(opened));
  t.same(opened.watch.take(), []);
});
