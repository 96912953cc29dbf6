import t from 'tap';
import {
  AcknowledgedJournal,
  type Divergence,
} from '../../../server/branches/acknowledged-journal.ts';
import { Sequencer } from '../../../server/branches/sequencer.ts';
import type { Operation } from '../../../server/model/operation.ts';
import { failureOf } from '../../support/failure-of.ts';
import { FormulaDouble } from '../../support/formula-double.ts';
import { memoryLoader } from '../../support/memory-history.ts';
import { MemoryJournal, quickEnvironment } from '../../support/memory-journal.ts';

/** A database that comes back with less than was acknowledged. */

const address = { workbookId: 'wb_1', branchNo: 1 };
const formulas = new FormulaDouble();

function start(rows: MemoryJournal) {
  const divergences: Divergence[] = [];
  const store = new AcknowledgedJournal(rows, (divergence) => divergences.push(divergence));
  const environment = quickEnvironment();
  const loader = memoryLoader(store, { formulas, environment });
  const onCommit = (): void => undefined;
  const sequencer = new Sequencer(address, { store, loader, environment, onCommit });
  const write = (id: string) => {
    const add: Operation = { kind: 'sheet.add', payload: { name: id }, id };
    return sequencer.submit({ principalId: 'agt_1', writer: 'a', ops: [add], byteCount: 100 });
  };
  return { divergences, sequencer, write };
}

t.test('a head that went back freezes the branch and tells what is lost', async (t) => {
  const rows = new MemoryJournal();
  const { divergences, sequencer, write } = start(rows);
  for (const id of ['one', 'two', 'three']) await write(id);
  rows.rows.length = 1;
  for (let count = 0; count < 2; count++) {
    t.match(await failureOf(() => write('four')), { key: 'branchDiverged' });
  }
  t.match(divergences, [{ address, acknowledgedSeq: 3, head: 1 }]);
  t.match(divergences[0]?.operations, [{ id: 'one' }, { id: 'two' }, { id: 'three' }]);
  t.equal(rows.rows.length, 1);
  const head = await sequencer.read(function* (state) {
    yield;
    return state.head;
  });
  t.equal(head, 1, 'it is read as it is');
});

t.test('another history in the same places is found too', async (t) => {
  const rows = new MemoryJournal();
  const here = start(rows);
  for (const id of ['one', 'two', 'three']) await here.write(id);
  rows.rows.length = 1;
  const there = start(rows);
  for (const id of ['2', '3', '4', '5']) await there.write(id);
  t.same(there.divergences, []);
  t.match(await failureOf(() => here.write('four')), { key: 'branchDiverged' });
  t.equal(here.divergences.length, 1);
});

t.test('what others write after it is no divergence', async (t) => {
  const rows = new MemoryJournal();
  const nodes = [start(rows), start(rows)];
  for (let count = 0; count < 6; count++) await nodes[count % 2]?.write(`sheet ${count}`);
  for (const { divergences } of nodes) t.same(divergences, []);
  t.equal(rows.rows.length, 6);
});
