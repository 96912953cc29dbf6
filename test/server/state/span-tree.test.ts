import t from 'tap';

import { replaceSpans, treeOf } from '../../../server/state/ids/span-edit.ts';
import {
  leafWith,
  type SpanBranch,
  type SpanNode,
  type SpanTree,
} from '../../../server/state/ids/span-tree.ts';
import { membersMost } from '../../../server/state/ids/tree-parts.ts';
import { SeededRandom } from '../../support/seeded-random.ts';

/** Lone ids that never continue each other, all of one length. */
function loneSpans(first: number, count: number) {
  return Array.from({ length: count }, (_, k) => ({
    branch: 1,
    sequence: first + k,
    offset: 0,
    length: 2,
  }));
}

interface Seen {
  readonly numbers: Set<number>;
  readonly depths: Set<number>;
  spanCount: number;
  position: number;
}

/** Throws where a node is not what its parent or its number says. */
function checkNode(tree: SpanTree, node: SpanNode, depth: number, seen: Seen): void {
  const start = seen.position;
  if (seen.numbers.has(node.number)) throw new Error(`two nodes have number ${node.number}`);
  seen.numbers.add(node.number);
  const size = node.children ? node.children.length : node.rows.length / 3;
  if (size > membersMost || (size === 0 && depth > 0)) throw new Error(`a node of ${size}`);
  if (node.children) {
    for (const [index, child] of node.children.entries()) {
      checkChild(tree, node, index, seen.position - start);
      checkNode(tree, child, depth + 1, seen);
    }
  } else {
    seen.depths.add(depth);
    seen.spanCount += size;
    seen.position += size * 2;
    const found = leafWith(tree, node.number);
    if (found.leaf !== node || found.start !== start) throw new Error('another leaf');
  }
  if (node.length !== seen.position - start) throw new Error('another length');
}

function checkChild(tree: SpanTree, node: SpanBranch, index: number, start: number): void {
  const number = node.children[index]?.number ?? -1;
  if (node.numbers[index] !== number) throw new Error('another number');
  if (node.starts[index] !== start) throw new Error('another start');
  if (tree.parents.get(number) !== node.number) throw new Error('another parent');
}

function check(tree: SpanTree): Seen {
  const seen = { numbers: new Set<number>(), depths: new Set<number>(), spanCount: 0, position: 0 };
  checkNode(tree, tree.root, 0, seen);
  if (seen.depths.size > 1) throw new Error('leaves at unequal depths');
  if (seen.spanCount !== tree.spanCount) throw new Error('another count of spans');
  return seen;
}

t.test('nodes stay where their parents and numbers say, and are no more than needed', async (t) => {
  const seed = 99;
  t.comment(`seed ${seed}`);
  const random = new SeededRandom(seed);
  let { tree } = treeOf(loneSpans(1, 3_000));
  let sequence = 3_001;
  const versions: SpanTree[] = [];
  for (let edit = 0; edit < 4_000; edit++) {
    // Grows and shrinks in turn, at one place or all over.
    const isGrowing = edit % 1_000 < 500;
    const place = edit % 200 < 100 ? random.next() : 0.4;
    const from = Math.floor(place * tree.spanCount) * 2;
    const removed = Math.min(random.between(0, isGrowing ? 2 : 9), tree.spanCount - from / 2);
    const added = loneSpans(sequence, random.between(0, isGrowing ? 9 : 2));
    sequence += added.length;
    tree = replaceSpans(tree, [from, from + removed * 2], added).tree;
    if (edit % 50 !== 0) continue;
    check(tree);
    versions.push(tree);
  }
  for (const version of versions) check(version);
  const { numbers, spanCount } = check(tree);
  t.ok(numbers.size < 10 + spanCount / 4, `${numbers.size} nodes for ${spanCount} spans`);
});

t.test('a tree is as high as it has to be', async (t) => {
  t.strictSame([...check(treeOf(loneSpans(1, 20)).tree).depths], [0]);
  t.strictSame([...check(treeOf(loneSpans(1, 400)).tree).depths], [1]);
  const large = treeOf(loneSpans(1, 100_000)).tree;
  t.strictSame([...check(large).depths], [3]);
  const small = replaceSpans(large, [20, 199_960], []).tree;
  t.strictSame([...check(small).depths], [1]);
  t.equal(small.spanCount, 30);
  check(large);
});

t.test('numbers of nodes that went are given again', async (t) => {
  let { tree } = treeOf(loneSpans(1, 1_000));
  for (let round = 0; round < 300; round++) {
    const from = (round % 900) * 2;
    tree = replaceSpans(tree, [from, from], loneSpans(2_000 + round * 100, 100)).tree;
    tree = replaceSpans(tree, [from, from + 200], []).tree;
  }
  const { numbers } = check(tree);
  t.ok(tree.nextNumber < numbers.size + 30, `${tree.nextNumber} for ${numbers.size} nodes`);
});

t.test('changes name each span that came, went or went elsewhere', async (t) => {
  const { tree } = treeOf(loneSpans(1, 20));
  const [first = { branch: 0, sequence: 0, offset: 0, length: 0 }] = loneSpans(50, 1);
  const { changes, tree: after } = replaceSpans(tree, [4, 8], [first]);
  const runs = changes.map(({ run, leaf }) => [Math.floor(run / 65_536), leaf]);
  t.strictSame(runs, [
    [3, -1],
    [4, -1],
    [50, after.root.number],
  ]);
});
