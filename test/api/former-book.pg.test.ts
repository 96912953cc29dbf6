import t from 'tap';

import { makeFormerStore } from '../support/former-store.ts';
import type { TestService } from '../support/test-service.ts';

/** Runs long: a workbook of a former version is read whole. */

// Workbooks as former versions stored them. `former`: by the last one that kept formulas in the
// structures they were written in: forked, merged, undone, sorted, with a sheet that formulas named
// before it was there. `early`: by the last one that kept several sheets by their names; its
// snapshots are passed over and made anew.

const books = [
  { file: 'former-book.json', written: 'LATE', other: 'Sheet1' },
  { file: 'early-book.json', written: 'Feb', other: 'Total' },
];
const cases = books.flatMap((book) =>
  [true, false].map((hasSnapshots) => ({ ...book, hasSnapshots })),
);

for (const { file, written, other, hasSnapshots } of cases) {
  const what = hasSnapshots ? 'with snapshots' : 'from its journal';
  t.test(`${file} of a former version is read and verified, ${what}`, async (t) => {
    const store = await makeFormerStore(file, hasSnapshots);
    const { former, service, start, ask, readAll, verify } = store;
    t.match(await verify(service), { ok: true, firstBad: null });
    t.same(await readAll(service), former.read);
    if (!hasSnapshots) return;

    const write = (on: TestService, branch: string, sheet: string) => {
      const ops = [{ kind: 'cells.set', payload: { sheet, cells: [{ a1: 'A1', input: 100 }] } }];
      return ask(on, `/branches/${branch}/ops`, { body: { ops, writer: 'me' } });
    };
    await write(service, 'main', written);
    await ask(service, '/branches/main/commit', { body: { message: 'later' } });
    t.match((await ask(service, '/branches/main/checkpoint', { body: {} })).status, 200);
    t.match(await verify(service), { ok: true, firstBad: null }, 'with hashes of both forms');
    await service.app.stop();

    const later = await start();
    const read = await readAll(later);
    const isOther = (name: string) => name.startsWith('main ') && name.endsWith('value');
    for (const name of Object.keys(read).filter((name) => !isOther(name))) {
      t.same(read[name], former.read[name], `${name}, from a snapshot of today`);
    }
    await write(later, 'side', other);
    const body = { source: 'side', apply: 'auto' };
    t.match((await ask(later, '/merges', { body })).json, { state: 'merged' });
    t.match(await verify(later), { ok: true, firstBad: null });
  });
}
