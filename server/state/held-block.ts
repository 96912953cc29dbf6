import { Block } from './block.ts';
import type { Scale } from './scale.ts';
import type { NodeSource } from './tree/nodes.ts';

/** Whoever holds the owner of a column or block may change it; all others copy it first. */
export type Owner = symbol;

/** Which rows of one column a block is for. */
export interface BlockPlace {
  readonly branch: number;
  readonly sequence: number;
  readonly index: number;
}

/** A block that is in storage and was not needed yet. */
export interface UnreadBlock {
  readonly place: BlockPlace;
  readonly digest: Buffer;
  readonly source: NodeSource;
  read(): Block;
}

/** Measured: one that was not read, with its hash and how to read it. */
const unreadBytes = 450;

/** A block of a column, read from storage at its first use. Forks of a state share this too. */
export class HeldBlock {
  readonly owner: Owner;
  #block: Block | undefined;
  #unread: UnreadBlock | undefined;

  private constructor(owner: Owner, block: Block | undefined, unread: UnreadBlock | undefined) {
    this.owner = owner;
    this.#block = block;
    this.#unread = unread;
  }

  static of(owner: Owner, block: Block): HeldBlock {
    return new HeldBlock(owner, block, undefined);
  }

  static unread(owner: Owner, unread: UnreadBlock): HeldBlock {
    return new HeldBlock(owner, undefined, unread);
  }

  get place(): BlockPlace {
    return this.#unread?.place ?? this.block;
  }

  /** Of the stored form, as far as it is known without reading the block. */
  get digest(): Buffer | null | undefined {
    return this.#unread?.digest ?? this.block.digest;
  }

  /** Of the block, once it was read. */
  get openBytes(): number {
    return this.#block?.byteCount ?? 0;
  }

  /** What it keeps in memory: unread ones little, beside what they are read from. */
  weigh(scale: Scale): void {
    // One that was read is part of what its block takes.
    this.#block?.weigh(scale);
    if (!this.#unread || !scale.isNew(this)) return;
    scale.add(unreadBytes);
    scale.share(this.#unread.source);
  }

  /** For somebody who writes to it; it need not be read for that. */
  copy(): Block {
    return this.#unread
      ? Block.after(this.#unread.place, this, this.#unread.digest)
      : this.block.copy();
  }

  /** Reads all that it is made of. */
  readThrough(): void {
    this.block.readBase();
  }

  get block(): Block {
    return this.#block ?? this.#read();
  }

  #read(): Block {
    if (!this.#unread) throw new Error('a block is neither here nor in storage');
    this.#block = this.#unread.read();
    this.#unread = undefined;
    return this.#block;
  }
}
