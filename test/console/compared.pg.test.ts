import type { Page } from 'playwright-core';
import t from 'tap';

import {
  asked,
  bookOf,
  cellShows,
  checkScreen,
  darkGrids,
  openSample,
  visit,
  waitMs,
} from '../support/console-page.ts';

/**
 * Two positions side by side: what differs as a list, and in the cells with what is gone.
 * Runs long: half a minute in a browser.
 */

const rows = Array.from({ length: 9 }, (_, row) => [
  `line ${row + 1}`,
  row + 1,
  `=B${row + 1}*2`,
  'same',
]);

const edits = [
  { kind: 'rows.delete', payload: { sheet: 'Lines', from: 3, count: 2 } },
  { kind: 'rows.insert', payload: { sheet: 'Lines', before: 6, count: 1 } },
  { kind: 'rows.move', payload: { sheet: 'Lines', from: 8, count: 1, before: 2 } },
  { kind: 'cols.delete', payload: { sheet: 'Lines', from: 'D', count: 1 } },
  { kind: 'cells.set', payload: { sheet: 'Lines', cells: [{ a1: 'B1', input: 100 }] } },
  { kind: 'cells.set', payload: { sheet: 'Lines', cells: [{ a1: 'E1', input: '=B1+1' }] } },
  { kind: 'range.fill', payload: { sheet: 'Lines', range: 'G1:H40', input: 7 } },
];

const waited = { timeout: waitMs };

/** Returns the header of the row of the grid that shows a text, with the marks of its cells. */
async function rowOf(page: Page, text: string): Promise<readonly (string | null)[]> {
  const row = page
    .locator('[role=row]')
    .filter({ has: page.locator(`[data-cell]:text-is("${text}")`) });
  const cell = row.locator('[data-cell]').first();
  await cell.waitFor({ state: 'attached', ...waited });
  const header = await row.locator('[role=rowheader]').textContent();
  return [header, await cell.getAttribute('aria-description')];
}

/** Returns the darkest pixel of a part of the canvas, as the sum of its channels. */
function darkestOf(page: Page, part: readonly number[]): Promise<number> {
  return page.evaluate<number>(`(() => {
    const canvas = document.querySelector('canvas.grid-canvas');
    const { data } = canvas.getContext('2d').getImageData(${part.join(', ')});
    const sums = Array.from({ length: data.length / 4 }, (_, at) =>
      data[at * 4] + data[at * 4 + 1] + data[at * 4 + 2]);
    return Math.min(...sums);
  })()`);
}

/** Returns a pixel of the grid's paper in the frame in which the grid gets another size. */
function paintedAfterResize(page: Page): Promise<number[]> {
  return page.evaluate<number[]>(`(() => new Promise((resolve) => {
    const canvas = document.querySelector('canvas.grid-canvas');
    const { parentElement: host, width } = canvas;
    host.style.width = (host.clientWidth - 40) + 'px';
    const observer = new ResizeObserver(() => {
      if (canvas.width === width) return;
      observer.disconnect();
      host.style.width = '';
      const { data } = canvas.getContext('2d').getImageData(80, 60, 1, 1);
      resolve([...data.slice(0, 3)]);
    });
    observer.observe(host);
  }))()`);
}

t.test('what is gone stands where it was', async (t) => {
  const opened = await openSample(t);
  const { page, watch } = opened;
  const write = (branch: string, ops: readonly unknown[]) =>
    asked(page, `branches/${branch}/ops`, 'POST', { writer: 'agent', ops });
  await write('main', [
    { kind: 'sheet.add', payload: { name: 'Lines' } },
    { kind: 'range.set', payload: { sheet: 'Lines', range: 'A1:D9', inputs: rows } },
    { kind: 'sheet.add', payload: { name: 'Gone' } },
    { kind: 'cells.set', payload: { sheet: 'Gone', cells: [{ a1: 'A1', input: 'last seen' }] } },
  ]);
  await asked(page, 'branches', 'POST', { name: 'tidied', from: 'main' });
  t.match(await write('tidied', [...edits, { kind: 'sheet.delete', payload: { sheet: 'Gone' } }]), {
    status: 'applied',
  });
  const { origin } = new URL(page.url());
  await page.goto(`${origin}/console/${bookOf(page)}/diff?from=main&to=tidied`);
  await cellShows(page, 'A1', 'line 1');
  t.same(await rowOf(page, 'line 3'), ['3', 'removed']);
  t.same(await rowOf(page, 'line 5'), ['5 now 4', null]);
  t.same(await rowOf(page, 'line 9'), ['9 now 2', 'moved']);
  await page.getByText('rows deleted', { exact: true }).waitFor({ timeout: waitMs });
  const column = page.locator('[role=columnheader]').nth(3);
  t.equal(await column.textContent(), 'D', 'a column that is gone stands there as well');
  await cellShows(page, 'D1', 'same');
  await checkScreen(t, opened, 'compared cells');

  await t.test('an entry of the list shows in the cells', async () => {
    await page.getByRole('button', { name: 'Lines!B1' }).click(waited);
    const told = page.locator('.told');
    await told.filter({ hasText: /B1.*1.*→.*100/u }).waitFor(waited);
    await told.getByText('by ').waitFor(waited);
    await page.getByRole('button', { name: 'Gone!A1' }).click(waited);
    await cellShows(page, 'A1', 'last seen');
    await told.filter({ hasText: /A1 → nowhere/u }).waitFor(waited);
    await page.getByRole('combobox', { name: 'Sheet', exact: true }).selectOption('Lines');
    await cellShows(page, 'A1', 'line 1');
    await page.getByRole('button', { name: 'Lines!G1:H40' }).click(waited);
    await told.filter({ hasText: /G1.*80 cells alike/u }).waitFor(waited);
    await page.locator('.compared .grid').click({ position: { x: 56 + 8 * 96 - 20, y: 26 + 40 } });
    await told.filter({ hasText: /80 cells alike/u }).waitFor(waited);
    t.notMatch(await told.textContent(), /G1/u, 'a cell within the range is told by it');
    await page.getByRole('button', { name: 'Lines!B1' }).click(waited);
    const show = page.getByRole('combobox', { name: 'Show', exact: true });
    const formula = page.getByRole('row').filter({ hasText: 'Lines!E1' });
    await formula.getByText('=B1+1 101').waitFor(waited);
    await show.selectOption('values');
    await formula.getByText('101', { exact: true }).waitFor(waited);
    t.notMatch(await formula.textContent(), /=/u, 'the list has values alone');
    await show.selectOption('formulas');
    await cellShows(page, 'C1', '=B1*2');
    t.notMatch(await formula.textContent(), /101/u, 'or formulas alone');
  });

  await t.test('a grid of another size is painted before it is seen', async () => {
    t.notSame(await paintedAfterResize(page), [0, 0, 0]);
  });

  await t.test('it can be read on a phone, and leads to the sheet', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await checkScreen(t, opened, 'compared cells on a phone');
    const list = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(
      document.querySelector('.compared-list'))`;
    t.equal(await page.evaluate(list), 0, 'the list is not cut off');
    await page.getByRole('link', { name: 'Open the sheet here' }).click(waited);
    await cellShows(page, 'B1', '100');
    await page.emulateMedia({ colorScheme: 'light' });
    t.same(await darkGrids(page), [false]);
    t.ok(
      (await darkestOf(page, [60, 4, 90, 18])) < 250,
      'the name of a selected column can be read',
    );
    await visit(page, 'Compare');
  });
  t.same(watch.take(), []);
});

t.test('a page that is refused is asked for when somebody says so', async (t) => {
  const { page } = await openSample(t);
  const cells = Array.from({ length: 3_000 }, (_, row) => ({ a1: `F${row + 1}`, input: row }));
  await asked(page, 'branches', 'POST', { name: 'long', from: 'main' });
  const ops = [{ kind: 'cells.set', payload: { sheet: 'Budget', cells } }];
  await asked(page, 'branches/long/ops', 'POST', { writer: 'agent', ops });
  let [refusals, isRefusing] = [0, true];
  await page.route(/\/diff\?.*offset=/u, (route) => {
    if (!isRefusing) return route.continue();
    refusals++;
    const problem = { code: 'forbidden', title: 'Forbidden', status: 403, detail: 'Not this one.' };
    return route.fulfill({ status: 403, json: problem });
  });
  const { origin } = new URL(page.url());
  await page.goto(`${origin}/console/${bookOf(page)}/diff?from=main&to=long`);
  await page.getByRole('button', { name: 'Budget!F1', exact: true }).waitFor(waited);
  const fault = page.getByRole('alert').filter({ hasText: 'Not this one.' });
  await page.getByText('More of it').scrollIntoViewIfNeeded(waited);
  await fault.waitFor(waited);
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 500))');
  t.equal(refusals, 1);
  isRefusing = false;
  await fault.getByRole('button', { name: 'Try again' }).click(waited);
  await page.getByRole('button', { name: 'Budget!F1500', exact: true }).waitFor(waited);
  t.equal(await fault.count(), 0);
});
