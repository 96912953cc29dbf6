import * as fc from 'fast-check';
import t from 'tap';

import { Rejection } from '../../../server/model/rejection.ts';
import type { BranchState } from '../../../server/state/branch-state.ts';
import { CellCoding } from '../../../server/state/cells/cell-coding.ts';
import { contentMutations } from '../../../server/state/content-mutations.ts';
import { NodeFault } from '../../../server/state/nodes/bytes.ts';
import { caseCount } from '../../support/case-count.ts';
import { FormulaDouble } from '../../support/formula-double.ts';
import { NodeStore } from '../../support/node-store.ts';
import { anyOperation, operationHistory } from '../../support/operation-history.ts';
import { drive, StateDriver } from '../../support/state-driver.ts';

function startedDriver(): StateDriver {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'One' });
  driver.apply('sheet.add', { name: 'Two' });
  return driver;
}

/** All that a reader can see. */
function shown(state: BranchState): string {
  const cells = state.structure.sheets.map((sheet) => {
    const inputs: unknown[] = [];
    for (let row = 0; row < 30; row++) {
      for (let column = 0; column < 8; column++) inputs.push(state.inputAt(sheet, row, column));
    }
    const range = { row0: 0, column0: 0, row1: 29, column1: 7 };
    return [inputs, state.numberFormats(sheet, range)];
  });
  return JSON.stringify([
    cells,
    state.sheetSummaries(),
    state.nameSummaries(),
    state.tables.summaries(state.structure),
    state.settings.all(),
  ]);
}

t.test('a state that was stored is the same, and goes on the same way', async (t) => {
  fc.assert(
    fc.property(operationHistory, fc.array(anyOperation, { maxLength: 10 }), (before, after) => {
      const driver = startedDriver();
      for (const [{ kind, payload }] of before) driver.submit(kind, payload);
      const store = new NodeStore();
      const saved = store.save(driver.state);
      const restored = new StateDriver();
      const coding = new CellCoding(new FormulaDouble());
      restored.take(store.load(saved, coding));
      if (shown(restored.state) !== shown(driver.state)) throw new Error('shown');
      if (drive(restored.state.stateHash()) !== saved.root.toString('hex')) throw new Error('hash');
      for (const { kind, payload } of after) {
        const [mine, theirs] = [driver.submit(kind, payload), restored.submit(kind, payload)];
        const isRefused = mine instanceof Rejection;
        if (isRefused !== theirs instanceof Rejection) throw new Error(`${kind}: one is refused`);
        if (!isRefused && JSON.stringify(mine) !== JSON.stringify(theirs)) throw new Error(kind);
      }
      if (drive(restored.state.stateHash()) !== drive(driver.state.stateHash())) {
        throw new Error('hash afterwards');
      }
    }),
    { numRuns: caseCount(150) },
  );
  t.pass('for every history that was tried');
});

t.test('writing a state after another one writes only what changed', async (t) => {
  const driver = startedDriver();
  driver.apply('range.fill', { sheet: 'One', range: 'A1:D20000', input: 7 });
  driver.apply('range.fill', { sheet: 'One', range: 'E1:E20000', input: '=A1' });
  const store = new NodeStore();
  store.save(driver.state);
  const written = (work: () => void) => {
    work();
    store.written.clear();
    store.save(driver.state);
    return Object.fromEntries(store.written);
  };
  t.match(
    written(() => driver.apply('rows.insert', { sheet: 'One', before: 1 })),
    {
      block: undefined,
      spans: 1,
      order: 1,
      sheet: 1,
      root: 1,
    },
  );
  const edit = { sheet: 'One', cells: [{ a1: 'B5000', input: 'new' }] };
  t.match(
    written(() => driver.apply('cells.set', edit)),
    { block: 1, spans: undefined, root: 1 },
  );
  t.same(
    written(() => driver.apply('cells.set', edit)),
    {},
  );
});

t.test('states are equal by what they hold, not by how they came about', async (t) => {
  const one = startedDriver();
  const two = startedDriver();
  one.apply('cells.set', { sheet: 'One', cells: [{ a1: 'A1', input: 1 }] });
  one.apply('cells.set', { sheet: 'One', cells: [{ a1: 'B7', input: 'x' }] });
  two.apply('cells.set', { sheet: 'One', cells: [{ a1: 'B7', input: 'x' }] });
  two.apply('range.fill', { sheet: 'One', range: 'A1:A2000', input: 1 });
  two.apply('range.clear', { sheet: 'One', range: 'A2:A2000' });
  t.equal(drive(one.state.stateHash()), drive(two.state.stateHash()));
  const fork = one.state.branchOff(7);
  t.equal(drive(fork.stateHash()), drive(one.state.stateHash()), 'of whatever branch');
  one.apply('cells.set', { sheet: 'One', cells: [{ a1: 'A1', input: '1' }] });
  t.not(drive(one.state.stateHash()), drive(two.state.stateHash()), 'a text is not its number');
});

t.test('a node that is missing or cut short is a fault', async (t) => {
  const driver = startedDriver();
  driver.apply('range.fill', { sheet: 'One', range: 'A1:B2000', input: 'text' });
  const store = new NodeStore();
  const saved = store.save(driver.state);
  const stored = new Map(store.nodes);
  for (const [key, bytes] of stored) {
    store.nodes.delete(key);
    const coding = new CellCoding(new FormulaDouble());
    t.throws(() => store.load(saved, coding), NodeFault, 'missing');
    const readAll = (): unknown => [...contentMutations(store.load(saved, coding))];
    if (bytes.length > 1) {
      store.nodes.set(key, bytes.subarray(0, bytes.length - 1));
      const isList = bytes[0] === 3 || bytes[0] === 6 || bytes[0] === 7;
      if (!isList) t.throws(readAll, NodeFault, 'cut short');
    }
    store.nodes.set(key, bytes);
  }
});
