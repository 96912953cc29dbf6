import * as fc from 'fast-check';
import { LoroDoc } from 'loro-crdt';
import { diff3Merge } from 'node-diff3';
import t from 'tap';

import { caseCount } from '../support/case-count.ts';
import {
  anyInsertOrDelete,
  anyMove,
  baseRows,
  doSteps,
  namesIn,
  rowsDriver,
  rowsOf,
  type LineStep,
  type OrderList,
} from '../support/line-steps.ts';
import { checkSame } from '../support/merge-histories.ts';
import { all, kinds, op, play } from '../support/merge-play.ts';
import { testSeed } from '../support/test-seed.ts';

// Orders of rows beside other people's: diff3 for what came and went, and the movable list of Loro
// for what moved too, as far as these say one thing and we do not say another on purpose.

interface Both {
  readonly ours: readonly LineStep[];
  readonly theirs: readonly LineStep[];
}

function both(step: fc.Arbitrary<LineStep>, maxLength: number): fc.Arbitrary<Both> {
  const steps = fc.array(step, { minLength: 1, maxLength });
  return fc.record({ ours: steps, theirs: steps });
}

t.test('rows that came and went stand where diff3 has them', async (t) => {
  let agreedCount = 0;
  let contestedCount = 0;
  const check = ({ ours, theirs }: Both): void => {
    const driver = rowsDriver();
    const isOwn = () => true;
    const mine = doSteps({ side: 'ours', steps: ours, isOwn, lists: [rowsOf(driver.ours)] });
    const yours = doSteps({ side: 'theirs', steps: theirs, isOwn, lists: [rowsOf(driver.theirs)] });
    const regions = diff3Merge(mine, [...baseRows], yours, { excludeFalseConflicts: true });
    for (const outcome of [driver.merge(), driver.mirror()]) {
      if (outcome.conflicts.length > 0) throw new Error('orders without moves have no conflicts');
      const merged = namesIn(outcome.driver);
      checkMembers(merged, mine, yours);
      const agreed = regions.flatMap(({ ok }) => ok ?? []);
      const isContested = regions.some(({ conflict }) => conflict !== undefined);
      if (isContested) checkStretches(merged, regions);
      else if (String(merged) !== String(agreed)) {
        throw new Error(`${String(merged)} and not ${String(agreed)}`);
      }
    }
    if (regions.some(({ conflict }) => conflict !== undefined)) contestedCount++;
    else agreedCount++;
  };
  const options = { numRuns: caseCount(150), seed: testSeed };
  t.doesNotThrow(() => fc.assert(fc.property(both(anyInsertOrDelete, 5), check), options));
  t.ok(agreedCount > 20, `${agreedCount} without a conflict of diff3`);
  t.ok(contestedCount > 5, `${contestedCount} with one`);
});

/** Nothing is lost, comes back or is there twice. */
function checkMembers(
  merged: readonly string[],
  mine: readonly string[],
  yours: readonly string[],
) {
  const isKept = (name: string) =>
    baseRows.includes(name) ? mine.includes(name) && yours.includes(name) : true;
  const expected = [...new Set([...mine, ...yours])].filter(isKept).toSorted();
  const found = merged.toSorted();
  if (String(found) === String(expected)) return;
  throw new Error(`${String(found)} and not ${String(expected)}`);
}

/**
 * Checks that the stretches diff3 is sure of stand in its order, around those it is not sure of.
 */
function checkStretches(
  merged: readonly string[],
  regions: readonly { readonly ok?: string[] | undefined }[],
): void {
  const sure = regions.flatMap(({ ok }) => ok ?? []);
  const isSure = new Set(sure);
  const found = merged.filter((name) => isSure.has(name));
  if (String(found) !== String(sure)) throw new Error(`${String(found)} and not ${String(sure)}`);
}

/** The rows are dealt out in tens, whose ends nobody touches. */
const tensSize = 10;

function isIn(turn: number): (name: string) => boolean {
  return (name) => {
    const row = baseRows.indexOf(name);
    const place = row % tensSize;
    return Math.floor(row / tensSize) % 2 === turn && place > 0 && place < tensSize - 1;
  };
}

type Movable = ReturnType<LoroDoc['getMovableList']>;

function movable(list: Movable): OrderList {
  return {
    insert: (at, name) => list.insert(at, name),
    delete: (at) => list.delete(at, 1),
    move: (from, to) => list.move(from, to),
  };
}

function forkOf(base: LoroDoc, peer: `${number}`): LoroDoc {
  const fork = new LoroDoc();
  fork.setPeerId(peer);
  fork.import(base.export({ mode: 'snapshot' }));
  return fork;
}

/** Both sides' steps, done to rows and to the list of Loro. */
function playBeside({ ours, theirs }: Both, isOwn: (turn: number) => (name: string) => boolean) {
  const driver = rowsDriver();
  const base = new LoroDoc();
  base.setPeerId('1');
  for (const name of baseRows) base.getMovableList('rows').push(name);
  base.commit();
  const [mine, yours] = [forkOf(base, '2'), forkOf(base, '3')];
  const sides = [
    { side: 'ours', steps: ours, doc: mine, rows: driver.ours },
    { side: 'theirs', steps: theirs, doc: yours, rows: driver.theirs },
  ];
  const orders = sides.map(({ side, steps, doc, rows }, turn) => {
    const lists = [rowsOf(rows), movable(doc.getMovableList('rows'))];
    const order = doSteps({ side, steps, isOwn: isOwn(turn), lists });
    doc.commit();
    return order;
  });
  mine.import(yours.export({ mode: 'update' }));
  const loro = mine.getMovableList('rows').toArray() as string[];
  return { driver, orders, loro };
}

t.test(
  'rows that moved, came and went apart from one another stand where Loro has them',
  async (t) => {
    let count = 0;
    const check = (played: Both): void => {
      const { driver, loro } = playBeside(played, isIn);
      for (const outcome of [driver.merge(), driver.mirror()]) {
        if (outcome.conflicts.length > 0) throw new Error('they touched the same');
        const merged = namesIn(outcome.driver);
        if (String(merged) !== String(loro))
          throw new Error(`${String(merged)}, not ${String(loro)}`);
      }
      count++;
    };
    const step = fc.oneof(anyMove, anyMove, anyInsertOrDelete);
    const options = { numRuns: caseCount(100), seed: testSeed };
    t.doesNotThrow(() => fc.assert(fc.property(both(step, 3), check), options));
    t.ok(count > 0);
  },
);

t.test('whatever both sides move, each row is there once, as in Loro', async (t) => {
  let contestedCount = 0;
  const check = (played: Both): void => {
    const { driver, loro } = playBeside(played, () => () => true);
    for (const otherwise of ['ours', 'theirs'] as const) {
      const outcome = driver.merge({ otherwise });
      const merged = namesIn(outcome.driver);
      if (String(merged.toSorted()) !== String(loro.toSorted())) {
        throw new Error(`${String(merged)}, not ${String(loro)}`);
      }
      contestedCount += outcome.conflicts.length;
    }
  };
  const options = { numRuns: caseCount(100), seed: testSeed };
  t.doesNotThrow(() => fc.assert(fc.property(both(anyMove, 6), check), options));
  t.ok(contestedCount > 0, 'some rows were moved by both');
});

t.test('a link that rows moved out of is as the source has it', async (t) => {
  const base = op('hyperlink.set', { sheet: 'One', range: 'A4:A7', url: 'https://a/' });
  const theirs = op('rows.move', { sheet: 'One', from: 4, count: 3, before: 9 });
  const driver = play({ base, ours: () => undefined, theirs });
  t.doesNotThrow(() => checkSame(driver.merge().driver.state, driver.theirs.state, 'the source'));
});

t.test('a link that lines of another were moved into is as the source has it', async (t) => {
  const link = (range: string) => op('hyperlink.set', { sheet: 'One', range, url: 'https://a/' });
  const theirs = all(link('A1:C1'), op('cols.move', { sheet: 'One', from: 'D', before: 'B' }));
  const driver = play({ base: link('D1'), ours: () => undefined, theirs });
  const outcome = driver.merge();
  t.strictSame(kinds(outcome), []);
  t.doesNotThrow(() => checkSame(outcome.driver.state, driver.theirs.state, 'the source'));
});

t.test('a sort that both sides have is not asked about, whatever else one of them sorted', (t) => {
  const sort = (range: string, order: number[]) => op('range.sort', { sheet: 'One', range, order });
  const both = sort('4:5', [5, 4]);
  const driver = play({ ours: all(sort('1:3', [3, 2, 1]), both), theirs: both });
  for (const otherwise of ['ours', 'theirs'] as const) {
    for (const outcome of [driver.merge({ otherwise }), driver.mirror({ otherwise })]) {
      t.strictSame(kinds(outcome), []);
      const rows = [1, 2, 3, 4, 5].map((row) => outcome.driver.read(`A${row}`));
      t.strictSame(rows, [31, 21, 11, 51, 41]);
    }
  }
  t.end();
});

t.test('a sort that was merged is there once more after the same merge', (t) => {
  const sort = (range: string, order: number[]) => op('range.sort', { sheet: 'One', range, order });
  const driver = play({ ours: sort('1:3', [3, 2, 1]), theirs: sort('4:5', [5, 4]) });
  const merged = driver.merge({ otherwise: 'theirs' }).driver.state;
  const again = driver.mergeInto(merged, { otherwise: 'theirs' });
  t.strictSame(kinds(again), []);
  t.doesNotThrow(() => checkSame(again.driver.state, merged, 'merging again did something'));
  t.end();
});
