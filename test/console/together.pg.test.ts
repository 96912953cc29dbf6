import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import { caseCount } from '../support/case-count.ts';
import { RealBrowser } from '../support/chromium.ts';
import {
  allSaved,
  asked,
  askedText,
  cellShows,
  cellText,
  enter,
  goTo,
  trySample,
  useKey,
  waitMs,
} from '../support/console-page.ts';
import { CutProxy } from '../support/cut-proxy.ts';
import { TestService } from '../support/test-service.ts';
import { testSeed } from '../support/test-seed.ts';

/**
 * Two people in browsers and an agent write into one sheet while connections are cut: in the end
 * all see what the service exports, and nothing typed is missing. QUIRE_CASES=300 goes on for some
 * minutes. Runs long.
 */

const rounds = caseCount(10);
const columns = ['A', 'B', 'C'];
const rows = [10, 11, 12, 13];

interface Person {
  readonly page: Page;
  readonly line: CutProxy;
  readonly name: string;
}

/** Numbers from 0 below a limit, the same for the same seed. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function person(t: Test, browser: RealBrowser, name: string): Promise<Person> {
  const line = await CutProxy.start(t);
  const { page } = await browser.open({ proxy: line.url });
  return { page, line, name };
}

async function isOffline({ page }: Person): Promise<void> {
  await page.getByText(/^Offline since/u).waitFor({ timeout: waitMs });
}

/** All operations of the branch, as text. */
async function opsOf(page: Page): Promise<string> {
  let [all, after] = ['', 0];
  for (;;) {
    const path = `branches/main/ops?after=${after}`;
    const { ops } = (await asked(page, path)) as { ops: readonly { readonly seq: number }[] };
    if (ops.length === 0) return all;
    all += JSON.stringify(ops);
    after = ops.at(-1)?.seq ?? after;
  }
}

interface World {
  readonly people: readonly [Person, Person];
  readonly below: (limit: number) => number;
}

/** Both people and an agent write, while one of the people may be cut off; answers what they typed. */
async function writeRound({ people, below }: World, round: number): Promise<readonly string[]> {
  const cell = () => `${columns[below(columns.length)]}${rows[below(rows.length)]}`;
  const cut = [undefined, ...people][below(3)];
  cut?.line.cut();
  if (cut) await isOffline(cut);
  for (const { page, name } of people) await enter(page, cell(), `${name} ${round}`);
  const [other] = people.filter((one) => one !== cut);
  const cells = [{ a1: cell(), input: `agent ${round}` }];
  const ops = [{ kind: 'cells.set', payload: { sheet: 'Budget', cells } }];
  const body = { writer: 'agent', ops };
  if (other) await asked(other.page, 'branches/main/ops', 'POST', body);
  cut?.line.mend();
  for (const { page } of people) await allSaved(page);
  return [...people.map(({ name }) => name), 'agent'].map((name) => `${name} ${round}`);
}

/** Lines of the region as the service exports them. */
async function exported({ page }: Person): Promise<readonly (readonly string[])[]> {
  const path = 'branches/main/export?format=csv&sheet=Budget';
  const lines = (await askedText(page, path)).split(/\r?\n/u).map((line) => line.split(','));
  return rows.map((row) => columns.map((_, at) => lines[row - 1]?.[at] ?? ''));
}

async function seen({ page }: Person, wanted: readonly (readonly string[])[]): Promise<unknown> {
  await goTo(page, 'A1');
  const texts: (string | null)[][] = [];
  for (const [down, row] of rows.entries()) {
    texts.push([]);
    for (const [across, column] of columns.entries()) {
      await cellShows(page, `${column}${row}`, wanted[down]?.[across] ?? '');
      texts.at(-1)?.push(await cellText(page, `${column}${row}`));
    }
  }
  return texts;
}

t.test('two people and an agent agree', { timeout: 120_000 + rounds * 3_000 }, async (t) => {
  const service = await TestService.start(t);
  const browser = await RealBrowser.start(t);
  const people = [await person(t, browser, 'ann'), await person(t, browser, 'ben')] as const;
  const [ann, ben] = people;
  await trySample(ann.page, service.url);
  await useKey(ben.page, ann.page);
  await ben.page.goto(ann.page.url());
  await allSaved(ben.page);
  const world = { people, below: numbersFrom(testSeed) };
  const typed: string[] = [];
  for (let round = 0; round < rounds; round++) typed.push(...(await writeRound(world, round)));
  const wanted = await exported(ann);
  for (const one of people) {
    t.same(await seen(one, wanted), wanted, `${one.name} sees what the service exports`);
  }
  const ops = await opsOf(ann.page);
  t.same(
    typed.filter((text) => !ops.includes(JSON.stringify(text))),
    [],
    'nothing typed is missing',
  );
});
