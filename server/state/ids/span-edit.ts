import { goneLeaf, type IdChange } from './id-tree.ts';
import { runKey, type IdSpan } from './id-span.ts';
import { NumberList } from './number-list.ts';
import type { FreeNumber, SpanBranch, SpanLeaf, SpanNode, SpanTree } from './span-tree.ts';
import { evenParts, joinedMost, joinThin, lastIndexUpTo, rowWidth, spliced } from './tree-parts.ts';

/** Positions from the first to before the second; a span begins at both. */
export type Stretch = readonly [from: number, to: number];

/** The result of an edit of a span tree. */
export interface EditedTree {
  readonly tree: SpanTree;
  /** Changes for the spans that are new, gone or in another leaf, sorted by first id. */
  readonly changes: readonly IdChange[];
}

/** Replaces the spans in a stretch of a tree. */
export function replaceSpans(tree: SpanTree, at: Stretch, added: readonly IdSpan[]): EditedTree {
  const rows: number[] = [];
  for (const { branch, sequence, offset, length } of added) {
    rows.push(runKey(branch, sequence), offset, length);
  }
  return new SpanEdit(tree).run(tree.root, at, rows);
}

const emptyTree: SpanTree = {
  root: { number: 0, length: 0, rows: [] },
  spanCount: 0,
  parents: NumberList.empty,
  free: undefined,
  nextNumber: 1,
};

/** Makes a tree of spans, none of which continues the one before it. */
export function treeOf(spans: readonly IdSpan[]): EditedTree {
  return replaceSpans(emptyTree, [0, 0], spans);
}

class SpanEdit {
  #parents: NumberList;
  #free: FreeNumber | undefined;
  #nextNumber: number;
  #spanCount: number;
  /** Changes in order of time: for one id the last one counts. */
  readonly #changes: IdChange[] = [];

  constructor(tree: SpanTree) {
    this.#parents = tree.parents;
    this.#free = tree.free;
    this.#nextNumber = tree.nextNumber;
    this.#spanCount = tree.spanCount;
  }

  run(root: SpanNode, at: Stretch, added: readonly number[]): EditedTree {
    let nodes = this.#replace(root, at, added);
    while (nodes.length > 1) nodes = this.#branches(this.#takeNumber(), nodes);
    let node = nodes[0] ?? { number: this.#takeNumber(), length: 0, rows: [] };
    while (node.children?.length === 1 && node.children[0]) {
      this.#release(node);
      node = node.children[0];
    }
    const tree = {
      root: node,
      spanCount: this.#spanCount,
      parents: this.#parents,
      free: this.#free,
      nextNumber: this.#nextNumber,
    };
    return { tree, changes: lastOfEach(this.#changes) };
  }

  /** Returns the nodes that replace a node after the edit; none if no span is left. */
  #replace(node: SpanNode, at: Stretch, added: readonly number[]): readonly SpanNode[] {
    return node.children
      ? this.#replaceInBranch(node, at, added)
      : this.#replaceInLeaf(node, at, added);
  }

  #replaceInLeaf(leaf: SpanLeaf, [from, to]: Stretch, added: readonly number[]): SpanLeaf[] {
    const { rows, number } = leaf;
    let position = 0;
    let first = 0;
    for (; position < from && first < rows.length; first += rowWidth) {
      position += rows[first + 2] ?? 0;
    }
    let end = first;
    for (; position < to && end < rows.length; end += rowWidth) position += rows[end + 2] ?? 0;
    this.#place(rows.slice(first, end), goneLeaf);
    const replaced = spliced(rows, first, end, added);
    this.#spanCount += (replaced.length - rows.length) / rowWidth;
    const parts = evenParts(replaced, rowWidth);
    if (parts.length === 0) this.#release(leaf);
    return parts.map((part, index) => {
      if (index === 0) {
        this.#place(part.slice(first, first + added.length), number);
        return makeLeaf(number, part);
      }
      const taken = this.#takeNumber();
      this.#place(part, taken);
      return makeLeaf(taken, part);
    });
  }

  #replaceInBranch(
    branch: SpanBranch,
    [from, to]: Stretch,
    added: readonly number[],
  ): readonly SpanBranch[] {
    const { children, starts } = branch;
    const first = lastIndexUpTo(starts, from);
    let last = first;
    while ((starts[last + 1] ?? Infinity) < to) last++;
    let nodes: readonly SpanNode[] = [];
    // The end is first: if an id is both deleted and added, the addition must count.
    for (let at = last; at >= first; at--) {
      const child = children[at];
      const start = starts[at] ?? 0;
      const end = starts[at + 1] ?? branch.length;
      if (!child) continue;
      if (at > first && to >= end) {
        this.#drop(child);
        continue;
      }
      const part: Stretch = [Math.max(0, from - start), Math.min(to, end) - start];
      nodes = this.#replace(child, part, at === first ? added : []).concat(nodes);
    }
    const replaced = spliced(children, first, last + 1, nodes);
    joinThin(replaced, [first - 1, first + nodes.length], (a, b) => this.#join(a, b));
    if (replaced.length === 0) this.#release(branch);
    return this.#branches(branch.number, replaced, branch);
  }

  /**
   * Makes branches of nodes; the first gets the number, and shares what it can with a former
   * branch.
   */
  #branches(number: number, nodes: readonly SpanNode[], former?: SpanBranch): SpanBranch[] {
    return evenParts(nodes, 1).map((part, index) =>
      this.#makeBranch(index === 0 ? number : this.#takeNumber(), part, former),
    );
  }

  #makeBranch(number: number, children: readonly SpanNode[], former?: SpanBranch): SpanBranch {
    let length = 0;
    const starts = children.map((child) => {
      const start = length;
      length += child.length;
      return start;
    });
    const isSameShape =
      former?.number === number &&
      former.numbers.length === children.length &&
      children.every((child, index) => child.number === former.numbers[index]);
    if (isSameShape) return { number, length, children, numbers: former.numbers, starts };
    for (const child of children) {
      if (this.#parents.get(child.number) === number) continue;
      this.#parents = this.#parents.with(child.number, number);
    }
    return { number, length, children, numbers: children.map((child) => child.number), starts };
  }

  #join(a: SpanNode, b: SpanNode): SpanNode | undefined {
    if (sizeOf(a) + sizeOf(b) > joinedMost) return undefined;
    const [kept, other] = sizeOf(a) >= sizeOf(b) ? [a, b] : [b, a];
    this.#release(other);
    if (a.children && b.children) {
      const children = a.children.concat(b.children);
      joinThin(children, [a.children.length - 1, a.children.length], (c, d) => this.#join(c, d));
      return this.#makeBranch(kept.number, children);
    }
    if (a.children || b.children) throw new Error('nodes of an order stand at unequal depths');
    this.#place(other === a ? a.rows : b.rows, kept.number);
    return makeLeaf(kept.number, a.rows.concat(b.rows));
  }

  #drop(node: SpanNode): void {
    this.#release(node);
    for (const child of node.children ?? []) this.#drop(child);
    if (node.children) return;
    this.#spanCount -= node.rows.length / rowWidth;
    this.#place(node.rows, goneLeaf);
  }

  #place(rows: readonly number[], leaf: number): void {
    for (let row = 0; row < rows.length; row += rowWidth) {
      this.#changes.push({ run: rows[row] ?? 0, offset: rows[row + 1] ?? 0, leaf });
    }
  }

  #takeNumber(): number {
    if (!this.#free) return this.#nextNumber++;
    const { number, next } = this.#free;
    this.#free = next;
    return number;
  }

  #release({ number }: SpanNode): void {
    this.#free = { number, next: this.#free };
  }
}

function makeLeaf(number: number, rows: readonly number[]): SpanLeaf {
  let length = 0;
  for (let row = 0; row < rows.length; row += rowWidth) length += rows[row + 2] ?? 0;
  return { number, length, rows };
}

function sizeOf(node: SpanNode): number {
  return node.children ? node.children.length : node.rows.length / rowWidth;
}

function lastOfEach(changes: IdChange[]): IdChange[] {
  const sorted = changes.sort((a, b) => a.run - b.run || a.offset - b.offset);
  return sorted.filter(({ run, offset }, index) => {
    const next = sorted[index + 1];
    return next?.run !== run || next.offset !== offset;
  });
}
