import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import {
  asked,
  bookOf,
  checkScreen,
  openSample,
  waitMs,
  type Opened,
} from '../support/console-page.ts';

/** Each screen while it loads, when the service fails, and when there is none. Runs long. */

const waited = { timeout: waitMs };
const api = '**/v1/**';

interface Shown {
  readonly name: string;
  readonly path: string;
  /** Text that is there once all is loaded. */
  readonly done: string;
}

async function screensOf(page: Page): Promise<readonly Shown[]> {
  const { merges } = (await asked(page, 'merges')) as { merges: readonly { id: string }[] };
  const sides = {
    left: { tableId: 'Invoices', column: 'From' },
    right: { tableId: 'Suppliers', column: 'Name' },
  };
  const match = (await asked(page, 'matches', 'POST', sides)) as { matchId: string };
  const book = `/console/${bookOf(page)}`;
  return [
    { name: 'merges', path: `${book}/merges`, done: 'less-travel into main' },
    { name: 'review', path: `${book}/merges/${merges[0]?.id}`, done: 'Budget!B5' },
    { name: 'tables', path: `${book}/tables?at=main`, done: 'Suppliers!A1:C6' },
    { name: 'table', path: `${book}/tables/Suppliers?at=main`, done: '5 rows at Suppliers!A1:C6' },
    {
      name: 'table changes',
      path: `${book}/tables/Suppliers?at=main&view=changes`,
      done: '5 rows differ',
    },
    {
      name: 'import of rows',
      path: `${book}/tables/Suppliers?at=main&view=import`,
      done: 'Rows that are not in the file',
    },
    { name: 'matches', path: `${book}/matches`, done: 'Invoices From with Suppliers Name' },
    { name: 'match', path: `${book}/matches/${match.matchId}`, done: 'By these bounds alone' },
    { name: 'proof', path: `${book}/proof?at=main@1`, done: 'Checked by your browser' },
    { name: 'settings', path: `${book}/settings`, done: 'As JSON, with all members' },
    { name: 'usage', path: '/console/-/usage', done: 'Operations by day' },
    { name: 'log', path: '/console/-/log', done: 'Checked by your browser' },
  ];
}

/** A button of one part may take others along, so each look for one is a new one. */
const pressAgain = `[...document.querySelectorAll('main button')]
  .find((button) => button.textContent === 'Try again')?.click()`;

async function triesAgain(page: Page, done: string): Promise<void> {
  for (let tries = 0; tries < 100 && !(await page.getByText(done).first().isVisible()); tries++) {
    await page.evaluate(pressAgain);
    await page.waitForTimeout(100);
  }
  await page.getByText(done).first().waitFor(waited);
}

/** Bars stand where texts will be, and go when they come. */
async function loads(t: Test, opened: Opened, { name, path, done }: Shown): Promise<void> {
  const { page } = opened;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(api, async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(new URL(path, page.url()).href);
  await page.locator('main .waiting .bar-of-text').first().waitFor(waited);
  await checkScreen(t, opened, `${name} while it loads`);
  release();
  await page.getByText(done).first().waitFor(waited);
  t.equal(await page.locator('main .waiting').count(), 0, `${name}: the bars are gone`);
  await page.unroute(api);
}

/** A failure says what happened, has its code and id, and is tried again. */
async function fails(t: Test, opened: Opened, { name, path, done }: Shown): Promise<void> {
  const { page, watch } = opened;
  const problem = {
    title: 'Something broke',
    status: 500,
    code: 'internal',
    detail: 'Something broke here.',
    requestId: 'req_made_up',
  };
  await page.route(api, (route) =>
    route.fulfill({
      status: 500,
      headers: { 'access-control-allow-origin': '*' },
      contentType: 'application/problem+json',
      body: JSON.stringify(problem),
    }),
  );
  await page.goto(new URL(path, page.url()).href);
  const fault = page.locator('main .fault').first();
  await fault.getByText('Something broke here.').waitFor(waited);
  await fault.getByRole('link', { name: 'internal' }).waitFor(waited);
  await fault.getByText('req_made_up').waitFor(waited);
  await page.waitForLoadState('networkidle');
  watch.take();
  await checkScreen(t, opened, `${name} after a failure`);
  await page.unroute(api);
  await triesAgain(page, done);
  watch.take();
}

/** Without a service the screen says so, and goes on once there is one. */
async function isCutOff(t: Test, opened: Opened, { name, path, done }: Shown): Promise<void> {
  const { page, watch } = opened;
  await page.route(api, (route) => route.abort('connectionrefused'));
  await page.goto(new URL(path, page.url()).href);
  await page.locator('main').getByText('The service does not answer.').first().waitFor(waited);
  await page.waitForLoadState('networkidle');
  await page.unroute(api);
  await triesAgain(page, done);
  t.ok(watch.take().length > 0, name);
}

/** At 400 % a window has the room of a narrow one: nothing but grids and tables goes beyond it. */
async function reflows(t: Test, opened: Opened, { name, path, done }: Shown): Promise<void> {
  const { page } = opened;
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(new URL(path, page.url()).href);
  await page.getByText(done).first().waitFor(waited);
  await page.waitForLoadState('networkidle');
  await checkScreen(t, opened, `${name} at 400 percent`);
  await page.setViewportSize({ width: 1280, height: 900 });
}

t.test('states of each screen', { timeout: 400_000 }, async (t) => {
  const opened = await openSample(t);
  const screens = await screensOf(opened.page);
  for (const shown of screens) {
    await t.test(`${shown.name} loads`, (t) => loads(t, opened, shown));
    await t.test(`${shown.name} fails`, (t) => fails(t, opened, shown));
    await t.test(`${shown.name} in a narrow window`, (t) => reflows(t, opened, shown));
    await t.test(`${shown.name} has no service`, (t) => isCutOff(t, opened, shown));
  }
  t.same(opened.watch.take(), []);
});
