import { fileURLToPath } from 'node:url';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import type { Test } from 'tap';

import { axeFaults } from './axe.ts';
import { RealBrowser, type PageWatch } from './chromium.ts';
import { TestService } from './test-service.ts';

export interface Opened {
  readonly page: Page;
  readonly watch: PageWatch;
}

export const waitMs = 20_000;
const paintTries = 400;
/** Folder for pictures of all screens. */
const pictures = fileURLToPath(new URL('../../console-pictures/', import.meta.url));

/** Fails if the page reports errors or axe finds faults, in the light and the dark theme. */
export async function checkScreen(t: Test, { page, watch }: Opened, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const isDark = colorScheme === 'dark';
    t.notOk(
      (await darkGrids(page)).includes(!isDark),
      `${name}, ${colorScheme}: its grids as well`,
    );
    await page.screenshot({ path: `${pictures}${name.replaceAll(' ', '-')}-${colorScheme}.png` });
    const beyond = 'document.documentElement.scrollWidth - innerWidth';
    t.equal(Math.max(0, await page.evaluate<number>(beyond)), 0, `${name}: as wide as its window`);
    const faults = await axeFaults(page, isDark);
    t.same(faults, [], `${name}, ${colorScheme}: no fault that axe finds`);
  }
  t.same(watch.take(), [], `${name}: no complaint of the browser`);
}

/** Waits until grids are painted in new colours: a frame or two. */
async function painted(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
  );
}

/** Returns for each grid whether its cells are dark. */
export async function darkGrids(page: Page): Promise<readonly boolean[]> {
  await painted(page);
  // The page's policy forbids waiting within it, so each look is a call of its own.
  for (let tries = 0; tries < paintTries; tries++) {
    const found = await page.evaluate<readonly boolean[] | null>(`(() => {
      const pixels = [...document.querySelectorAll('canvas.grid-canvas')].map((canvas) => {
        const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
        probe.drawImage(canvas, 2, 2, 1, 1, 0, 0, 1, 1);
        return probe.getImageData(0, 0, 1, 1).data;
      });
      // A new grid is transparent until it is painted.
      if (pixels.some(([, , , alpha]) => alpha === 0)) return null;
      return pixels.map(([red, green, blue]) => red + green + blue < 384);
    })()`);
    if (found) return found;
    await page.waitForTimeout(waitMs / paintTries);
  }
  throw new Error('a grid is not painted');
}

/** Keeps a picture of a page in both themes, for README.md and docs. */
export async function picture(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await painted(page);
    await page.screenshot({ path: `${pictures}readme-${name}-${colorScheme}.png` });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Returns the text of a cell for screen readers. */
export function cellText(page: Page, cell: string): Promise<string | null> {
  return page.locator(`[data-cell="${cell}"]`).textContent({ timeout: waitMs });
}

export async function cellShows(page: Page, cell: string, text: string): Promise<void> {
  await page
    .locator(`[data-cell="${cell}"]`)
    .filter({ hasText: new RegExp(`^${text.replaceAll(/[.$^*+?()[\]{}|\\]/gu, '\\$&')}$`, 'u') })
    .waitFor({ state: 'attached', timeout: waitMs });
}

export async function goTo(page: Page, cell: string): Promise<void> {
  await page.getByLabel('Go to cell').fill(cell);
  await page.getByLabel('Go to cell').press('Enter');
}

export async function fieldHolds(t: Test, field: Locator, text: string): Promise<void> {
  let held = await field.inputValue();
  for (let tries = 0; tries < 400 && held !== text; tries++) {
    await field.page().waitForTimeout(50);
    held = await field.inputValue();
  }
  t.equal(held, text);
}

export async function allSaved(page: Page): Promise<void> {
  await page.getByText('Live, all saved').waitFor({ timeout: waitMs });
}

/** Makes the sample as a new person, and waits for its cells. */
export async function trySample(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/console`);
  await page.getByRole('button', { name: /Try it/u }).click();
  await cellShows(page, 'B5', '700');
  await allSaved(page);
}

/** Opens the sample as a new person, on a service of its own. */
export async function openSample(t: Test): Promise<Opened & { readonly context: BrowserContext }> {
  const service = await TestService.start(t);
  const browser = await RealBrowser.start(t);
  const opened = await browser.open();
  await trySample(opened.page, service.url);
  return opened;
}

/** Follows a link to another screen of the workbook. */
export async function visit(page: Page, name: string): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Workbook' })
    .getByRole('link', { name })
    .click({ timeout: waitMs });
}

/** The id of the workbook that a page shows. */
export function bookOf(page: Page): string {
  return /wb_\w+/u.exec(page.url())?.[0] ?? '';
}

/** Requests something about the workbook of a page, with the key of the page. */
export async function asked(
  page: Page,
  path: string,
  method = 'GET',
  body?: unknown,
): Promise<unknown> {
  const text = await askedText(page, path, method, body);
  return text === '' ? null : (JSON.parse(text) as unknown);
}

/** The same for answers that are no JSON. */
export async function askedText(
  page: Page,
  path: string,
  method = 'GET',
  body?: unknown,
): Promise<string> {
  const init = JSON.stringify({
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return page.evaluate<string>(`fetch('/v1/workbooks/${bookOf(page)}/${path}', {
    ...${init},
    headers: {
      authorization: 'Bearer ' + sessionStorage.getItem('quire.key'),
      ...(${body !== undefined} && { 'content-type': 'application/json' }),
    },
  }).then((answer) => answer.text())`);
}

/** Types an input into a cell. */
export async function enter(page: Page, cell: string, input: string): Promise<void> {
  await goTo(page, cell);
  await page.keyboard.type(input);
  await page.keyboard.press('Enter');
}

/** Signs a new page in with the key of another page. */
export async function useKey(page: Page, known: Page): Promise<void> {
  const key = await known.evaluate<string>(`sessionStorage.getItem('quire.key')`);
  await page.goto(`${new URL(known.url()).origin}/console`);
  await page.getByLabel('Or use a key that you have').fill(key);
  await page.getByRole('button', { name: 'Use the key' }).click();
}

/** Copies or cuts what is selected; returns the text in the clipboard. */
export async function take(page: Page, how: 'copy' | 'cut'): Promise<string> {
  return page.evaluate<string>(`(() => {
    const data = new DataTransfer();
    document.querySelector('.grid-editor').dispatchEvent(
      new ClipboardEvent('${how}', { clipboardData: data, bubbles: true, cancelable: true }));
    window.clip = Object.fromEntries(data.types.map((type) => [type, data.getData(type)]));
    return data.getData('text/plain');
  })()`);
}

/** Pastes what was copied, or only its plain text. */
export async function put(page: Page, isPlain = false): Promise<void> {
  await page.evaluate(`(() => {
    const data = new DataTransfer();
    for (const [type, text] of Object.entries(window.clip)) {
      if (!${isPlain} || type === 'text/plain') data.setData(type, text);
    }
    document.querySelector('.grid-editor').dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  })()`);
}
