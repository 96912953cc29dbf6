import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import {
  asked,
  bookOf,
  checkScreen,
  openSample,
  visit,
  waitMs,
  type Opened,
} from '../support/console-page.ts';

/** A match is proposed, decided about pair by pair and by bands, and read again. */

const waited = { timeout: waitMs };

interface MatchAnswer {
  readonly counts: Readonly<Record<string, number>>;
  readonly opts: Readonly<Record<string, unknown>>;
  readonly rows: readonly {
    readonly leftKey: unknown;
    readonly rightKey: unknown;
    readonly decision: string;
  }[];
}

const names = ['Ann Adler', 'Bob Baker', 'Cy Carter', 'Di Dexter', 'Ed Ellis', 'Flo Finch'];

/** Makes two tables whose names differ by a word each. */
async function makeTables(page: Page): Promise<void> {
  const sides = [
    ['Ours', (name: string) => name],
    ['Theirs', (name: string) => `${name} and Sons`],
  ] as const;
  for (const [name, spell] of sides) {
    const schema = { columns: [{ name: 'k' }, { name: 'who' }] };
    await asked(page, 'branches/main/tables', 'POST', { name, keyColumn: 'k', schema });
    const rows = names.map((who, index) => ({ k: `${name}${index}`, who: spell(who) }));
    await asked(page, `branches/main/tables/${name}/rows`, 'POST', { rows });
  }
}

async function proposes(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await visit(page, 'Matches');
  await page.getByText('Nothing was matched yet.').waitFor(waited);
  await page.getByText(`quire match ${bookOf(page)}`).waitFor(waited);
  const sides = [
    ['Rows of', 'Ours'],
    ['look for a partner in', 'Theirs'],
  ] as const;
  for (const [side, table] of sides) {
    const group = page.getByRole('group', { name: side });
    await group.getByLabel('Table').selectOption({ label: table });
    await group.getByLabel('Column').selectOption('who');
  }
  await page.getByLabel('Accept from the score').fill('1');
  await page.getByLabel('Refuse below the score').fill('0.2');
  await page.getByLabel('Compared by').selectOption('this service');
  await page.getByLabel('Decided in between by').selectOption('a person');
  await checkScreen(t, opened, 'a proposal of a match');
  await page.getByRole('button', { name: 'Match them' }).click(waited);
  await page.getByText('6 pairs are left').waitFor(waited);
  const match = await readMatch(page);
  t.match(match.opts, { provider: 'local', verifyProvider: 'none', hi: 1, lo: 0.2 });
}

async function readMatch(page: Page): Promise<MatchAnswer> {
  const id = /mat_\w+/u.exec(page.url())?.[0] ?? '';
  return (await asked(page, `matches/${id}`)) as MatchAnswer;
}

/** Keys that are pressed at once are about one pair each. */
async function decidesFast(t: Test, { page }: Opened): Promise<void> {
  await page.getByRole('region', { name: 'Right row' }).waitFor(waited);
  for (const key of ['y', 'y', 'n', 's', 'y']) await page.keyboard.press(key);
  await page.getByText('2 pairs are left').waitFor(waited);
  await page.getByRole('button', { name: 'Accepted (3)' }).waitFor(waited);
  await page.waitForLoadState('networkidle');
  const { counts } = await readMatch(page);
  t.match(counts, { accept: 3, reject: 1, review: 2 });
  await page.keyboard.press('u');
  await page.getByText('3 pairs are left').waitFor(waited);
}

/** Each band is listed, and a pair in it decided otherwise. */
async function decidesByBand(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await page.getByRole('button', { name: 'Refused (1)' }).click(waited);
  const choice = page.getByRole('combobox', { name: /^Decide on/u });
  t.equal(await choice.count(), 1);
  t.match(page.url(), /\?band=reject$/u, 'a colleague sees the same band');
  await page.reload();
  await choice.waitFor(waited);
  await checkScreen(t, opened, 'bands of a match');
  await choice.selectOption('accept');
  await page.getByRole('button', { name: 'Refused (0)' }).waitFor(waited);
  await page.getByRole('button', { name: 'Accepted (3)' }).click(waited);
  t.equal(await choice.count(), 3);
}

/** Bounds are typed as numbers as well, and decide about nothing until they are saved. */
async function typesBounds(t: Test, { page }: Opened): Promise<void> {
  const number = page.getByLabel('Accept from, as a number');
  await number.fill('0.5');
  await number.press('Tab');
  await page.getByText('By these bounds alone 6 would be accepted').waitFor(waited);
  t.equal(await page.getByLabel('Accept from', { exact: true }).inputValue(), '0.5');
  t.match((await readMatch(page)).counts, { accept: 3 });
  await page.getByRole('button', { name: /^Save \d decisions$/u }).click(waited);
  await page.getByRole('button', { name: 'Accepted (6)' }).waitFor(waited);
  await page.reload();
  await page.getByRole('button', { name: 'Accepted (6)' }).waitFor(waited);
}

/** A row that has a partner already gets another one only when somebody says so. */
async function takesOtherPartner(t: Test, opened: Opened): Promise<void> {
  const { page, watch } = opened;
  for (const [name, texts] of [
    ['One', ['Gus Gray']],
    ['Several', ['Gus Gray and Sons', 'Gus Gray and Daughters']],
  ] as const) {
    const schema = { columns: [{ name: 'k' }, { name: 'who' }] };
    await asked(page, 'branches/main/tables', 'POST', { name, keyColumn: 'k', schema });
    const rows = texts.map((who, index) => ({ k: `${name}${index}`, who }));
    await asked(page, `branches/main/tables/${name}/rows`, 'POST', { rows });
  }
  const sides = {
    left: { tableId: 'One', column: 'who' },
    right: { tableId: 'Several', column: 'who' },
  };
  const opts = { provider: 'local', verifyProvider: 'none', hi: 1, lo: 0.01 };
  const made = (await asked(page, 'matches', 'POST', { ...sides, opts })) as { matchId: string };
  await page.goto(page.url().replace(/mat_\w+/u, made.matchId));
  await page.getByText('2 pairs are left').waitFor(waited);
  await page.keyboard.press('y');
  await page.getByText('1 pair is left').waitFor(waited);
  await page.keyboard.press('y');
  const question = page.getByRole('alert').filter({ hasText: /A row has one partner here/u });
  await question.waitFor(waited);
  // The browser tells of the refusal.
  t.equal(watch.take().length, 1);
  await checkScreen(t, opened, 'a row with a partner');
  const [first] = (await readMatch(page)).rows.filter(({ decision }) => decision === 'accept');
  const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
  await question.getByRole('button', { name: /^Take .* instead$/u }).click();
  t.equal((await saved).status(), 200);
  await question.waitFor({ ...waited, state: 'detached' });
  await page.getByText('Nothing is left to be reviewed.').waitFor(waited);
  const { rows, counts } = await readMatch(page);
  t.match(counts, { accept: 1, reject: 1, review: 0 });
  const accepted = rows.find(({ decision }) => decision === 'accept');
  t.not(accepted?.rightKey, first?.rightKey, 'the other one');
}

t.test('matching', { timeout: 150_000 }, async (t) => {
  const opened = await openSample(t);
  await makeTables(opened.page);
  await t.test('it is proposed with its providers', (t) => proposes(t, opened));
  await t.test('fast keys decide about a pair each', (t) => decidesFast(t, opened));
  await t.test('bands are listed', (t) => decidesByBand(t, opened));
  await t.test('bounds are numbers as well', (t) => typesBounds(t, opened));
  await t.test('a row gets another partner', (t) => takesOtherPartner(t, opened));
  t.same(opened.watch.take(), []);
});
