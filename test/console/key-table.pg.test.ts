import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import {
  allSaved,
  asked,
  cellShows,
  fieldHolds,
  goTo,
  openSample,
  waitMs,
  type Opened,
} from '../support/console-page.ts';
import { HeldRequests, pressAll } from '../support/held-requests.ts';

/** Each key that the help for keys names does what it says, in a real browser. */

const nameBox = (page: Page) => page.getByLabel('Go to cell');

/** Keys that move: from a cell, what is pressed, and what is selected then. */
const moves: readonly (readonly [from: string, keys: string, to: string])[] = [
  ['B2', 'ArrowDown', 'B3'],
  ['B2', 'ArrowUp', 'B1'],
  ['B2', 'ArrowLeft', 'A2'],
  ['B2', 'ArrowRight', 'C2'],
  ['B2', 'Tab', 'C2'],
  ['B2', 'Shift+Tab', 'A2'],
  ['B2', 'Enter', 'B3'],
  ['B2', 'Shift+Enter', 'B1'],
  ['B2', 'Control+ArrowDown', 'B6'],
  ['D6', 'Control+ArrowUp', 'D1'],
  ['D3', 'Control+ArrowLeft', 'A3'],
  ['D3', 'Control+ArrowRight', 'H3'],
  ['D3', 'Home', 'A3'],
  ['D3', 'Control+Home', 'A1'],
  ['B2', 'Control+End', 'H6'],
  ['B2', 'Shift+ArrowDown Shift+ArrowRight', 'B2:C3'],
  ['B2', 'Control+Shift+ArrowDown', 'B2:B6'],
  ['B3', 'Shift+Home', 'A3:B3'],
  ['B3', 'Control+Shift+Home', 'A1:B3'],
  ['B3', 'Control+Shift+End', 'B3:H6'],
  ['D4', 'Control+Space', 'D:D'],
  ['D4', 'Shift+Space', '4:4'],
  ['D4', 'Control+a', 'A1:H6'],
  ['D4', 'Alt+PageDown Alt+PageUp', 'D4'],
  ['D4', 'PageDown PageUp', 'D4'],
];

async function moveAll(t: Test, { page }: Opened): Promise<void> {
  for (const [from, keys, to] of moves) {
    await goTo(page, from);
    await pressAll(page, keys.split(' '));
    await fieldHolds(t, nameBox(page), to);
  }
  await goTo(page, 'D4');
  await page.keyboard.press('PageDown');
  await page.waitForURL(/cell=D(1\d|[2-9]\d)$/u, { timeout: waitMs });
  await goTo(page, 'D4');
  await page.keyboard.press('Alt+PageDown');
  await page.waitForURL(/cell=[K-Z]4$/u, { timeout: waitMs });
}

const looks: readonly (readonly [keys: string, style: object])[] = [
  ['Control+b', { bold: true }],
  ['Control+i', { italic: true }],
  ['Control+u', { underline: 'single' }],
  ['Control+5', { strike: true }],
  ['Control+Shift+Digit1', { numberFormat: '#,##0.00' }],
  ['Control+Shift+Digit2', { numberFormat: 'h:mm AM/PM' }],
  ['Control+Shift+Digit3', { numberFormat: 'yyyy-mm-dd' }],
  ['Control+Shift+Digit4', { numberFormat: '$#,##0.00' }],
  ['Control+Shift+Digit5', { numberFormat: '0%' }],
  ['Control+Shift+Digit6', { numberFormat: '0.00E+00' }],
];

async function giveLooks(t: Test, { page }: Opened): Promise<void> {
  for (const [at, [keys]] of looks.entries()) {
    await goTo(page, `J${at + 2}`);
    await page.keyboard.press(keys);
  }
  await allSaved(page);
  for (const [at, [keys, style]] of looks.entries()) {
    const formats = await asked(page, `formats?range=Budget!J${at + 2}`);
    t.match(formats, { styles: [{}, style] }, keys);
  }
}

/** Keys of layouts with other letters, or with signs in the place of digits. */
async function pressElsewhere(t: Test, { page }: Opened): Promise<void> {
  const keyboard = await page.context().newCDPSession(page);
  const press = async (key: string, code: string, modifiers: number) => {
    for (const type of ['rawKeyDown', 'keyUp'] as const) {
      await keyboard.send('Input.dispatchKeyEvent', { type, key, code, modifiers });
    }
  };
  const [ctrl, ctrlShift, alt] = [2, 10, 1];
  for (const [at, key, code, modifiers] of [
    ['K2', 'и', 'KeyB', ctrl],
    ['K3', '§', 'Digit3', ctrlShift],
    ['K4', '(', 'Digit5', ctrl],
  ] as const) {
    await goTo(page, at);
    await press(key, code, modifiers);
  }
  await allSaved(page);
  for (const [at, style] of [
    ['K2', { bold: true }],
    ['K3', { numberFormat: 'yyyy-mm-dd' }],
    ['K4', { strike: true }],
  ] as const) {
    t.match(await asked(page, `formats?range=Budget!${at}`), { styles: [{}, style] }, at);
  }
  await goTo(page, 'B2');
  await press('л', 'KeyK', ctrl);
  await page.getByRole('dialog', { name: 'Commands and places' }).waitFor({ timeout: waitMs });
  await page.keyboard.press('Escape');
  await press('˙', 'KeyH', alt);
  await page.locator('input[type="range"]:focus').waitFor({ timeout: waitMs });
}

async function fillAndTakeBack(t: Test, { page }: Opened): Promise<void> {
  await goTo(page, 'L1');
  await page.keyboard.type('7');
  await page.keyboard.press('Enter');
  await goTo(page, 'L1:L3');
  await page.keyboard.press('Control+d');
  await cellShows(page, 'L3', '7');
  await goTo(page, 'L1:M3');
  await page.keyboard.press('Control+r');
  await cellShows(page, 'M3', '7');
  await allSaved(page);
  await page.keyboard.press('Control+z');
  await cellShows(page, 'M3', '');
  await page.keyboard.press('Control+y');
  await cellShows(page, 'M3', '7');
  // One line is filled from the line before it.
  await goTo(page, 'L4');
  await page.keyboard.press('Control+d');
  await cellShows(page, 'L4', '7');
  await goTo(page, 'M4');
  await page.keyboard.press('Control+r');
  await cellShows(page, 'M4', '7');
  await goTo(page, 'L1:M4');
  await page.keyboard.press('Delete');
  await cellShows(page, 'L1', '');
  await goTo(page, 'L1');
  await pressAll(page, ['=', 'B', '2', 'F4', 'F4', 'Enter']);
  await goTo(page, 'L1');
  await fieldHolds(t, page.getByLabel('Formula', { exact: true }), '=B$2');
  await pressAll(page, ['x', 'Escape']);
  await cellShows(page, 'L1', '1200');
  await page.keyboard.press('Delete');
}

/** A text typed at once goes into the lines that were put in, not over those that gave way. */
async function changeLines(t: Test, { page }: Opened): Promise<void> {
  await goTo(page, '2:2');
  await pressAll(page, ['Control++', 'n', 'e', 'w', 'Tab', '5', 'Enter']);
  await cellShows(page, 'A2', 'new');
  await cellShows(page, 'A3', 'Rent');
  await cellShows(page, 'B2', '5');
  await cellShows(page, 'B6', '700');
  await goTo(page, '2:2');
  await page.keyboard.press('Control+-');
  await cellShows(page, 'A2', 'Rent');
  await goTo(page, '2:3');
  await page.keyboard.press('Control++');
  await cellShows(page, 'B4', '1,200');
  await fieldHolds(t, nameBox(page), '2:3');
  await page.keyboard.press('Control+z');
  await cellShows(page, 'B2', '1,200');
  await goTo(page, 'B:B');
  await pressAll(page, ['Control++', 'x', 'Enter']);
  await cellShows(page, 'C5', '700');
  await cellShows(page, 'B1', 'x');
  await goTo(page, 'B:B');
  await page.keyboard.press('Control+-');
  await cellShows(page, 'B5', '700');
}

/** Keys that open something, and where the focus is or what is seen then. */
async function openAll(t: Test, { page }: Opened): Promise<void> {
  const focused = () =>
    page.evaluate<string>(`document.activeElement?.getAttribute('aria-label') ??
    document.activeElement?.closest('label')?.textContent ?? ''`);
  const isFocused = async (name: RegExp, keys: string): Promise<void> => {
    let found = await focused();
    for (let tries = 0; tries < 100 && !name.test(found); tries++) {
      await page.waitForTimeout(50);
      found = await focused();
    }
    t.match(found, name, keys);
  };
  for (const keys of ['Control+g', 'F5']) {
    await goTo(page, 'B2');
    await page.keyboard.press(keys);
    await isFocused(/Go to cell/u, keys);
    await page.keyboard.press('Escape');
  }
  for (const keys of ['Control+k', 'Control+Shift+p']) {
    await goTo(page, 'B2');
    await page.keyboard.press(keys);
    await isFocused(/Find a command or a place/u, keys);
    await page.keyboard.press('Escape');
  }
  for (const keys of ['Control+f', 'Control+h']) {
    await goTo(page, 'B2');
    await page.keyboard.press(keys);
    await isFocused(/^Find/u, keys);
    await page.keyboard.press('Escape');
  }
  await goTo(page, 'B2');
  await page.keyboard.press('Shift+F2');
  await isFocused(/note/iu, 'Shift+F2');
  await page.keyboard.press('Escape');
  await goTo(page, 'B2');
  await page.keyboard.press('Control+Alt+m');
  await isFocused(/comment/iu, 'Control+Alt+m');
  await page.keyboard.press('Escape');
  await goTo(page, 'H2');
  await page.keyboard.press('Control+`');
  await cellShows(page, 'H2', '=SUM(B2:G2)');
  await page.keyboard.press('Control+`');
  await goTo(page, 'B2');
  await page.keyboard.press('Alt+h');
  await page.locator('input[type="range"]:focus').waitFor({ timeout: waitMs });
  const seen = [];
  for (let press = 0; press < 4; press++) {
    await page.keyboard.press('F6');
    seen.push(await focused());
  }
  t.ok(new Set(seen).size > 1, `F6 goes through regions: ${seen.join(', ')}`);
  await goTo(page, 'B2');
  await page.keyboard.press('Alt+d');
  await page.waitForURL(/\/diff/u, { timeout: waitMs });
}

/** The palette evaluates a formula and writes nothing; tables and merges are found by name. */
async function asksPalette(t: Test, { page, watch }: Opened): Promise<void> {
  const palette = page.getByRole('dialog', { name: 'Commands and places' });
  const head = async () =>
    ((await asked(page, 'branches/main/state')) as { readonly head: number }).head;
  const before = await head();
  await goTo(page, 'B2');
  await page.keyboard.press('Control+k');
  for (const [text, value] of [
    ['=SUM(B2:B3)*2', '19200'],
    ['=SEQUENCE(3,2)', '1, the first of 3 × 2 values'],
    ['=1/0', '#DIV/0!'],
  ] as const) {
    await palette.getByRole('combobox').fill(text);
    await palette
      .getByRole('status')
      .getByText(value, { exact: true })
      .waitFor({ timeout: waitMs });
  }
  t.same(watch.take(), []);
  await palette.getByRole('combobox').fill('=SUM((');
  await palette
    .getByRole('status')
    .getByText(/formula/iu)
    .waitFor({ timeout: waitMs });
  // The browser tells of the refusal.
  t.equal(watch.take().length, 1);
  for (const text of ['table invoices', 'merge']) {
    await palette.getByRole('combobox').fill(text);
    const kind = text.split(' ')[0] ?? '';
    await palette
      .getByRole('option')
      .filter({ hasText: new RegExp(`${kind}$`, 'u') })
      .first()
      .waitFor({ timeout: waitMs });
  }
  await page.keyboard.press('Escape');
  t.equal(await head(), before, 'nothing was written');
}

/** The event that a browser fires a frame after a dialog has closed comes behind the next keys. */
const lateCloses = `const { showModal } = HTMLDialogElement.prototype;
HTMLDialogElement.prototype.showModal = function () {
  const tell = (event) => {
    if (!event.isTrusted) return;
    event.stopImmediatePropagation();
    setTimeout(() => {
      this.dispatchEvent(new Event('close'));
      document.documentElement.dataset.toldLate = 'true';
    }, 300);
  };
  this.addEventListener('close', tell, { capture: true });
  return showModal.call(this);
}`;

/** A dialog that has closed takes no focus from what the next key has opened, nor closes it. */
async function closesOnce(t: Test, { page }: Opened): Promise<void> {
  await page.evaluate(`(() => {${lateCloses}})()`);
  const focused = page.locator('.beside textarea:focus');
  const told = () =>
    page.locator('html[data-told-late]').waitFor({ state: 'attached', timeout: waitMs });
  await goTo(page, 'B2');
  await page.keyboard.press('Shift+F2');
  await page.keyboard.type('a note');
  await page.getByRole('button', { name: 'Keep it' }).click();
  await page.keyboard.press('Control+Alt+m');
  await page.keyboard.type('a comment');
  await told();
  t.equal(await focused.inputValue({ timeout: 1_000 }), 'a comment');
  await page.evaluate('delete document.documentElement.dataset.toldLate');
  await page.keyboard.press('Escape');
  await goTo(page, 'B2');
  await pressAll(page, ['Shift+F2', 'Escape', 'Control+f']);
  await told();
  t.equal(await page.getByLabel('Find', { exact: true }).count(), 1, 'the bar to find is open');
  await page.keyboard.press('Escape');
  await cellShows(page, 'B2', '1,200');
}

/** A cell that is named before the cells are there is where the next keys write. */
async function namesEarly(t: Test, { page }: Opened): Promise<void> {
  const state = await HeldRequests.of(page, '**/state');
  await page.reload();
  await page.getByText('Connecting…').waitFor({ timeout: waitMs });
  await goTo(page, 'N12');
  await pressAll(page, ['a', 'b', 'Enter']);
  await state.letThrough();
  await cellShows(page, 'N12', 'ab');
  await fieldHolds(t, nameBox(page), 'N13');
  await allSaved(page);
}

t.test('each key of the help', { timeout: 120_000 }, async (t) => {
  const opened = await openSample(t);
  await t.test('moves', (t) => moveAll(t, opened));
  await t.test('looks', (t) => giveLooks(t, opened));
  await t.test('of other layouts', (t) => pressElsewhere(t, opened));
  await t.test('fills and takes back', (t) => fillAndTakeBack(t, opened));
  await t.test('lines', (t) => changeLines(t, opened));
  await t.test('the palette', (t) => asksPalette(t, opened));
  await t.test('named before the cells', (t) => namesEarly(t, opened));
  await t.test('after a dialog', (t) => closesOnce(t, opened));
  await t.test('opens', (t) => openAll(t, opened));
  t.same(opened.watch.take(), []);
});
