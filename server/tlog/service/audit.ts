import { Failure } from '../../model/failure.ts';
import { equalBytes } from '../encoding/bytes.ts';
import { FormatFault, ProofFault } from '../encoding/fault.ts';
import { nodeCrypto } from '../node-crypto.ts';
import { parseCheckpoint } from '../note/checkpoint.ts';
import { parseNote, verifyNote } from '../note/note.ts';
import { encodeBundle } from '../tree/entry-bundle.ts';
import { fullWidth, parseLogPath } from '../tree/tile-name.ts';
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
}

/**
 * Bundles up to which the whole log is checked; a larger log is checked only as far as the entries
 * of a workbook depend on it.
 */
const bundlesMost = 1_024;
const readsAtOnce = 8;

/** Reads the published log from the store, without caches. */
export class LogAudit {
  readonly #parts: AuditParts;

  constructor(parts: AuditParts) {
    this.#parts = parts;
  }

  /**
   * Returns all that is wrong, and all that was made anew since somebody asked last. In a log of
   * more than 262,144 entries it checks the files of the entries with this tag, and the tiles that
   * lead from them to the root.
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
    const count = Math.ceil(tree.size / fullWidth);
    const isWhole = count <= bundlesMost;
    const wanted = isWhole
      ? Array.from({ length: count }, (_, index) => index)
      : await table.bundlesOf(tag, tree.size);
    for (let at = 0; at < wanted.length; at += readsAtOnce) {
      const part = wanted.slice(at, at + readsAtOnce);
      await Promise.all(part.map((index) => this.#checkBundle(files, index, tree)));
    }
    if (isWhole) await this.#checkNarrower(files, tree);
    await this.#checkCheckpoint(tree);
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
  async #checkNarrower(files: LogFiles, tree: PublishedTree): Promise<void> {
    const { tiles, damage } = this.#parts;
    for await (const path of tiles.paths()) {
      if (!path.includes('.p/')) continue;
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
    const stored = await tiles.checkpoint();
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
