import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import { RealBrowser } from '../support/chromium.ts';
import {
  allSaved,
  cellShows,
  checkScreen,
  enter,
  goTo,
  picture,
  trySample,
  visit,
  waitMs,
  type Opened,
} from '../support/console-page.ts';
import { TestService } from '../support/test-service.ts';

/**
 * The way of somebody new, from the first page to a second person, without an address that they
 * would have to know. Its pictures are those of README.md.
 */

const months = ['January', 'February', 'March', 'April'];
const costs: readonly (readonly [string, number])[] = [
  ['Rent', 1_250],
  ['Wages', 8_600],
  ['Coffee', 140],
  ['Travel', 720],
  ['Software', 385],
];

/** A file as a spreadsheet program writes it, made by the service itself. */
async function makeFile(service: TestService): Promise<Buffer> {
  const rows = [
    ['Café budget', ...months, 'Total'],
    ...costs.map(([name, cost], at) => [
      name,
      ...months.map((_, month) => cost + month * 15),
      `=SUM(B${at + 2}:E${at + 2})`,
    ]),
    ['Sum', ...['B', 'C', 'D', 'E', 'F'].map((column) => `=SUM(${column}2:${column}6)`)],
  ];
  const credential = await service.registerClaimed();
  const made = await service.request('/v1/workbooks', {
    credential,
    body: { sheets: [{ name: 'Budget', rows }] },
  });
  const path = `/v1/workbooks/${(made.json as { id: string }).id}/branches/main`;
  const sheet = 'Budget';
  const ops = [
    {
      kind: 'format.set',
      payload: { sheet, range: 'A1:F1', style: { bold: true, fill: '#0B6E4F', color: '#FFFFFF' } },
    },
    {
      kind: 'format.set',
      payload: { sheet, range: 'A7:F7', style: { bold: true, fill: '#E8F1EC' } },
    },
    { kind: 'numfmt.set', payload: { sheet, range: 'B2:F7', pattern: '#,##0' } },
    { kind: 'cols.size', payload: { sheet, from: 'A', count: 1, px: 130 } },
    { kind: 'sheet.props', payload: { sheet, freezeRows: 1, freezeCols: 1 } },
  ];
  await service.request(`${path}/ops`, { credential, body: { writer: 'file', ops } });
  const answer = await fetch(`${service.url}${path}/export?format=xlsx`, {
    headers: { authorization: `Bearer ${credential}` },
  });
  return Buffer.from(await answer.arrayBuffer());
}

async function imports(t: Test, { page }: Opened, service: TestService): Promise<void> {
  const buffer = await makeFile(service);
  await page.goto(service.url);
  await page.getByRole('button', { name: /^Start with/u }).waitFor({ timeout: waitMs });
  const mimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  await page
    .getByLabel('File to start with')
    .setInputFiles({ name: 'Café budget.xlsx', mimeType, buffer });
  await cellShows(page, 'F7', '44,830');
  await allSaved(page);
  t.equal(await page.getByLabel('Name of the workbook').inputValue(), 'Café budget');
  await picture(page, 'import');
}

async function changes({ page }: Opened): Promise<void> {
  await enter(page, 'B4', '155');
  await cellShows(page, 'F7', '44,845');
  await page.getByRole('button', { name: 'Undo' }).click();
  await cellShows(page, 'F7', '44,830');
  await page.getByRole('button', { name: 'Redo' }).click();
  await cellShows(page, 'F7', '44,845');
}

async function branches({ page }: Opened): Promise<void> {
  await page.getByRole('button', { name: 'Branch from here' }).click();
  await page.getByLabel('Name of the new branch').fill('cheaper-coffee');
  await page.getByRole('button', { name: 'Make the branch' }).click();
  await page.waitForURL(/at=cheaper-coffee/u, { timeout: waitMs });
  await allSaved(page);
  await enter(page, 'B4', '95');
  await enter(page, 'E4', '120');
  await cellShows(page, 'F7', '44,720');
  await allSaved(page);
  await goTo(page, 'F4');
  await page.keyboard.press('F2');
  await page.locator('.grid .formula-field.is-open.is-coloured').waitFor({ timeout: waitMs });
  await picture(page, 'branch');
  await page.keyboard.press('Escape');
  await visit(page, 'Compare');
  await page.getByRole('cell', { name: 'Budget!B4' }).waitFor({ timeout: waitMs });
}

async function merges({ page }: Opened): Promise<void> {
  await visit(page, 'Cells');
  await page.getByRole('combobox', { name: 'Branch', exact: true }).selectOption('main');
  await page.waitForURL(/at=main/u, { timeout: waitMs });
  await allSaved(page);
  await enter(page, 'B4', '160');
  await allSaved(page);
  await visit(page, 'Compare');
  await page.getByText('This is one position twice').waitFor({ timeout: waitMs });
  await page.getByRole('link', { name: 'main and cheaper-coffee' }).click();
  await page.getByLabel('Why, and what to look at').fill('Coffee is cheaper from now on');
  await page.getByRole('button', { name: 'Propose to merge cheaper-coffee into main' }).click();
  await page.getByText('Coffee is cheaper from now on').waitFor({ timeout: waitMs });
  await page.getByText('1 of 1 is open').waitFor({ timeout: waitMs });
  await page.getByText('Budget!F7').waitFor({ timeout: waitMs });
  await page.evaluate(
    `document.querySelector('article.conflict').scrollIntoView({ block: 'end' })`,
  );
  await picture(page, 'merge');
  await page.getByRole('button', { name: 'Take theirs', exact: true }).click();
  await page.getByText('0 of 1 are open').waitFor({ timeout: waitMs });
  await page.getByRole('button', { name: 'Approve and merge' }).click();
  await page.getByText('Merged into main.').waitFor({ timeout: waitMs });
}

async function proves(t: Test, { page, watch }: Opened): Promise<void> {
  await visit(page, 'Proof');
  const checked = page.getByRole('heading', { name: 'Checked by your browser' });
  const again = page.getByRole('button', { name: 'Look again' });
  // The button may give way to the heading at any moment, which nothing happens to by a click.
  const either = checked.or(again).first();
  for (let tries = 0; tries < 200 && !(await checked.isVisible()); tries++) {
    await either.click({ timeout: waitMs });
    await page.waitForTimeout(100);
  }
  await checked.waitFor({ timeout: waitMs });
  // Until the log has the operation its proof is not found, which a browser writes down.
  t.same(
    watch.take().filter((text) => !/status of 404/u.test(text)),
    [],
  );
  await picture(page, 'proof');
}

async function idOf(t: Test, page: Page): Promise<string> {
  await page.getByText('Account', { exact: true }).click();
  const name = page.locator('.menu strong');
  t.match(await name.textContent({ timeout: waitMs }), /^guest-/u, 'the name that others see');
  const id = await page.locator('.menu .hash').textContent({ timeout: waitMs });
  await page.getByText('Account', { exact: true }).click();
  return id ?? '';
}

async function shares(t: Test, { page, watch }: Opened, other: Page): Promise<void> {
  await visit(page, 'Share, settings');
  await page.getByLabel(/^Share with/u).fill(await idOf(t, other));
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByLabel(/^Role of/u).waitFor({ timeout: waitMs });
  await page.getByText('agent, you', { exact: true }).waitFor({ timeout: waitMs });
  await checkScreen(t, { page, watch }, 'shared');
  await visit(page, 'Cells');
  await cellShows(page, 'B4', '95');
  await other.goto(page.url());
  await cellShows(other, 'B4', '95');
}

t.test('somebody new finds the way', { timeout: 150_000 }, async (t) => {
  const service = await TestService.start(t);
  const browser = await RealBrowser.start(t);
  const [opened, other] = [
    await browser.open({ width: 1120, height: 640 }),
    await browser.open({ width: 1120, height: 640 }),
  ];
  await t.test('a file becomes a workbook', (t) => imports(t, opened, service));
  await t.test('a cell is changed, and back', () => changes(opened));
  await t.test('a branch is made and compared', () => branches(opened));
  await t.test('a merge with a conflict', () => merges(opened));
  await t.test('its proof is checked', (t) => proves(t, opened));
  await trySample(other.page, service.url);
  await t.test('a second person sees it', (t) => shares(t, opened, other.page));
  t.same(opened.watch.take(), []);
  t.same(other.watch.take(), []);
});
