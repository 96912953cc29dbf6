import t from 'tap';
import type { Test } from 'tap';

import {
  allSaved,
  asked,
  checkScreen,
  enter,
  fieldHolds,
  openSample,
  visit,
  waitMs,
  type Opened,
} from '../support/console-page.ts';

/** Runs long: the ends of comparisons are chosen in a real browser. */

/** The ends of a comparison are chosen among branches, named versions and steps of the history. */

const waited = { timeout: waitMs };

const endOf = ({ page }: Opened, name: string) => page.getByRole('combobox', { name, exact: true });

async function isChosen(t: Test, opened: Opened, named: string): Promise<void> {
  const { page } = opened;
  const [from, to] = [endOf(opened, 'From'), endOf(opened, 'To')];
  await visit(page, 'Compare');
  await from.locator('optgroup[label="Named versions"]').waitFor({ ...waited, state: 'attached' });
  const groups = await from.locator('optgroup').all();
  const labels = await Promise.all(groups.map((group) => group.getAttribute('label')));
  t.same(labels, ['Branches', 'Named versions', 'History of main']);
  await from.selectOption({ label: `Before the rise (${named})` });
  await to.selectOption('main');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('button', { name: 'Budget!B2' }).waitFor(waited);
  const { searchParams } = new URL(page.url());
  t.same([searchParams.get('from'), searchParams.get('to')], [named, 'main']);
  await checkScreen(t, opened, 'ends of a comparison');
  await page.reload();
  await page.getByRole('button', { name: 'Budget!B2' }).waitFor(waited);
  await fieldHolds(t, from, named);
}

/** A position of no list is typed, and stays when the list is shown again. */
async function isTyped(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const from = endOf(opened, 'From');
  await from.selectOption('Another position…');
  await page.getByRole('textbox', { name: 'From', exact: true }).fill('main@9');
  await page.getByRole('button', { name: 'From a list' }).click();
  await fieldHolds(t, from, 'main@9');
  await page.getByRole('button', { name: 'Swap' }).waitFor(waited);
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('heading', { name: 'main@9 and main compared' }).waitFor(waited);
}

/** Changes of one kind alone are listed, and the counts go on to tell of all. */
async function isOfOneKind(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const bold = { sheet: 'Budget', range: 'B3:B4', style: { italic: true } };
  const ops = [
    { kind: 'format.set', payload: bold },
    { kind: 'rows.insert', payload: { sheet: 'Budget', before: 9, count: 1 } },
  ];
  const answer = await asked(page, 'branches/main/ops', 'POST', { writer: 'a', ops });
  const before = `main@${(answer as { firstSeq: number }).firstSeq - 2}`;
  await visit(page, 'Compare');
  await endOf(opened, 'From').selectOption('Another position…');
  await page.getByRole('textbox', { name: 'From', exact: true }).fill(before);
  await endOf(opened, 'To').selectOption('main');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('heading', { name: `${before} and main compared` }).waitFor(waited);
  await page.getByText('1 row inserted').waitFor(waited);
  const cell = page.getByRole('button', { name: 'Budget!B2' });
  const rows = page.locator('.changes tbody tr:not(.group)');
  t.equal(await rows.count(), 3);
  const only = page.getByRole('combobox', { name: 'Only' });
  t.same(await only.locator('option').allTextContents(), [
    'everything',
    'cells',
    'rows, columns and sheets',
    'looks',
  ]);
  await only.selectOption('looks');
  await cell.waitFor({ ...waited, state: 'detached' });
  t.equal(await rows.count(), 1);
  await page.getByText('1 cell modified').waitFor(waited);
  await checkScreen(t, opened, 'looks that differ');
  await only.selectOption('cells');
  await cell.waitFor(waited);
  t.equal(await rows.count(), 1);
  await page.getByRole('button', { name: 'Swap' }).click();
  await page.getByRole('heading', { name: `main and ${before} compared` }).waitFor(waited);
  await page.getByText('1 row deleted').waitFor(waited);
  t.equal(await only.inputValue(), '', 'other ends are listed whole');
}

t.test('ends of a comparison are chosen', { timeout: 120_000 }, async (t) => {
  const opened = await openSample(t);
  const { page } = opened;
  await asked(page, 'branches/main/commit', 'POST', { message: 'Before the rise', writer: 'me' });
  const { commits } = (await asked(page, 'commits')) as { commits: { seq: number }[] };
  const named = `main@${commits[0]?.seq}`;
  await enter(page, 'B2', '1300');
  await allSaved(page);
  await t.test('in a list', (t) => isChosen(t, opened, named));
  await t.test('or by its name', (t) => isTyped(t, opened));
  await t.test('and what differs by its kind', (t) => isOfOneKind(t, opened));
  t.same(opened.watch.take(), []);
});
