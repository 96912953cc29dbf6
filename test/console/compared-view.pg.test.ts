import t from 'tap';
import type { Test } from 'tap';

import {
  asked,
  cellShows,
  checkScreen,
  fieldHolds,
  openSample,
  waitMs,
  type Opened,
} from '../support/console-page.ts';

/** A comparison as others are shown it: its view is in the address, and values are waited for. */

const waited = { timeout: waitMs };

/** Kind, parts and what is calculated anew are in the address, and stay over a reload. */
async function keepsView(t: Test, { page }: Opened): Promise<void> {
  await page.goto(page.url().replace(/\?.*$/u, '/diff?from=main&to=moved'));
  await page.getByLabel('also what is calculated anew').check(waited);
  await page.getByRole('combobox', { name: 'Show' }).selectOption('values');
  await page.getByRole('combobox', { name: 'Only' }).selectOption('cells');
  await page.getByRole('button', { name: 'Budget!B5' }).waitFor(waited);
  const view = () => Object.fromEntries(new URL(page.url()).searchParams);
  const wanted = { from: 'main', to: 'moved', kind: 'cells', show: 'values', also: 'calculated' };
  t.same(view(), wanted);
  await page.reload();
  await page.getByRole('button', { name: 'Budget!B5' }).waitFor(waited);
  t.same(view(), wanted);
  t.equal(await page.getByRole('combobox', { name: 'Only' }).inputValue(), 'cells');
  t.equal(await page.getByRole('combobox', { name: 'Show' }).inputValue(), 'values');
  await page.getByText('because of').first().waitFor(waited);
}

/** Entries that moved lead to where they were. */
async function leadsBack(t: Test, { page }: Opened): Promise<void> {
  await page.getByRole('combobox', { name: 'Only' }).selectOption('everything');
  const moved = page.locator('tr.moved').first();
  await moved.getByRole('link', { name: 'Where it was' }).click(waited);
  await cellShows(page, 'A3', 'Salaries');
  const { searchParams } = new URL(page.url());
  t.equal(searchParams.get('at'), 'main');
  await fieldHolds(t, page.getByLabel('Go to cell'), '3:3');
  await page.goBack();
  await page.getByRole('heading', { name: 'main and moved compared' }).waitFor(waited);
}

/** Values that are being computed have a bar, and nobody has to wait for them. */
async function goesWithoutValues(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await page.route(/\/diff\?.*values=true/u, (route) =>
    route.fulfill({ status: 202, json: { status: 'computing', retry_after: 1 } }),
  );
  const cancelled: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'DELETE') cancelled.push(new URL(request.url()).search);
  });
  await page.reload();
  await page.getByRole('progressbar', { name: 'Calculated' }).waitFor(waited);
  await checkScreen(t, opened, 'values of a comparison are calculated');
  await page.getByRole('button', { name: 'Compare without values' }).click();
  await page.getByText('Values are not compared.').waitFor(waited);
  await page.getByRole('button', { name: 'Budget!B5' }).waitFor(waited);
  t.same(cancelled.toSorted(), ['?ref=main', '?ref=moved']);
  await page.unroute(/\/diff\?.*values=true/u);
  await page.getByRole('button', { name: 'Compare them' }).click();
  await page.getByLabel('also what is calculated anew').waitFor(waited);
}

t.test('a comparison is shown to others', { timeout: 90_000 }, async (t) => {
  const opened = await openSample(t);
  const { page } = opened;
  await asked(page, 'branches', 'POST', { name: 'moved', from: 'main' });
  const ops = [
    { kind: 'rows.move', payload: { sheet: 'Budget', from: 3, count: 1, before: 6 } },
    { kind: 'cells.set', payload: { sheet: 'Budget', cells: [{ a1: 'B5', input: 1 }] } },
  ];
  await asked(page, 'branches/moved/ops', 'POST', { writer: 'me', mode: 'atomic', ops });
  await t.test('with its view', (t) => keepsView(t, opened));
  await t.test('with both ends of a move', (t) => leadsBack(t, opened));
  await t.test('with values or without', (t) => goesWithoutValues(t, opened));
  t.same(opened.watch.take(), []);
});
