import type { Page } from 'playwright-core';
import t from 'tap';
import type { Test } from 'tap';

import { RealBrowser } from '../support/chromium.ts';
import { allSaved, cellShows, enter, trySample, visit, waitMs } from '../support/console-page.ts';
import { CutProxy } from '../support/cut-proxy.ts';
import { TestService } from '../support/test-service.ts';

/** A browser that stores nothing, or not all, has the whole console, and is told of what waits. */

const passing = 'This browser keeps nothing: what waits is lost when this page is closed.';

/** Each use of a storage fails, as where cookies are blocked. */
const denied = `for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'IDBKeyRange']) {
  Object.defineProperty(window, name, {
    get() { throw new DOMException('Access is denied for this document.', 'SecurityError'); },
  });
}`;

/** The store of the browser is never opened, and the small ones are full. */
const stuck = `IDBFactory.prototype.open = () => new EventTarget();
Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };`;

/** The store is full until it is no more. */
const full = `const { put } = IDBObjectStore.prototype;
window.isFull = true;
IDBObjectStore.prototype.put = function (...given) {
  if (window.isFull) throw new DOMException('full', 'QuotaExceededError');
  return put.apply(this, given);
};`;

async function opened(t: Test, browser: RealBrowser, script: string) {
  const line = await CutProxy.start(t);
  const person = await browser.open({ proxy: line.url });
  await person.page.addInitScript(script);
  return { ...person, line };
}

/** Returns the inputs that wait in the store of the browser. */
function storedInputs(page: Page): Promise<string> {
  return page.evaluate(`new Promise((resolve, reject) => {
    const opening = indexedDB.open('quire-console', 1);
    opening.onerror = reject;
    opening.onsuccess = () => {
      const asked = opening.result.transaction('texts').objectStore('texts').getAll();
      asked.onsuccess = () => resolve(asked.result.join());
    };
  })`);
}

const service = await TestService.start(t);
const browser = await RealBrowser.start(t);

for (const [name, script] of Object.entries({ denied, stuck })) {
  t.test(`a browser whose storage is ${name}`, async (t) => {
    const { page, watch, line } = await opened(t, browser, script);
    await trySample(page, service.url);
    await enter(page, 'B9', 'typed');
    await cellShows(page, 'B9', 'typed');
    await allSaved(page);
    for (const screen of ['Merges', 'Cells']) await visit(page, screen);
    await cellShows(page, 'B9', 'typed');
    await allSaved(page);
    t.same(watch.take(), []);
    line.cut();
    await page.getByText(/^Offline since/u).waitFor({ timeout: waitMs });
    await enter(page, 'B10', 'kept by the page');
    await page.getByText(passing).waitFor({ timeout: waitMs });
    line.mend();
    await allSaved(page);
    await cellShows(page, 'B10', 'kept by the page');
  });
}

t.test('a store that was full takes what waits with the next edit', async (t) => {
  const { page, line } = await opened(t, browser, full);
  await trySample(page, service.url);
  line.cut();
  await page.getByText(/^Offline since/u).waitFor({ timeout: waitMs });
  await enter(page, 'B9', 'first');
  await page.getByText(passing).waitFor({ timeout: waitMs });
  await page.evaluate('window.isFull = false');
  await enter(page, 'B10', 'second');
  await page.getByText(/2 edits wait here, also over a reload/u).waitFor({ timeout: waitMs });
  t.equal(await page.getByText(passing).count(), 0);
  t.match(await storedInputs(page), /first.*second/u);
  line.mend();
  await allSaved(page);
});
