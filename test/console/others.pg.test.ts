import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import { openPostgres } from '../../server/storage/postgres.ts';
import { RealBrowser } from '../support/chromium.ts';
import {
  allSaved,
  asked,
  cellShows,
  checkScreen,
  enter,
  goTo,
  trySample,
  useKey,
  waitMs,
  type Opened,
} from '../support/console-page.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { TestService } from '../support/test-service.ts';

/** Others are on the page: they move about, and archive what it shows. Runs long. */

const waited = { timeout: waitMs };
const gone = { state: 'detached', timeout: waitMs } as const;

interface World {
  readonly ann: Opened;
  readonly ben: Opened;
  /** Address of the database. */
  readonly url: string;
}

async function seesCell(page: Page, cell: string): Promise<void> {
  await page.locator(`[data-cell="${cell}"]`).waitFor({ state: 'attached', timeout: waitMs });
}

/** A press on a face keeps the cell of that person in view, on any sheet, until one moves oneself. */
async function follows(t: Test, { ann, ben }: World): Promise<void> {
  const { page } = ann;
  const face = page.getByRole('button', { name: /^Follow /u });
  await goTo(ben.page, 'B900');
  await face.click(waited);
  await seesCell(page, 'B900');
  t.equal(await face.getAttribute('aria-pressed'), 'true');
  await checkScreen(t, ann, 'following somebody');
  await goTo(ben.page, 'Suppliers!C700');
  await page.getByRole('tab', { name: 'Suppliers', selected: true }).waitFor(waited);
  await seesCell(page, 'C700');
  t.match(await page.getByLabel('Go to cell').inputValue(), /^A1$/u, 'one selects for oneself');
  await page.locator('.grid-editor').focus();
  await page.keyboard.press('ArrowRight');
  await page.getByText(/^You follow /u).waitFor(gone);
  await goTo(ben.page, 'C300');
  await page.waitForTimeout(500);
  t.equal(await page.locator('[data-cell="C300"]').count(), 0, 'who moves is not led on');
  await goTo(page, 'Budget!B5');
  await goTo(ben.page, 'Budget!B6');
}

/** The name of somebody in the first row is readable, and a screen reader is told where they are. */
async function namesInFirstRow(t: Test, { ann, ben }: World): Promise<void> {
  const { page } = ann;
  const colourAt = (x: number, y: number) =>
    page.evaluate<string>(`(() => {
      const probe = document.createElement('canvas').getContext('2d');
      probe.drawImage(document.querySelector('.grid-canvas'), ${x}, ${y}, 1, 1, 0, 0, 1, 1);
      return probe.getImageData(0, 0, 1, 1).data.join();
    })()`);
  const [left, top, height] = [56 + 96, 26, 24];
  await goTo(page, 'E9');
  await goTo(ben.page, 'B1');
  const paper = await colourAt(left + 200, top + 200);
  let isNamed = false;
  for (let tries = 0; tries < 100 && !isNamed; tries++) {
    await page.waitForTimeout(20);
    const [frame, tag] = [
      await colourAt(left, top + 12),
      await colourAt(left + 2, top + height + 2),
    ];
    isNamed = frame === tag && tag !== paper;
  }
  t.ok(isNamed, 'the name is below the cell, in its colour');
  const told = page.locator('p[role="status"]').filter({ hasText: /(?:is|came,) at Budget!B1/u });
  await told.waitFor({ state: 'attached', timeout: waitMs });
  await enter(ben.page, 'B6', '=SUM(B2:B5)+0');
  const changed = page.locator('p[role="status"]').filter({ hasText: /1 change by others/u });
  await changed.waitFor({ state: 'attached', timeout: waitMs });
}

/** A workbook that somebody archives says so before any edit, and takes edits once restored. */
async function archivesBook(t: Test, { ann, ben }: World): Promise<void> {
  const { page } = ann;
  await asked(ben.page, '', 'DELETE');
  await page.getByText('Read only', { exact: true }).waitFor(waited);
  await page.getByText(/This workbook was archived by its owner/u).waitFor(waited);
  await asked(ben.page, 'restore', 'POST', {});
  await allSaved(page);
  await page.getByText(/This workbook was archived by its owner/u).waitFor(gone);
  await asked(ben.page, '', 'DELETE');
  await page.getByText('Read only', { exact: true }).waitFor(waited);
  await goTo(page, 'B5');
  await page.keyboard.type('124');
  await page.keyboard.press('Enter');
  t.equal(await page.getByText(/Not applied: B5 = 124/u).count(), 0, 'nothing more is typed');
  await checkScreen(t, ann, 'archived while it was open');
  await page.getByRole('button', { name: 'Restore it' }).click();
  await allSaved(page);
  await enter(page, 'B5', '123');
  await cellShows(page, 'B5', '123');
  await allSaved(page);
}

/** A branch that nobody needed was archived: it is read only, and restored from where it is shown. */
async function restoresBranch(t: Test, { ann, url }: World): Promise<void> {
  const { page } = ann;
  const sql = openPostgres({ url, applicationName: 'test' });
  await sql`update branch set archived = true, epoch = epoch + 1 where name = 'less-travel'`;
  await sql.end();
  await page.goto(page.url().replace('at=main', 'at=less-travel'));
  await page.getByText('The branch less-travel is archived').waitFor(waited);
  await checkScreen(t, ann, 'archived branch');
  await page.getByRole('button', { name: 'Restore the branch' }).click();
  await page.getByText('The branch less-travel is archived').waitFor(gone);
  await allSaved(page);
  await enter(page, 'B5', '321');
  await cellShows(page, 'B5', '321');
  await allSaved(page);
}

t.test('others are there', { timeout: 120_000 }, async (t) => {
  const url = await createMigratedDatabase();
  const service = await TestService.start(t, { DATABASE_URL: url });
  const browser = await RealBrowser.start(t);
  const [ann, ben] = [await browser.open(), await browser.open()];
  await trySample(ann.page, service.url);
  await useKey(ben.page, ann.page);
  await ben.page.goto(ann.page.url());
  await allSaved(ben.page);
  const world = { ann, ben, url };
  await t.test('and are followed', (t) => follows(t, world));
  await t.test('and named', (t) => namesInFirstRow(t, world));
  await t.test('and archive the workbook', (t) => archivesBook(t, world));
  await t.test('and left a branch', (t) => restoresBranch(t, world));
  t.same(ann.watch.take(), []);
});
