import { spanOfRun, type IdSpan } from './id-span.ts';
import type { NumberList } from './number-list.ts';
import type { Scale } from './scale.ts';
import { lastIndexUpTo, nodeBytes, numberBytes, rowWidth } from './tree-parts.ts';

/**
 * A leaf of a tree of spans. Nodes have numbers, by which parents are found although versions share
 * nodes.
 */
export interface SpanLeaf {
  readonly number: number;
  readonly length: number;
  /** Run, first offset and length for each span, in turn. */
  readonly rows: readonly number[];
  readonly children?: undefined;
}

export interface SpanBranch {
  readonly number: number;
  readonly length: number;
  readonly children: readonly SpanNode[];
  /** The numbers of the children. */
  readonly numbers: readonly number[];
  /** Start of each child relative to this node. */
  readonly starts: readonly number[];
}

export type SpanNode = SpanLeaf | SpanBranch;

/** Free numbers of former nodes, as a linked list. */
export interface FreeNumber {
  readonly number: number;
  readonly next: FreeNumber | undefined;
}

/** Spans in order: an immutable B+tree with lengths, in which edits share what they leave alone. */
export interface SpanTree {
  readonly root: SpanNode;
  readonly spanCount: number;
  /** Number of the parent by number of a node; meaningless for the root. */
  readonly parents: NumberList;
  readonly free: FreeNumber | undefined;
  /** Lowest number never used. */
  readonly nextNumber: number;
}

/** A place in a leaf: the span that was found last, because the next one is often close. */
export interface LeafCursor {
  readonly leaf: SpanLeaf;
  /** Position at which the leaf starts. */
  readonly start: number;
  row: number;
  /** Position at which the row starts. */
  position: number;
}

export interface PlacedSpan {
  readonly run: number;
  readonly offset: number;
  readonly length: number;
  readonly position: number;
}

/** Returns the span around a position of the tree. */
export function spanAt({ root }: SpanTree, position: number): PlacedSpan {
  let node = root;
  let start = 0;
  while (node.children) {
    const at = lastIndexUpTo(node.starts, position - start);
    start += node.starts[at] ?? 0;
    const child = node.children[at];
    if (!child) break;
    node = child;
  }
  const rows = node.children ? [] : node.rows;
  for (let row = 0; row < rows.length; row += rowWidth) {
    const length = rows[row + 2] ?? 0;
    if (position < start + length) {
      return { run: rows[row] ?? 0, offset: rows[row + 1] ?? 0, length, position: start };
    }
    start += length;
  }
  throw new RangeError(`there is no position ${position}`);
}

/** Appends the spans between two positions, cut at both. */
export function collectSpans(node: SpanNode, from: number, to: number, found: IdSpan[]): void {
  if (node.children) {
    const { children, starts } = node;
    for (let at = lastIndexUpTo(starts, from); at < children.length; at++) {
      const start = starts[at] ?? 0;
      const child = children[at];
      if (!child || start >= to) return;
      collectSpans(child, from - start, to - start, found);
    }
    return;
  }
  const { rows } = node;
  let start = 0;
  for (let row = 0; row < rows.length && start < to; row += rowWidth) {
    const length = rows[row + 2] ?? 0;
    const skipped = Math.max(0, from - start);
    const rest = Math.min(length, to - start) - skipped;
    if (rest > 0) {
      found.push(spanOfRun(rows[row] ?? 0, (rows[row + 1] ?? 0) + skipped, rest));
    }
    start += length;
  }
}

/** Adds a tree to the memory accounting. */
export function weighTree({ root, parents }: SpanTree, scale: Scale): void {
  weighNode(root, scale);
  parents.weigh(scale);
}

function weighNode(node: SpanNode, scale: Scale): void {
  if (!scale.isNew(node)) return;
  const memberCount = node.children ? node.children.length * 3 : node.rows.length;
  scale.add(nodeBytes + memberCount * numberBytes);
  for (const child of node.children ?? []) weighNode(child, scale);
}

/** Returns the leaves from the first to the last. */
export function leavesOf(node: SpanNode): SpanLeaf[] {
  let level: readonly SpanNode[] = [node];
  while (level[0]?.children) level = level.flatMap(({ children }) => children ?? []);
  return level.filter((leaf) => leaf.children === undefined);
}

/** Returns a cursor at the start of the leaf with a number of the tree. */
export function leafWith(tree: SpanTree, number: number): LeafCursor {
  const way = { position: 0 };
  const leaf = nodeWith(tree, number, way);
  if (leaf.children) throw new Error(`node ${number} of an order is no leaf`);
  return { leaf, start: way.position, row: 0, position: way.position };
}

function nodeWith(tree: SpanTree, number: number, way: { position: number }): SpanNode {
  if (number === tree.root.number) return tree.root;
  const parentNumber = tree.parents.get(number);
  if (parentNumber === undefined) throw new Error(`node ${number} of an order has no parent`);
  const { children, numbers, starts } = nodeWith(tree, parentNumber, way) as SpanBranch;
  const at = numbers.indexOf(number);
  const child = children[at];
  if (!child) throw new Error(`node ${number} of an order is not where its parent is`);
  way.position += starts[at] ?? 0;
  return child;
}

/** Moves a cursor to the span with an id, if that is in its leaf. */
export function goTo(cursor: LeafCursor, run: number, offset: number): boolean {
  const { rows } = cursor.leaf;
  let { row, position } = cursor;
  for (let left = rows.length; left > 0; left -= rowWidth) {
    const length = rows[row + 2] ?? 0;
    const first = rows[row + 1] ?? Infinity;
    if (rows[row] === run && first <= offset && offset < first + length) {
      cursor.row = row;
      cursor.position = position;
      return true;
    }
    row += rowWidth;
    position += length;
    if (row < rows.length) continue;
    row = 0;
    position = cursor.start;
  }
  return false;
}
