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

/** The policy is a form and JSON at once, and settings are locked for those who may read alone. */

const waited = { timeout: waitMs };

interface Settings {
  readonly policy: {
    readonly protectedBranches: readonly object[];
    readonly merge: Readonly<Record<string, unknown>>;
  };
}

const json = (page: Page) => page.getByLabel('As JSON, with all members');

async function changesPolicy(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await visit(page, 'Share, settings');
  const save = page.getByRole('button', { name: 'Save the policy' });
  await page.getByLabel('What one side deleted and the other wrote to').selectOption('keep');
  t.match(await json(page).inputValue(), /"deleteVsEdit": "keep"/u, 'the JSON goes along');
  await page.getByLabel('Branch or pattern').fill('release/*');
  await page.getByRole('button', { name: 'Protect it' }).click(waited);
  await page.getByLabel('Direct writes').selectOption('of owners');
  await json(page).fill(
    (await json(page).inputValue()).replace('"maxOpenDays": 30', '"maxOpenDays": 7'),
  );
  await json(page).blur();
  await save.click(waited);
  await page.getByRole('button', { name: 'Save the policy', disabled: true }).waitFor(waited);
  await checkScreen(t, opened, 'a policy with its JSON');
  const { policy } = (await asked(page, 'settings')) as Settings;
  t.match(policy, {
    protectedBranches: [{ pattern: 'release/*', directWrites: 'owners' }],
    merge: { deleteVsEdit: 'keep', maxOpenDays: 7 },
  });
  await json(page).fill('{');
  await json(page).blur();
  await page.getByText('This is no JSON').waitFor(waited);
  await page.reload();
  await save.waitFor(waited);
}

/** A reader sees everything, changes nothing, and can leave. */
async function locksReaders(t: Test, ann: Opened, ben: Opened): Promise<void> {
  const { page } = ben;
  await page.getByText('Account', { exact: true }).click();
  const id = await page.locator('.menu-body code').textContent(waited);
  await asked(ann.page, `collaborators/${id}`, 'PUT', { role: 'viewer' });
  await page.goto(ann.page.url());
  await page.getByText('You are a viewer: only the owner can change this.').waitFor(waited);
  await json(page).waitFor(waited);
  t.ok(await json(page).isDisabled());
  for (const name of ['Save the policy', 'Share', 'Add the address', 'Archive the workbook']) {
    t.notOk(await page.getByRole('button', { name, exact: true }).isVisible(), name);
  }
  await checkScreen(t, ben, 'settings for a viewer');
  await page.getByRole('button', { name: 'Verify the workbook' }).click(waited);
  await page.getByText('All of it is what was written.').waitFor(waited);
  await page.getByRole('button', { name: 'Leave: give up your role as viewer' }).click(waited);
  await page.getByRole('heading', { name: 'Workbooks' }).waitFor(waited);
  const shared = (await asked(ann.page, 'collaborators')) as { collaborators: readonly object[] };
  t.equal(shared.collaborators.length, 1);
}

t.test('settings', { timeout: 120_000 }, async (t) => {
  const service = await TestService.start(t);
  const browser = await RealBrowser.start(t);
  const [ann, ben] = [await browser.open(), await browser.open()];
  await trySample(ann.page, service.url);
  await trySample(ben.page, service.url);
  t.not(bookOf(ann.page), bookOf(ben.page));
  await t.test('a policy is changed by its form and its JSON', (t) => changesPolicy(t, ann));
  t.same(ben.watch.take(), []);
  await t.test('readers change nothing', (t) => locksReaders(t, ann, ben));
  t.same(ann.watch.take(), []);
});
