import { DamagedObject } from '../../storage/damaged-object.ts';
import type { Objects } from '../../storage/objects.ts';
import { equalBytes } from '../encoding/bytes.ts';
import { formatBundlePath, formatTilePath, type LogResource } from '../tree/tile-name.ts';
import { LogHalted } from './halted.ts';

/** A static server over this prefix is a log. */
export const firstPrefix = 'tlog/';

const putsAtOnce = 8;

/** A file of the log: its path below the prefix, and what it has for good. */
export interface LogFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

type LogObjects = Pick<Objects, 'get' | 'put' | 'list'>;

/** The files of the log in the object store, which are not checked here. */
export class TileStore {
  readonly #objects: LogObjects;
  readonly prefix: string;

  constructor(objects: LogObjects, prefix: string = firstPrefix) {
    this.#objects = objects;
    this.prefix = prefix;
  }

  /** Stores files; resolves once all are durable. An existing file must be equal. */
  async put(files: readonly LogFile[]): Promise<void> {
    for (let start = 0; start < files.length; start += putsAtOnce) {
      await Promise.all(files.slice(start, start + putsAtOnce).map((file) => this.#putOne(file)));
    }
  }

  async #putOne({ path, bytes }: LogFile): Promise<void> {
    const key = this.prefix + path;
    const outcome = await this.#objects.put(key, bytes, { ifNoneMatch: '*' });
    if (outcome !== 'exists') return;
    const there = await this.read(path);
    if (there !== undefined && equalBytes(there, bytes)) return;
    // A damaged file says nothing of another log.
    if (there?.length === 0) return this.replace({ path, bytes });
    throw new LogHalted(`${key} in the object store is not what the database makes of it`);
  }

  /** Replaces a damaged file. */
  async replace({ path, bytes }: LogFile): Promise<void> {
    await this.#objects.put(this.prefix + path, bytes);
  }

  /** Returns no bytes, which no file has, for one that the store itself says is damaged. */
  async read(path: string): Promise<Uint8Array | undefined> {
    try {
      return await this.#objects.get(this.prefix + path);
    } catch (error) {
      if (error instanceof DamagedObject) return new Uint8Array();
      throw error;
    }
  }

  /** Yields the paths of existing tiles and bundles in a folder. */
  async *paths(folder: string): AsyncGenerator<string> {
    for await (const key of this.#objects.list(this.prefix + folder)) {
      yield key.slice(this.prefix.length);
    }
  }

  /** Writes the checkpoint, which is the only file that changes. */
  async putCheckpoint(note: string): Promise<void> {
    await this.#objects.put(`${this.prefix}checkpoint`, Buffer.from(note));
  }

  /** Fails for one that is damaged: what it said is not known, so it must not count as missing. */
  async checkpoint(): Promise<string | undefined> {
    const bytes = await this.#objects.get(`${this.prefix}checkpoint`);
    return bytes && Buffer.from(bytes).toString('utf8');
  }
}

export function pathOf(resource: LogResource): string {
  return resource.kind === 'tile' ? formatTilePath(resource.name) : formatBundlePath(resource.name);
}
