import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import {
  allSaved,
  asked,
  cellShows,
  checkScreen,
  goTo,
  openSample,
  waitMs,
  type Opened,
} from '../support/console-page.ts';

/** Cells look as their styles say: each is measured by the pixels that a real browser draws. */

const sheet = 'Looks';
const [rowHeader, columnHeader, columnPx, rowPx] = [56, 26, 96, 100];

const styles: readonly (readonly [a1: string, text: string, style: object])[] = [
  ['A1', 'HHH', {}],
  ['B1', 'HHH', { valign: 'top' }],
  ['C1', 'HHH', { valign: 'center' }],
  ['D1', 'HHH', { indent: 3 }],
  ['E1', 'HHHHH', { rotation: 90 }],
  ['F1', 'HHHHH', { rotation: -45 }],
  ['G1', 'HHHHH', { rotation: 'vertical' }],
  ['A2', 'HHHHHHHHHHHHHHHHHHHH', { shrink: true }],
  ['B2', 'H', { align: 'fill' }],
  ['C2', 'H', { underline: 'double', valign: 'center' }],
  ['D2', 'H', { script: 'super', valign: 'center' }],
  ['E2', '', { border: { diagonalUp: { style: 'thin' } } }],
  ['F2', '', { fill: { pattern: 'darkGrid', fg: '#FF0000', bg: '#0000FF' } }],
  ['G2', '', { border: { left: { style: 'double' } } }],
  ['C3', 'HHHHHHHHHHHHHHHHHHHHHHHH', { align: 'center' }],
  ['A4', 'HHHH', { align: 'centerContinuous' }],
  ['B4', '', { align: 'centerContinuous' }],
  ['C4', '', { align: 'centerContinuous' }],
  ['A5', 'HHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHH', {}],
];

interface Ink {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** Number of rows of pixels with ink. */
  readonly lines: number;
}

/** Returns where a cell has ink, in pixels from its corner; all 0 if it is blank. */
function inkIn(page: Page, row: number, column: number): Promise<Ink> {
  const x = rowHeader + column * columnPx;
  const y = columnHeader + row * rowPx;
  return page.evaluate<Ink>(`(() => {
    const [width, height] = [${columnPx - 6}, ${rowPx - 6}];
    const canvas = document.querySelector('canvas.grid-canvas');
    const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    probe.canvas.width = width;
    probe.canvas.height = height;
    probe.drawImage(canvas, ${x} + 2, ${y} + 2, width, height, 0, 0, width, height);
    const { data } = probe.getImageData(0, 0, width, height);
    const ink = { left: width, right: 0, top: height, bottom: 0, lines: 0 };
    for (let down = 0; down < height; down++) {
      let hasInk = false;
      for (let right = 0; right < width; right++) {
        const at = 4 * (down * width + right);
        if (Math.abs(data[at] - data[0]) + Math.abs(data[at + 2] - data[2]) < 200) continue;
        hasInk = true;
        ink.left = Math.min(ink.left, right);
        ink.right = Math.max(ink.right, right);
      }
      if (!hasInk) continue;
      ink.lines++;
      ink.top = Math.min(ink.top, down);
      ink.bottom = down;
    }
    return ink;
  })()`);
}

async function showLooks(page: Page): Promise<void> {
  const ops = [
    { kind: 'sheet.add', payload: { name: sheet } },
    { kind: 'rows.size', payload: { sheet, from: 1, count: 6, px: rowPx } },
    { kind: 'sheet.props', payload: { sheet, tabColor: { theme: 4 } } },
    ...styles.flatMap(([range, text, style]) => [
      { kind: 'range.set', payload: { sheet, range, inputs: [[text]] } },
      { kind: 'format.set', payload: { sheet, range, style } },
    ]),
  ];
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops });
  await page.getByRole('tab', { name: sheet }).click({ timeout: waitMs });
  await cellShows(page, 'C2', 'H');
  await goTo(page, 'J1');
  await page.waitForTimeout(300);
}

async function placesTexts(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const tab = page.getByRole('tab', { name: sheet });
  t.match(await tab.getAttribute('style'), /inset 0px -3px|rgb/u, 'a tab in a theme colour');
  const plain = await inkIn(page, 0, 0);
  t.ok(plain.top > rowPx / 2, `a text is at the bottom: ${plain.top}`);
  t.ok((await inkIn(page, 0, 1)).bottom < rowPx / 3, 'at the top');
  const middle = await inkIn(page, 0, 2);
  t.ok(Math.abs((middle.top + middle.bottom) / 2 - rowPx / 2) < 6, 'in the middle');
  t.equal((await inkIn(page, 0, 3)).left - plain.left, 27, 'indented by three steps');
  const upwards = await inkIn(page, 0, 4);
  t.ok(upwards.bottom - upwards.top > 2 * (upwards.right - upwards.left), 'turned upwards');
  const aslant = await inkIn(page, 0, 5);
  const [wide, high] = [aslant.right - aslant.left, aslant.bottom - aslant.top];
  t.ok(Math.abs(wide - high) < 8 && wide > 25, `as high as it is wide: ${wide}, ${high}`);
  const stacked = await inkIn(page, 0, 6);
  t.ok(stacked.right - stacked.left < 12 && stacked.bottom - stacked.top > 60, 'one below another');
  const shrunk = await inkIn(page, 1, 0);
  t.ok(shrunk.right < columnPx - 6 && shrunk.right > columnPx / 2, 'shrunk to its cell');
  t.ok((await inkIn(page, 1, 1)).right > columnPx / 2, 'repeated');
  const [once, twice] = [await inkIn(page, 0, 0), await inkIn(page, 1, 2)];
  t.equal(twice.lines - once.lines, 2, 'two lines below');
  const raised = await inkIn(page, 1, 3);
  t.ok(raised.bottom < middle.bottom && raised.lines < once.lines, 'raised and smaller');
  const diagonal = await inkIn(page, 1, 4);
  t.ok(diagonal.lines > 80 && diagonal.right - diagonal.left > 80, 'a line from corner to corner');
  t.ok((await inkIn(page, 2, 1)).lines > 5, 'a centred text runs over on the left');
  t.ok((await inkIn(page, 2, 3)).lines > 5, 'and on the right');
  t.ok((await inkIn(page, 3, 0)).lines === 0, 'nothing in the first of three cells');
  const across = await inkIn(page, 3, 1);
  t.ok(Math.abs((across.left + across.right) / 2 - columnPx / 2) < 6, 'the text is in the middle');
  await checkScreen(t, opened, 'looks of cells');
}

/** A text goes on over blank cells where its own cell is out of view. */
async function runsIntoView(t: Test, { page }: Opened): Promise<void> {
  await page.evaluate(`document.querySelector('.grid-scroller').scrollLeft = ${2 * columnPx}`);
  await page.waitForTimeout(500);
  t.ok((await inkIn(page, 4, 0)).lines > 5, 'the text of A5 shows in C5');
  await page.evaluate(`document.querySelector('.grid-scroller').scrollLeft = 0`);
}

/** Texts get colours, sizes, lines and indents by the menu. */
async function setsLooks(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const menu = page.getByText('Format', { exact: true });
  await goTo(page, 'J2:K3');
  await menu.click();
  await checkScreen(t, opened, 'menu of formats');
  await page.getByRole('button', { name: 'Text colour #C00000' }).click();
  for (const name of ['Lines around all', 'Indent more', 'Larger text', 'Align to the top']) {
    await menu.click();
    await page.getByRole('button', { name, exact: true }).click();
  }
  await allSaved(page);
  const corner = { color: '#C00000', indent: 1, size: 12, valign: 'top' };
  const { styles: found } = (await asked(page, `formats?range=${sheet}!J2`)) as {
    readonly styles: readonly object[];
  };
  t.match(found[1], { ...corner, border: { top: { style: 'thin' }, left: { style: 'thin' } } });
  t.notMatch(found[1], { border: { right: {} } });
}

t.test('looks of cells', { timeout: 120_000 }, async (t) => {
  const opened = await openSample(t);
  await showLooks(opened.page);
  await t.test('texts are placed', (t) => placesTexts(t, opened));
  await t.test('texts run into view', (t) => runsIntoView(t, opened));
  await t.test('the menu sets them', (t) => setsLooks(t, opened));
  t.same(opened.watch.take(), []);
});
