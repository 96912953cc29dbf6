import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import { RealBrowser } from '../support/chromium.ts';
import {
  asked,
  checkScreen,
  darkGrids,
  enter,
  cellShows,
  trySample,
  visit,
  waitMs,
  type Opened,
} from '../support/console-page.ts';
import { TestService } from '../support/test-service.ts';

/**
 * The screens around the sheet: tables, matches, settings, usage, and the states of a workbook.
 * Runs long: half a minute in a browser.
 */

const csv = 'Name,City,Days\nAcme Paper Ltd,York,30\nGolf Ltd,Rome,10\n,Nowhere,1\n';

/** A file is tried first: new, changed and refused rows are told before anything is written. */
async function importsRows(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await page.getByRole('link', { name: 'Import rows' }).click();
  const file = { name: 'suppliers.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
  await page.getByLabel(/^A .csv/u).setInputFiles(file);
  const write = page.getByRole('button', { name: 'Write 2 rows' });
  await write.waitFor({ timeout: waitMs });
  const counts = await page.getByRole('list', { name: 'Rows', exact: true }).textContent();
  t.equal(counts, '1 new1 changed0 unchanged0 deleted1 refused');
  t.match(await page.getByRole('list', { name: 'Refused rows' }).textContent(), /key_blank/u);
  t.match(await page.locator('tr', { hasText: 'Acme Paper Ltd' }).textContent(), /Leeds.*York/u);
  await checkScreen(t, opened, 'import of rows');
  await write.click();
  await page.getByText('6 rows', { exact: true }).waitFor({ timeout: waitMs });
}

/** A theme that is chosen holds whatever the system has, in this tab and in others, and stays. */
async function choosesColours(t: Test, { page }: Opened): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  const other = await page.context().newPage();
  await other.emulateMedia({ colorScheme: 'light' });
  await other.goto(new URL('/console', page.url()).href);
  const otherTab = () => other.evaluate("document.documentElement.dataset['theme'] ?? 'system'");
  const choice = page.getByRole('combobox', { name: 'Colours' });
  const choose = async (theme: string) => {
    await page.getByText('Account', { exact: true }).click();
    await choice.selectOption(theme);
    await page.keyboard.press('Escape');
    t.notOk(await choice.isVisible(), 'Escape closes the menu');
  };
  await choose('dark');
  t.same([await darkGrids(page), await otherTab()], [[true], 'dark']);
  await page.reload();
  await cellShows(page, 'A2', 'Acme Paper Ltd');
  t.same(await darkGrids(page), [true], 'it is kept');
  await choose('as the system');
  t.same([await darkGrids(page), await otherTab()], [[false], 'system']);
  await other.close();
  await page.getByText('Account', { exact: true }).click();
  await choice.waitFor({ timeout: waitMs });
  await page.getByRole('heading', { name: 'Suppliers' }).click();
  t.notOk(await choice.isVisible(), 'so does a press elsewhere');
}

async function asksRows(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await visit(page, 'Tables');
  await page.getByRole('link', { name: 'Suppliers', exact: true }).waitFor({ timeout: waitMs });
  await checkScreen(t, opened, 'tables');
  await page.getByRole('link', { name: 'Suppliers', exact: true }).click();
  await cellShows(page, 'A2', 'Acme Paper Ltd');
  await checkScreen(t, opened, 'table');
  await choosesColours(t, opened);
  await importsRows(t, opened);
  await page.getByLabel('Only rows where').fill('[@Days]<20');
  await page.getByLabel('Order').selectOption('-Name');
  await page.getByRole('button', { name: 'Ask' }).click();
  await cellShows(page, 'A2', 'Golf Ltd');
  await page.getByText('3 rows', { exact: true }).waitFor({ timeout: waitMs });
  t.match(page.url(), /where=.*order=-Name/u, 'the question is in the address');
  await page.getByLabel('Only rows where').fill('[@Weight]<20');
  await page.getByRole('button', { name: 'Ask' }).click();
  await page.getByText('The table has no column Weight.').waitFor({ timeout: waitMs });
  t.match(opened.watch.take(), [/422/u], 'a refused question is told');
  await page.getByLabel('Only rows where').fill('');
  await page.getByLabel('Group').selectOption('Days');
  await page.getByRole('button', { name: 'Ask' }).click();
  await page.getByText('4 groups by Days').waitFor({ timeout: waitMs });
  await page.getByRole('link', { name: 'Changes' }).click();
  await page.getByText('6 rows differ').waitFor({ timeout: waitMs });
}

/** Writes an entry into a row by its key, and deletes a selected row. */
async function editsRows(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Rows', exact: true }).click();
  await cellShows(page, 'B2', 'York');
  await page.locator('.grid-editor').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.type('Bath');
  await page.keyboard.press('Enter');
  await cellShows(page, 'B2', 'Bath');
  await page.getByLabel('Name', { exact: true }).fill('Hotel Ltd');
  await page.getByRole('button', { name: 'Add the row' }).click();
  await cellShows(page, 'A8', 'Hotel Ltd');
}

/** Dates are shown as dates, and edited so. */
async function editsDates(t: Test, { page }: Opened): Promise<void> {
  const table = { name: 'Days', keyColumn: 'k', schema: { k: 'text', day: 'date' } };
  await asked(page, 'branches/main/tables', 'POST', table);
  const rows = [{ k: 'a', day: '2026-02-28' }];
  await asked(page, 'branches/main/tables/Days/rows', 'POST', { rows });
  await visit(page, 'Tables');
  await page.getByRole('link', { name: 'Days', exact: true }).click();
  await cellShows(page, 'B2', '2026-02-28');
  await page.locator('.grid-editor').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('F2');
  t.equal(await page.locator('.grid-editor').inputValue(), '2026-02-28');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('7');
  await page.keyboard.press('Enter');
  await cellShows(page, 'B2', '2026-02-27');
}

async function matchesTables(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await visit(page, 'Matches');
  const left = page.getByRole('group', { name: 'Rows of' });
  const right = page.getByRole('group', { name: 'look for a partner in' });
  await left.getByLabel('Table').selectOption({ label: 'Invoices' });
  await left.getByLabel('Column').selectOption('From');
  await right.getByLabel('Table').selectOption({ label: 'Suppliers' });
  await checkScreen(t, opened, 'matches');
  await page.getByRole('button', { name: 'Match them' }).click();
  await page.getByText('By these bounds alone').waitFor({ timeout: waitMs });
  await page.getByLabel('Refuse below', { exact: true }).fill('0.05');
  await page.getByLabel('Accept from', { exact: true }).fill('0.8');
  const save = page.getByRole('button', { name: /^Save \d+ decisions$/u });
  await save.click();
  await page.getByText(/^\d+ pairs are left/u).waitFor({ timeout: waitMs });
  const partner = page.getByRole('region', { name: 'Right row' });
  await partner.filter({ hasText: 'Days30' }).waitFor({ timeout: waitMs });
  await checkScreen(t, opened, 'match');
  const left0 = await page.getByText(/^\d+ pairs are left/u).textContent();
  await page.keyboard.press('y');
  await page
    .getByText(left0 ?? '', { exact: true })
    .waitFor({ state: 'detached', timeout: waitMs });
  await page.getByRole('button', { name: /^Write \d+ accepted$/u }).click();
  await page.getByText('pairs were written as').waitFor({ timeout: waitMs });
}

async function sharesBook(t: Test, ann: Opened, ben: Opened): Promise<void> {
  const { page } = ann;
  await ben.page.getByText('Account', { exact: true }).click();
  const id = await ben.page.locator('.menu-body code').textContent({ timeout: waitMs });
  await visit(page, 'Settings');
  await page.getByLabel(/^Share with/u).fill(id ?? '');
  await page.getByRole('combobox', { name: 'as', exact: true }).selectOption('viewer');
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('button', { name: 'Take away' }).waitFor({ timeout: waitMs });
  await page.getByLabel('Branch or pattern').fill('release/*');
  await page.getByRole('button', { name: 'Protect it' }).click();
  await page.getByRole('button', { name: 'Save the policy' }).click();
  await page.getByRole('button', { name: 'Save the policy', disabled: true }).waitFor();
  await checkScreen(t, ann, 'settings');
  const [book = ''] = /wb_\w+/u.exec(page.url()) ?? [];
  await ben.page.goto(`${new URL(page.url()).origin}/console/${book}`);
  await cellShows(ben.page, 'B5', '700');
  await ben.page.getByText('You are a viewer').waitFor({ timeout: waitMs });
  await enter(ben.page, 'B5', '1');
  await cellShows(ben.page, 'B5', '700');
  await checkScreen(t, ben, 'sheet of a viewer');
}

/** A thousand conflicts are settled by one key, taken back, and merged. */
async function settlesInBulk(t: Test, { page }: Opened): Promise<void> {
  const [book = ''] = /wb_\w+/u.exec(page.url()) ?? [];
  const merge = await page.evaluate<string>(`(async () => {
    const ask = async (path, body) => (await fetch('/v1/workbooks/${book}/' + path, {
      method: 'POST',
      headers: {
        authorization: 'Bearer ' + sessionStorage.getItem('quire.key'),
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })).json();
    const write = (branch, by) => ask('branches/' + branch + '/ops', { writer: 'bulk', ops: [{
      kind: 'range.set',
      payload: {
        sheet: 'Budget',
        range: 'A101:A1100',
        inputs: Array.from({ length: 1000 }, (_, row) => [row + by]),
      },
    }] });
    await ask('branches', { name: 'many', from: 'main' });
    await write('main', 0);
    await write('many', 5000);
    return (await ask('merges', { source: 'many', target: 'main' })).id;
  })()`);
  await page.goto(page.url().replace(/\/wb_\w+.*$/u, `/${book}/merges/${merge}`));
  await page.getByText(/^1000 of 1000 are open/u).waitFor({ timeout: waitMs });
  const started = Date.now();
  await page.keyboard.press('Shift+O');
  await page.getByText(/^0 of 1000 are open/u).waitFor({ timeout: waitMs });
  await page.getByRole('button', { name: 'Take these choices back' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText(/^1000 of 1000 are open/u).waitFor({ timeout: waitMs });
  await page.keyboard.press('Shift+T');
  await page.getByText(/^0 of 1000 are open/u).waitFor({ timeout: waitMs });
  const approve = page.getByRole('button', { name: 'Approve and merge', disabled: false });
  await approve.focus({ timeout: waitMs });
  await page.keyboard.press('Enter');
  await page.getByText('Merged into main.').waitFor({ timeout: waitMs });
  t.comment(`1,000 conflicts are settled twice and merged in ${Date.now() - started} ms`);
}

/** After merges that crossed there is no base to choose: what both decided is told in its place. */
async function asksAfterCrossing(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const post = (path: string, body: unknown) => asked(page, path, 'POST', body);
  const write = async (branch: string, input: number): Promise<string> => {
    const op = { kind: 'cells.set', payload: { sheet: 'Budget', cells: [{ a1: 'K9', input }] } };
    const written = await post(`branches/${branch}/ops`, { writer: branch, ops: [op] });
    return `${branch}@${(written as { head: number }).head}`;
  };
  const propose = async (source: string, target: string): Promise<string> =>
    ((await post('merges', { source, target })) as { id: string }).id;
  await post('branches', { name: 'cross', from: 'main' });
  const [ours, theirs] = [await write('main', 1), await write('cross', 2)];
  for (const merge of [await propose(theirs, 'main'), await propose(ours, 'cross')]) {
    await post(`merges/${merge}/resolve`, { bulk: [{ where: {}, choice: 'ours' }] });
    t.match(await post(`merges/${merge}/approve`, {}), { state: 'merged' });
  }
  const merge = await propose('cross', 'main');
  await page.goto(page.url().replace(/\/merges\/.*$/u, `/merges/${merge}`));
  await page.getByText('earlier merges decided: 1 or 2').waitFor({ timeout: waitMs });
  t.equal(await page.getByRole('button', { name: 'Take the base' }).count(), 0);
  t.equal(await page.getByText('B the base').count(), 0);
  await checkScreen(t, opened, 'conflict after crossed merges');
  await page.keyboard.press('t');
  await page.getByText('0 of 1 are open').waitFor({ timeout: waitMs });
}

/** Conflicts are picked by sheet, and a deleted row stands beside what was written to it. */
async function settlesBySheet(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const write = (branch: string, ops: readonly unknown[]) =>
    asked(page, `branches/${branch}/ops`, 'POST', { writer: branch, ops });
  const set = (sheet: string, a1: string, input: number) => {
    return { kind: 'cells.set', payload: { sheet, cells: [{ a1, input }] } };
  };
  await asked(page, 'branches', 'POST', { name: 'wide', from: 'main' });
  await write('main', [
    set('Budget', 'C4', 5),
    set('Budget', 'K20', 1),
    set('Suppliers', 'K20', 1),
  ]);
  const gone = { kind: 'rows.delete', payload: { sheet: 'Budget', from: 4, count: 1 } };
  await write('wide', [set('Budget', 'K20', 2), set('Suppliers', 'K20', 2), gone]);
  const { id } = (await asked(page, 'merges', 'POST', { source: 'wide', target: 'main' })) as {
    id: string;
  };
  await page.goto(page.url().replace(/\/merges\/.*$/u, `/merges/${id}`));
  await page.getByText('3 of 3 are open').waitFor({ timeout: waitMs });
  const row = page.getByRole('article').filter({ hasText: 'deleted it' });
  await row.filter({ hasText: 'wrote to it' }).getByText('C4').waitFor({ timeout: waitMs });
  await row.getByText('as it was before both').waitFor({ timeout: waitMs });
  await checkScreen(t, opened, 'conflicts of two sheets');
  await page.getByRole('combobox', { name: 'in', exact: true }).selectOption('Suppliers');
  t.equal(await page.getByRole('article').count(), 1, 'the others are not listed');
  await page.getByRole('button', { name: 'Take theirs (wide) for 1 open in Suppliers' }).click();
  await page.getByText('2 of 3 are open').waitFor({ timeout: waitMs });
  await page.getByRole('combobox', { name: 'in', exact: true }).selectOption('any');
  t.equal(await page.getByRole('article').filter({ hasText: 'resolved' }).count(), 1);
  await page.keyboard.press('u');
  await page.getByText('3 of 3 are open').waitFor({ timeout: waitMs });
}

t.test('the screens around the sheet', { timeout: 170_000 }, async (t) => {
  const service = await TestService.start(t);
  const browser = await RealBrowser.start(t);
  const [ann, ben] = [
    await browser.open(),
    await browser.open({ width: 400, height: 800, isPhone: true }),
  ];
  await trySample(ann.page, service.url);
  await trySample(ben.page, service.url);
  await t.test('tables are listed, asked, grouped and filled', (t) => asksRows(t, ann));
  await t.test('rows are edited by key', () => editsRows(ann.page));
  await t.test('dates of a table are dates', (t) => editsDates(t, ann));
  await t.test('tables are matched, and pairs decided about', (t) => matchesTables(t, ann));
  await t.test('a second person looks at a shared workbook', (t) => sharesBook(t, ann, ben));

  await t.test('a thousand conflicts are settled by keys', (t) => settlesInBulk(t, ann));
  await t.test('a merge after merges that crossed', (t) => asksAfterCrossing(t, ann));
  await t.test('conflicts are settled sheet by sheet', (t) => settlesBySheet(t, ann));
  await visit(ann.page, 'Settings');

  await t.test('usage', async (t) => {
    await ann.page.getByText('Account', { exact: true }).click();
    await ann.page.getByRole('link', { name: 'Usage' }).click();
    await ann.page.getByText('Operations this month').waitFor({ timeout: waitMs });
    await ann.page.getByRole('heading', { name: 'Operations by day' }).waitFor({ timeout: waitMs });
    const days = new Date().getUTCDate();
    t.equal(await ann.page.locator('.day-bars rect').count(), days, 'a bar for each day');
    await ann.page.getByText('As a table').click();
    t.equal(await ann.page.getByRole('rowheader', { name: /^\d+\/\d+\/\d+$/u }).count(), days);
    await checkScreen(t, ann, 'usage');
    await ann.page.goBack();
  });

  await t.test('an archived workbook says so and comes back', async (t) => {
    const { page } = ann;
    await page.getByRole('button', { name: 'Archive the workbook' }).click();
    await visit(page, 'Cells');
    await page.getByText('This workbook was archived').waitFor({ timeout: waitMs });
    await checkScreen(t, ann, 'archived');
    await page.getByRole('button', { name: 'Restore it' }).click();
    await page.getByText('This workbook was archived').waitFor({ state: 'detached' });
  });

  await t.test('what nobody shared is a page that says so', async (t) => {
    await ann.page.goto(`${service.url}/console/wb_01M86YC6EFF59XRR3QYB0DP5TA/merges`);
    await ann.page.getByText('This workbook was removed, or nobody').waitFor({ timeout: waitMs });
    await ann.page.waitForLoadState('networkidle');
    t.ok(ann.watch.take().every((text) => text.includes('404')));
    await checkScreen(t, ann, 'gone');
  });
});
