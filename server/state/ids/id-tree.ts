import type { Scale } from './scale.ts';
import {
  evenParts,
  joinedMost,
  joinThin,
  membersMost,
  nodeBytes,
  numberBytes,
  rowWidth,
  spliced,
} from './tree-parts.ts';

/** A change of the tree: the span with this first id is now in the leaf with this number. */
export interface IdChange {
  readonly run: number;
  readonly offset: number;
  readonly leaf: number;
}

/** Number that stands for a leaf where a span is gone. */
export const goneLeaf = -1;

interface IdLeaf {
  /** Run, offset and number of the leaf for each span, in turn. */
  readonly rows: readonly number[];
  readonly children?: undefined;
}

interface IdBranch {
  readonly children: readonly IdNode[];
  /** Run and offset for each child, in turn: its ids are from there to before the next child's. */
  readonly floors: readonly number[];
}

type IdNode = IdLeaf | IdBranch;

const floorWidth = 2;

/**
 * The numbers of the leaves that hold the spans, by their first ids: an immutable B+tree in which
 * edits share what they leave alone.
 */
export class IdTree {
  readonly #root: IdNode;

  private constructor(root: IdNode) {
    this.#root = root;
  }

  static readonly empty = new IdTree({ rows: [] });

  /** The leaf of the last span of a run that starts at or before an offset. */
  leafBefore(run: number, offset: number): number | undefined {
    return leafBefore(this.#root, run, offset);
  }

  /** Returns offset and leaf in turn for the spans of a run that start inside a stretch. */
  within(run: number, stretch: readonly [from: number, to: number]): number[] {
    const found: number[] = [];
    collect(this.#root, run, stretch, found);
    return found;
  }

  /** Applies changes, which are sorted by id, with each id once. */
  with(changes: readonly IdChange[]): IdTree {
    const nodes = change(this.#root, changes);
    if (nodes.length === 1 && nodes[0] === this.#root) return this;
    return new IdTree(rootOf(nodes));
  }

  /** Adds the tree to the memory accounting. */
  weigh(scale: Scale): void {
    weighNode(this.#root, scale);
  }
}

function weighNode(node: IdNode, scale: Scale): void {
  if (!scale.isNew(node)) return;
  const { length } = node.children ? node.floors : node.rows;
  scale.add(nodeBytes + (length + (node.children?.length ?? 0)) * numberBytes);
  for (const child of node.children ?? []) weighNode(child, scale);
}

function leafBefore(node: IdNode, run: number, offset: number): number | undefined {
  if (!node.children) {
    const { rows } = node;
    const row = lastIndexBefore(rows, rowWidth, run, offset) * rowWidth;
    const isFound = rows[row] === run && (rows[row + 1] ?? Infinity) <= offset;
    return isFound ? rows[row + 2] : undefined;
  }
  const { children, floors } = node;
  const index = lastIndexBefore(floors, floorWidth, run, offset);
  for (let at = index; at >= 0 && at >= index - 1; at--) {
    const child = children[at];
    const found = child && leafBefore(child, run, offset);
    if (found !== undefined) return found;
  }
  return undefined;
}

function collect(
  node: IdNode,
  run: number,
  stretch: readonly [from: number, to: number],
  found: number[],
): void {
  const [from, to] = stretch;
  if (node.children) {
    const last = lastIndexBefore(node.floors, floorWidth, run, to);
    for (let at = lastIndexBefore(node.floors, floorWidth, run, from); at <= last; at++) {
      const child = node.children[at];
      if (child) collect(child, run, stretch, found);
    }
    return;
  }
  const { rows } = node;
  for (let row = 0; row < rows.length; row += rowWidth) {
    const offset = rows[row + 1] ?? Infinity;
    if (rows[row] === run && offset >= from && offset < to) found.push(offset, rows[row + 2] ?? 0);
  }
}

/** Index of the last id that is not after another; 0 if there is none. */
function lastIndexBefore(
  ids: readonly number[],
  width: number,
  run: number,
  offset: number,
): number {
  let low = 0;
  let high = ids.length / width - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const other = ids[middle * width] ?? Infinity;
    if (other < run || (other === run && (ids[middle * width + 1] ?? Infinity) <= offset)) {
      low = middle;
    } else high = middle - 1;
  }
  return low;
}

/** Returns the nodes that replace a node after the changes; the same node if nothing changes. */
function change(node: IdNode, changes: readonly IdChange[]): readonly IdNode[] {
  return node.children ? changeBranch(node, changes) : changeLeaf(node, changes);
}

function changeLeaf(leaf: IdLeaf, changes: readonly IdChange[]): readonly IdNode[] {
  const { rows } = leaf;
  const merged: number[] = [];
  let isChanged = false;
  let copied = 0;
  for (const { run, offset, leaf: number } of changes) {
    const row = rowNotBefore(rows, copied, run, offset);
    while (copied < row) merged.push(rows[copied++] ?? 0);
    const isThere = rows[row] === run && rows[row + 1] === offset;
    if (isThere) copied += rowWidth;
    isChanged ||= number !== (isThere ? rows[row + 2] : goneLeaf);
    if (number !== goneLeaf) merged.push(run, offset, number);
  }
  if (!isChanged) return [leaf];
  while (copied < rows.length) merged.push(rows[copied++] ?? 0);
  // A list that grew holds spare memory; its copy does not.
  return leavesOf(merged.slice());
}

function rowNotBefore(rows: readonly number[], first: number, run: number, offset: number): number {
  let row = first;
  for (; row < rows.length; row += rowWidth) {
    const other = rows[row] ?? Infinity;
    if (other > run || (other === run && (rows[row + 1] ?? Infinity) >= offset)) break;
  }
  return row;
}

function changeBranch(branch: IdBranch, changes: readonly IdChange[]): readonly IdNode[] {
  let current = branch;
  // The last child is first, so that the indices of those before stay valid.
  for (let end = changes.length; end > 0;) {
    const { floors } = current;
    const last = changes[end - 1];
    if (!last) break;
    const at = lastIndexBefore(floors, floorWidth, last.run, last.offset);
    let start = at === 0 ? 0 : end - 1;
    for (; start > 0; start--) {
      const earlier = changes[start - 1];
      if (!earlier || isBelow(earlier, floors, at)) break;
    }
    current = changeChild(current, at, changes.slice(start, end));
    end = start;
  }
  const { length } = current.children;
  // Floors stay valid unless the node is split.
  return length > 0 && length <= membersMost ? [current] : branchesOf(current.children);
}

function isBelow({ run, offset }: IdChange, floors: readonly number[], at: number): boolean {
  const floor = floors[at * floorWidth] ?? Infinity;
  return run < floor || (run === floor && offset < (floors[at * floorWidth + 1] ?? Infinity));
}

/** Changes a child of a branch, which may then have too many children. */
function changeChild(branch: IdBranch, at: number, changes: readonly IdChange[]): IdBranch {
  const child = branch.children[at];
  const nodes = child ? change(child, changes) : [];
  if (nodes.length === 1 && nodes[0] === child) return branch;
  const children = spliced(branch.children, at, at + 1, nodes);
  joinThin(children, [at - 1, at + nodes.length], join);
  const isSameShape = nodes.length === 1 && children.length === branch.children.length;
  return { children, floors: isSameShape ? branch.floors : floorsOf(children) };
}

function join(a: IdNode, b: IdNode): IdNode | undefined {
  if (a.children && b.children) {
    if (a.children.length + b.children.length > joinedMost) return undefined;
    const children = a.children.concat(b.children);
    joinThin(children, [a.children.length - 1, a.children.length], join);
    return { children, floors: floorsOf(children) };
  }
  if (a.children || b.children || a.rows.length + b.rows.length > joinedMost * rowWidth) {
    return undefined;
  }
  return { rows: a.rows.concat(b.rows) };
}

function floorsOf(nodes: readonly IdNode[]): readonly number[] {
  const floors: number[] = [];
  for (const node of nodes) {
    let first = node;
    for (let child = first.children?.[0]; child; child = first.children?.[0]) first = child;
    const [run = Infinity, offset = Infinity] = first.children ? [] : first.rows;
    floors.push(run, offset);
  }
  return floors.slice();
}

function leavesOf(rows: readonly number[]): IdLeaf[] {
  return evenParts(rows, rowWidth).map((part) => ({ rows: part }));
}

function branchesOf(children: readonly IdNode[]): IdBranch[] {
  return evenParts(children, 1).map((part) => ({ children: part, floors: floorsOf(part) }));
}

function rootOf(nodes: readonly IdNode[]): IdNode {
  let level = nodes;
  while (level.length > 1) level = branchesOf(level);
  let root = level[0] ?? { rows: [] };
  for (let only = root.children; only?.length === 1; only = root.children) {
    const child = only[0];
    if (!child) break;
    root = child;
  }
  return root;
}
