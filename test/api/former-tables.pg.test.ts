import t from 'tap';

import { makeFormerStore } from '../support/former-store.ts';
import type { TestService } from '../support/test-service.ts';

// A workbook as the last version stored it whose new rows of tables took rows of the sheet that
// were there: beside other cells and before totals, on two branches that were merged, and in a table
// that was emptied, filled again and undone.

for (const hasSnapshots of [true, false]) {
  const what = hasSnapshots ? 'with snapshots' : 'from its journal';
  t.test(`tables of the former version are read and verified, ${what}`, async (t) => {
    const store = await makeFormerStore('former-tables.json', hasSnapshots);
    const { former, service, start, ask, readAll, verify } = store;
    t.match(await verify(service), { ok: true, firstBad: null });
    t.same(await readAll(service), former.read);

    const upsert = (on: TestService, branch: string, k: string) => {
      const body = { mode: 'upsert', rows: [{ k, v: 1 }] };
      return ask(on, `/branches/${branch}/tables/Items/rows`, { body });
    };
    t.match((await upsert(service, 'main', 'new')).status, 200);
    t.match((await upsert(service, 'side', 'other')).status, 200);
    await service.app.stop();
    const later = await start();
    const merged = await ask(later, '/merges', { body: { source: 'side', apply: 'auto' } });
    t.match(merged.json, { state: 'merged' });
    const { json } = await ask(later, '/tables/Items/rows?ref=main');
    const keys = (json as { rows: { k: string }[] }).rows.map(({ k }) => k);
    t.strictSame(keys.toSorted(), ['new', 'other', 'q', 'r']);
    t.match(await verify(later), { ok: true, firstBad: null });
    await later.app.stop();
  });
}
