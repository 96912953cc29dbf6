import t from 'tap';

import { WorkbookContents } from '../../../server/history/content.ts';
import { DamageList } from '../../../server/history/damage.ts';
import { Snapshots, type WrittenSnapshot } from '../../../server/history/snapshots.ts';
import { FormulaDouble } from '../../support/formula-double.ts';
import { MemoryObjects } from '../../support/memory-history.ts';
import { drive, StateDriver } from '../../support/state-driver.ts';

class CountingObjects extends MemoryObjects {
  getCount = 0;

  override async get(key: string): Promise<Uint8Array | undefined> {
    this.getCount++;
    return super.get(key);
  }
}

const address = { workbookId: 'wb_1', branchNo: 1 };
const damage = new DamageList();
const index = { noteSnapshot: async () => undefined, snapshotBefore: async () => undefined };
const run = async <Result>(steps: Generator<void, Result>): Promise<Result> => drive(steps);

t.test('a snapshot opens with few reads, however many came before it', async (t) => {
  const objects = new CountingObjects();
  const contents = new WorkbookContents(new FormulaDouble());
  const content = contents.of(address.workbookId);
  const driver = new StateDriver(new FormulaDouble());
  driver.apply('sheet.add', { name: 'One' });
  driver.apply('range.fill', { sheet: 'One', range: 'A1:C3000', input: 1 });
  const writer = new Snapshots({ objects, table: index, damage });
  const chainHash = Buffer.alloc(32, 7);
  let written: WrittenSnapshot | undefined;
  let readsMost = 0;
  const mostPacks = 8;
  for (let round = 1; round <= 30; round++) {
    driver.apply('cells.set', {
      sheet: 'One',
      cells: [{ a1: `A${round * 50}`, input: `r${round}` }],
    });
    const packs = written?.packs ?? [];
    written = await writer.write(address, { content, state: driver.state, chainHash, packs, run });
    const reader = new Snapshots({ objects, table: index, damage });
    objects.getCount = 0;
    const place = await reader.find(address, written.seq, true);
    if (!place) throw new Error('there is no snapshot');
    const snapshot = await reader.read(place.objectKey);
    const fresh = new WorkbookContents(new FormulaDouble()).of(address.workbookId);
    const state = await reader.open(address, { snapshot, content: fresh, run });
    readsMost = Math.max(readsMost, objects.getCount);
    if (drive(state.stateHash()) !== written.root) throw new Error(`round ${round}: another state`);
  }
  t.ok(readsMost <= 1 + mostPacks, `${readsMost} objects at most`);
});
