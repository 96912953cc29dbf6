import { readFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { basename, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import t from 'tap';

import { RealBrowser } from '../support/chromium.ts';
import { root } from '../support/sources.ts';
import { TestService } from '../support/test-service.ts';

/** The script of a page with the built library: it is given no websocket, fetch or crypto. */
const script = `(async () => {
  const { Quire, op } = await import('/library/quire.js');
  const quire = await Quire.register({ url: location.origin });
  const book = await quire.create({ sheets: [{ name: 'Plan', rows: [['Tea', 2.5, '=B1*2']] }] });
  const { changes, ref } = await book.set('Plan!B1', 3);
  const values = [];
  for await (const { value } of book.values()) values.push(value);
  const live = await book.live({ storage: localStorage });
  const cells = [{ a1: 'B1', input: 4 }];
  const { status } = await live.submit([op.cellsSet({ sheet: 'Plan', cells })]);
  const kept = localStorage.length;
  live.close();
  const proof = await book.proofOf(ref);
  const policy = await quire.policy();
  const { seq } = await proof.verify(policy);
  const changed = await Quire.proof(proof.text.replace(/\\nindex /, '\\nindex 1'));
  const fault = await changed.verify(policy).catch((error) => error.name);
  return { changes, values, status, kept, ref, seq, fault };
})()`;

t.test('a page uses the built library as it is', async (t) => {
  await promisify(execFile)(process.execPath, [join(root, 'build/client/build.js')]);
  const { url } = await TestService.start(t, {}, {});
  const browser = await RealBrowser.start(t);
  const { page, watch } = await browser.open();
  await page.route('**/library/*.js', async (request) => {
    const name = basename(new URL(request.request().url()).pathname);
    const body = await readFile(join(root, 'build/package', name), 'utf8');
    await request.fulfill({ body, contentType: 'text/javascript' });
  });
  await page.route('**/page', (request) => {
    return request.fulfill({
      body: '<!doctype html><link rel="icon" href="data:,">',
      contentType: 'text/html',
    });
  });
  await page.goto(`${url}/page`);
  t.match(await page.evaluate(script), {
    changes: { cells: [{ a1: 'C1', before: 5, after: 6 }] },
    values: ['Tea', 3, 6],
    status: 'applied',
    kept: 0,
    ref: 'main@3',
    seq: 3,
    fault: 'ProofFault',
  });
  t.same(watch.take(), []);
});
