import { LRUCache } from 'lru-cache';

import { Failure } from '../../model/failure.ts';
import type { Objects } from '../../storage/objects.ts';
import { equalBytes } from '../encoding/bytes.ts';
import { hasher } from '../statements/statement-row.ts';
import type { LogSource } from '../tree/authentic-tiles.ts';
import { cutBundle } from '../tree/entry-bundle.ts';
import { tileKey } from '../tree/proof-plan.ts';
import { tileWidth } from '../tree/tile-layout.ts';
import {
  formatBundlePath,
  formatTilePath,
  type BundleName,
  type LogResource,
  type TileName,
} from '../tree/tile-name.ts';
import { cutTile, Tile } from '../tree/tile.ts';
import { LogHalted } from './halted.ts';

/** A static server over this prefix is a log. */
export const logPrefix = 'tlog/';
const checkpointKey = `${logPrefix}checkpoint`;

const bytesMost = 32 << 20;
/** 16 KiB each: those of a log of a million entries. Beyond them a proof hashes 255 nodes more. */
const tilesMost = 4_096;
const putsAtOnce = 8;

/** A file of the log: its path below the prefix, and what it has for good. */
export interface LogFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * The files of the log in object storage. Each path but the checkpoint's has one content for ever,
 * so what was read once is kept as long as there is room.
 */
export class TileStore {
  readonly #objects: Pick<Objects, 'get' | 'put'>;
  readonly #bytes = new LRUCache<string, Uint8Array>({
    maxSize: bytesMost,
    sizeCalculation: (bytes) => bytes.length + 1,
  });
  /** With the hashes above them, for proofs: of each the widest that was asked for. */
  readonly #tiles = new LRUCache<number, Tile>({ max: tilesMost });
  /** Whoever asks for the same file waits for the same read. */
  readonly #reads = new Map<string, Promise<Uint8Array>>();

  constructor(objects: Pick<Objects, 'get' | 'put'>) {
    this.#objects = objects;
  }

  /** Resolves when all are durable; a file that is there already must be the same. */
  async put(files: readonly LogFile[]): Promise<void> {
    for (let start = 0; start < files.length; start += putsAtOnce) {
      await Promise.all(files.slice(start, start + putsAtOnce).map((file) => this.#putOne(file)));
    }
  }

  async #putOne({ path, bytes }: LogFile): Promise<void> {
    const key = logPrefix + path;
    const outcome = await this.#objects.put(key, bytes, { ifNoneMatch: '*' });
    if (outcome === 'exists') {
      const there = await this.#objects.get(key);
      if (there === undefined || !equalBytes(there, bytes)) {
        throw new LogHalted(`${key} in the object store is not what the database makes of it`);
      }
    }
    this.#bytes.set(path, bytes);
  }

  /** The one file that changes. */
  async putCheckpoint(note: string): Promise<void> {
    await this.#objects.put(checkpointKey, Buffer.from(note));
  }

  async checkpoint(): Promise<string | undefined> {
    const bytes = await this.#objects.get(checkpointKey);
    return bytes && Buffer.from(bytes).toString('utf8');
  }

  /** What a path has in a tree of this size; undefined if it reaches beyond the tree. */
  async serve({ kind, name }: LogResource, size: number): Promise<Uint8Array | undefined> {
    const width = tileWidth({ level: 0, ...name }, size);
    if (width < name.width) return undefined;
    const isTile = kind === 'tile';
    const stored = { ...name, width };
    const bytes = await this.#read(
      'level' in stored ? formatTilePath(stored) : formatBundlePath(stored),
    );
    if (name.width === width) return bytes;
    return isTile ? cutTile(bytes, name.width) : cutBundle(bytes, name.width);
  }

  /** A tile of a tree of this size, for proofs; as wide as it is in a later one that is stored. */
  async tile(name: TileName, storedSize: number): Promise<Tile> {
    const known = this.known(name);
    if (known) return known;
    const bytes = await this.serve({ kind: 'tile', name }, storedSize);
    if (!bytes) {
      throw new RangeError(`a tree of size ${storedSize} has no ${formatTilePath(name)}`);
    }
    const tile = new Tile(hasher, name, bytes);
    const kept = this.#tiles.peek(tileKey(name));
    if (kept === undefined || kept.name.width < name.width) this.#tiles.set(tileKey(name), tile);
    return tile;
  }

  /** One that is in memory. */
  known(name: TileName): Tile | undefined {
    const kept = this.#tiles.get(tileKey(name));
    return kept?.name.width === name.width ? kept : undefined;
  }

  /** The log at a size that is stored, for whoever believes nothing of it. */
  source(storedSize: number): LogSource {
    const read = async (resource: LogResource): Promise<Uint8Array> => {
      const bytes = await this.serve(resource, storedSize);
      if (bytes) return bytes;
      throw new RangeError(`a tree of size ${storedSize} has no ${pathOf(resource)}`);
    };
    return {
      tile: (name) => read({ kind: 'tile', name }),
      bundle: (name: BundleName) => read({ kind: 'bundle', name }),
    };
  }

  async #read(path: string): Promise<Uint8Array> {
    const known = this.#bytes.get(path) ?? this.#reads.get(path);
    if (known) return known;
    const reading = this.#fetch(path).finally(() => this.#reads.delete(path));
    this.#reads.set(path, reading);
    return reading;
  }

  async #fetch(path: string): Promise<Uint8Array> {
    const bytes = await this.#objects.get(logPrefix + path);
    if (!bytes) {
      throw new Failure('unavailable', {
        detail: `The object store has lost ${path} of the transparency log.`,
        hint: 'Send the same request again later.',
        headers: { 'Retry-After': '60' },
      });
    }
    this.#bytes.set(path, bytes);
    return bytes;
  }
}

export function pathOf(resource: LogResource): string {
  return resource.kind === 'tile' ? formatTilePath(resource.name) : formatBundlePath(resource.name);
}
