import { fullWidth, type TileName } from './tile-name.ts';

/** A tile spans so many levels of the tree: 2^8 is its full width. */
export const tileHeight = 8;

/** The perfect subtree of 2^height leaves that has `index` such subtrees to its left. */
export interface TreeNode {
  readonly height: number;
  readonly index: number;
}

/** Levels that a path can name. */
export const levelCount = 64;
const spans = Array.from({ length: levelCount }, (_, level) => fullWidth ** level);

/** Entries below one hash of a level. */
function spanOf(level: number): number {
  return spans[level] ?? Infinity;
}

/** Number of hashes that a level has in a tree: only of subtrees that are full. */
export function levelWidth(level: number, size: number): number {
  return Math.floor(size / spanOf(level));
}

/** Number of hashes that a tile has in a tree of this size: 0 if there is no such tile. */
export function tileWidth(tile: Omit<TileName, 'width'>, size: number): number {
  const rest = levelWidth(tile.level, size) - tile.index * fullWidth;
  return Math.max(0, Math.min(fullWidth, rest));
}

/** Returns the tile of a node, with its width in a tree of this size. */
export function tileOfNode(node: TreeNode, size: number): TileName {
  const level = Math.floor(node.height / tileHeight);
  const first = node.index * (1 << (node.height % tileHeight));
  const place = { level, index: Math.floor(first / fullWidth) };
  return { ...place, width: tileWidth(place, size) };
}

/** The partial tiles of a tree, from level 0 up: together they determine its root. */
export function edgeTiles(size: number): TileName[] {
  const tiles: TileName[] = [];
  for (let level = 0; levelWidth(level, size) > 0; level++) {
    const width = levelWidth(level, size) % fullWidth;
    const index = Math.floor(levelWidth(level, size) / fullWidth);
    if (width > 0) tiles.push({ level, index, width });
  }
  return tiles;
}

/** Yields every tile of a tree, level by level. */
export function tilesOfTree(size: number): Generator<TileName> {
  return tilesOfGrowth(0, size);
}

/** The tiles that a tree has and one of its earlier sizes had not, or not so wide. */
export function* tilesOfGrowth(oldSize: number, size: number): Generator<TileName> {
  for (let level = 0; levelWidth(level, size) > 0; level++) {
    const oldWidth = levelWidth(level, oldSize);
    const width = levelWidth(level, size);
    if (width === oldWidth) continue;
    const first = Math.floor(oldWidth / fullWidth);
    for (let index = first; index * fullWidth < width; index++) {
      yield { level, index, width: tileWidth({ level, index }, size) };
    }
  }
}

/** The node of which a full tile is the part below: where the hash of the whole tile stands. */
export function parentOf(tile: TileName): { tile: Omit<TileName, 'width'>; position: number } {
  const index = Math.floor(tile.index / fullWidth);
  return { tile: { level: tile.level + 1, index }, position: tile.index % fullWidth };
}
