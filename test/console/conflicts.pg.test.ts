import t from 'tap';

import {
  allSaved,
  asked,
  cellShows,
  checkScreen,
  openSample,
  visit,
  waitMs,
} from '../support/console-page.ts';

/** A merge of a thousand conflicts is settled by keys alone. Runs long. */

const width = 10;
const height = 100;

function written(from: number): readonly unknown[] {
  const inputs = Array.from({ length: height }, (_, row) =>
    Array.from({ length: width }, (_, column) => from + row * width + column),
  );
  return [{ kind: 'range.set', payload: { sheet: 'Budget', range: 'K1:T100', inputs } }];
}

t.test('a thousand conflicts are settled in bulk', { timeout: 120_000 }, async (t) => {
  const { page, watch } = await openSample(t);
  const write = (branch: string, from: number) =>
    asked(page, `branches/${branch}/ops`, 'POST', { writer: 'agent', ops: written(from) });
  await write('main', 0);
  await asked(page, 'branches', 'POST', { name: 'raised', from: 'main' });
  await write('raised', 10_000);
  await write('main', 20_000);
  await visit(page, 'Merges');
  await page.getByRole('combobox', { name: 'Merge', exact: true }).selectOption('raised');
  await page.getByRole('button', { name: 'Propose' }).click();
  await page.getByText('1000 of 1000 are open').waitFor({ timeout: waitMs });
  const started = performance.now();
  await page.keyboard.press('j');
  await page.keyboard.press('o');
  await page.getByText('999 of 1000 are open').waitFor({ timeout: waitMs });
  await page.keyboard.press('Shift+T');
  await page.getByText('0 of 1000 are open').waitFor({ timeout: waitMs });
  await page.keyboard.press('u');
  await page.getByText('999 of 1000 are open').waitFor({ timeout: waitMs });
  t.equal(await page.locator('.side.chosen').count(), 1, 'what was chosen before stays chosen');
  const column = page.getByRole('combobox', { name: 'in the column' });
  await column.selectOption('T');
  await page
    .getByRole('button', { name: 'Take theirs (raised) for 100 open in column T' })
    .waitFor({ timeout: waitMs });
  t.equal(await page.locator('.conflict').count(), 100, 'those beyond the first page, too');
  await column.selectOption('any');
  await page.getByRole('button', { name: 'List more of them' }).click();
  await page.getByText('400 of 1,000 are listed').waitFor({ timeout: waitMs });
  await page.keyboard.press('Shift+T');
  await page.getByText('0 of 1000 are open').waitFor({ timeout: waitMs });
  await checkScreen(t, { page, watch }, 'a thousand conflicts');
  await page.keyboard.press('y');
  await page.keyboard.press('Enter');
  await page.getByText('Merged into main.').waitFor({ timeout: waitMs });
  t.comment(`settled in ${Math.round(performance.now() - started)} ms`);
  await visit(page, 'Cells');
  await cellShows(page, 'K1', '10000');
  await allSaved(page);
  const { rows } = (await asked(page, 'slice?range=Budget!T100')) as { rows: unknown };
  t.same(rows, [[10_999]]);
  t.same(watch.take(), []);
});
