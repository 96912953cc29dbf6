import { foldPeaks } from './root.ts';
import type { TreeHasher } from './hasher.ts';
import { levelCount, tileHeight, tileOfNode, type TreeNode } from './tile-layout.ts';
import type { TileName } from './tile-name.ts';
import type { Tile } from './tile.ts';

/** Leaves `start` to `end - 1`; the root over them is one hash of a proof. */
interface LeafRange {
  readonly start: number;
  readonly end: number;
}

/** A node of the tree in a tile of a plan, `height` levels above the hashes of the tile. */
interface PlacedNode {
  readonly tile: number;
  readonly height: number;
  readonly position: number;
}

/** The parts of a proof, before any tile is read. */
export interface ProofPlan {
  /** Tiles, each once, as wide as they are in the tree that the proof is about. */
  readonly tiles: readonly TileName[];
  /** For each hash of the proof the nodes that it is the root over, from the left. */
  readonly hashes: readonly (readonly PlacedNode[])[];
}

/** The siblings on the way from a leaf to the root (RFC 6962, section 2.1.1). */
export function planInclusion(leafIndex: number, size: number): ProofPlan {
  if (!Number.isSafeInteger(size) || !isWithin(leafIndex, 0, size - 1)) {
    throw new RangeError(`a tree of size ${size} has no leaf ${leafIndex}`);
  }
  const ranges: LeafRange[] = [];
  let start = 0;
  let end = size;
  while (end - start > 1) {
    const middle = start + splitOf(end - start);
    const isLeft = leafIndex < middle;
    ranges.push(isLeft ? { start: middle, end } : { start, end: middle });
    if (isLeft) end = middle;
    else start = middle;
  }
  return placed(ranges.toReversed(), size);
}

/** The proof from the root at one size to the root at a later one (RFC 6962, section 2.1.2). */
export function planConsistency(oldSize: number, size: number): ProofPlan {
  if (!Number.isSafeInteger(size) || !isWithin(oldSize, 0, size)) {
    throw new RangeError(`a tree of size ${size} had no size ${oldSize} before`);
  }
  if (oldSize === 0 || oldSize === size) return { tiles: [], hashes: [] };
  const ranges: LeafRange[] = [];
  let start = 0;
  let end = size;
  while (end !== oldSize) {
    const middle = start + splitOf(end - start);
    const isLeft = oldSize <= middle;
    ranges.push(isLeft ? { start: middle, end } : { start, end: middle });
    if (isLeft) end = middle;
    else start = middle;
  }
  // The client has the old root. It is this hash if the old tree was one full subtree.
  if (start > 0) ranges.push({ start, end });
  return placed(ranges.toReversed(), size);
}

/** Tells the tiles of one tree apart, and is made faster than a path. */
export function tileKey({ level, index }: TileName): number {
  return index * levelCount + level;
}

function placed(ranges: readonly LeafRange[], size: number): ProofPlan {
  const tiles: TileName[] = [];
  const places = new Map<number, number>();
  const hashes = ranges.map((range) =>
    nodesOf(range).map((node) => {
      const name = tileOfNode(node, size);
      const key = tileKey(name);
      const tile = places.get(key) ?? tiles.push(name) - 1;
      places.set(key, tile);
      const height = node.height % tileHeight;
      return { tile, height, position: node.index % (1 << (tileHeight - height)) };
    }),
  );
  return { tiles, hashes };
}

/** The hashes of the proof, from the tiles of its plan. */
export function buildProof(
  hasher: TreeHasher,
  plan: ProofPlan,
  tiles: readonly Tile[],
): Uint8Array[] {
  return plan.hashes.map((nodes) => {
    const peaks = nodes.map(({ tile, height, position }) => {
      const found = tiles[tile];
      if (found) return found.hash(height, position);
      throw new RangeError(`tile ${tile} of the plan is missing`);
    });
    return foldPeaks(hasher, peaks);
  });
}

/** The largest full subtrees of a range, from the left. */
function nodesOf({ start, end }: LeafRange): TreeNode[] {
  const nodes: TreeNode[] = [];
  let at = start;
  while (at < end) {
    const height = heightWithin(end - at);
    nodes.push({ height, index: at / 2 ** height });
    at += 2 ** height;
  }
  return nodes;
}

/** The height of the largest full subtree that so many leaves have room for. */
function heightWithin(leafCount: number): number {
  // Operators on bits end at 2^32; of what is larger, the quick part is left out.
  if (leafCount < 2 ** 31) return 31 - Math.clz32(leafCount);
  let height = 31;
  while (2 ** (height + 1) <= leafCount) height++;
  return height;
}

/** Returns where a tree of more than one leaf splits: the largest power of two below its size. */
function splitOf(size: number): number {
  return 2 ** heightWithin(size - 1);
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isSafeInteger(value) && value >= least && value <= most;
}
