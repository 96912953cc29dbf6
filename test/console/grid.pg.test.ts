import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import {
  allSaved,
  asked,
  cellShows,
  cellText,
  checkScreen,
  fieldHolds,
  goTo,
  openSample,
  waitMs,
  type Opened,
} from '../support/console-page.ts';

/**
 * Cells are edited with keys, mouse, clipboard, an input method and a finger.
 * Runs long: half a minute in a browser.
 */

const [rowHeader, columnHeader, columnPx, rowPx] = [56, 26, 96, 24];

async function boxOf(page: Page): Promise<{ readonly x: number; readonly y: number }> {
  return (await page.locator('.grid').boundingBox()) ?? { x: 0, y: 0 };
}

async function formatsCells(t: Test, { page }: Opened): Promise<void> {
  await goTo(page, 'B2');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByText('Sum 9,600').waitFor({ timeout: waitMs });
  await page.keyboard.press('Control+b');
  await page.keyboard.press('Control+Shift+Digit1');
  await cellShows(page, 'B3', '8,400.00');
  await page.getByRole('button', { name: 'Fill #E2F0D9' }).click();
  await allSaved(page);
  const formats = await asked(page, 'formats?range=Budget!B2:B3');
  t.match(formats, {
    styles: [{}, { bold: true, fill: { fg: '#E2F0D9' }, numberFormat: '#,##0.00' }],
  });
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await cellShows(page, 'B3', '8,400');
}

/** Columns are resized by their edge, cells filled by the handle, rows chosen by their number. */
async function dragsThings(t: Test, { page }: Opened): Promise<void> {
  const { x, y } = await boxOf(page);
  const edge = x + rowHeader + columnPx;
  await page.mouse.move(edge, y + 10);
  await page.mouse.down();
  await page.mouse.move(edge + 54, y + 10, { steps: 3 });
  await page.mouse.up();
  await allSaved(page);
  t.match(await asked(page, 'formats?range=Budget!A1'), { slices: [{ columns: [{ px: 150 }] }] });
  for (const [cell, text] of [
    ['A8', '1'],
    ['A9', '3'],
  ] as const) {
    await goTo(page, cell);
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    await cellShows(page, cell, text);
  }
  await goTo(page, 'A8');
  await page.keyboard.press('Shift+ArrowDown');
  const [right, bottom] = [edge + 54, y + columnHeader + 9 * rowPx];
  await page.mouse.move(right - 1, bottom - 1);
  await page.mouse.down();
  await page.mouse.move(right - 20, bottom + 2 * rowPx - 6, { steps: 4 });
  await page.mouse.up();
  await cellShows(page, 'A11', '7');
  await page.mouse.click(x + 20, y + columnHeader + rowPx * 7 + 10);
  await fieldHolds(t, page.getByLabel('Go to cell'), '8:8');
  await page.keyboard.press('Control+-');
  await cellShows(page, 'A8', '3');
}

async function ordersLines(t: Test, { page }: Opened): Promise<void> {
  await goTo(page, 'A8');
  for (let step = 0; step < 2; step++) await page.keyboard.press('Shift+ArrowDown');
  await page.getByText('Data', { exact: true }).click();
  await page.getByRole('button', { name: 'Sort from high to low' }).click();
  await cellShows(page, 'A8', '7');
  await page.getByText('Insert', { exact: true }).click();
  await page.getByRole('button', { name: 'Rows above' }).click();
  await cellShows(page, 'A11', '7');
  t.equal(await cellText(page, 'A8'), '', 'three rows stand above');
  await goTo(page, 'C3');
  await page.keyboard.press('Shift+F2');
  await page.getByRole('textbox', { name: 'Note of C3' }).fill('Raised in March');
  await page.getByRole('button', { name: 'Keep it' }).click();
  await allSaved(page);
  t.match(await asked(page, 'records?types=note'), { total: 1 });
}

/** Comments are written, answered and settled; beside them stands who wrote the cell. */
async function talksOfCells(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await goTo(page, 'B4');
  await page.keyboard.press('Control+Alt+m');
  const panel = page.getByRole('complementary', { name: 'About B4' });
  await panel.getByRole('link', { name: 'See main@' }).first().waitFor({ timeout: waitMs });
  await panel.getByLabel('Comment on B4').fill('Is this the new price?');
  await page.keyboard.press('Control+Enter');
  await panel.getByText('Is this the new price?').waitFor({ timeout: waitMs });
  await panel.getByLabel('Answer').fill('Yes, from May');
  await panel.getByRole('button', { name: 'Answer' }).click();
  await panel.getByText('Yes, from May').waitFor({ timeout: waitMs });
  t.equal(await panel.getByText(/^agt-/u).count(), 0, 'one name for one person');
  await checkScreen(t, opened, 'comments');
  await panel.getByRole('button', { name: 'Settle it' }).click();
  await panel.getByRole('button', { name: 'Open it again' }).waitFor({ timeout: waitMs });
  const texts = [{ text: 'Is this the new price?' }, { text: 'Yes, from May' }];
  t.match(await asked(page, 'records?types=thread'), {
    records: [{ ranges: ['B4'], value: { resolved: true, comments: texts } }],
  });
  await goTo(page, 'Z90');
  const other = page.getByRole('complementary', { name: 'About Z90' });
  await other.getByText('Nobody: the cell is blank.').waitFor({ timeout: waitMs });
  await other.getByRole('button', { name: 'Close' }).click();
  t.equal(await other.count(), 0);
}

/** Sheets are added, renamed, copied, moved, hidden, shown again and deleted by the menu of their tab. */
async function keepsSheets(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const tabs = page.getByRole('tab');
  const shown = async (names: readonly string[]) => {
    for (const name of names) {
      await page
        .getByRole('tab', { name, exact: true, selected: name === names.at(-1) })
        .waitFor({ timeout: waitMs });
    }
  };
  const menu = async (item: string) => {
    await page.getByLabel(/^Menu of the sheet/u).click();
    await page.getByRole('button', { name: item, exact: true }).click();
  };
  await page.getByRole('button', { name: 'Add a sheet' }).click();
  await shown(['Budget', 'Sheet2']);
  await page.keyboard.type('typed at once');
  await page.keyboard.press('Enter');
  await page.getByLabel('Menu of the sheet Sheet2').click();
  await page.getByLabel('Name of the sheet').fill('Plan B');
  await checkScreen(t, opened, 'menu of a tab');
  await page.keyboard.press('Enter');
  await shown(['Plan B']);
  await menu('Red');
  await menu('Duplicate');
  await shown(['Plan B', 'Plan B 2']);
  await cellShows(page, 'A1', 'typed at once');
  await menu('Move to the left');
  await page.locator('[role=tab]:has-text("Plan B 2") + [role=tab]').waitFor({ timeout: waitMs });
  await menu('Hide');
  await page.getByRole('tab', { name: 'Plan B 2' }).waitFor({ state: 'detached' });
  await menu('Show “Plan B 2” again');
  await page.getByRole('tab', { name: 'Plan B 2' }).click();
  await menu('Delete…');
  await page.getByRole('button', { name: 'Delete the sheet' }).click();
  await page.getByRole('tab', { name: 'Plan B 2' }).waitFor({ state: 'detached' });
  t.same((await tabs.allTextContents()).slice(0, 2), ['Budget', 'Plan B']);
  t.match(await asked(page, 'branches/main/state'), {
    sheets: [{}, { name: 'Plan B', properties: { tabColor: '#C0504D' } }],
  });
  await page.getByRole('tab', { name: 'Budget' }).click();
}

/** Rows are shown by the values of a column, from the key, and from the button on its header. */
async function filtersRows(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  const inputs = [['Item', 'City'], ['Tea', 'York'], ['Milk', 'Rome'], ['Rice', 'York'], ['Salt']];
  const ops = [
    { kind: 'sheet.add', payload: { name: 'Stock' } },
    {
      kind: 'range.set',
      payload: { sheet: 'Stock', range: 'A1:A5', inputs: inputs.map(([item]) => [item]) },
    },
    {
      kind: 'range.set',
      payload: {
        sheet: 'Stock',
        range: 'B1:B4',
        inputs: inputs.slice(0, 4).map(([, city]) => [city]),
      },
    },
  ];
  await asked(page, 'branches/main/ops', 'POST', { writer: 'agent', ops });
  await page.getByRole('tab', { name: 'Stock' }).click({ timeout: waitMs });
  await cellShows(page, 'B1', 'City');
  await goTo(page, 'B2');
  await page.keyboard.press('Control+Shift+L');
  const dialog = page.getByRole('dialog', { name: 'Filter by column B' });
  await dialog.getByLabel('York').uncheck({ timeout: waitMs });
  await dialog.getByText('2 of 3 values').waitFor({ timeout: waitMs });
  await checkScreen(t, opened, 'filter');
  await dialog.getByRole('button', { name: 'Show these rows' }).click();
  await allSaved(page);
  const hidden = async () => {
    const { slices } = (await asked(page, 'formats?range=Stock!A:A')) as {
      slices: { rows: { from: number; count: number; hidden?: boolean }[] }[];
    };
    return slices[0]?.rows.flatMap((run) => (run.hidden === true ? [run.from, run.count] : []));
  };
  const filter = { records: [{ ranges: ['A1:B5'], value: { criteria: [{ column: 'B' }] } }] };
  t.same(await hidden(), [2, 1, 4, 1], 'the rows of York are hidden');
  t.match(await asked(page, 'records?types=filter'), filter);
  const { x, y } = await boxOf(page);
  await page.mouse.click(x + rowHeader + 2 * columnPx - 8, y + columnHeader + rowPx - 8);
  t.notOk(
    await dialog.getByLabel('York').isChecked({ timeout: waitMs }),
    'it knows what is hidden',
  );
  await dialog.getByRole('button', { name: 'Take the filter away' }).click();
  await allSaved(page);
  t.same(await hidden(), []);
  await page.keyboard.press('Control+z');
  await allSaved(page);
  t.same(await hidden(), [2, 1, 4, 1], 'one undo brings all of it back');
  t.match(await asked(page, 'records?types=filter'), filter);
  await checkScreen(t, opened, 'filtered rows');
  await page.getByRole('tab', { name: 'Budget' }).click();
}

async function findsAndReplaces(t: Test, opened: Opened): Promise<void> {
  const { page } = opened;
  await page.keyboard.press('Control+h');
  await page.getByLabel('Find', { exact: true }).fill('SA');
  await page.keyboard.press('Enter');
  await page.getByText('1 of 1', { exact: true }).waitFor({ timeout: waitMs });
  await fieldHolds(t, page.getByLabel('Go to cell'), 'A3');
  await page.getByLabel('Replace by').fill('$&Z');
  await checkScreen(t, opened, 'find and replace');
  await page.getByRole('button', { name: 'Replace all' }).click();
  await cellShows(page, 'A3', '$&Zlaries');
  await page.getByRole('button', { name: 'Close' }).click();
}

/** Clipboard events carry texts and a table, and no permission is asked for. */
async function copiesAndPastes(t: Test, { page }: Opened): Promise<void> {
  await goTo(page, 'A4');
  await page.keyboard.press('Shift+ArrowRight');
  const copied = await page.evaluate<readonly string[]>(`(() => {
    const data = new DataTransfer();
    const event = new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true });
    document.querySelector('.grid-editor').dispatchEvent(event);
    return [data.getData('text/plain'), data.getData('text/html')];
  })()`);
  const look = 'style="mso-number-format:&quot;\\#\\,\\#\\#0&quot;"';
  const table = `<table><tr><td>Software</td><td ${look}>310</td></tr></table>`;
  t.same(copied, ['Software\t310', table]);
  await goTo(page, 'J1');
  const started = await page.evaluate<number>(`(() => {
    const rows = Array.from({ length: 2000 }, (_, row) => [row, 2, 3, 4, '"a\\tb"'].join('\\t'));
    const data = new DataTransfer();
    data.setData('text/plain', rows.join('\\n'));
    const before = performance.now();
    document.querySelector('.grid-editor').dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    return performance.now() - before;
  })()`);
  t.comment(`a paste of 10,000 cells is taken in ${Math.round(started)} ms`);
  await cellShows(page, 'K1', '2');
  await allSaved(page);
  const { rows } = (await asked(page, 'slice?range=Budget!J2000:N2000')) as { rows: unknown };
  t.same(rows, [[1999, 2, 3, 4, 'a\tb']]);
}

/** An input method composes from the first key; keys that it takes are no commands. */
async function composes({ page }: Opened): Promise<void> {
  await goTo(page, 'A20');
  const session = await page.context().newCDPSession(page);
  await session.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 });
  await session.send('Input.insertText', { text: '日本' });
  await page.keyboard.press('Enter');
  await cellShows(page, 'A20', '日本');
  await session.detach();
}

/** A name with quotes, a text from right to left, one of the longest, and an error. */
async function showsOddThings(t: Test, { page }: Opened): Promise<void> {
  const long = 'x'.repeat(32_767);
  const [book = ''] = /wb_\w+/u.exec(page.url()) ?? [];
  const ops = [
    { kind: 'sheet.add', payload: { name: 'It\'s "here"' } },
    {
      kind: 'range.set',
      payload: { sheet: 'It\'s "here"', range: 'A1:A3', inputs: [['שלום'], [long], ['=1/0']] },
    },
  ];
  await page.evaluate(`fetch('/v1/workbooks/${book}/branches/main/ops', {
    method: 'POST',
    headers: {
      authorization: 'Bearer ' + sessionStorage.getItem('quire.key'),
      'content-type': 'application/json',
    },
    body: ${JSON.stringify(JSON.stringify({ writer: 'agent', ops }))},
  }).then((answer) => answer.json())`);
  await page.getByRole('tab', { name: 'It\'s "here"' }).click({ timeout: waitMs });
  await cellShows(page, 'A1', 'שלום');
  await cellShows(page, 'A3', '#DIV/0!');
  t.equal((await cellText(page, 'A2'))?.length, 32_767);
  await goTo(page, 'A2');
  await fieldHolds(t, page.getByLabel('Formula', { exact: true }), long);
  await page.getByRole('tab', { name: 'Budget' }).click();
}

/** Returns whether the corner of the grid comes to have a colour. */
async function isDrawnIn(page: Page, colour: string): Promise<boolean> {
  const look = `(() => {
    const wanted = document.createElement('canvas').getContext('2d');
    wanted.fillStyle = '${colour}';
    wanted.fillRect(0, 0, 9, 9);
    const drawn = document.querySelector('.grid-canvas').getContext('2d');
    const [one, other] = [wanted, drawn].map((context) => context.getImageData(5, 5, 1, 1).data);
    return one.join() === other.join();
  })()`;
  for (let tries = 0; tries < 100; tries++) {
    if (await page.evaluate<boolean>(look)) return true;
    await page.evaluate('new Promise((done) => requestAnimationFrame(done))');
  }
  return false;
}

t.test('cells are edited in every way', { timeout: 170_000 }, async (t) => {
  const opened = await openSample(t);
  const { page, watch } = opened;
  await t.test('looks are set and taken back', (t) => formatsCells(t, opened));
  await t.test('edges, handles and headers are dragged', (t) => dragsThings(t, opened));
  await t.test('lines are sorted and inserted, cells have notes', (t) => ordersLines(t, opened));
  await t.test('cells are talked about', (t) => talksOfCells(t, opened));
  await t.test('sheets have a menu', (t) => keepsSheets(t, opened));
  await t.test('rows are filtered', (t) => filtersRows(t, opened));
  await t.test('a text is found and replaced', (t) => findsAndReplaces(t, opened));
  await t.test('cells are copied and pasted', (t) => copiesAndPastes(t, opened));
  await t.test('an input method composes', () => composes(opened));
  await t.test('odd names and texts are shown', (t) => showsOddThings(t, opened));
  await t.test('the forced colours of the system and 400 % are usable', async (t) => {
    await page.emulateMedia({ forcedColors: 'active' });
    await page.setViewportSize({ width: 320, height: 640 });
    await checkScreen(t, opened, 'forced colours at 400 percent');
    t.ok(await isDrawnIn(page, 'ButtonFace'), 'cells are drawn in the colours of the system');
    await page.emulateMedia({ forcedColors: 'none' });
  });
  t.same(watch.take(), []);
});
