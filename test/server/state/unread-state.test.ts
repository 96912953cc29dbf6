import * as fc from 'fast-check';
import t from 'tap';

import { Rejection } from '../../../server/model/rejection.ts';
import type { BranchState } from '../../../server/state/branch-state.ts';
import { CellCoding } from '../../../server/state/cells/cell-coding.ts';
import { FormulaDouble } from '../../support/formula-double.ts';
import { NodeStore } from '../../support/node-store.ts';
import { anyOperation, operationHistory } from '../../support/operation-history.ts';
import { drive, StateDriver } from '../../support/state-driver.ts';

const hashOf = (state: BranchState): string => drive(state.stateHash());

function startedDriver(): StateDriver {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'One' });
  driver.apply('sheet.add', { name: 'Two' });
  return driver;
}

/** Applies the same to both, and complains where one of them does something else. */
function both(
  mine: StateDriver,
  theirs: StateDriver,
  { kind, payload }: { kind: string; payload: object },
): void {
  const [one, other] = [mine.submit(kind, payload), theirs.submit(kind, payload)];
  const said = (result: typeof one) =>
    JSON.stringify(result instanceof Rejection ? result.code : result);
  if (said(one) !== said(other)) throw new Error(`${kind}: ${said(one)} and ${said(other)}`);
}

t.test('what nobody read yet is written to as if it had been read', async (t) => {
  fc.assert(
    fc.property(
      operationHistory,
      fc.array(fc.tuple(anyOperation, fc.nat(4)), { maxLength: 12 }),
      (before, after) => {
        const driver = startedDriver();
        for (const [{ kind, payload }] of before) driver.submit(kind, payload);
        const store = new NodeStore();
        // One dictionary for all of them, as the states of a workbook have.
        const coding = new CellCoding(new FormulaDouble());
        const restored = new StateDriver();
        restored.take(store.load(store.save(driver.state), coding));
        for (const [operation, turn] of after) {
          both(driver, restored, operation);
          if (turn === 0) restored.take(restored.state.still());
          if (turn === 1) restored.take(store.load(store.save(restored.state), coding));
          if (turn === 2 && hashOf(restored.state) !== hashOf(driver.state)) {
            throw new Error(`hash after ${operation.kind}`);
          }
        }
        if (hashOf(restored.state) !== hashOf(driver.state)) throw new Error('hash at the end');
      },
    ),
    { numRuns: 200 },
  );
  t.pass('for every history that was tried');
});

/** A state with formulas that name a table, stored, and not read again. */
function stored(): { driver: StateDriver; restored: StateDriver } {
  const driver = startedDriver();
  driver.apply('range.set', {
    sheet: 'One',
    range: 'A1:B3',
    inputs: [
      ['Item', 'Price'],
      ['Tea', 2],
      ['Milk', 1],
    ],
  });
  driver.apply('table.create', { name: 'Sales', sheetRange: 'One!A1:B3' });
  driver.apply('range.fill', { sheet: 'Two', range: 'C1:C3000', input: '=SUM(Sales[Price])+A1' });
  driver.apply('rows.insert', { sheet: 'Two', before: 2 });
  driver.apply('cells.set', {
    sheet: 'Two',
    cells: [{ a1: 'D9', input: '=COUNT(Sales[Price])*C1' }],
  });
  driver.apply('rows.move', { sheet: 'Two', from: 5, count: 2, before: 1 });
  const store = new NodeStore();
  const restored = new StateDriver();
  restored.take(store.load(store.save(driver.state), new CellCoding(new FormulaDouble())));
  return { driver, restored };
}

t.test('a table is renamed in formulas that nobody read yet', (t) => {
  const changes = [
    ['table.column.rename', { table: 'Sales', column: 'Price', name: 'Cost' }, 'Sales[Cost]'],
    ['table.rename', { table: 'Sales', name: 'Shop' }, 'Shop[Price]'],
  ] as const;
  for (const [kind, payload, name] of changes) {
    const { driver, restored } = stored();
    both(driver, restored, { kind, payload });
    t.equal(hashOf(restored.state), hashOf(driver.state), kind);
    t.match(restored.read('D9', 1), name);
    t.equal(restored.read('D9', 1), driver.read('D9', 1));
    t.equal(restored.read('C3001', 1), driver.read('C3001', 1));
  }
  t.end();
});

t.test('formulas that nobody read yet follow cells that move', (t) => {
  const moves = [
    ['range.move', { sheet: 'Two', source: 'C1:C2', to: 'F7' }],
    ['range.insert', { sheet: 'Two', range: 'C2:C3', shift: 'down' }],
    ['range.copy', { sheet: 'Two', source: 'C1:D12', to: 'G3' }],
    ['range.sort', { sheet: 'Two', range: '1:9', order: [9, 8, 7, 6, 5, 4, 3, 2, 1] }],
    ['sheet.add', { name: 'Three', copyOf: 'Two' }],
  ] as const;
  for (const [kind, payload] of moves) {
    const { driver, restored } = stored();
    both(driver, restored, { kind, payload });
    t.equal(hashOf(restored.state), hashOf(driver.state), kind);
    const again = new NodeStore();
    const coding = new CellCoding(new FormulaDouble());
    const third = again.load(again.save(restored.state), coding);
    t.equal(hashOf(third), hashOf(driver.state), `${kind}, stored once more`);
  }
  t.end();
});

t.test('a state that is made again adds nothing to the dictionary', (t) => {
  const { restored } = stored();
  const { coding } = restored.state;
  const base = restored.state.still();
  const formulas = new Set<number>();
  for (let time = 0; time < 3; time++) {
    const again = new StateDriver();
    again.take(base.fork());
    again.apply('rows.insert', { sheet: 'Two', before: 4 });
    coding.dictionary.nameStructure(again.state.structure, '1@100');
    again.apply('cells.set', { sheet: 'Two', cells: [{ a1: 'F1', input: '=A1*2' }] });
    formulas.add(coding.dictionary.formulaCount);
  }
  t.equal(formulas.size, 1);
  t.end();
});

t.test('formulas that nobody read yet meet the sheet that they wait for', async (t) => {
  for (const [kind, payload] of [
    ['sheet.add', { name: 'Late' }],
    ['sheet.rename', { sheet: 'One', name: 'Late' }],
    ['table.create', { name: 'Late', schema: { columns: [{ name: 'k' }] } }],
  ] as const) {
    const driver = startedDriver();
    driver.apply('range.fill', { sheet: 'Two', range: 'C1:C3000', input: '=Late!A5' });
    const store = new NodeStore();
    const restored = new StateDriver();
    restored.take(store.load(store.save(driver.state), new CellCoding(new FormulaDouble())));
    both(driver, restored, { kind, payload });
    both(driver, restored, { kind: 'rows.insert', payload: { sheet: 'Late', before: 2 } });
    t.equal(restored.read('C1', 1), '=Late!A6', kind);
    t.equal(hashOf(restored.state), hashOf(driver.state), `${kind}: hash`);
    t.equal(hashOf(driver.replayed().state), hashOf(driver.state), `${kind}: replayed`);
  }
});
