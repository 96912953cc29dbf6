import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import { RealBrowser } from '../support/chromium.ts';
import {
  asked,
  bookOf,
  checkScreen,
  trySample,
  visit,
  waitMs,
  type Opened,
} from '../support/console-page.ts';
import { TestService } from '../support/test-service.ts';

/** Merges are listed with what they wait for, and decided about by those who may. */

const waited = { timeout: waitMs };

interface Made {
  readonly id: string;
}

function set(sheet: string, a1: string, input: unknown) {
  return { kind: 'cells.set', payload: { sheet, cells: [{ a1, input }] } };
}

async function write(page: Page, branch: string, ...ops: readonly unknown[]): Promise<void> {
  await asked(page, `branches/${branch}/ops`, 'POST', { writer: 'agent', ops });
}

/** Proposes a merge of a new branch on which one cell differs. */
async function propose(page: Page, name: string, a1: string): Promise<string> {
  await asked(page, 'branches', 'POST', { name, from: 'main' });
  await write(page, name, set('Budget', a1, name));
  return ((await asked(page, 'merges', 'POST', { source: name, target: 'main' })) as Made).id;
}

async function goToMerge(page: Page, merge: string): Promise<void> {
  const { origin } = new URL(page.url());
  await page.goto(`${origin}/console/${bookOf(page)}/merges/${merge}`);
}

async function listsMerges(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await visit(page, 'Merges');
  const line = page.getByRole('row').filter({ hasText: 'less-travel into main' });
  await line.getByText('1 of 1').waitFor(waited);
  t.match(await line.getByRole('cell').allTextContents(), [
    'less-travel into main',
    'has conflicts',
    /^less-travel@\d+$/u,
    /^main@\d+$/u,
    /^guest-.* just now$/u,
    '1 of 1',
    'none needed',
  ]);
  await checkScreen(t, opened, 'merges with what they wait for');
}

/** The policy’s wishes stand beside what was given, with remarks. */
async function wantsOwners(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const owners = [{ match: { sheet: 'Budget' }, approvers: ['role:reviewer'] }];
  const main = { pattern: 'main', requiredApprovals: 2, owners, approvers: ['role:reviewer'] };
  const merge = await propose(page, 'owned', 'K40');
  await asked(page, 'settings', 'PUT', { policy: { protectedBranches: [main] } });
  await goToMerge(page, merge);
  await page
    .getByText('0 of 2 approvals are given. Those of every reviewer count.')
    .waitFor(waited);
  const owned = page.getByRole('list', { name: 'Owners of what it changes' });
  await owned.getByText('Budget: every reviewer is missing').waitFor(waited);
  await page.getByLabel('A remark').fill('K40 is not what we said.');
  await page.getByRole('button', { name: 'Ask for changes' }).click(waited);
  const given = page.getByRole('list', { name: 'Approvals and remarks' });
  await given.getByText('K40 is not what we said.').waitFor(waited);
  await given.getByText('asked for changes').waitFor(waited);
  await page.getByText('changes that somebody asked for').waitFor(waited);
  t.equal(await page.getByLabel('A remark').inputValue(), '', 'it was sent');
  await checkScreen(t, opened, 'a merge that owners approve');
}

async function givesUp(t: Test, { page }: Opened): Promise<void> {
  await page.getByLabel('A remark').fill('It is done otherwise.');
  await page.getByRole('button', { name: 'Give it up' }).click(waited);
  await page.getByText('This merge was given up by').waitFor(waited);
  await page.getByText('It is done otherwise.').first().waitFor(waited);
  await visit(page, 'Merges');
  const line = page.getByRole('row').filter({ hasText: 'owned into main' });
  t.equal(await line.getByRole('cell').nth(1).textContent(), 'given up');
  await asked(page, 'settings', 'PUT', { policy: {} });
}

/** A merge that its policy leaves where it was is computed anew when somebody says so. */
async function computesAnew(page: Page): Promise<void> {
  await asked(page, 'settings', 'PUT', { policy: { merge: { autoRefresh: false } } });
  const merge = await propose(page, 'late', 'K41');
  await write(page, 'main', set('Budget', 'K42', 'meanwhile'));
  await goToMerge(page, merge);
  await page.getByRole('button', { name: 'Compute it anew' }).click(waited);
  await page.getByRole('button', { name: 'Approve and merge', disabled: false }).click(waited);
  await page.getByText('Merged into main.').waitFor(waited);
  await asked(page, 'settings', 'PUT', { policy: {} });
}

/** A broken rule is settled by what the cell shall hold, typed as into a cell. */
async function settlesFindings(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await write(page, 'main', set('Budget', 'M1', 1), set('Budget', 'M3', '=10/(M1+M2)'));
  await asked(page, 'branches', 'POST', { name: 'error', from: 'main' });
  await write(page, 'error', set('Budget', 'M2', -5));
  await write(page, 'main', set('Budget', 'M1', 5));
  const merge = (await asked(page, 'merges', 'POST', { source: 'error' })) as Made;
  await goToMerge(page, merge.id);
  const finding = page.getByRole('listitem').filter({ hasText: 'an error that neither branch' });
  await finding.getByText('to be decided').waitFor(waited);
  await finding.getByRole('link', { name: 'Budget!M2' }).waitFor(waited);
  await finding.getByRole('button', { name: 'Write something else' }).click(waited);
  await finding.getByLabel(/^Input of/u).fill('=IFERROR(10/(M1+M2),0)');
  await checkScreen(t, opened, 'a finding with another formula');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Approve and merge', disabled: false }).click(waited);
  await page.getByText('Merged into main.').waitFor(waited);
  t.match(await asked(page, 'slice?range=Budget!M3'), { rows: [[0]] });
}

/** A formula of one's own has the help that the formula bar gives. */
async function helpsWithFormulas(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await asked(page, 'branches', 'POST', { name: 'formulas', from: 'main' });
  for (const [branch, by] of [['main', 1] as const, ['formulas', 2] as const]) {
    await write(page, branch, set('Budget', 'N1', by), set('Budget', 'N2', by));
  }
  const merge = (await asked(page, 'merges', 'POST', { source: 'formulas' })) as Made;
  await goToMerge(page, merge.id);
  const second = page.getByRole('article', { name: 'Budget!N2' });
  await second.getByRole('button', { name: 'Or an input of your own' }).click(waited);
  const field = second.getByLabel('Or an input of your own');
  await field.focus(waited);
  await second.getByText('just now').first().waitFor(waited);
  await page.keyboard.type('=SU');
  await page
    .getByRole('option', { name: /^SUM\b/u })
    .first()
    .waitFor(waited);
  await page.keyboard.type('M(B2:B3)');
  await second.locator('.formula-layer .reference').waitFor({ state: 'attached', ...waited });
  await checkScreen(t, opened, 'a formula of its own in a merge');
  await page.keyboard.press('Enter');
  await second.locator('.side.chosen').getByText('=SUM(B2:B3)').waitFor(waited);
}

/** A reader is told so, and finds no button that would be refused. */
async function tellsReaders(t: Test, ann: Opened, ben: Opened): Promise<void> {
  await ben.page.getByText('Account', { exact: true }).click();
  const id = await ben.page.locator('.menu-body code').textContent(waited);
  await asked(ann.page, `collaborators/${id}`, 'PUT', { role: 'viewer' });
  await ben.page.goto(ann.page.url());
  const told = 'You are a viewer: only an owner or an editor can change this.';
  await ben.page.getByText(told).waitFor(waited);
  t.equal(await ben.page.getByRole('button', { name: /^(?:Take|Approve|Give)/u }).count(), 0);
  await checkScreen(t, ben, 'a merge for a viewer');
  await visit(ben.page, 'Merges');
  await ben.page.getByText(told).waitFor(waited);
  t.equal(await ben.page.getByRole('button', { name: 'Propose' }).count(), 0);
  await asked(ann.page, `collaborators/${id}`, 'PUT', { role: 'reviewer' });
  await ben.page.goto(ann.page.url());
  await ben.page.getByRole('button', { name: 'Ask for changes' }).waitFor(waited);
  t.equal(await ben.page.getByRole('button', { name: 'Give it up' }).count(), 0);
}

t.test('merges are listed and decided about', { timeout: 200_000 }, async (t) => {
  const service = await TestService.start(t);
  const browser = await RealBrowser.start(t);
  const [ann, ben] = [await browser.open(), await browser.open()];
  await trySample(ann.page, service.url);
  await trySample(ben.page, service.url);
  await t.test('the list says what each waits for', (t) => listsMerges(t, ann));
  await t.test('owners and approvals are named', (t) => wantsOwners(t, ann));
  await t.test('one is given up with a reason', (t) => givesUp(t, ann));
  await t.test('an outdated one is computed anew', () => computesAnew(ann.page));
  await t.test('an error is settled by a formula', (t) => settlesFindings(t, ann));
  await t.test('a formula of its own is typed with help', (t) => helpsWithFormulas(t, ann));
  await t.test('readers are told', (t) => tellsReaders(t, ann, ben));
  t.same([...ann.watch.take(), ...ben.watch.take()], []);
});
