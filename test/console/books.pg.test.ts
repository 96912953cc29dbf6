import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import { RealBrowser } from '../support/chromium.ts';
import { claimedAgent, type ClaimedAgent } from '../support/claimed-agent.ts';
import {
  allSaved,
  bookOf,
  cellShows,
  checkScreen,
  trySample,
  useKey,
  waitMs,
  type Opened,
} from '../support/console-page.ts';
import { TestService } from '../support/test-service.ts';

/**
 * The list of workbooks: what it tells of each, and what can be done with it there. Runs long: it
 * has a dozen states in a browser.
 */

const waited = { timeout: waitMs };
const gone = { state: 'detached', timeout: waitMs } as const;

async function showsList({ page, url }: { page: Page; url: string }): Promise<void> {
  await page.goto(`${url}/console`);
  await page.getByRole('table').waitFor(waited);
}

/** Columns of a row, without its buttons. */
async function rowOf(page: Page, name: string): Promise<readonly string[]> {
  const row = page.getByRole('row').filter({ hasText: name });
  await row.waitFor(waited);
  return (await row.getByRole('cell').allTextContents()).slice(0, 6);
}

async function enterKey(page: Page, url: string, { credential }: ClaimedAgent): Promise<void> {
  await page.goto(`${url}/console`);
  await page.getByLabel('Or use a key that you have').fill(credential);
  await page.getByRole('button', { name: 'Use the key' }).click();
  await page.getByRole('heading', { name: 'Workbooks' }).waitFor(waited);
}

/** Head, cells and role are told, and a search leaves what has its text. */
async function tellsOfEach(t: Test, { opened, url }: World): Promise<void> {
  const { page } = opened;
  await page.goto(`${url}/console`);
  await page.getByRole('button', { name: 'New workbook' }).click(waited);
  await cellShows(page, 'A1', '');
  await allSaved(page);
  for (let tries = 0; tries < 100; tries++) {
    await showsList({ page, url });
    const [, , , , cells] = await rowOf(page, 'budget-');
    if (cells !== '') break;
    await page.waitForTimeout(100);
  }
  const [name, owner, head, changed, cells, role] = await rowOf(page, 'budget-');
  t.match(
    { name, owner, head, changed, cells, role },
    {
      name: /^budget-\w+$/u,
      owner: /^agt-/u,
      head: /^main@\d\d$/u,
      changed: /now|minute/u,
      cells: /^\d\d$/u,
      role: 'owner',
    },
  );
  await checkScreen(t, opened, 'workbooks, two of them');
  await page.getByRole('searchbox', { name: 'Search' }).fill('BUDG');
  await page.getByText('1 of 2 workbooks').waitFor(waited);
  t.equal(await page.getByRole('row').count(), 2, 'the head of the table, and one');
  await page.getByRole('searchbox', { name: 'Search' }).fill('nothing like it');
  await page.getByText('0 of 2 workbooks').waitFor(waited);
  await checkScreen(t, opened, 'workbooks, none found');
}

/** A workbook is archived, shown again on demand, and restored. */
async function archives(t: Test, { opened, url }: World): Promise<void> {
  const { page } = opened;
  await showsList({ page, url });
  await page.getByRole('button', { name: /^Archive untitled/u }).click();
  const row = page.getByRole('row').filter({ hasText: 'untitled' });
  await row.waitFor(gone);
  await page.getByLabel('Archived ones too').check();
  await row.getByText('archived', { exact: true }).waitFor(waited);
  await checkScreen(t, opened, 'workbooks, archived ones too');
  await row.getByRole('button', { name: /^Purge/u }).click();
  const dialog = page.getByRole('dialog', { name: /^Purge/u });
  const purge = dialog.getByRole('button', { name: 'Purge it for good' });
  t.ok(await purge.isDisabled(), 'until the name is typed');
  await dialog.getByLabel(/^Type /u).fill('untitled');
  t.ok(await purge.isDisabled(), 'all of it');
  await checkScreen(t, opened, 'purge of a workbook');
  const [name = ''] = await row.getByRole('link').allTextContents();
  await dialog.getByLabel(/^Type /u).fill(name);
  await purge.click();
  await dialog.getByRole('alert').waitFor(waited);
  t.match(opened.watch.take(), [/status of 403/u], 'nobody has claimed this account');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await row.getByRole('button', { name: /^Restore/u }).click();
  await row.getByRole('button', { name: /^Archive/u }).waitFor(waited);
}

/** Somebody with an account purges a workbook of theirs, and looks at one of somebody else. */
async function purges(t: Test, { browser, opened, url, service }: World): Promise<void> {
  const person = await claimedAgent(url);
  const { credential } = person;
  await service.request('/v1/workbooks', { credential, body: { name: 'old plans' } });
  const other = await browser.open();
  const { page } = other;
  await enterKey(page, url, person);
  await page.getByRole('button', { name: 'Archive old plans' }).click(waited);
  await page.getByText('There is none yet').waitFor(waited);
  await checkScreen(t, other, 'workbooks, none yet');
  await page.getByLabel('Archived ones too').check();
  await page.getByRole('button', { name: 'Purge old plans' }).click(waited);
  await page.getByLabel(/^Type old plans/u).fill('old plans');
  await page.getByRole('button', { name: 'Purge it for good' }).click();
  await page.getByRole('link', { name: 'old plans' }).waitFor(gone);
  const { json } = await service.request('/v1/workbooks?include=archived', { credential });
  t.match(json, { total: 0 });
  await looksOn(t, { page: opened.page, other, person });
  t.same(other.watch.take(), []);
}

interface Lookers {
  readonly page: Page;
  readonly other: Opened;
  readonly person: ClaimedAgent;
}

/** A viewer is told so in the list, and neither renames, archives nor restores. */
async function looksOn(t: Test, { page, other, person }: Lookers): Promise<void> {
  await page.getByRole('link', { name: /^budget-/u }).click();
  await cellShows(page, 'B5', '700');
  const act = (path: string, method: string, body?: unknown) =>
    page.evaluate<number>(`fetch('/v1/workbooks/${bookOf(page)}${path}', {
      method: '${method}',
      headers: {
        authorization: 'Bearer ' + sessionStorage.getItem('quire.key'),
        'content-type': 'application/json',
      },
      ${body === undefined ? '' : `body: JSON.stringify(${JSON.stringify(body)}),`}
    }).then((answer) => answer.status)`);
  t.equal(await act(`/collaborators/${person.userId}`, 'PUT', { role: 'viewer' }), 200);
  await showsList({ page: other.page, url: new URL(page.url()).origin });
  const row = other.page.getByRole('row').filter({ hasText: 'budget-' });
  t.same((await rowOf(other.page, 'budget-'))[5], 'viewer');
  t.equal(await row.getByRole('button').count(), 0, 'nothing is a viewer’s to do');
  t.equal(await act('', 'DELETE'), 200);
  await other.page.reload();
  await other.page.getByLabel('Archived ones too').check(waited);
  await row.getByRole('link').click();
  await other.page.getByText(/was archived by its owner, agt-/u).waitFor(waited);
  t.equal(await other.page.getByRole('button', { name: 'Restore it' }).count(), 0);
  const name = other.page.getByLabel('Name of the workbook');
  t.equal(await name.getAttribute('readonly'), '', 'nor is its name');
  await checkScreen(t, other, 'archived workbook of somebody else');
  t.equal(await act('/restore', 'POST', {}), 200);
}

/** A file tells how much of it has arrived, and can be stopped; dropped again it is a workbook. */
async function importsFile(t: Test, { opened, url }: World): Promise<void> {
  const { page, context } = opened;
  await showsList({ page, url });
  const csv = Array.from({ length: 60_000 }, (_, row) => `name ${row},${row}`).join('\n');
  const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 200_000 };
  await devtools.send('Network.emulateNetworkConditions', slow);
  await page.getByLabel('File to import').setInputFiles(file);
  await page.getByRole('progressbar', { name: 'Importing people.csv…' }).waitFor(waited);
  await checkScreen(t, opened, 'import of a file');
  await page.getByRole('button', { name: 'Stop the import' }).click();
  await page.getByRole('progressbar').waitFor(gone);
  t.equal(await page.getByRole('alert').count(), 0, 'who stops it knows');
  const quick = { ...slow, uploadThroughput: -1 };
  await devtools.send('Network.emulateNetworkConditions', quick);
  await page.evaluate(`(() => {
    const data = new DataTransfer();
    data.items.add(new File(['Tea,2\\nMilk,1\\n'], 'shop.csv', { type: 'text/csv' }));
    const main = document.querySelector('main');
    main.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  })()`);
  await cellShows(page, 'A2', 'Milk');
  await allSaved(page);
  t.same(opened.watch.take(), []);
}

/** A phone has the whole list, which is scrolled sideways within the page. */
async function fitsPhone(t: Test, { browser, opened }: World): Promise<void> {
  const phone = await browser.open({ width: 390, height: 800, isPhone: true });
  await useKey(phone.page, opened.page);
  await phone.page.getByRole('table').waitFor(waited);
  await checkScreen(t, phone, 'workbooks on a phone');
  await phone.page.getByRole('link', { name: /^budget-/u }).click();
  await allSaved(phone.page);
  const all = phone.page.getByRole('button', { name: 'All versions' });
  const { x = 0, width = 0 } = (await all.boundingBox()) ?? {};
  t.ok(x + width <= 390, 'all of the history is in the window');
  await checkScreen(t, phone, 'history on a phone');
}

/** While the list is on its way its frame is there; a list that does not come is asked for again. */
async function waitsAndFails(t: Test, { opened, url }: World): Promise<void> {
  const { page, context, watch } = opened;
  const held: (() => void)[] = [];
  await context.route('**/v1/workbooks?*', async (route) => {
    await new Promise<void>((resolve) => held.push(resolve));
    await route.abort();
  });
  await page.goto(`${url}/console`);
  await page.getByText('Workbooks are on the way').waitFor(waited);
  await checkScreen(t, opened, 'workbooks on the way');
  for (const release of held) release();
  await page.getByText('The service does not answer.').waitFor(waited);
  t.ok(watch.take().every((text) => /not loaded|ERR_FAILED/u.test(text)));
  await checkScreen(t, opened, 'no workbooks without a service');
  await context.unroute('**/v1/workbooks?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('table').waitFor(waited);
}

interface World {
  readonly service: TestService;
  readonly url: string;
  readonly browser: RealBrowser;
  readonly opened: Awaited<ReturnType<RealBrowser['open']>>;
}

t.test('the list of workbooks', { timeout: 170_000 }, async (t) => {
  // Cells are counted for those whose plan has a cap.
  const service = await TestService.start(t, { RATE_LIMITS: 'on' });
  const { url } = service;
  const browser = await RealBrowser.start(t);
  const world = { service, url, browser, opened: await browser.open() };
  await trySample(world.opened.page, url);
  await t.test('tells of each', (t) => tellsOfEach(t, world));
  await t.test('archives and restores', (t) => archives(t, world));
  await t.test('purges, for who has an account', (t) => purges(t, world));
  await t.test('imports a file', (t) => importsFile(t, world));
  await t.test('fits a phone', (t) => fitsPhone(t, world));
  await t.test('is waited for', (t) => waitsAndFails(t, world));
});
