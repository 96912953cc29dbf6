import { nodeCrypto } from '../../server/tlog/node-crypto.ts';
import type { LogSource } from '../../server/tlog/tree/authentic-tiles.ts';
import { TreeEdge } from '../../server/tlog/tree/edge.ts';
import { encodeBundle } from '../../server/tlog/tree/entry-bundle.ts';
import { TreeHasher } from '../../server/tlog/tree/hasher.ts';
import {
  formatBundlePath,
  formatTilePath,
  fullWidth,
  type BundleName,
  type TileName,
} from '../../server/tlog/tree/tile-name.ts';
import type { TreeHead } from '../../server/tlog/tree/verify.ts';

export const hasher = new TreeHasher(nodeCrypto.sha256);

/** The entries of the specification's vectors. */
export function numberedEntries(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => Buffer.from(`entry ${index}`));
}

/** A log in memory, with every tile of all of its sizes. */
export class LogDouble implements LogSource {
  readonly #edge = new TreeEdge(hasher);
  /** Files by path. A test may change them, like a broken or malicious store. */
  readonly files = new Map<string, Uint8Array>();
  readonly entries: Uint8Array[] = [];

  grow(entries: readonly Uint8Array[]): TreeHead {
    const first = Math.floor(this.entries.length / fullWidth) * fullWidth;
    for (const entry of entries) this.entries.push(entry);
    for (const { name, bytes } of this.#edge.grow(entries.map((entry) => hasher.leaf(entry)))) {
      this.files.set(formatTilePath(name), bytes);
    }
    for (let start = first; start < this.entries.length; start += fullWidth) {
      const bundle = this.entries.slice(start, start + fullWidth);
      const name = { index: start / fullWidth, width: bundle.length };
      this.files.set(formatBundlePath(name), encodeBundle(bundle));
    }
    return this.head();
  }

  head(): TreeHead {
    return { size: this.#edge.size, root: this.#edge.root() };
  }

  read(path: string): Uint8Array {
    const bytes = this.files.get(path);
    if (!bytes) throw new Error(`there is no ${path}`);
    return bytes;
  }

  readTile(name: TileName): Uint8Array {
    return this.read(formatTilePath(name));
  }

  async tile(name: TileName): Promise<Uint8Array> {
    return this.readTile(name);
  }

  async bundle(name: BundleName): Promise<Uint8Array> {
    return this.read(formatBundlePath(name));
  }
}

/** Yields copies of the bytes with one byte changed, each by its lowest bit and by another one. */
export function* changedBytes(bytes: Uint8Array): Generator<Uint8Array> {
  for (let index = 0; index < bytes.length; index++) {
    for (const mask of [0x01, 0x80 >>> (index % 8)]) {
      const changed = Uint8Array.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ mask;
      yield changed;
    }
  }
}
