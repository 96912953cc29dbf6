import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import { RealBrowser } from '../support/chromium.ts';
import {
  asked,
  bookOf,
  checkScreen,
  trySample,
  waitMs,
  type Opened,
} from '../support/console-page.ts';
import { TestService } from '../support/test-service.ts';

/** A browser checks entries about commits, merges and approvals, hash by hash. */

const waited = { timeout: waitMs };
const checked = (page: Page) => page.getByRole('heading', { name: 'Checked by your browser' });

interface Merged {
  readonly id: string;
  readonly result: { readonly seq: number };
}

/** Waits until a signed checkpoint has every entry about a position, and looks at its proof. */
async function goToProof(page: Page, seq: number): Promise<void> {
  const { origin } = new URL(page.url());
  const book = bookOf(page);
  for (let tries = 0; tries < 200; tries++) {
    const query = `proofs?branch=main&from=${seq}&to=${seq}&format=json`;
    const { proofs } = (await asked(page, query)) as { proofs: readonly { proof: unknown }[] };
    if (proofs.length > 0 && proofs.every(({ proof }) => proof !== null)) break;
    await page.waitForTimeout(100);
  }
  await page.goto(`${origin}/console/${book}/proof?at=main@${seq}`);
  await checked(page).waitFor(waited);
}

async function mergesSomething(page: Page): Promise<number> {
  await asked(page, 'branches', 'POST', { name: 'proven', from: 'main' });
  const cells = [{ a1: 'K50', input: 'proven' }];
  const ops = [{ kind: 'cells.set', payload: { sheet: 'Budget', cells } }];
  await asked(page, 'branches/proven/ops', 'POST', { writer: 'agent', ops });
  const merge = (await asked(page, 'merges', 'POST', { source: 'proven' })) as Merged;
  const merged = (await asked(page, `merges/${merge.id}/approve`, 'POST', {})) as Merged;
  return merged.result.seq;
}

/** The entry about a merge is in the address, and each hash on its way to the root is shown. */
async function provesMerge(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await goToProof(page, await mergesSomething(page));
  const entries = page.getByRole('navigation', { name: 'Entries of the log' });
  await entries.getByRole('link', { name: /^A merge at/u }).click(waited);
  const steps = page.getByRole('list', { name: 'Checks' });
  await steps.getByText(/^A merge at \d+ of branch 1/u).waitFor(waited);
  await checked(page).waitFor(waited);
  t.match(page.url(), /entry=.*merge/u);
  await page.reload();
  await steps.getByText(/^A merge at \d+ of branch 1/u).waitFor(waited);
  await page.getByText(/from the entry to the root$/u).click(waited);
  const hashes = page.getByRole('list', { name: 'Hashes to the root' }).getByRole('listitem');
  t.ok((await hashes.count()) > 0);
  await checkScreen(t, opened, 'proof of a merge');
  const [, root] = /: (\S+)$/u.exec((await hashes.last().textContent()) ?? '') ?? [];
  const [kept] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Keep the proof' }).click(),
  ]);
  const file = await readFile(await kept.path(), 'utf8');
  t.equal(root, file.split('\n\n')[1]?.split('\n')[2], 'the last hash is the signed root');
}

async function provesCommit(t: Test, { page }: Opened): Promise<void> {
  await asked(page, 'branches/main/commit', 'POST', { message: 'Proven', tag: 'proven' });
  const { head } = (await asked(page, 'branches/main/state')) as { head: number };
  await goToProof(page, head);
  const entries = page.getByRole('navigation', { name: 'Entries of the log' });
  await entries.getByRole('link', { name: `A named position at ${head}` }).click(waited);
  await page.getByText(`A named position at ${head} of branch 1`).waitFor(waited);
  await checked(page).waitFor(waited);
  await entries.getByRole('link', { name: 'The operation' }).click(waited);
  await page.getByText(`Operation ${head} of branch 1`).waitFor(waited);
  t.equal(await page.getByRole('heading', { name: 'does not hold' }).count(), 0);
}

/** A file is dropped on the page, and replaces what was asked for until something else is. */
async function takesDroppedFile(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await page.evaluate(`(() => {
    const data = new DataTransfer();
    data.items.add(new File(['no proof at all'], 'other.tlog-proof'));
    document.querySelector('main').dispatchEvent(
      new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  })()`);
  await page.getByRole('heading', { name: 'This proof does not hold' }).waitFor(waited);
  await page.getByRole('link', { name: 'The operation' }).click(waited);
  await checked(page).waitFor(waited);
  t.same(opened.watch.take(), []);
}

/** A log that has another hash in a tile than it had gives proofs that lead to no signed root. */
async function refusesChangedTile(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const pattern = '**/proofs?branch=main&seq=*';
  await page.route(pattern, async (route) => {
    const response = await route.fetch();
    const text = await response.text();
    const changed = text.replace(/(index \d+\\n)(.)/u, (_, kept: string, first: string) => {
      return kept + (first === 'A' ? 'B' : 'A');
    });
    t.not(changed, text);
    await route.fulfill({ response, body: changed });
  });
  await page.reload();
  await page.getByRole('heading', { name: 'This proof does not hold' }).waitFor(waited);
  await page.getByText('Fails: The entry is in the log').waitFor(waited);
  await page.getByText('Believe nothing that depends on it').waitFor(waited);
  await checkScreen(t, opened, 'proof from a changed tile');
  await page.unroute(pattern);
  await page.reload();
  await checked(page).waitFor(waited);
}

/** A browser without Ed25519 claims nothing, and names the command that can check. */
async function claimsNothing(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await page.addInitScript(
    `crypto.subtle.generateKey = () => Promise.reject(new DOMException('', 'NotSupportedError'));`,
  );
  const { origin } = new URL(page.url());
  for (const [address, name] of [
    [page.url(), 'proof'],
    [`${origin}/console/-/log`, 'log'],
  ] as const) {
    await page.goto(address);
    await page.getByText('This browser has no Ed25519').waitFor(waited);
    await page.waitForLoadState('networkidle');
    t.equal(await checked(page).count(), 0, `${name}: nothing is said to be checked`);
    await checkScreen(t, opened, `${name} without Ed25519`);
  }
}

t.test('proofs of entries', { timeout: 150_000 }, async (t) => {
  const service = await TestService.start(t);
  const browser = await RealBrowser.start(t);
  const opened = await browser.open();
  await trySample(opened.page, service.url);
  await t.test('a merge', (t) => provesMerge(t, opened));
  await t.test('a named position', (t) => provesCommit(t, opened));
  await t.test('a dropped file', (t) => takesDroppedFile(t, opened));
  await t.test('a changed tile', (t) => refusesChangedTile(t, opened));
  await t.test('a browser without Ed25519', (t) => claimsNothing(t, opened));
  t.same(opened.watch.take(), []);
});
