import { hasher } from '../statements/statement-row.ts';
import { encodeBundle } from '../tree/entry-bundle.ts';
import { hashBytes } from '../tree/hasher.ts';
import { formatTilePath, fullWidth, type LogResource, type TileName } from '../tree/tile-name.ts';
import { Tile } from '../tree/tile.ts';
import { LogHalted } from './halted.ts';
import type { LogTable } from './sql.ts';
import type { TileStore } from './tile-store.ts';

/** Trust in the tiles below a repaired tile: all, or none. */
export type Trust = 'tiles' | 'entries';

/** Makes files of the log again; they must be checked, as rows can be damaged too. */
export class MadeFiles {
  readonly #tiles: Pick<TileStore, 'read'>;
  readonly #table: Pick<LogTable, 'entries'>;

  constructor(tiles: Pick<TileStore, 'read'>, table: Pick<LogTable, 'entries'>) {
    this.#tiles = tiles;
    this.#table = table;
  }

  /** Makes a file; undefined where the database has not all that it takes. */
  async make(resource: LogResource, trust: Trust): Promise<Uint8Array | undefined> {
    try {
      if (resource.kind === 'tile') return await this.#tile(resource.name, trust);
      const { index, width } = resource.name;
      const entries = await this.#entries(index * fullWidth, width);
      return encodeBundle(entries);
    } catch (error) {
      if (error instanceof LogHalted) return undefined;
      throw error;
    }
  }

  async #entries(from: number, count: number): Promise<Uint8Array[]> {
    const rows = await this.#table.entries(from, from + count);
    return rows.map(({ entry }) => entry);
  }

  async #tile(name: TileName, trust: Trust): Promise<Uint8Array> {
    const { level, index, width } = name;
    if (level === 0) {
      const entries = await this.#entries(index * fullWidth, width);
      return Buffer.concat(entries.map((entry) => hasher.leaf(entry)));
    }
    const bytes = new Uint8Array(width * hashBytes);
    for (let position = 0; position < width; position++) {
      const below = { level: level - 1, index: index * fullWidth + position, width: fullWidth };
      bytes.set(
        new Tile(hasher, below, await this.#below(below, trust)).root(),
        position * hashBytes,
      );
    }
    return bytes;
  }

  async #below(name: TileName, trust: Trust): Promise<Uint8Array> {
    const stored = trust === 'tiles' ? await this.#tiles.read(formatTilePath(name)) : undefined;
    if (stored?.length === fullWidth * hashBytes) return stored;
    return this.#tile(name, trust);
  }
}
