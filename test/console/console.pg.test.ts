import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import { RealBrowser } from '../support/chromium.ts';
import {
  allSaved,
  asked,
  cellShows,
  enter,
  cellText,
  checkScreen,
  fieldHolds,
  goTo,
  trySample,
  useKey,
  visit,
  waitMs,
  type Opened,
} from '../support/console-page.ts';
import { TestService } from '../support/test-service.ts';

/**
 * The console in a real browser against a real service: each screen, both themes, two people.
 * Runs long: half a minute in a browser.
 */

/** Checks a proof in the browser itself, and shows that a changed one is refused. */
const lookAgain = `for (const button of document.querySelectorAll('button'))
  if (button.textContent === 'Look again') button.click();`;

async function provesInBrowser(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await visit(page, 'Proof');
  const checked = page.getByRole('heading', { name: 'Checked by your browser' });
  const again = page.getByRole('button', { name: 'Look again' });
  await page.getByLabel('Operation of main').fill('1');
  await page.getByRole('button', { name: 'Check' }).click();
  await checked.or(again).waitFor({ timeout: waitMs });
  for (let tries = 0; tries < 200 && !(await checked.isVisible()); tries++) {
    // The button goes away by itself while one looks.
    await page.evaluate(lookAgain);
    await page.waitForTimeout(100);
  }
  await checked.waitFor({ timeout: waitMs });
  t.equal(await page.getByRole('list', { name: 'Checks' }).getByRole('listitem').count(), 3);
  // Until the log has the operation its proof is not found, which a browser writes down.
  t.same(
    opened.watch.take().filter((text) => !/status of 404/u.test(text)),
    [],
  );
  await checkScreen(t, opened, 'proof');
  const [kept] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Keep the proof' }).click(),
  ]);
  const file = await readFile(await kept.path(), 'utf8');
  const changed = file
    .replace(/^index \d+$/mu, 'index 0')
    .replace(/^extra (.{40})./mu, 'extra $1A');
  const buffer = Buffer.from(changed);
  await page
    .getByLabel('Or a file')
    .setInputFiles({ name: 'changed.tlog-proof', mimeType: 'text/plain', buffer });
  await page
    .getByRole('heading', { name: 'This proof does not hold' })
    .waitFor({ timeout: waitMs });
  await checkScreen(t, opened, 'refused proof');
  await visit(page, 'Cells');
  await cellShows(page, 'B5', '200');
}

/** Finds commands and cells in the palette, and shows the keys. */
async function findsByPalette(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await page.keyboard.press('Control+k');
  const find = page.getByRole('combobox', { name: 'Find a command or a place' });
  await find.waitFor({ timeout: waitMs });
  const palette = page.getByRole('dialog');
  await palette.getByRole('option', { name: 'less-travel branch' }).waitFor({ timeout: waitMs });
  await palette.getByRole('option', { name: 'Budget sheet' }).waitFor({ timeout: waitMs });
  await checkScreen(t, opened, 'palette');
  await find.fill('budget!c4');
  await find.press('Enter');
  await page.waitForURL(/cell=C4/u, { timeout: waitMs });
  await fieldHolds(t, page.getByLabel('Go to cell'), 'C4');
  await page.keyboard.press('Control+/');
  await page.getByRole('heading', { name: 'Keys' }).waitFor({ timeout: waitMs });
  await checkScreen(t, opened, 'keys');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Alt+h');
  t.equal(await page.evaluate('document.activeElement.id'), 'history');
  await page.keyboard.press('Control+Shift+p');
  await find.fill('>merg');
  await find.press('Enter');
  await page.getByRole('heading', { name: 'Merges' }).waitFor({ timeout: waitMs });
}

const service = await TestService.start(t);
const browser = await RealBrowser.start(t);

/** Has the timer of the history slider run before the page has drawn again, as on a busy machine. */
const slowDrawing = `(() => {
  const later = window.setTimeout;
  window.setTimeout = (act, ms, ...rest) => later(act, ms === 120 ? 0 : ms, ...rest);
})()`;

t.test('somebody new edits, branches, compares and merges', { timeout: 170_000 }, async (t) => {
  const { page, watch } = await browser.open();
  const opened = { page, watch };

  await page.goto(service.url);
  await page.getByRole('button', { name: /Try it/u }).waitFor({ timeout: waitMs });
  t.equal(page.url(), `${service.url}/console`, 'the bare address leads there');
  await checkScreen(t, opened, 'welcome');
  await page.getByRole('button', { name: /Try it/u }).click();
  await cellShows(page, 'B5', '700');
  await allSaved(page);
  await checkScreen(t, opened, 'sheet');
  t.equal(await cellText(page, 'H6'), '63,960', 'number formats are shown');
  t.equal(await cellText(page, 'A1'), 'Costs', 'frozen rows and columns are there');

  await t.test('what is typed is kept, and what depends on it is calculated', async (t) => {
    await goTo(page, 'B5');
    await page.keyboard.type('800');
    await page.keyboard.press('Enter');
    await cellShows(page, 'H6', '64,060');
    await allSaved(page);
    await goTo(page, 'B7');
    await page.keyboard.type('=B5*2');
    await page.keyboard.press('Tab');
    await cellShows(page, 'B7', '1600');
    t.equal(await page.getByLabel('Go to cell').inputValue(), 'C7', 'Tab goes right');
    await page.keyboard.press('Control+z');
    await cellShows(page, 'B7', '');
    await page.keyboard.press('Control+y');
    await cellShows(page, 'B7', '1600');
    await goTo(page, 'B7');
    await fieldHolds(t, page.getByLabel('Formula'), '=B5*2');
  });

  await t.test('what cannot be applied is told, with the way on', async (t) => {
    await goTo(page, 'C9');
    await page.keyboard.type('=SUM(');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor({ timeout: waitMs });
    t.match(await page.getByRole('alert').textContent(), /Not applied: C9 = =SUM\(/u);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    t.same(watch.take(), []);
  });

  await t.test('an older position is read only, and a branch begins there', async () => {
    await page.locator('#history').focus();
    for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowLeft');
    await page.getByText('an older position').waitFor({ timeout: waitMs });
    await cellShows(page, 'B5', '800');
    await checkScreen(t, opened, 'older position');
    await page.locator('.banner').getByRole('button', { name: 'Branch from here' }).click();
    await page.getByLabel('Name of the new branch').fill('mine');
    await page.getByRole('button', { name: 'Make the branch' }).click();
    await allSaved(page);
    await goTo(page, 'B2');
    await page.keyboard.type('1300');
    await page.keyboard.press('Enter');
    await cellShows(page, 'B2', '1,300');
    await allSaved(page);
  });

  await t.test('two branches are compared', async (t) => {
    await visit(page, 'Compare');
    await page.getByRole('cell', { name: 'Budget!B2' }).waitFor({ timeout: waitMs });
    await checkScreen(t, opened, 'diff');
    const text = await page.locator('tr', { hasText: 'Budget!B2' }).textContent();
    t.match(text, /1200.*1300/u);
    const focused = () => page.evaluate('document.activeElement.textContent');
    await page.keyboard.press('k');
    const last = await focused();
    await page.keyboard.press('j');
    t.equal(await focused(), last, 'nothing is behind the last change');
    await page.getByRole('combobox', { name: 'To', exact: true }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('j');
    t.equal(await focused(), 'Budget!B2', 'J leads to the first change');
    const turnLetters = async () => {
      await page.keyboard.press('Control+/');
      await page.getByLabel('Letters alone are commands').click({ timeout: waitMs });
      await page.keyboard.press('Escape');
      await page.getByRole('combobox', { name: 'To', exact: true }).focus();
      await page.keyboard.press('Tab');
      await page.keyboard.press('j');
    };
    await turnLetters();
    t.not(await focused(), 'Budget!B2', 'letters do nothing once they are switched off');
    await turnLetters();
    t.equal(await focused(), 'Budget!B2', 'and lead on once they are commands again');
    await page.getByLabel('also what is calculated anew').check();
    await page.getByText('because of Budget!B2').first().waitFor({ timeout: waitMs });
    await page.getByRole('link', { name: 'Mark it in the sheet' }).click();
    await page
      .getByText(/Marked: what differs from main: \d+ cells?/u)
      .waitFor({ timeout: waitMs });
    await checkScreen(t, opened, 'marked cells');
    await page.getByRole('link', { name: 'No marks' }).click();
    await page.getByText('Marked: what differs').waitFor({ state: 'detached' });
  });

  await t.test('a merge is reviewed: the conflict is settled, and it is applied', async (t) => {
    await visit(page, 'Merges');
    await page.getByRole('link', { name: 'less-travel into main' }).waitFor({ timeout: waitMs });
    await checkScreen(t, opened, 'merges');
    await page.getByRole('link', { name: 'less-travel into main' }).click();
    await page.getByText('1 of 1 is open').waitFor({ timeout: waitMs });
    await checkScreen(t, opened, 'review');
    t.ok(await page.getByRole('button', { name: 'Approve and merge' }).isDisabled());
    await page.keyboard.press('t');
    await page.getByText('0 of 1 are open').waitFor({ timeout: waitMs });
    await page.getByRole('button', { name: 'Approve and merge' }).click();
    await page.getByText('Merged into main.').waitFor({ timeout: waitMs });
    await visit(page, 'Cells');
    await cellShows(page, 'B5', '200');
  });

  await t.test('a version is brought back', (t) => bringsVersionBack(t, opened));
  await t.test('a part of a merge is left out', (t) => leavesPartOut(t, opened));
  await t.test('the browser itself checks a proof', (t) => provesInBrowser(t, opened));
  await t.test('the palette finds commands and cells', (t) => findsByPalette(t, opened));

  await t.test('the list of workbooks', async (t) => {
    await page.getByRole('link', { name: 'Quire' }).click();
    await page.getByRole('table').waitFor({ timeout: waitMs });
    await checkScreen(t, opened, 'workbooks');
    t.equal(await page.getByRole('row').count(), 2);
  });
});

/** A version is named, looked at again, and brought back as a new operation. */
async function bringsVersionBack(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await visit(page, 'Cells');
  await page.getByRole('button', { name: 'All versions' }).click();
  const panel = page.getByRole('complementary', { name: 'History' });
  await panel.getByText(/merged a branch/u).waitFor({ timeout: waitMs });
  await panel.getByLabel('Name of this version').fill('As agreed');
  await panel.getByRole('button', { name: 'Keep the name' }).click();
  const named = panel.getByRole('listitem').filter({ hasText: 'As agreed' });
  await named.waitFor({ timeout: waitMs });
  await enter(page, 'B5', '555');
  await cellShows(page, 'B5', '555');
  await allSaved(page);
  await named.getByRole('link').first().click();
  await page.getByText('an older position').waitFor({ timeout: waitMs });
  await cellShows(page, 'B5', '200');
  t.equal(await named.locator('[aria-current]').count(), 1, 'it is marked in the list');
  await checkScreen(t, opened, 'history');
  await panel.getByLabel('Only').selectOption('merges, versions');
  await panel
    .getByText(/ typed/u)
    .first()
    .waitFor({ state: 'detached', timeout: waitMs });
  t.ok(await panel.getByText(/merged a branch/u).isVisible(), 'one kind alone');
  await panel.getByLabel('Only').selectOption('everything');
  const on = panel.getByRole('combobox', { name: 'On', exact: true });
  await on.selectOption('Suppliers');
  await panel.getByText(/merged a branch/u).waitFor({ state: 'detached', timeout: waitMs });
  await panel.getByText(/changed the width of columns/u).waitFor({ timeout: waitMs });
  t.equal(await panel.getByRole('listitem').count(), 1, 'the table, and the width of its sheet');
  await on.selectOption('Budget');
  await panel.getByText(/merged a branch/u).waitFor({ timeout: waitMs });
  await on.selectOption('all sheets');
  await page.getByRole('button', { name: 'Bring this version back' }).click();
  await allSaved(page);
  await cellShows(page, 'B5', '200');
  await panel.getByText(/went back to an earlier version/u).waitFor({ timeout: waitMs });
  await panel.getByRole('button', { name: 'Close' }).click();
}

/** Parts of a merge are put together by dragging and by choice, and are parted again by a rule. */
async function joinsParts(page: Page): Promise<void> {
  const [budget, suppliers] = ['Budget', 'Suppliers'].map((name) =>
    page.getByRole('list', { name: 'Parts of the merge' }).getByText(name, { exact: true }),
  );
  if (!budget || !suppliers) throw new Error('there are two');
  const all = page.getByLabel('In parts by');
  await suppliers.dragTo(budget, { timeout: waitMs });
  await suppliers.waitFor({ state: 'detached', timeout: waitMs });
  await all.selectOption('sheet');
  await suppliers.waitFor({ timeout: waitMs });
  await page.getByLabel('Put Budget together with').selectOption('together with Suppliers');
  await budget.waitFor({ state: 'detached', timeout: waitMs });
}

/** One part of a merge is left out: it is listed no more, and never written. */
async function leavesPartOut(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await asked(page, 'branches', 'POST', { name: 'two', from: 'main' });
  const kind = 'cells.set';
  for (const [sheet, writer] of [
    ['Budget', 'ann'],
    ['Suppliers', 'bob'],
  ]) {
    const ops = [{ kind, payload: { sheet, cells: [{ a1: 'K1', input: 'of two' }] } }];
    await asked(page, 'branches/two/ops', 'POST', { writer, ops });
  }
  await visit(page, 'Merges');
  await page.getByRole('combobox', { name: 'Merge', exact: true }).selectOption('two');
  await page.getByLabel('in parts by').selectOption('who wrote it');
  await page.getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('link', { name: 'Budget!K1' }).waitFor({ timeout: waitMs });
  const first = page.getByLabel(/^Decide on .*ann/u);
  await page.getByRole('button', { name: 'Keep them for later' }).click();
  await page.getByRole('link', { name: 'Budget!K1' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Take them' }).click();
  await page.getByRole('link', { name: 'Budget!K1' }).waitFor({ timeout: waitMs });
  const parts = page.getByLabel('In parts by');
  await parts.selectOption('sheet');
  await page.getByLabel('Decide on Suppliers').waitFor({ timeout: waitMs });
  t.equal(await first.count(), 0, 'parts are divided otherwise');
  await joinsParts(page);
  await parts.selectOption('who wrote it');
  await first.waitFor({ timeout: waitMs });
  await first.selectOption('leave it out');
  await page.getByRole('link', { name: 'Budget!K1' }).waitFor({ state: 'detached' });
  await checkScreen(t, opened, 'parts of a merge');
  const steps = page.getByRole('region', { name: 'What was done' });
  t.notMatch(await steps.textContent(), /agt_/u, 'people and agents have names');
  await page.getByRole('button', { name: 'Approve and merge' }).click();
  await page.getByText('Merged into main.').waitFor({ timeout: waitMs });
  t.match(await asked(page, 'slice?range=Suppliers!K1'), { rows: [['of two']] });
  t.match(await asked(page, 'slice?range=Budget!K1'), { rows: [[null]] });
}

t.test(
  'two pages of one branch show the same, and see each other',
  { timeout: 90_000 },
  async (t) => {
    const [ann, ben] = [await browser.open(), await browser.open()];
    await ben.context.addInitScript(slowDrawing);
    await trySample(ann.page, service.url);
    await useKey(ben.page, ann.page);
    const order: string[] = [];
    ben.page.on('request', (request) => {
      if (request.url().includes('A1%3AAF128')) order.push('cells');
    });
    ben.page.on('response', (answer) => {
      if (answer.url().includes('/records?')) order.push('what lies on them');
    });
    await ben.page.goto(ann.page.url());
    await cellShows(ben.page, 'B5', '700');
    t.equal(order[0], 'cells', 'cells wait for nothing that lies on them');
    await allSaved(ben.page);
    await ann.page.locator('.faces li').waitFor({ timeout: waitMs });
    for (const [writer, reader, cell] of [
      [ann, ben, 'A9'],
      [ben, ann, 'A10'],
    ] as const) {
      await goTo(writer.page, cell);
      await writer.page.keyboard.type(`from ${cell}`);
      await writer.page.keyboard.press('Enter');
      await cellShows(reader.page, cell, `from ${cell}`);
    }
    t.same(ann.watch.take(), []);
    t.same(ben.watch.take(), []);
  },
);

t.test(
  'files of the console are compressed and kept; unknown ones are not the shell',
  async (t) => {
    const shell = await (await fetch(`${service.url}/console/-/unknown?any=1`)).text();
    const [, script = ''] = /src="([^"]+)"/u.exec(shell) ?? [];
    const answer = await fetch(service.url + script, { headers: { 'accept-encoding': 'br' } });
    t.equal(answer.status, 200);
    t.match(Object.fromEntries(answer.headers), {
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'br',
      'cache-control': /immutable/u,
    });
    const etag = answer.headers.get('etag') ?? '';
    const again = await fetch(service.url + script, {
      headers: { 'if-none-match': etag, 'accept-encoding': 'br' },
    });
    t.equal(again.status, 304);
    const unknown = await fetch(`${service.url}/console/-/assets/none.js`);
    t.match(unknown, { status: 404 });
    t.match(await unknown.json(), { code: 'not_found' });
    const policy = (await fetch(`${service.url}/console`)).headers.get('content-security-policy');
    t.match(policy, /script-src 'self';.*require-trusted-types-for 'script'/u);
  },
);

t.test('a page of somebody who is signed in needs no key', { timeout: 60_000 }, async (t) => {
  const headers = { 'sec-fetch-site': 'same-origin' };
  const ask = (given: Record<string, string>) =>
    fetch(`${service.url}/console/-/token`, { method: 'POST', headers: given });
  t.same(await (await ask(headers)).json(), { access_token: null });
  const elsewhere = await ask({ 'sec-fetch-site': 'cross-site' });
  t.equal(elsewhere.status, 403);
  t.match(await elsewhere.json(), { code: 'forbidden' });
});
