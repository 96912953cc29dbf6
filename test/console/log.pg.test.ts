import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import { LogSigner } from '../../server/tlog/service/signing-keys.ts';
import { RealBrowser } from '../support/chromium.ts';
import {
  checkScreen,
  cellShows,
  enter,
  trySample,
  waitMs,
  type Opened,
} from '../support/console-page.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';
import { WitnessDouble } from '../support/witness-double.ts';
import { serveWitness } from '../support/witness-server.ts';

/** A browser checks the log itself, remembers what it saw, and believes no log that lies. */

const origin = 'log.example/v1/tlog';

/** A service whose log one witness looks at. */
async function startWitnessed(t: Test): Promise<TestService> {
  const folder = await makeTemporaryFolder(t);
  const seed = new Uint8Array(32).fill(7);
  const witness = new WitnessDouble('one', new LogSigner(origin, [seed]).keys);
  const key = join(folder, 'tlog.key');
  const policy = join(folder, 'policy');
  await writeFile(key, `${Buffer.from(seed).toString('base64')}\n`, { mode: 0o600 });
  await writeFile(policy, `${await serveWitness(t, witness)}\nquorum one\n`);
  return TestService.start(t, {
    TLOG_ORIGIN: origin,
    TLOG_KEY_FILE: key,
    TLOG_POLICY_FILE: policy,
  });
}

const look = (page: Page) => page.getByRole('button', { name: 'Look again' }).click();
const good = (page: Page) => page.getByRole('heading', { name: 'Checked by your browser' });
const bad = (page: Page) => page.getByRole('heading', { name: 'This log is not to be believed' });

/** Entries that the screen names. */
async function sizeOf(page: Page): Promise<number> {
  const told = await page.locator('dt:text-is("Entries") + dd').textContent();
  return Number(told?.replaceAll(',', ''));
}

async function isLookedAt(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await page.getByText('Account', { exact: true }).click();
  await page.getByRole('link', { name: 'Transparency log' }).click();
  await good(page).waitFor({ timeout: waitMs });
  await page.getByText('This browser had seen no checkpoint').waitFor({ timeout: waitMs });
  const signed = page.getByRole('list', { name: 'Signatures' }).getByRole('listitem');
  t.same(
    (await signed.allTextContents()).map((text) => text.replace(/, [^,]*$/u, '')),
    [
      `${origin}, the log itself: signed`,
      'witness.example/one, a witness: signed, checked by your browser',
    ],
  );
  await checkScreen(t, opened, 'log');
}

async function goesOn(t: Test, { page }: Opened): Promise<void> {
  const before = await sizeOf(page);
  await page.goBack();
  await cellShows(page, 'B5', '700');
  await enter(page, 'J2', 'one more entry');
  await cellShows(page, 'J2', 'one more entry');
  await page.goForward();
  await good(page).waitFor({ timeout: waitMs });
  for (let tries = 0; tries < 200 && (await sizeOf(page)) === before; tries++) {
    await page.waitForTimeout(100);
    await look(page);
    await good(page).waitFor({ timeout: waitMs });
  }
  t.ok((await sizeOf(page)) > before, 'the log grew, and goes on from what was seen');
}

type Answer = (text: string) => string;

/** Has the service answer something else, until what is returned is called. */
async function lie(page: Page, path: string, answer: Answer): Promise<() => Promise<void>> {
  const pattern = `**/v1/tlog/${path}`;
  await page.route(pattern, async (route: Route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: answer(await response.text()) });
  });
  return () => page.unroute(pattern);
}

const changedHash: Answer = (text) =>
  text.replace(/"(?:from_root|hashes)":\[?"(.)/gu, (all, first: string) =>
    all.slice(0, -1).concat(first === 'A' ? 'B' : 'A'),
  );

t.test('the log is checked in the browser', { timeout: 180_000 }, async (t) => {
  const service = await startWitnessed(t);
  const browser = await RealBrowser.start(t);
  const opened = await browser.open();
  const { page, watch } = opened;
  await trySample(page, service.url);
  await t.test('its signatures are checked, and what was seen is kept', (t) =>
    isLookedAt(t, opened),
  );
  const old = await page.evaluate<string>(`localStorage.getItem('quire.checkpoint:${origin}')`);
  await t.test('it goes on from there', (t) => goesOn(t, opened));

  await t.test('a forged signature of a witness is refused', async (t) => {
    const mend = await lie(page, 'checkpoint', (note) =>
      note.replace(
        /(witness\.example\/one \S{40})(.)/u,
        (_, kept: string, one: string) => kept + (one === 'A' ? 'B' : 'A'),
      ),
    );
    await look(page);
    await bad(page).waitFor({ timeout: waitMs });
    t.equal(await page.getByRole('button', { name: 'Begin anew with this log' }).count(), 0);
    await mend();
    await look(page);
    await good(page).waitFor({ timeout: waitMs });
  });

  await t.test('a log that became shorter is refused, whoever signed it', async (t) => {
    const mend = await lie(page, 'checkpoint', () => old);
    await look(page);
    await bad(page).waitFor({ timeout: waitMs });
    await page.getByText(/cannot shrink/u).waitFor({ timeout: waitMs });
    await checkScreen(t, opened, 'log that lies');
    const [both] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Keep as a file' }).click(),
    ]);
    const kept = await readFile(await both.path(), 'utf8');
    t.equal(kept.split(`${origin}\n`).length, 3, 'it has both checkpoints');
    // It is not replaced by looking again, or by coming back.
    await look(page);
    await bad(page).waitFor({ timeout: waitMs });
    await page.reload();
    await bad(page).waitFor({ timeout: waitMs });
    await mend();
    await look(page);
    await good(page).waitFor({ timeout: waitMs });
  });

  await t.test('a proof with another hash is refused, until somebody begins anew', async (t) => {
    await page.evaluate(
      `localStorage.setItem('quire.checkpoint:${origin}', ${JSON.stringify(old)})`,
    );
    const mend = await lie(page, 'consistency?*', changedHash);
    await look(page);
    await bad(page).waitFor({ timeout: waitMs });
    await page.getByRole('button', { name: 'Begin anew with this log' }).click();
    await good(page).waitFor({ timeout: waitMs });
    await mend();
    t.not(await page.evaluate(`localStorage.getItem('quire.checkpoint:${origin}')`), old);
  });
  t.same(watch.take(), []);
});
