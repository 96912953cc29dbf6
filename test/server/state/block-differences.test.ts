import * as fc from 'fast-check';
import t from 'tap';

import { blockDifferences } from '../../../server/state/cells/block-differences.ts';
import { blockLanes, cellTag, type Block } from '../../../server/state/cells/block.ts';
import type { BranchState } from '../../../server/state/branch-state.ts';
import { CellCoding } from '../../../server/state/cells/cell-coding.ts';
import type { BlockPlace } from '../../../server/state/cells/held-block.ts';
import type { LineId } from '../../../server/state/ids/order.ts';
import type { SheetOutline } from '../../../server/state/structure/structure.ts';
import { identityOf } from '../../../server/state/cells/formula-identity.ts';
import { nodeKind } from '../../../server/state/nodes/nodes.ts';
import { FormulaDouble } from '../../support/formula-double.ts';
import { NodeStore } from '../../support/node-store.ts';
import { anyOperation, operationHistory } from '../../support/operation-history.ts';
import { drive, StateDriver } from '../../support/state-driver.ts';

class CountingStore extends NodeStore {
  blockCount = 0;

  override get(hash: Buffer): Buffer {
    const bytes = super.get(hash);
    if (bytes[0] === nodeKind.block) this.blockCount++;
    return bytes;
  }
}

function started(): StateDriver {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'One' });
  driver.apply('sheet.add', { name: 'Two' });
  return driver;
}

const idText = ({ branch, sequence, offset }: LineId) => `${branch}.${sequence}.${offset}`;
const placeText = (column: LineId, { branch, sequence, index }: BlockPlace) =>
  `${idText(column)} ${branch}.${sequence}.${index}`;

/** All that a sheet holds, lane by lane, by the place of the block. */
function contents(state: BranchState, sheet: SheetOutline): Map<string, string> {
  const found = new Map<string, string>();
  for (const { column, block } of state.cellsOf(sheet).blocks()) {
    const lanes = lanesOf(block, (lane) => {
      const { branch, sequence, index } = block;
      const row = { branch, sequence, offset: index * blockLanes + lane };
      const stored = state.coding.dictionary.formula(block.numberAt(lane));
      return identityOf(stored, { sheetId: sheet.id, row, column }).text;
    });
    if (lanes !== '') found.set(placeText(column, block), lanes);
  }
  return found;
}

function lanesOf(block: Block, formulaAt: (lane: number) => string): string {
  const lanes: string[] = [];
  for (let lane = 0; lane < blockLanes; lane++) {
    const cell = [block.tagAt(lane), block.numberAt(lane), block.formatAt(lane)];
    const isFormula = block.tagAt(lane) === cellTag.formula;
    const content = isFormula ? formulaAt(lane) : cell.join();
    if (cell.some((part) => part !== 0)) lanes.push(`${lane}:${content} ${block.formatAt(lane)}`);
  }
  return lanes.join(' ');
}

/** Fails where the places told are not those that differ. */
function check(from: BranchState, to: BranchState): void {
  for (const sheet of from.structure.sheets) {
    const other = to.structure.withId(sheet.id);
    if (!other) continue;
    const [a, b] = [from.cellsOf(sheet), to.cellsOf(other)];
    const told = [...blockDifferences(a, b)].map(({ column, place }) => placeText(column, place));
    const mirrored = [...blockDifferences(b, a)].map((one) => placeText(one.column, one.place));
    const [was, is] = [contents(from, sheet), contents(to, other)];
    for (const place of new Set([...was.keys(), ...is.keys()])) {
      if (was.get(place) !== is.get(place) && !told.includes(place)) throw new Error(place);
    }
    if (new Set(told).size !== told.length) throw new Error('a place is told twice');
    if (told.toSorted().join('|') !== mirrored.toSorted().join('|')) throw new Error('mirrored');
    for (const { from: held, to: its } of blockDifferences(a, b)) {
      if (held !== undefined && held === its) throw new Error('one block is told as two');
    }
  }
}

t.test('every block that differs is told once, in both directions', async (t) => {
  fc.assert(
    fc.property(
      operationHistory,
      fc.array(anyOperation, { maxLength: 8 }),
      fc.array(anyOperation, { maxLength: 8 }),
      fc.nat(2),
      (before, mine, theirs, storage) => {
        const driver = started();
        for (const [{ kind, payload }] of before) driver.submit(kind, payload);
        const store = new NodeStore();
        const coding = new CellCoding(new FormulaDouble());
        const base = store.load(store.save(driver.state), coding);
        const [one, other] = [new StateDriver(), new StateDriver()];
        one.take(base.fork());
        other.take(storage === 0 ? base.fork() : store.load(store.save(driver.state), coding));
        for (const { kind, payload } of mine) one.submit(kind, payload);
        for (const { kind, payload } of theirs) other.submit(kind, payload);
        if (storage === 2) {
          drive(one.state.stateHash());
          other.take(store.load(store.save(other.state), coding));
        }
        check(one.state, other.state);
        check(one.state, one.state.fork());
      },
    ),
    { numRuns: 150 },
  );
  t.pass('for every pair of states that was tried');
});

const inputs = Array.from({ length: 10_000 }, (_, row) => [row, `t${row}`, row / 7, row % 5]);

t.test('states that share or that were stored are compared without reading them', (t) => {
  const driver = started();
  driver.apply('range.set', { sheet: 'One', range: 'A1:D10000', inputs });
  const store = new CountingStore();
  const saved = store.save(driver.state);
  const coding = new CellCoding(new FormulaDouble());
  const [one, other] = [new StateDriver(), new StateDriver()];
  one.take(store.load(saved, coding));
  other.take(store.load(saved, coding));
  const told = () => {
    const [a, b] = [one.state, other.state].map((state) => {
      const sheet = state.structure.sheets[0];
      return sheet && state.cellsOf(sheet);
    });
    return [...blockDifferences(a, b)];
  };
  t.same(told(), [], 'stored once, read twice');
  other.apply('rows.insert', { sheet: 'One', before: 1, count: 3, inherit: 'none' });
  t.same(told(), [], 'rows above make no difference');
  const cells = [
    { a1: 'A4', input: -1 },
    { a1: 'C5000', input: '=A4' },
    { a1: 'AA2', input: 'new' },
  ];
  other.apply('cells.set', { sheet: 'One', cells });
  const found = told();
  t.same(
    found.map(({ column, place }) => placeText(column, place)),
    ['0.0.0 0.0.0', '0.0.2 0.0.4', '0.0.26 1.4.0'],
  );
  const { blockCount } = store;
  t.ok(blockCount <= 2, 'what was written to may have been read');
  const { from, to } = found[1] ?? {};
  t.equal(from?.block.numberAt(4_996 - 4 * blockLanes), 4_996 / 7);
  t.equal(to?.block.tagAt(4_996 - 4 * blockLanes), 5);
  t.ok(store.blockCount <= 3, 'one that is looked at');
  drive(other.state.stateHash());
  t.equal(told().length, 3, 'hashed or not');
  other.apply('cells.set', { sheet: 'One', cells: [{ a1: 'A4', input: 0 }] });
  drive(other.state.stateHash());
  t.equal(told().length, 2, 'one that is as it was has the hash that it had');
  t.end();
});

t.test('a sheet that one side has not is told whole', (t) => {
  const driver = started();
  driver.apply('range.set', { sheet: 'One', range: 'A1:D10000', inputs });
  const sheet = driver.state.structure.sheets[0];
  const cells = sheet && driver.state.cellsOf(sheet);
  t.equal([...blockDifferences(undefined, cells)].length, 40);
  t.equal([...blockDifferences(cells, undefined)].length, 40);
  t.equal([...blockDifferences(cells, cells)].length, 0);
  t.end();
});
