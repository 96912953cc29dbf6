import { LRUCache } from 'lru-cache';

import { ownBytes } from '../../model/own-bytes.ts';
import { FormatFault, ProofFault } from '../encoding/fault.ts';
import { nodeCrypto } from '../node-crypto.ts';
import { parseCheckpoint } from '../note/checkpoint.ts';
import { parseNote, verifyNote } from '../note/note.ts';
import { damageFailure, type DamageBook } from './damage.ts';
import type { LogSigner } from './signing-keys.ts';
import type { LogTable, SignedTree } from './sql.ts';

/** A tree that everybody may know of. */
export interface PublishedTree {
  readonly size: number;
  readonly root: Uint8Array;
  readonly note: string;
  /** Milliseconds since the Unix epoch. */
  readonly publishedAt: number;
}

const treesMost = 1_000;

export interface PublishedParts {
  readonly table: Pick<LogTable, 'newestPublished' | 'signed'>;
  readonly signer: Pick<LogSigner, 'keys' | 'origin'>;
  readonly damage: DamageBook;
}

/** The published trees of the log. They only ever grow. */
export class Published {
  readonly #parts: PublishedParts;
  /** Older trees that were requested. */
  readonly #trees = new LRUCache<number, PublishedTree>({ max: treesMost });
  /** Newest tree; replaced by a larger one, or an equal one with more signatures. */
  #newest: PublishedTree | undefined;

  constructor(parts: PublishedParts) {
    this.#parts = parts;
  }

  /** Returns the newest tree; undefined until anything was published. */
  get newest(): PublishedTree | undefined {
    return this.#newest;
  }

  show(tree: PublishedTree): void {
    if (this.#newest !== undefined && this.#newest.size > tree.size) return;
    this.#newest = { ...tree, root: ownBytes(tree.root) };
    this.#trees.set(tree.size, this.#newest);
  }

  /** Takes over a tree that another process may have published meanwhile. */
  async refresh(): Promise<void> {
    const signed = await this.#parts.table.newestPublished();
    if (
      signed &&
      signed.size === this.#newest?.size &&
      signed.publishedNote === this.#newest.note
    ) {
      return;
    }
    const tree = publishedTree(signed);
    // The process that writes the log publishes it again in that case.
    if (tree && (await this.#isWhole(tree))) this.show(tree);
  }

  /** The tree of a size, if that was published. */
  async at(size: number): Promise<PublishedTree | undefined> {
    if (size === this.#newest?.size) return this.#newest;
    const known = this.#trees.get(size);
    if (known) return known;
    const tree = await this.#checked(await this.#parts.table.signed(size));
    if (tree) this.#trees.set(size, tree);
    return tree;
  }

  /** The published tree; fails where the row is not what the log signed. */
  async #checked(signed: SignedTree | undefined): Promise<PublishedTree | undefined> {
    const tree = publishedTree(signed);
    if (!tree) return undefined;
    if (await this.#isWhole(tree)) return tree;
    throw damageFailure(placeOf(tree));
  }

  async #isWhole(tree: PublishedTree): Promise<boolean> {
    const { damage } = this.#parts;
    const isSigned = await this.#isSigned(tree);
    if (isSigned) damage.isWhole(placeOf(tree));
    else damage.note(placeOf(tree), 'damaged', { isRepaired: false });
    return isSigned;
  }

  async #isSigned({ note, size, root }: PublishedTree): Promise<boolean> {
    const { signer } = this.#parts;
    try {
      const parsed = parseNote(note);
      const checkpoint = parseCheckpoint(parsed.text);
      const isSame = checkpoint.size === size && Buffer.from(root).equals(checkpoint.root);
      if (!isSame || checkpoint.origin !== signer.origin) return false;
      // An older one may have been signed by keys that were changed since: those say nothing here.
      const own = parsed.signatures.filter(({ name, keyId }) =>
        signer.keys.some((key) => key.name === name && key.id === keyId),
      );
      if (own.length > 0) await verifyNote(nodeCrypto, { ...parsed, signatures: own }, signer.keys);
      return true;
    } catch (error) {
      if (error instanceof FormatFault || error instanceof ProofFault) return false;
      throw error;
    }
  }
}

function placeOf({ size }: PublishedTree): string {
  return `postgres:tlog_signed/${size}`;
}

function publishedTree(signed: SignedTree | undefined): PublishedTree | undefined {
  if (!signed || signed.publishedNote === null || signed.publishedAt === null) return undefined;
  const { size, root, publishedNote: note, publishedAt } = signed;
  return { size, root, note, publishedAt: publishedAt.getTime() };
}
