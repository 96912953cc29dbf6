import { FormatFault } from '../encoding/fault.ts';
import { hashBytes, type TreeHasher } from './hasher.ts';
import { tileHeight } from './tile-layout.ts';
import { formatTilePath, type TileName } from './tile-name.ts';

/** Fails unless there are as many hashes as the tile is wide. */
export function checkTileLength(name: TileName, bytes: Uint8Array): void {
  const wanted = name.width * hashBytes;
  if (bytes.length === wanted) return;
  const path = formatTilePath(name);
  throw new FormatFault(`${path} has ${bytes.length} bytes, not ${name.width} hashes (${wanted})`);
}

/** The tile as a narrower one: every partial width of it is a beginning of its bytes. */
export function cutTile(bytes: Uint8Array, width: number): Uint8Array {
  if (bytes.length < width * hashBytes) {
    throw new RangeError(`a tile of ${bytes.length} bytes has no ${width} hashes`);
  }
  return bytes.subarray(0, width * hashBytes);
}

/** A tile and the nodes above its hashes, as far as they are roots of full subtrees. */
export class Tile {
  readonly name: TileName;
  readonly bytes: Uint8Array;
  /** Hashes by height in the tile, those of one height back to back. */
  readonly #heights: readonly Uint8Array[];

  constructor(hasher: TreeHasher, name: TileName, bytes: Uint8Array) {
    checkTileLength(name, bytes);
    this.name = name;
    this.bytes = bytes;
    const heights = [bytes];
    for (let height = 1; height <= tileHeight; height++) {
      heights.push(hashPairs(hasher, heights[height - 1] ?? bytes));
    }
    this.#heights = heights;
  }

  /** The hash of the node `height` levels above the tile's own, counted from its left. */
  hash(height: number, position: number): Uint8Array {
    const hashes = this.#heights[height] ?? new Uint8Array();
    const hash = hashes.subarray(position * hashBytes, (position + 1) * hashBytes);
    if (hash.length === hashBytes) return hash;
    const path = formatTilePath(this.name);
    throw new RangeError(`${path} has no node ${position} at height ${height}`);
  }

  /** The root over a full tile: what the tile above has in its place. */
  root(): Uint8Array {
    return this.hash(tileHeight, 0);
  }

  /** The hashes a tree is cut off after: of the largest full subtrees, from the left. */
  *peaks(): Generator<Uint8Array> {
    let position = 0;
    for (let height = tileHeight; height >= 0; height--) {
      const width = 2 ** height;
      if (this.name.width - position < width) continue;
      yield this.hash(height, position / width);
      position += width;
    }
  }
}

/** Hashes pairs into the level above; a hash that is left over has no node yet. */
function hashPairs(hasher: TreeHasher, hashes: Uint8Array): Uint8Array {
  const pairBytes = 2 * hashBytes;
  const pairCount = Math.floor(hashes.length / pairBytes);
  const above = new Uint8Array(pairCount * hashBytes);
  for (let pair = 0; pair < pairCount; pair++) {
    const left = hashes.subarray(pair * pairBytes, pair * pairBytes + hashBytes);
    const right = hashes.subarray(pair * pairBytes + hashBytes, (pair + 1) * pairBytes);
    above.set(hasher.node(left, right), pair * hashBytes);
  }
  return above;
}
