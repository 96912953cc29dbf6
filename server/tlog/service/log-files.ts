import { LRUCache } from 'lru-cache';

import { equalBytes } from '../encoding/bytes.ts';
import { FormatFault } from '../encoding/fault.ts';
import { hasher } from '../statements/statement-row.ts';
import type { LogSource } from '../tree/authentic-tiles.ts';
import { cutBundle, decodeBundle } from '../tree/entry-bundle.ts';
import { hashBytes } from '../tree/hasher.ts';
import { tileKey } from '../tree/proof-plan.ts';
import { rootOfEdge } from '../tree/root.ts';
import { edgeTiles, parentOf, tileWidth } from '../tree/tile-layout.ts';
import {
  formatTilePath,
  fullWidth,
  type BundleName,
  type LogResource,
  type TileName,
} from '../tree/tile-name.ts';
import { cutTile, Tile } from '../tree/tile.ts';
import type { TreeHead } from '../tree/verify.ts';
import { damageFailure, type DamageBook } from './damage.ts';
import { MadeFiles } from './made-files.ts';
import type { LogTable } from './sql.ts';
import { pathOf, type LogFile, type TileStore } from './tile-store.ts';

const bytesMost = 32 << 20;
/** 16 KiB each: those of a log of a million entries. Beyond them a proof hashes 255 nodes more. */
const tilesMost = 4_096;

export interface LogFilesParts {
  readonly tiles: TileStore;
  readonly table: Pick<LogTable, 'entries'>;
  readonly damage: DamageBook;
}

/** Tells whether bytes are the file that the tree says. */
type Test = (bytes: Uint8Array) => boolean;

/**
 * The files of the log, each checked against the root of a tree before anybody gets it: the partial
 * tiles make up the root, every full tile has its root in the tile above, every entry its hash in
 * the tile of level 0. A file that fails is made anew from the entries in the database. Each path
 * has one content for ever, so a checked file is kept as long as there is room.
 */
export class LogFiles {
  readonly #parts: LogFilesParts;
  readonly #made: MadeFiles;
  /** Bytes by path, of files that were checked or made here. */
  readonly #bytes = new LRUCache<string, Uint8Array>({
    maxSize: bytesMost,
    sizeCalculation: (bytes) => bytes.length + 1,
  });
  /** Tiles with the hashes above them, for proofs: the widest requested of each. */
  readonly #tiles = new LRUCache<number, Tile>({ max: tilesMost });
  /** Checks by path, shared by concurrent requests of a file. */
  readonly #checks = new Map<string, Promise<Uint8Array>>();
  /** Edges by size of the tree. */
  readonly #edges = new Map<number, Promise<void>>();

  constructor(parts: LogFilesParts) {
    this.#parts = parts;
    this.#made = new MadeFiles(parts.tiles, parts.table);
  }

  /** Stores files; resolves once all are durable. An existing file must be equal. */
  async put(files: readonly LogFile[]): Promise<void> {
    await this.#parts.tiles.put(files);
    for (const { path, bytes } of files) this.#bytes.set(path, bytes);
  }

  /** Returns the content of a path in a tree; undefined if it reaches beyond the tree. */
  async serve(resource: LogResource, tree: TreeHead): Promise<Uint8Array | undefined> {
    const { name } = resource;
    const width = tileWidth({ level: 0, ...name }, tree.size);
    if (width < name.width) return undefined;
    const bytes = await this.#whole(widened(resource, width), tree);
    if (name.width === width) return bytes;
    return resource.kind === 'tile' ? cutTile(bytes, name.width) : cutBundle(bytes, name.width);
  }

  /** Returns a tile of a tree for proofs, as wide as in a later stored one. */
  async tile(name: TileName, stored: TreeHead): Promise<Tile> {
    const known = this.known(name);
    if (known) return known;
    const tile = new Tile(hasher, name, await this.#served({ kind: 'tile', name }, stored));
    const kept = this.#tiles.peek(tileKey(name));
    if (kept === undefined || kept.name.width < name.width) this.#tiles.set(tileKey(name), tile);
    return tile;
  }

  /** The tile if it is in memory. */
  known(name: TileName): Tile | undefined {
    const kept = this.#tiles.get(tileKey(name));
    return kept?.name.width === name.width ? kept : undefined;
  }

  /** Returns the log up to a stored tree, for a verifier that trusts nothing. */
  source(stored: TreeHead): LogSource {
    return {
      tile: (name) => this.#served({ kind: 'tile', name }, stored),
      bundle: (name) => this.#served({ kind: 'bundle', name }, stored),
    };
  }

  async #served(resource: LogResource, tree: TreeHead): Promise<Uint8Array> {
    const bytes = await this.serve(resource, tree);
    if (bytes) return bytes;
    throw new RangeError(`a tree of size ${tree.size} has no ${pathOf(resource)}`);
  }

  /** Reads a file of the width in a tree, and checks it. */
  async #whole(resource: LogResource, tree: TreeHead): Promise<Uint8Array> {
    const path = pathOf(resource);
    const known = this.#bytes.get(path) ?? this.#checks.get(path);
    if (known) return known;
    const checking = this.#check(resource, tree).finally(() => this.#checks.delete(path));
    this.#checks.set(path, checking);
    return checking;
  }

  async #check(resource: LogResource, tree: TreeHead): Promise<Uint8Array> {
    const path = pathOf(resource);
    if (resource.kind === 'tile' && resource.name.width < fullWidth) {
      const edge = await this.#edge(tree);
      return edge.get(path) ?? this.#fail([path]);
    }
    const isRight = await this.#testOf(resource, tree);
    const stored = await this.#parts.tiles.read(path);
    if (stored && isRight(stored)) return this.#keep(path, stored);
    for (const trust of ['tiles', 'entries'] as const) {
      const made = await this.#made.make(resource, trust);
      if (made && isRight(made)) return this.#replace(path, stored, made);
    }
    return this.#fail([path]);
  }

  async #testOf(resource: LogResource, tree: TreeHead): Promise<Test> {
    if (resource.kind === 'bundle') {
      const { name } = resource;
      const hashes = await this.#tileOf({ level: 0, ...name }, tree);
      return (bytes) => hasEntries(name, bytes, hashes);
    }
    const { name } = resource;
    const { tile, position } = parentOf(name);
    const width = tileWidth(tile, tree.size);
    const above = await this.#tileOf({ ...tile, width }, tree);
    const wanted = above.subarray(position * hashBytes, (position + 1) * hashBytes);
    return (bytes) => hasRoot(name, bytes, wanted);
  }

  #tileOf(name: TileName, tree: TreeHead): Promise<Uint8Array> {
    return this.#whole({ kind: 'tile', name }, tree);
  }

  /** The partial tiles of a tree by path, which only all together can be checked. */
  async #edge(tree: TreeHead): Promise<ReadonlyMap<string, Uint8Array>> {
    const running = this.#edges.get(tree.size);
    const checking = running ?? this.#checkEdge(tree).finally(() => this.#edges.delete(tree.size));
    this.#edges.set(tree.size, checking);
    await checking;
    const paths = edgeTiles(tree.size).map(formatTilePath);
    return new Map(paths.flatMap((path) => pairOf(path, this.#bytes.get(path))));
  }

  async #checkEdge(tree: TreeHead): Promise<void> {
    const names = edgeTiles(tree.size);
    const stored = await Promise.all(
      names.map((name) => this.#parts.tiles.read(formatTilePath(name))),
    );
    if (isEdge(names, stored, tree)) {
      for (const [at, name] of names.entries()) this.#keepIfThere(formatTilePath(name), stored[at]);
      return;
    }
    for (const trust of ['tiles', 'entries'] as const) {
      const made: (Uint8Array | undefined)[] = [];
      for (const name of names) made.push(await this.#made.make({ kind: 'tile', name }, trust));
      if (!isEdge(names, made, tree)) continue;
      for (const [at, name] of names.entries()) {
        const [path, bytes] = [formatTilePath(name), made[at]];
        if (bytes) await this.#replace(path, stored[at], bytes);
      }
      return;
    }
    this.#fail(names.map(formatTilePath));
  }

  #keepIfThere(path: string, bytes: Uint8Array | undefined): void {
    if (bytes) this.#keep(path, bytes);
  }

  #keep(path: string, bytes: Uint8Array): Uint8Array {
    this.#bytes.set(path, bytes);
    this.#parts.damage.isWhole(this.#placeOf(path));
    return bytes;
  }

  /** Replaces a file; the new content is valid even if it cannot be stored. */
  async #replace(
    path: string,
    stored: Uint8Array | undefined,
    made: Uint8Array,
  ): Promise<Uint8Array> {
    this.#bytes.set(path, made);
    if (stored && equalBytes(stored, made)) return made;
    const { damage, tiles } = this.#parts;
    const what = stored ? 'damaged' : 'missing';
    damage.note(this.#placeOf(path), what, { isRepaired: false });
    try {
      await tiles.replace({ path, bytes: made });
    } catch (error) {
      damage.staysDamaged(this.#placeOf(path), error);
      return made;
    }
    damage.note(this.#placeOf(path), what, { isRepaired: true });
    return made;
  }

  #fail(paths: readonly string[]): never {
    const places = paths.map((path) => this.#placeOf(path));
    for (const place of places) this.#parts.damage.note(place, 'damaged', { isRepaired: false });
    throw damageFailure(places.join(', '));
  }

  #placeOf(path: string): string {
    return this.#parts.tiles.prefix + path;
  }
}

function widened(resource: LogResource, width: number): LogResource {
  return resource.kind === 'tile'
    ? { kind: 'tile', name: { ...resource.name, width } }
    : { kind: 'bundle', name: { ...resource.name, width } };
}

function pairOf(path: string, bytes: Uint8Array | undefined): [string, Uint8Array][] {
  return bytes ? [[path, bytes]] : [];
}

function hasRoot(name: TileName, bytes: Uint8Array, root: Uint8Array): boolean {
  return (
    bytes.length === name.width * hashBytes &&
    equalBytes(new Tile(hasher, name, bytes).root(), root)
  );
}

function hasEntries(name: BundleName, bytes: Uint8Array, hashes: Uint8Array): boolean {
  try {
    return decodeBundle(name, bytes).every((entry, position) => {
      const hash = hashes.subarray(position * hashBytes, (position + 1) * hashBytes);
      return equalBytes(hasher.leaf(entry), hash);
    });
  } catch (error) {
    if (error instanceof FormatFault) return false;
    throw error;
  }
}

function isEdge(
  names: readonly TileName[],
  parts: readonly (Uint8Array | undefined)[],
  tree: TreeHead,
): boolean {
  const tiles = names.flatMap((name, at) => {
    const bytes = parts[at];
    const isLong = bytes?.length === name.width * hashBytes;
    return isLong ? [new Tile(hasher, name, bytes)] : [];
  });
  return tiles.length === names.length && equalBytes(rootOfEdge(hasher, tiles), tree.root);
}
