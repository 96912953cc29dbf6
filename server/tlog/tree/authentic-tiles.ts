import { equalBytes } from '../encoding/bytes.ts';
import { ProofFault } from '../encoding/fault.ts';
import { decodeBundle } from './entry-bundle.ts';
import type { TreeHasher } from './hasher.ts';
import { buildProof, planConsistency, planInclusion } from './proof-plan.ts';
import type { ProofPlan } from './proof-plan.ts';
import { rootOfEdge } from './root.ts';
import { edgeTiles, parentOf, tileWidth } from './tile-layout.ts';
import { formatBundlePath, formatTilePath, fullWidth } from './tile-name.ts';
import type { BundleName, TileName } from './tile-name.ts';
import { Tile } from './tile.ts';
import type { TreeHead } from './verify.ts';

/** Source of the bytes of a log; nothing is believed of them. */
export interface LogSource {
  tile(name: TileName): Promise<Uint8Array>;
  bundle(name: BundleName): Promise<Uint8Array>;
}

/**
 * The tiles of a tree whose root is known, from wherever. Each is checked before it is used: the
 * partial ones make up the root, and every full one has its own root in the tile above it.
 */
export class AuthenticTiles {
  readonly #hasher: TreeHasher;
  readonly #source: LogSource;
  readonly #tree: TreeHead;
  /** Checked tiles by path, or what will be one. Never dropped: a proof takes few. */
  readonly #tiles = new Map<string, Promise<Tile>>();
  #edge: Promise<ReadonlyMap<string, Tile>> | undefined;

  constructor(hasher: TreeHasher, source: LogSource, tree: TreeHead) {
    this.#hasher = hasher;
    this.#source = source;
    this.#tree = tree;
  }

  async proveInclusion(leafIndex: number): Promise<Uint8Array[]> {
    return this.#prove(planInclusion(leafIndex, this.#tree.size));
  }

  async proveConsistency(oldSize: number): Promise<Uint8Array[]> {
    return this.#prove(planConsistency(oldSize, this.#tree.size));
  }

  /** The hash of a leaf, as the tree has it. */
  async leafHash(leafIndex: number): Promise<Uint8Array> {
    const tile = await this.tile(0, Math.floor(leafIndex / fullWidth));
    return tile.hash(0, leafIndex % fullWidth);
  }

  /** The entries of a bundle, each checked against its leaf hash. */
  async entries(bundleIndex: number): Promise<Uint8Array[]> {
    const tile = await this.tile(0, bundleIndex);
    const name = { index: bundleIndex, width: tile.name.width };
    const entries = decodeBundle(name, await this.#source.bundle(name));
    for (const [position, entry] of entries.entries()) {
      if (equalBytes(this.#hasher.leaf(entry), tile.hash(0, position))) continue;
      throw new ProofFault(`entry ${position} of ${formatBundlePath(name)} is not what was logged`);
    }
    return entries;
  }

  /** Returns a tile with its width in the tree. */
  async tile(level: number, index: number): Promise<Tile> {
    const name = { level, index, width: tileWidth({ level, index }, this.#tree.size) };
    if (name.width === 0) {
      throw new RangeError(`a tree of size ${this.#tree.size} has no tile ${index} at ${level}`);
    }
    const path = formatTilePath(name);
    const known = this.#tiles.get(path);
    if (known !== undefined) return known;
    const tile = this.#check(name);
    this.#tiles.set(path, tile);
    // A source that failed once may answer the next time.
    tile.catch(() => this.#tiles.delete(path));
    return tile;
  }

  async #prove(plan: ProofPlan): Promise<Uint8Array[]> {
    const tiles = await Promise.all(plan.tiles.map(({ level, index }) => this.tile(level, index)));
    return buildProof(this.#hasher, plan, tiles);
  }

  async #check(name: TileName): Promise<Tile> {
    if (name.width < fullWidth) return found(await this.#readEdge(), name);
    const parent = parentOf(name);
    const [bytes, above] = await Promise.all([
      this.#source.tile(name),
      this.tile(parent.tile.level, parent.tile.index),
    ]);
    const tile = new Tile(this.#hasher, name, bytes);
    if (equalBytes(tile.root(), above.hash(0, parent.position))) return tile;
    throw new ProofFault(`${formatTilePath(name)} is not what the tile above it was made from`);
  }

  async #readEdge(): Promise<ReadonlyMap<string, Tile>> {
    this.#edge ??= this.#checkEdge();
    // As above: what failed is asked for again.
    this.#edge.catch(() => {
      this.#edge = undefined;
    });
    return this.#edge;
  }

  async #checkEdge(): Promise<ReadonlyMap<string, Tile>> {
    const tiles = await Promise.all(
      edgeTiles(this.#tree.size).map(async (name) => {
        return new Tile(this.#hasher, name, await this.#source.tile(name));
      }),
    );
    if (!equalBytes(rootOfEdge(this.#hasher, tiles), this.#tree.root)) {
      throw new ProofFault(
        `the partial tiles of size ${this.#tree.size} do not have the root of its checkpoint`,
      );
    }
    return new Map(tiles.map((tile) => [formatTilePath(tile.name), tile]));
  }
}

function found(tiles: ReadonlyMap<string, Tile>, name: TileName): Tile {
  const tile = tiles.get(formatTilePath(name));
  if (tile === undefined) throw new RangeError(`${formatTilePath(name)} was not read`);
  return tile;
}
