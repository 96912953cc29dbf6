import * as fc from 'fast-check';
import t from 'tap';

import { Block, blockLanes } from '../../../server/state/cells/block.ts';
import { unequalCells } from '../../../server/state/cells/unequal-lanes.ts';
import { CellCoding } from '../../../server/state/cells/cell-coding.ts';
import { nodeKind } from '../../../server/state/nodes/nodes.ts';
import { FormulaDouble } from '../../support/formula-double.ts';
import { NodeStore } from '../../support/node-store.ts';
import { StateDriver } from '../../support/state-driver.ts';

const lane = fc.integer({ min: 0, max: 40 });
const span = fc.tuple(lane, fc.integer({ min: 1, max: 12 }));
const write = fc.oneof(
  fc.tuple(lane, fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 9 })).map(
    ([at, tag, number]) =>
      (block: Block) =>
        block.set(at, tag, tag === 0 ? 0 : number),
  ),
  fc.tuple(span, fc.integer({ min: 0, max: 3 })).map(([[from, count], tag]) => (block: Block) => {
    block.fill(from, from + count, tag, tag);
  }),
  fc
    .tuple(span, fc.integer({ min: 0, max: 2 }))
    .map(([[from, count], format]) => (block: Block) => {
      block.fillFormat(from, from + count, format);
    }),
);
const writes = fc.array(write, { maxLength: 90 });

function shown(block: Block): string {
  const lanes: number[][] = [];
  for (let at = 0; at < blockLanes; at++) {
    lanes.push([block.tagAt(at), block.numberAt(at), block.formatAt(at)]);
  }
  return JSON.stringify([lanes, block.filledCount, block.isEmpty]);
}

t.test('a copy whose writes wait reads as one that was written at once', async (t) => {
  fc.assert(
    fc.property(writes, writes, writes, (first, second, third) => {
      const source = new Block(0, 0, 0);
      for (const apply of first) apply(source);
      const before = shown(source);
      const copy = source.copy();
      for (const apply of second) apply(copy);
      const later = copy.copy();
      for (const apply of third) apply(later);
      const written = new Block(0, 0, 0);
      for (const apply of [...first, ...second]) apply(written);
      if (shown(source) !== before) throw new Error('the source changed');
      const middle = shown(written);
      for (const apply of third) apply(written);
      if (shown(later) !== shown(written)) throw new Error('the copy of the copy');
      if (shown(copy) !== middle) throw new Error('the copy');
    }),
    { numRuns: 300 },
  );
  t.pass('whatever is written');
});

/** Lanes whose cells differ, one by one. */
function different(one: Block, other: Block): number[] {
  return Array.from({ length: blockLanes }, (_, at) => at).filter((at) => {
    const tag = one.tagAt(at);
    return tag !== other.tagAt(at) || (tag !== 0 && one.numberAt(at) !== other.numberAt(at));
  });
}

t.test('copies of one block tell apart what was written to either', async (t) => {
  fc.assert(
    fc.property(writes, writes, writes, writes, (first, second, third, fourth) => {
      const base = new Block(0, 0, 0);
      for (const apply of first) apply(base);
      const ours = base.copy();
      for (const apply of second) apply(ours);
      const theirs = base.copy();
      for (const apply of third) apply(theirs);
      const merged = ours.copy();
      for (const apply of fourth) apply(merged);
      for (const one of [base, ours, theirs, merged]) {
        for (const other of [base, ours, theirs, merged]) {
          const told = JSON.stringify(unequalCells(one, other));
          if (told !== JSON.stringify(different(one, other))) throw new Error(told);
        }
      }
    }),
    { numRuns: 300 },
  );
  const base = new Block(0, 0, 0);
  base.fill(0, blockLanes, 1, 7);
  const [ours, theirs] = [base.copy(), base.copy()];
  ours.set(5, 1, 8);
  theirs.set(900, 1, 9);
  const merged = ours.copy();
  merged.set(900, 1, 9);
  t.same(
    merged.trail.apartFrom(theirs.trail),
    [5, 900],
    'nothing but what was written to is looked at',
  );
  t.same(unequalCells(merged, theirs), [5]);
  t.ok(ours.base && theirs.base && merged.base, 'and no lanes were copied for it');
  for (let at = 0; at < 300; at++) ours.set(at, 1, at);
  t.equal(ours.trail.apartFrom(theirs.trail), undefined, 'a trail that grew too long is forgotten');
  t.same(unequalCells(ours, theirs), different(ours, theirs));
});

t.test('lanes in passing are those of the block, whose writes go on waiting', async (t) => {
  fc.assert(
    fc.property(writes, writes, (first, second) => {
      const source = new Block(0, 0, 0);
      for (const apply of first) apply(source);
      const copy = source.copy();
      for (const apply of second) apply(copy);
      const { base } = copy;
      const passing = JSON.stringify(copy.passingLanes);
      if (copy.base !== base) throw new Error('the writes were carried out');
      if (passing !== JSON.stringify(copy.lanes)) throw new Error(passing);
    }),
    { numRuns: 300 },
  );
  t.pass('whatever is written');
});

class CountingStore extends NodeStore {
  blockCount = 0;

  override get(hash: Buffer): Buffer {
    const bytes = super.get(hash);
    if (bytes[0] === nodeKind.block) this.blockCount++;
    return bytes;
  }
}

t.test('a stored state reads the blocks that somebody reads, and no others', async (t) => {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'One' });
  driver.apply('range.set', {
    sheet: 'One',
    range: 'A1:D5000',
    inputs: Array.from({ length: 5_000 }, (_, row) => [row, row + 0.5, `t${row}`, row * 2]),
  });
  const store = new CountingStore();
  const saved = store.save(driver.state);
  const restored = new StateDriver();
  restored.take(store.load(saved, new CellCoding(new FormulaDouble())));
  t.equal(store.blockCount, 0, 'none to begin with');
  restored.apply('rows.insert', { sheet: 'One', before: 3_000, inherit: 'none' });
  t.equal(restored.read('B2'), 1.5);
  t.equal(store.blockCount, 1, 'one for a cell');
  restored.apply('cells.set', { sheet: 'One', cells: [{ a1: 'C4000', input: 'new' }] });
  t.equal(restored.read('C4000'), 'new');
  t.equal(store.blockCount, 2, 'one for a write that compares');
  const sheet = restored.state.structure.sheets[0];
  t.equal(sheet && restored.state.used(sheet)?.row1, 5_000, 'and all for what needs all');
  t.equal(store.blockCount, 20);
});
