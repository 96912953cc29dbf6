import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import { equalBytes } from '../encoding/bytes.ts';
import { FormatFault, ProofFault } from '../encoding/fault.ts';
import { nodeCrypto } from '../node-crypto.ts';
import { parseCheckpoint } from '../note/checkpoint.ts';
import { parseNote, verifyNote } from '../note/note.ts';
import { encodeBundle } from '../tree/entry-bundle.ts';
import { levelWidth } from '../tree/tile-layout.ts';
import { formatBundlePath, formatTilePath, fullWidth, parseLogPath } from '../tree/tile-name.ts';
import type { DamageBook, LogDamage } from './damage.ts';
import { LogHalted } from './halted.ts';
import { LogFiles } from './log-files.ts';
import type { Published, PublishedTree } from './published.ts';
import type { LogSigner } from './signing-keys.ts';
import type { LogTable } from './sql.ts';
import { pathOf, type TileStore } from './tile-store.ts';

export interface AuditParts {
  readonly tiles: TileStore;
  readonly table: Pick<LogTable, 'entries' | 'bundlesOf'>;
  readonly published: Published;
  readonly signer: Pick<LogSigner, 'keys' | 'origin'>;
  readonly damage: DamageBook;
  readonly environment: Pick<Environment, 'random'>;
}

/** Bundles without entries of the workbook that one check reads. */
const othersMost = 32;
const readsAtOnce = 8;

/** Reads the published log from the store, without caches. */
export class LogAudit {
  readonly #parts: AuditParts;
  /** The bundle whose turn is next; undefined before the first check. */
  #turn: number | undefined;

  constructor(parts: AuditParts) {
    this.#parts = parts;
  }

  /**
   * Returns all that is wrong, and all that was made anew since somebody asked last. It checks the
   * files of the entries with this tag and the tiles that lead from them to the root, and goes on
   * with the others from where the last check ended.
   */
  async check(tag: Uint8Array): Promise<LogDamage[]> {
    const { published, damage } = this.#parts;
    const { newest } = published;
    if (newest && newest.size > 0) await this.#checkTree(newest, tag);
    return damage.take();
  }

  async #checkTree(tree: PublishedTree, tag: Uint8Array): Promise<void> {
    const { tiles, table, damage } = this.#parts;
    const files = new LogFiles({ tiles, table, damage });
    const wanted = await this.#wanted(tree, tag);
    await inParts(wanted, (index) => this.#checkBundle(files, index, tree));
    const folders = narrowerFolders(wanted, tree.size);
    await inParts(folders, (folder) => this.#checkNarrower(files, folder, tree));
    await this.#checkCheckpoint(tree);
  }

  /** Returns the bundles with a tag, the last one, and some of all others, which take turns. */
  async #wanted({ size }: PublishedTree, tag: Uint8Array): Promise<number[]> {
    const { table, environment } = this.#parts;
    const count = Math.ceil(size / fullWidth);
    const wanted = new Set(await table.bundlesOf(tag, size)).add(count - 1);
    const most = Math.min(count, wanted.size + othersMost);
    // Processes that end soon would check the first ones alone.
    let turn = this.#turn ?? Buffer.from(environment.random(4)).readUInt32LE();
    for (; wanted.size < most; turn++) wanted.add(turn % count);
    this.#turn = turn % count;
    return [...wanted].toSorted((one, other) => one - other);
  }

  /** Checks a bundle with the tile of its hashes, those above, and the rows of its entries. */
  async #checkBundle(files: LogFiles, index: number, tree: PublishedTree): Promise<void> {
    const width = Math.min(fullWidth, tree.size - index * fullWidth);
    const bundle = await noted(() => files.serve({ kind: 'bundle', name: { index, width } }, tree));
    if (!bundle) return;
    const from = index * fullWidth;
    const rows = await this.#rows(from, from + width);
    if (rows && equalBytes(encodeBundle(rows.map(({ entry }) => entry)), bundle)) return;
    const where = `postgres:tlog_entry/${await this.#firstWrong(bundle, from, width)}`;
    this.#parts.damage.note(where, rows ? 'damaged' : 'missing', { isRepaired: false });
  }

  async #rows(from: number, to: number) {
    try {
      return await this.#parts.table.entries(from, to);
    } catch (error) {
      if (error instanceof LogHalted) return undefined;
      throw error;
    }
  }

  /** The index of the first row that is not the entry of the bundle. */
  async #firstWrong(bundle: Uint8Array, from: number, width: number): Promise<number> {
    let at = 0;
    for (let index = from; index < from + width; index++) {
      const rows = await this.#rows(index, index + 1);
      const own = encodeBundle((rows ?? []).map(({ entry }) => entry));
      if (own.length === 0 || !equalBytes(own, bundle.subarray(at, at + own.length))) return index;
      at += own.length;
    }
    return from;
  }

  /**
   * Checks partial tiles and bundles of earlier checkpoints: readers of those may be on the way
   * still.
   */
  async #checkNarrower(files: LogFiles, folder: string, tree: PublishedTree): Promise<void> {
    const { tiles, damage } = this.#parts;
    for await (const path of tiles.paths(folder)) {
      const resource = resourceOf(path);
      const right = resource && (await noted(() => files.serve(resource, tree)));
      if (!right) continue;
      const stored = await tiles.read(path);
      if (!stored || equalBytes(stored, right)) continue;
      const where = tiles.prefix + path;
      damage.note(where, 'damaged', { isRepaired: false });
      await tiles.replace({ path, bytes: right });
      damage.note(where, 'damaged', { isRepaired: true });
    }
  }

  /** The stored checkpoint may be newer than the one this process knows, never another one. */
  async #checkCheckpoint(tree: PublishedTree): Promise<void> {
    const { tiles, damage } = this.#parts;
    const where = `${tiles.prefix}checkpoint`;
    const bytes = await tiles.read('checkpoint');
    const stored = bytes && Buffer.from(bytes).toString('utf8');
    if (stored === tree.note || (stored !== undefined && (await this.#isOurs(stored)))) {
      damage.isWhole(where);
      return;
    }
    damage.note(where, stored === undefined ? 'missing' : 'damaged', { isRepaired: false });
  }

  async #isOurs(text: string): Promise<boolean> {
    const { signer, published } = this.#parts;
    try {
      const note = await verifyNote(nodeCrypto, parseNote(text), signer.keys);
      const { origin, size, root } = parseCheckpoint(note.text);
      if (origin !== signer.origin) return false;
      const own = await published.at(size);
      return own === undefined || equalBytes(own.root, root);
    } catch (error) {
      if (error instanceof FormatFault || error instanceof ProofFault) return false;
      throw error;
    }
  }
}

async function inParts<Item>(
  items: readonly Item[],
  check: (item: Item) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < items.length; at += readsAtOnce) {
    await Promise.all(items.slice(at, at + readsAtOnce).map(check));
  }
}

/** Returns the folders of partial bundles, and of partial tiles from there up to the root. */
function narrowerFolders(bundles: readonly number[], size: number): string[] {
  const folders = new Set(bundles.map((index) => formatBundlePath({ index, width: fullWidth })));
  let indexes = bundles;
  for (let level = 0; levelWidth(level, size) > 0; level++) {
    for (const index of indexes) folders.add(formatTilePath({ level, index, width: fullWidth }));
    indexes = [...new Set(indexes.map((index) => Math.floor(index / fullWidth)))];
  }
  return [...folders].map((path) => `${path}.p/`);
}

function resourceOf(path: string) {
  try {
    const resource = parseLogPath(path);
    return pathOf(resource) === path ? resource : undefined;
  } catch (error) {
    if (error instanceof FormatFault) return undefined;
    throw error;
  }
}

/** Returns undefined where it is damaged for good, which is in the book then. */
async function noted<Result>(action: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof Failure && error.key === 'logDamaged') return undefined;
    throw error;
  }
}
