import { equalBytes } from '../encoding/bytes.ts';
import { ProofFault } from '../encoding/fault.ts';
import { hashBytes, type TreeHasher } from './hasher.ts';
import { rootOfEdge } from './root.ts';
import { edgeTiles } from './tile-layout.ts';
import { fullWidth, type TileName } from './tile-name.ts';
import { Tile } from './tile.ts';

/** A stored tile. */
export interface TileContent {
  readonly name: TileName;
  readonly bytes: Uint8Array;
}

/** The tile of a level that is not full yet. */
interface OpenTile {
  index: number;
  width: number;
  readonly bytes: Uint8Array;
  /** True when it has hashes that `grow` did not give away yet. */
  isNew: boolean;
}

/**
 * The right edge of a tree: the tiles that are not full. It suffices to append and to compute the
 * root; everything to the left never changes.
 */
export class TreeEdge {
  readonly #hasher: TreeHasher;
  /** Open tiles by level, changed only by `grow` and `open`, never across an await. */
  readonly #levels: OpenTile[] = [];
  #size = 0;

  constructor(hasher: TreeHasher) {
    this.#hasher = hasher;
  }

  /** Takes up a tree again; `read` answers its partial tiles. Fails if they have another root. */
  static open(
    hasher: TreeHasher,
    tree: { readonly size: number; readonly root: Uint8Array },
    read: (name: TileName) => Uint8Array,
  ): TreeEdge {
    const edge = new TreeEdge(hasher);
    for (const name of edgeTiles(tree.size)) {
      const level = edge.#levelAt(name.level);
      level.bytes.set(new Tile(hasher, name, read(name)).bytes);
      level.width = name.width;
    }
    edge.#size = tree.size;
    for (const [level, open] of edge.#levels.entries()) {
      open.index = Math.floor(tree.size / fullWidth ** (level + 1));
    }
    if (equalBytes(edge.root(), tree.root)) return edge;
    throw new ProofFault(`the partial tiles are not those of this tree of size ${tree.size}`);
  }

  get size(): number {
    return this.#size;
  }

  root(): Uint8Array {
    return rootOfEdge(this.#hasher, this.#openTiles());
  }

  /**
   * Appends leaves and answers the tiles that were not there before or were narrower: those that
   * have become full, and the partial ones of the new size.
   */
  grow(leafHashes: Iterable<Uint8Array>): TileContent[] {
    const finished: TileContent[] = [];
    for (const hash of leafHashes) {
      this.#push(0, hash, finished);
      this.#size++;
    }
    for (const [level, open] of this.#levels.entries()) {
      if (!open.isNew) continue;
      open.isNew = false;
      if (open.width > 0) finished.push(contentOf(level, open));
    }
    return finished;
  }

  /** The partial tiles, level 0 first: what `open` reads. */
  partialTiles(): TileContent[] {
    return [...this.#levels.entries()]
      .filter(([, open]) => open.width > 0)
      .map(([level, open]) => contentOf(level, open));
  }

  #push(level: number, hash: Uint8Array, finished: TileContent[]): void {
    const open = this.#levelAt(level);
    if (hash.length !== hashBytes) throw new RangeError(`a hash has ${hash.length} bytes`);
    open.bytes.set(hash, open.width * hashBytes);
    open.width++;
    open.isNew = true;
    if (open.width < fullWidth) return;
    const full = contentOf(level, open);
    finished.push(full);
    open.index++;
    open.width = 0;
    this.#push(level + 1, new Tile(this.#hasher, full.name, full.bytes).root(), finished);
  }

  #levelAt(level: number): OpenTile {
    while (this.#levels.length <= level) {
      const bytes = new Uint8Array(fullWidth * hashBytes);
      this.#levels.push({ index: 0, width: 0, bytes, isNew: false });
    }
    const open = this.#levels[level];
    if (open === undefined) throw new RangeError(`there is no level ${level}`);
    return open;
  }

  #openTiles(): Tile[] {
    return this.partialTiles().map(({ name, bytes }) => new Tile(this.#hasher, name, bytes));
  }
}

function contentOf(level: number, { index, width, bytes }: OpenTile): TileContent {
  return { name: { level, index, width }, bytes: bytes.slice(0, width * hashBytes) };
}
