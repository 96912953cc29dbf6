import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import { PageWatch, RealBrowser } from '../support/chromium.ts';
import {
  allSaved,
  asked,
  cellShows,
  checkScreen,
  enter,
  goTo,
  trySample,
  useKey,
  visit,
  waitMs,
  type Opened,
} from '../support/console-page.ts';
import { CutProxy } from '../support/cut-proxy.ts';
import { TestService } from '../support/test-service.ts';

/** Edits by the websocket: nothing typed is lost, whatever happens to the page or the service. */

interface Person extends Opened {
  readonly line: CutProxy;
}

interface World {
  readonly service: TestService;
  readonly ann: Person;
  readonly ben: Person;
}

async function meet(t: Test): Promise<World> {
  const service = await TestService.start(t);
  const browser = await RealBrowser.start(t);
  const [ann, ben] = await Promise.all([person(t, browser), person(t, browser)]);
  await trySample(ann.page, service.url);
  await trySample(ben.page, service.url);
  return { service, ann, ben };
}

async function person(t: Test, browser: RealBrowser): Promise<Person> {
  const line = await CutProxy.start(t);
  return { ...(await browser.open({ proxy: line.url })), line };
}

async function share(ann: Person, ben: Person, role: string | null): Promise<void> {
  const path = `collaborators/${await idOf(ben)}`;
  if (role === null) await asked(ann.page, path, 'DELETE');
  else await asked(ann.page, path, 'PUT', { role });
}

async function idOf({ page }: Opened): Promise<string> {
  const me = await page.evaluate<{ data: { user_id: string } }>(`fetch('/agent/auth/me', {
    headers: { authorization: 'Bearer ' + sessionStorage.getItem('quire.key') },
  }).then((answer) => answer.json())`);
  return me.data.user_id;
}

async function paste(page: Page, rows: number): Promise<void> {
  await page.evaluate(`(() => {
    const lines = Array.from({ length: ${rows} }, (_, row) => [row, 2, 3, 4, 5].join('\\t'));
    const data = new DataTransfer();
    data.setData('text/plain', lines.join('\\n'));
    document.querySelector('.grid-editor').dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  })()`);
}

/** The browser tells of requests that a cut line refused. */
function passCuts({ watch }: Opened, t: Test): void {
  const others = watch
    .take()
    .filter((text) => !/was not loaded|Failed to load resource|WebSocket connection/u.test(text));
  t.same(others, []);
}

/** A paste of 10,000 cells and an edit wait over a cut and a reload, and are written once. */
async function waitsOverReload(t: Test, { ann, ben }: World): Promise<void> {
  const { page, line } = ann;
  await goTo(page, 'J1');
  line.cut();
  await page.getByText(/^Offline since/u).waitFor({ timeout: waitMs });
  await paste(page, 2_000);
  await cellShows(page, 'K1', '2');
  await enter(page, 'B9', 'kept');
  await cellShows(page, 'B9', 'kept');
  await page.getByText(/2 edits wait here, also over a reload/u).waitFor({ timeout: waitMs });
  // The page comes again from the service; what waits comes from the browser.
  line.mend();
  // The route stays, because a browser may lose a request that begins while its routes change.
  let isRefusing = true;
  await page
    .context()
    .route('**/ws-ticket', (route) => (isRefusing ? route.abort() : route.continue()));
  await page.reload();
  await page.getByText(/2 edits wait here, also over a reload/u).waitFor({ timeout: waitMs });
  isRefusing = false;
  await allSaved(page);
  await cellShows(ben.page, 'B9', 'kept');
  const { rows } = (await asked(page, 'slice?range=Budget!J2000:N2000')) as { rows: unknown };
  t.same(rows, [[1999, 2, 3, 4, 5]]);
  const { ops } = (await asked(page, 'branches/main/ops?after=0')) as {
    ops: { payload: { range?: string } }[];
  };
  const pasted = ops.filter(({ payload }) => payload.range === 'J1:N2000');
  t.equal(pasted.length, 1, 'the paste counts once');
  passCuts(ann, t);
}

/** A page that is loaded again, or comes back to the cells, takes its former place among those who are here. */
async function seesNoFormerSelf(t: Test, { ann, ben }: World): Promise<void> {
  const { page } = ben;
  const others = page.getByRole('list', { name: 'Who else is here' }).getByRole('listitem');
  await others.waitFor({ timeout: waitMs });
  await page.reload();
  await allSaved(page);
  t.equal(await others.count(), 1, 'nobody but Ann after a reload');
  await visit(page, 'Merges');
  await visit(page, 'Cells');
  await allSaved(page);
  t.equal(await others.count(), 1, 'nor on the way back from another screen');
  const seen = ann.page.getByRole('list', { name: 'Who else is here' }).getByRole('listitem');
  t.equal(await seen.count(), 1);
}

/** Writes to the browser's own store take as long as on a disk that is busy. */
const slowStore = `const { put } = IDBObjectStore.prototype;
IDBObjectStore.prototype.put = function (...given) {
  const until = performance.now() + 800;
  const hold = () => performance.now() < until && (this.get('').onsuccess = hold);
  hold();
  return put.apply(this, given);
};`;

/** Edits of a page that was closed are sent by the next page of the same person. */
async function goesOnInAnotherTab(t: Test, { ann }: World): Promise<void> {
  const { page, line } = ann;
  const other = await page.context().newPage();
  await other.addInitScript(slowStore);
  await useKey(other, page);
  await other.goto(page.url());
  await allSaved(other);
  line.cut();
  await other.getByText(/^Offline since/u).waitFor({ timeout: waitMs });
  await enter(other, 'C9', 'of a closed tab');
  await other.getByText(/1 edit waits here, also over a reload/u).waitFor({ timeout: waitMs });
  await other.close();
  line.mend();
  // A page tries again after up to ten seconds, and looks for what others left when it is back.
  await page.getByText(/^Offline since/u).waitFor({ state: 'detached', timeout: waitMs });
  await cellShows(page, 'C9', 'of a closed tab');
  await allSaved(page);
  passCuts(ann, t);
}

/** A row that comes in above moves what waits, the selection and what is being typed. */
async function followsRows(t: Test, { ann, ben }: World): Promise<void> {
  await goTo(ben.page, 'D9');
  await ben.page.keyboard.type('half a wo');
  await goTo(ann.page, 'A2');
  await ann.page.getByText('Insert', { exact: true }).click();
  await ann.page.getByRole('button', { name: 'Rows above' }).click();
  await cellShows(ben.page, 'B6', '700');
  await ben.page.keyboard.type('rd');
  await ben.page.keyboard.press('Enter');
  await cellShows(ann.page, 'D10', 'half a word');
  await goTo(ann.page, 'D10');
  await goTo(ben.page, 'D10');
  await ben.page.keyboard.type('typed into a row that goes');
  await ann.page.getByText('Insert', { exact: true }).click();
  await ann.page.getByRole('button', { name: 'Delete these rows' }).click();
  await ben.page.getByText(/Not applied: D10 = typed into a row/u).waitFor({ timeout: waitMs });
  await ben.page.getByRole('button', { name: 'Copy' }).click();
  await ben.page.getByLabel('Copy this by hand').waitFor({ timeout: waitMs });
  await ben.page.getByRole('button', { name: 'Dismiss' }).click();
  await ann.page.keyboard.press('Control+z');
  await ann.page.keyboard.press('Control+z');
  await cellShows(ben.page, 'D9', 'half a word');
  t.same(ben.watch.take(), []);
}

/** A refusal is kept with what was typed, over a reload, until somebody decides. */
async function losesRole(t: Test, { ann, ben }: World): Promise<void> {
  const { page } = ben;
  await goTo(page, 'E9');
  await page.keyboard.type('typed while the role');
  await share(ann, ben, 'viewer');
  await page.keyboard.type(' was taken');
  await page.keyboard.press('Enter');
  const refused = page.getByText(/Not applied: E9 = typed while the role was taken/u);
  await refused.waitFor({ timeout: waitMs });
  await page.getByText('You are a viewer').waitFor({ timeout: waitMs });
  await page.reload();
  await refused.waitFor({ timeout: waitMs });
  const again = page.getByRole('button', { name: 'Try again' });
  await page
    .getByRole('button', { name: 'Try again', disabled: true })
    .waitFor({ timeout: waitMs });
  await share(ann, ben, 'editor');
  await page.reload();
  await again.click({ timeout: waitMs });
  await cellShows(ann.page, 'E9', 'typed while the role was taken');
  t.same(ben.watch.take(), []);
}

/** Somebody else purges the workbook while edits wait. */
async function isPurged(t: Test, { service, ben }: World): Promise<void> {
  const { page, line } = ben;
  const credential = await service.registerClaimed();
  const made = await service.request('/v1/workbooks', { credential, body: {} });
  const { id } = made.json as { id: string };
  const path = `/v1/workbooks/${id}`;
  const body = { role: 'editor' };
  await service.request(`${path}/collaborators/${await idOf(ben)}`, {
    credential,
    method: 'PUT',
    body,
  });
  await page.goto(`${service.url}/console/${id}`);
  await allSaved(page);
  line.cut();
  await page.getByText(/^Offline since/u).waitFor({ timeout: waitMs });
  await enter(page, 'F9', 'too late');
  const archived = await service.request(path, { credential, method: 'DELETE' });
  const { confirm } = archived.json as { confirm: string };
  const purge = `${path}?purge=true&confirm=${confirm}`;
  t.equal((await service.request(purge, { credential, method: 'DELETE' })).status, 200);
  line.mend();
  await page.getByText(/Not applied: F9 = too late/u).waitFor({ timeout: waitMs });
  await page.getByText('This workbook was purged, or is not').waitFor({ timeout: waitMs });
  await checkScreen(t, { page, watch: new PageWatch() }, 'purged');
}

t.test('edits go by the websocket', { timeout: 170_000 }, async (t) => {
  const world = await meet(t);
  const { ann, ben } = world;
  await share(ann, ben, 'editor');
  await ben.page.goto(ann.page.url());
  await cellShows(ben.page, 'B5', '700');
  await allSaved(ben.page);
  await t.test('and a page sees itself once', (t) => seesNoFormerSelf(t, world));
  await t.test('over a cut and a reload', (t) => waitsOverReload(t, world));
  await t.test('from a closed tab', (t) => goesOnInAnotherTab(t, world));
  await t.test('with lines that others move', (t) => followsRows(t, world));
  await t.test('until a role is taken away', (t) => losesRole(t, world));
  await t.test('until the workbook is purged', (t) => isPurged(t, world));
});
