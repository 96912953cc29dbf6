import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import {
  allSaved,
  asked,
  cellShows,
  checkScreen,
  enter,
  goTo,
  openSample,
  waitMs,
  type Opened,
} from '../support/console-page.ts';

/** Runs long: each kind of rule is looked at in a real browser. */

/** Conditional formats colour the cells that they hold for, and lists offer their values. */

const sheet = 'Rules';
const [rowHeader, columnHeader, columnPx, rowPx] = [56, 26, 96, 24];

async function addRules(page: Page): Promise<void> {
  const rows = [
    ['Name', 'Over', 'Scale', 'Bar', 'Pick', 100],
    ['ann', 50, 0, 0, null, 'yes'],
    ['bob', 150, 50, 5, null, 'no'],
    ['cy', 250, 100, 10, null, null],
  ];
  const cf = (ranges: string[], rule: unknown, style?: unknown) => ({
    kind: 'cf.set',
    payload: { sheet, ranges, rule, ...(style !== undefined && { style }) },
  });
  const ops = [
    { kind: 'sheet.add', payload: { name: sheet } },
    { kind: 'range.set', payload: { sheet, range: 'A1:F4', inputs: rows } },
    cf(
      ['B2:B4'],
      { type: 'cellIs', operator: 'greaterThan', formula1: '=$F$1' },
      { fill: '#FFC7CE' },
    ),
    cf(['A2:A4'], { type: 'expression', formula1: '=$B2=150' }, { fill: '#00FF00' }),
    cf(['C2:C4'], {
      type: 'colorScale',
      points: [
        { at: 'min', color: '#FF0000' },
        { at: 'max', color: '#0000FF' },
      ],
    }),
    cf(['D2:D4'], { type: 'dataBar', min: { at: 'min' }, max: { at: 'max' }, color: '#638EC6' }),
    {
      kind: 'validation.set',
      payload: { sheet, ranges: ['E2'], rule: { type: 'list', items: ['yes', 'no'] } },
    },
    {
      kind: 'validation.set',
      payload: { sheet, ranges: ['E3:E4'], rule: { type: 'list', source: '=$F$2:$F$3' } },
    },
  ];
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops });
  await page.getByRole('tab', { name: sheet }).click({ timeout: waitMs });
  await cellShows(page, 'A4', 'cy');
}

/** The colour in a cell, at a share of its width, above its text. */
function colourAt(page: Page, row: number, column: number, share: number): Promise<string> {
  return pixelAt(page, { row, column }, [Math.round(columnPx * share), 3]);
}

function pixelAt(
  page: Page,
  { row, column }: { readonly row: number; readonly column: number },
  [right, down]: readonly [number, number],
): Promise<string> {
  const x = rowHeader + column * columnPx + right;
  const y = columnHeader + row * rowPx + down;
  return page.evaluate<string>(`(() => {
    const canvas = document.querySelector('canvas.grid-canvas');
    const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    probe.drawImage(canvas, ${x} * devicePixelRatio, ${y} * devicePixelRatio, 1, 1, 0, 0, 1, 1);
    const bytes = [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3);
    return '#' + bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  })()`);
}

async function isColoured(
  t: Test,
  page: Page,
  [row, column, share]: readonly [number, number, number],
  colour: string,
): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if ((await colourAt(page, row, column, share)) === colour) break;
    await page.waitForTimeout(50);
  }
  t.equal(await colourAt(page, row, column, share), colour, `row ${row}, column ${column}`);
}

async function coloursCells(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const paper = await colourAt(page, 10, 8, 0.5);
  await goTo(page, 'H20');
  await isColoured(t, page, [2, 1, 0.5], '#ffc7ce');
  await isColoured(t, page, [1, 1, 0.5], paper);
  await isColoured(t, page, [2, 0, 0.5], '#00ff00');
  await isColoured(t, page, [1, 0, 0.5], paper);
  await isColoured(t, page, [1, 2, 0.5], '#ff0000');
  await isColoured(t, page, [2, 2, 0.5], '#800080');
  await isColoured(t, page, [3, 2, 0.5], '#0000ff');
  await isColoured(t, page, [3, 3, 0.9], '#638ec6');
  await isColoured(t, page, [2, 3, 0.3], '#638ec6');
  await isColoured(t, page, [2, 3, 0.7], paper);
  await checkScreen(t, opened, 'conditional formats');
  await page.emulateMedia({ colorScheme: 'light' });
  await enter(page, 'F1', '200');
  await isColoured(t, page, [2, 1, 0.5], paper);
  await isColoured(t, page, [3, 1, 0.5], '#ffc7ce');
}

async function offersValues(t: Test, { page }: Opened): Promise<void> {
  const list = page.getByLabel('Choose a value for the cell');
  await goTo(page, 'E2');
  await list.selectOption('no', { timeout: waitMs });
  await cellShows(page, 'E2', 'no');
  await goTo(page, 'E4');
  await list.selectOption('yes', { timeout: waitMs });
  await cellShows(page, 'E4', 'yes');
  await goTo(page, 'D2');
  await list.waitFor({ state: 'detached' });
  await allSaved(page);
  await enter(page, 'E2', 'maybe');
  await page.getByText('Not applied').first().waitFor({ timeout: waitMs });
  await cellShows(page, 'E2', 'no');
  t.match(await asked(page, 'slice?range=Rules!E2:E4'), { rows: [['no'], [null], ['yes']] });
}

/** Icons stand before numbers, or in their place, and a rule has a number format of its own. */
async function drawsIcons(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const name = 'Icons';
  const sets = ['3Arrows', '3TrafficLights1', '3Symbols', '5Quarters', '4Rating', '3Signs'];
  const icons = (set: string, column: string) => {
    const count = Number(set.slice(0, 1));
    const points = Array.from({ length: count }, (_, at) => {
      return { at: 'percent', value: Math.round((100 * at) / count) };
    });
    const rule = { type: 'iconSet', icons: set, points, showValue: column !== 'B' };
    return { kind: 'cf.set', payload: { sheet: name, ranges: [`${column}1:${column}5`], rule } };
  };
  const rows = [1, 2, 3, 4, 5].map((number) => Array.from({ length: 8 }, () => number));
  const greater = { type: 'cellIs', operator: 'greaterThan', formula1: 2 };
  const style = { numberFormat: '0.0"!"' };
  const ops = [
    { kind: 'sheet.add', payload: { name } },
    { kind: 'range.set', payload: { sheet: name, range: 'A1:H5', inputs: rows } },
    ...sets.map((set, index) => icons(set, 'ABCDEF'.charAt(index))),
    { kind: 'cf.set', payload: { sheet: name, ranges: ['H1:H5'], rule: greater, style } },
  ];
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops });
  await page.getByRole('tab', { name }).click({ timeout: waitMs });
  await cellShows(page, 'H3', '3.0!');
  await cellShows(page, 'H2', '2');
  await cellShows(page, 'B3', '');
  await cellShows(page, 'A3', '3');
  await goTo(page, 'J9');
  const colours = await Promise.all(
    [0, 2, 4, 8].map((row) => pixelAt(page, { row, column: 1 }, [9, 12])),
  );
  t.equal(new Set(colours).size, 4, 'each light has a colour of its own, and none is paper');
  await checkScreen(t, opened, 'icons of rules');
  await page.emulateMedia({ colorScheme: 'light' });
  await enter(page, 'H2', '7');
  await cellShows(page, 'H2', '7.0!');
  await page.getByRole('tab', { name: sheet }).click();
  // Requests of the way here are answered before others are counted.
  await allSaved(page);
  await isColoured(t, page, [3, 1, 0.5], '#ffc7ce');
}

/** Height of rows with large letters. */
const inkRowPx = 28;

/** All colours on the middle line of a cell in the first column. */
function inksOf(page: Page, row: number): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const canvas = document.querySelector('canvas.grid-canvas');
    const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const [x, y, width] = [${rowHeader + 2}, ${columnHeader + row * inkRowPx + inkRowPx / 2}, ${columnPx - 4}];
    const wide = width * devicePixelRatio;
    probe.drawImage(canvas, x * devicePixelRatio, y * devicePixelRatio, wide, 1, 0, 0, wide, 1);
    const { data } = probe.getImageData(0, 0, wide, 1);
    return Array.from({ length: wide }, (_, at) => {
      const bytes = [...data.slice(4 * at, 4 * at + 3)];
      return '#' + bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
    });
  })()`);
}

/** Number formats have colours, which stand over those of fonts and below those of rules. */
async function coloursNumbers(t: Test, { page }: Opened): Promise<void> {
  const name = 'Inks';
  const numberFormat = '[Red]"HHHH";[Blue]"HHHH";[Color10]"HHHH"';
  // Strokes of more than a pixel have the colour itself somewhere.
  const style = { numberFormat, color: '#FF00FF', bold: true, size: 16 };
  const ruled = {
    ranges: ['A4'],
    rule: { type: 'notContainsBlanks' },
    style: { color: '#00FFFF' },
  };
  const ops = [
    { kind: 'sheet.add', payload: { name } },
    { kind: 'range.set', payload: { sheet: name, range: 'A1:A4', inputs: [[5], [-5], [0], [5]] } },
    { kind: 'format.set', payload: { sheet: name, range: 'A1:A4', style } },
    { kind: 'rows.size', payload: { sheet: name, from: 1, count: 4, px: inkRowPx } },
    { kind: 'cf.set', payload: { sheet: name, ...ruled } },
  ];
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops });
  await page.getByRole('tab', { name }).click({ timeout: waitMs });
  await cellShows(page, 'A2', 'HHHH');
  await goTo(page, 'J9');
  const inks = ['#ff0000', '#0000ff', '#008000', '#00ffff'];
  for (const [row, ink] of inks.entries()) {
    for (let tries = 0; tries < 200 && !(await inksOf(page, row)).includes(ink); tries++) {
      await page.waitForTimeout(50);
    }
    const found = await inksOf(page, row);
    t.same(
      inks.filter((one) => found.includes(one)),
      [ink],
      `row ${row + 1}`,
    );
  }
  await page.getByRole('tab', { name: sheet }).click();
  await allSaved(page);
  await isColoured(t, page, [3, 1, 0.5], '#ffc7ce');
}

/** Rules that warn are told of, and what was typed stays. */
async function warns(t: Test, { page }: Opened): Promise<void> {
  const rule = (ranges: string[], of: unknown, error?: unknown) => ({
    kind: 'validation.set',
    payload: { sheet, ranges, rule: of, onInvalid: 'warn', ...(error !== undefined && { error }) },
  });
  const ops = [
    rule(
      ['H2:I9'],
      { type: 'whole', operator: 'between', formula1: 1, formula2: '=$F$1' },
      { text: 'whole numbers up to the limit' },
    ),
    rule(['J2:J9'], { type: 'textLength', operator: 'lessThan', formula1: 4 }),
    rule(['K2:K9'], { type: 'custom', formula1: '=K2>J2' }),
    rule(['L2:L9'], { type: 'list', items: ['yes', 'no'] }),
    rule(['M2:M9'], { type: 'date', operator: 'greaterThan', formula1: '=DATE(2024,1,1)' }),
    { kind: 'settings.set', payload: { path: 'dateSystem', value: 1904 } },
  ];
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops });
  await goTo(page, 'L2');
  await page.getByLabel('Choose a value for the cell').waitFor({ timeout: waitMs });
  const told = (cell: string) => page.getByText(`Look at ${cell}:`);
  for (const [cell, good, bad] of [
    ['I3', '7', '7.5'],
    ['J3', 'abc', 'abcd'],
    ['K4', '9', '-9'],
    ['L5', 'yes', 'perhaps'],
    ['M6', '2024-02-29', '2023-02-28'],
  ] as const) {
    await enter(page, cell, bad);
    await told(cell).waitFor({ timeout: waitMs });
    await cellShows(page, cell, bad);
    await enter(page, cell, good);
    await told(cell).waitFor({ state: 'detached', timeout: waitMs });
  }
  await enter(page, 'H4', '100000');
  await page.getByText('whole numbers up to the limit').waitFor({ timeout: waitMs });
  await allSaved(page);
  t.match(await asked(page, 'slice?range=Rules!H4'), { rows: [[100_000]] });
}

/** Rules that cannot be calculated are told of, and asked for when somebody says so. */
async function asksWhenTold(t: Test, { page, watch }: Opened): Promise<void> {
  let [askedCount, isDown] = [0, true];
  await page.route('**/scenario', (route) => {
    if (!isDown) return route.continue();
    askedCount++;
    const problem = { code: 'overloaded', status: 503, title: 'Busy', detail: 'It is too busy.' };
    return route.fulfill({ status: 503, json: problem });
  });
  await enter(page, 'F1', '100');
  const fault = page.getByRole('alert').filter({ hasText: 'It is too busy.' });
  await fault.waitFor({ timeout: waitMs });
  // The acknowledgement of the edit is news, for which rules are asked for again.
  await allSaved(page);
  await page.waitForTimeout(300);
  const soFar = askedCount;
  await page.waitForTimeout(600);
  t.equal(askedCount, soFar, 'nothing is asked for by itself');
  isDown = false;
  await fault.getByRole('button', { name: 'Try again' }).click({ timeout: waitMs });
  await isColoured(t, page, [2, 1, 0.5], '#ffc7ce');
  t.equal(await fault.count(), 0);
  await page.unroute('**/scenario');
  t.ok(watch.take().every((text) => /status of 503/u.test(text)));
}

t.test('rules of cells', { timeout: 120_000 }, async (t) => {
  const opened = await openSample(t);
  await addRules(opened.page);
  await t.test('they colour cells', (t) => coloursCells(t, opened));
  await t.test('lists are offered', (t) => offersValues(t, opened));
  await t.test('some rules warn', (t) => warns(t, opened));
  await t.test('icons and number formats are drawn', (t) => drawsIcons(t, opened));
  await t.test('number formats have colours', (t) => coloursNumbers(t, opened));
  t.same(opened.watch.take(), []);
  await t.test('a failure is told of', (t) => asksWhenTold(t, opened));
});
