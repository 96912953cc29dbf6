import t from 'tap';

import { Branches } from '../../../server/branches/branches.ts';
import type { BranchRow } from '../../../server/branches/journal-store.ts';
import type { Operation } from '../../../server/model/operation.ts';
import { Models } from '../../../server/values/models.ts';
import { FormulaDouble } from '../../support/formula-double.ts';
import { memoryLoader, memoryParts } from '../../support/memory-history.ts';
import { MemoryJournal, quickEnvironment } from '../../support/memory-journal.ts';

const address = { workbookId: 'wb_1', branchNo: 1 };
const environment = quickEnvironment();

/** A journal whose rows are deleted while somebody reads it. */
class VanishingJournal extends MemoryJournal {
  /** Reads of the branch row that still find it. */
  rowReadsLeft = Infinity;

  override async branch(where: typeof address): Promise<BranchRow | undefined> {
    const row = await super.branch(where);
    return this.rowReadsLeft-- > 0 ? row : undefined;
  }
}

function start(store: MemoryJournal): Branches {
  const report = (): void => undefined;
  const loader = memoryLoader(store, { formulas: new FormulaDouble(), environment });
  return new Branches({ store, loader, environment, report, ...memoryParts() });
}

async function write(branches: Branches, count: number): Promise<void> {
  for (let row = 1; row <= count; row++) {
    const cells = [{ a1: `A${row}`, input: row }];
    const operation: Operation =
      row === 1
        ? { kind: 'sheet.add', payload: { name: 'S' } }
        : { kind: 'cells.set', payload: { cells } };
    const request = { principalId: 'agt_1', writer: 'w', ops: [operation], byteCount: 1 };
    await branches.submit(address, request);
  }
}

t.test('a part of a branch is never taken for the whole', async (t) => {
  const store = new VanishingJournal();
  await write(start(store), 20);
  const rows = store.rows.slice();
  const head = store.head;
  // The row was read, then the segments went, all of them or those of a later page.
  for (const left of [0, 3, 19]) {
    Object.defineProperty(store, 'head', { get: () => head, configurable: true });
    store.rows.splice(0, Infinity, ...rows.slice(0, left));
    for (const [why, rowReads] of [
      [{ key: 'branchNotFound' }, 1],
      [{ name: 'JournalFault', message: new RegExp(`after ${left} are missing`) }, Infinity],
    ] as const) {
      store.rowReadsLeft = rowReads;
      await t.rejects(start(store).summary(address), why as never, `${left} left, at the head`);
    }
    for (const [why, rowReads] of [
      [{ key: 'branchNotFound' }, 0],
      [{ name: 'JournalFault' }, Infinity],
    ] as const) {
      store.rowReadsLeft = rowReads;
      await t.rejects(
        start(store).readAt(address, head, function* () {
          yield;
        }),
        why as never,
      );
    }
  }
});

t.test('a workbook that is forgotten is in memory no more, as soon as it is idle', async (t) => {
  const store = new MemoryJournal();
  const branches = start(store);
  await write(branches, 3);
  await branches.summary({ workbookId: 'wb_10', branchNo: 1 });
  t.ok(branches.isLive(address));
  t.ok(branches.load > 0);
  branches.forget('wb_1');
  t.notOk(branches.isLive(address));
  t.ok(branches.isLive({ workbookId: 'wb_10', branchNo: 1 }), 'another one stays');

  const heard: number[] = [];
  branches.subscribe(({ firstSeq, lastSeq }) => {
    for (let seq = firstSeq; seq <= lastSeq; seq++) heard.push(seq);
  });
  const writing = write(branches, 5);
  await new Promise((resolve) => setImmediate(resolve));
  branches.forget('wb_1');
  t.ok(branches.isLive(address), 'it is in use');
  await writing;
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  t.notOk(branches.isLive(address));
  t.same(heard, [4, 5, 6, 7], 'each commit is heard once');
});

t.test('models of a workbook that is forgotten are dropped, also unfinished ones', async (t) => {
  const store = new MemoryJournal();
  const branches = start(store);
  await write(branches, 3);
  const pool = { run: async () => t.fail('nothing is calculated') };
  const report = (): void => undefined;
  const models = new Models({ source: branches, pool: pool as never, environment, report });
  const place = await models.locate('wb_1', { branch: 'main', sequence: undefined });
  const look = () => models.use(place, false, ({ position }) => position.seq);
  t.equal(await look(), 3);
  t.ok(models.figures.residentBytes > 0);
  models.forget('wb_1');
  t.equal(models.figures.residentBytes, 0);
  const reading = look();
  await new Promise((resolve) => setImmediate(resolve));
  models.forget('wb_1');
  t.equal(await reading, 3, 'who reads it is answered');
  t.equal(models.figures.residentBytes, 0);
  t.equal(models.figures.builds, 2);
  models.close();
});
