import * as fc from 'fast-check';
import t from 'tap';

import { goneLeaf, IdTree, type IdChange } from '../../../server/state/ids/id-tree.ts';
import { caseCount } from '../../support/case-count.ts';
import { SeededRandom } from '../../support/seeded-random.ts';

const runCount = 3;
const offsetCount = 500;

/** The leaf of each id that is a first one, by run. */
type Model = (number | undefined)[][];

function emptyModel(): Model {
  return Array.from({ length: runCount }, () => Array.from({ length: offsetCount }));
}

/** Changes of ids that lie close together or anywhere, of which a part goes. */
function batch(random: SeededRandom, share: number): IdChange[] {
  const changes: IdChange[] = [];
  const window = random.between(1, offsetCount);
  const first = random.between(0, offsetCount - window);
  const goneShare = random.next();
  for (let run = 0; run < runCount; run++) {
    for (let offset = first; offset < first + window; offset++) {
      if (random.next() >= share) continue;
      const leaf = random.next() < goneShare ? goneLeaf : random.between(0, 99);
      changes.push({ run, offset, leaf });
    }
  }
  return changes;
}

function applied(model: Model, changes: readonly IdChange[]): Model {
  const after = model.map((leaves) => leaves.slice());
  for (const { run, offset, leaf } of changes) {
    const leaves = after[run];
    if (leaves) leaves[offset] = leaf === goneLeaf ? undefined : leaf;
  }
  return after;
}

function check(tree: IdTree, model: Model): void {
  for (const [run, leaves] of model.entries()) {
    let expected: number | undefined;
    for (const [offset, leaf] of leaves.entries()) {
      expected = leaf ?? expected;
      const found = tree.leafBefore(run, offset);
      if (found !== expected) throw new Error(`${run}.${offset}: ${found} for ${expected}`);
    }
    const from = Math.floor(offsetCount / 3);
    const listed = leaves.flatMap((leaf, offset) =>
      leaf !== undefined && offset >= from && offset < 2 * from ? [offset, leaf] : [],
    );
    const found = tree.within(run, [from, 2 * from]);
    if (found.join() !== listed.join()) throw new Error(`within ${run}: ${found.join()}`);
  }
}

t.test('a tree of ids does what a table does, and keeps its versions', async () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.array(fc.constantFrom(0.002, 0.01, 0.1, 0.5), { maxLength: 40 }),
      (seed, shares) => {
        const random = new SeededRandom(seed);
        let tree = IdTree.empty;
        let model = emptyModel();
        const versions: { tree: IdTree; model: Model }[] = [];
        for (const share of shares) {
          const changes = batch(random, share);
          tree = tree.with(changes);
          model = applied(model, changes);
          versions.push({ tree, model });
        }
        for (const version of versions) check(version.tree, version.model);
      },
    ),
    { numRuns: caseCount(80) },
  );
});

t.test('changes that say nothing new make no new tree', async (t) => {
  const changes = batch(new SeededRandom(3), 0.5).filter(({ leaf }) => leaf !== goneLeaf);
  const tree = IdTree.empty.with(changes);
  t.equal(tree.with(changes), tree);
  t.equal(tree.with([{ run: 9, offset: 1, leaf: goneLeaf }]), tree);
  const emptied = tree.with(changes.map((change) => ({ ...change, leaf: goneLeaf })));
  check(emptied, emptyModel());
});
