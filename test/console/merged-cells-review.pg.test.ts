import t from 'tap';

import {
  asked,
  bookOf,
  cellShows,
  checkScreen,
  openSample,
  waitMs,
} from '../support/console-page.ts';

/** Runs long: an open merge is looked at in a real browser. */

/** A merge that is open shows its target, and what it makes of it, in one grid. */

const waited = { timeout: waitMs };

t.test('an open merge is looked at in the cells', { timeout: 240_000 }, async (t) => {
  const opened = await openSample(t);
  const { page, watch } = opened;
  const write = (branch: string, ...ops: readonly unknown[]) =>
    asked(page, `branches/${branch}/ops`, 'POST', { writer: 'agent', ops });
  const set = (a1: string, input: unknown) => ({
    kind: 'cells.set',
    payload: { sheet: 'Plan', cells: [{ a1, input }] },
  });
  const rows = ['first', 'second', 'third', 'fourth'].map((name, at) => [name, at + 1]);
  await write(
    'main',
    { kind: 'sheet.add', payload: { name: 'Plan' } },
    { kind: 'range.set', payload: { sheet: 'Plan', range: 'A1:B4', inputs: rows } },
    set('B5', '=SUM(B1:B4)'),
  );
  await asked(page, 'branches', 'POST', { name: 'raised', from: 'main' });
  const percent = { sheet: 'Plan', range: 'B1', style: { numberFormat: '0%' } };
  await write(
    'raised',
    { kind: 'rows.insert', payload: { sheet: 'Plan', before: 3, count: 1 } },
    { kind: 'rows.delete', payload: { sheet: 'Plan', from: 2, count: 1 } },
    set('A2', 'between'),
    set('B1', 0.5),
    { kind: 'format.set', payload: percent },
  );
  await write('main', set('B1', 12));
  const { id } = (await asked(page, 'merges', 'POST', { source: 'raised' })) as { id: string };
  const { origin } = new URL(page.url());
  await page.goto(`${origin}/console/${bookOf(page)}/merges/${id}`);
  const card = page.getByRole('article', { name: 'Plan!B1' });
  await card.getByText('50%').waitFor(waited);
  await page.keyboard.press('v');
  await cellShows(page, 'A1', 'first');
  await cellShows(page, 'B1', '1200%');
  const headers = page.locator('[role=rowheader]');
  await headers
    .filter({ hasText: /^2$/u })
    .first()
    .waitFor({ state: 'attached', ...waited });
  t.same((await headers.allTextContents()).slice(0, 5), ['1', '2', '2', '3', '4']);
  await cellShows(page, 'A3', 'between');
  await cellShows(page, 'B6', '19');
  await checkScreen(t, opened, 'an open merge in the cells');
  await card.getByText('Take theirs').click(waited);
  await cellShows(page, 'B1', '50%');
  await cellShows(page, 'B6', '7.5');
  await page.getByRole('button', { name: 'Plan!B1' }).first().click(waited);
  await page
    .locator('.told')
    .filter({ hasText: /B1.*12.*→.*50%/u })
    .waitFor(waited);
  await page.keyboard.press('v');
  await page.locator('canvas.grid-canvas').waitFor({ state: 'detached', ...waited });
  await page.getByRole('button', { name: 'Approve and merge' }).click(waited);
  await page.getByText('Merged into main.').waitFor(waited);
  await page.getByRole('button', { name: /Show it in the cells/u }).click(waited);
  await cellShows(page, 'B1', '50%');
  t.same(watch.take(), []);
});
