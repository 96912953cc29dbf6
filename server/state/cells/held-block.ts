import { Block } from './block.ts';
import { bytesOfEnds, type EndSpan } from './end-spans.ts';
import type { LineId } from '../ids/order.ts';
import type { Scale } from '../ids/scale.ts';
import type { NodeSource } from '../nodes/nodes.ts';
import { Trail } from './trail.ts';

/**
 * The owner of a column or block: code that holds this symbol may change it, all other code copies
 * it first.
 */
export type Owner = symbol;

/** The rows of one column that a block is for. */
export interface BlockPlace {
  readonly branch: number;
  readonly sequence: number;
  readonly index: number;
}

/** Lines of the genesis run have small numbers, all others their ids as text. */
export type LineKey = number | string;

/** The place of a block among the cells of a sheet; its copies have the same. */
export interface BlockSpot {
  readonly column: LineId;
  readonly key: LineKey;
}

/** Finds where the ranges of a block's formulas end: rather too many lines than too few. */
export type ReadEnds = (place: { column: LineId; block: Block }) => readonly EndSpan[];

/** A block that is in storage and was not needed yet. */
export interface UnreadBlock {
  readonly place: BlockPlace;
  /** Undefined for one that is stored in a former form. */
  readonly digest: Buffer | undefined;
  readonly source: NodeSource;
  read(): Block;
  /** False only if none of its cells has a legacy array formula. */
  mayHoldArrays(): boolean;
}

/** Measured: one that was not read, with its hash and how to read it. */
const unreadBytes = 500;

/** A block of a column, read from storage at its first use. Forks of a state share this too. */
export class HeldBlock {
  readonly owner: Owner;
  readonly spot: BlockSpot;
  #block: Block | undefined;
  #unread: UnreadBlock | undefined;
  /** True once the unread block was found to hold no legacy array. */
  #hasNoArrays = false;
  /** Ends of the ranges of its formulas; they hold for `#endsAt` writes of formulas. */
  #ends: readonly EndSpan[] = [];
  #endsAt = 0;
  #isTouched = false;
  /** The trail of copies that were made before the block was read. */
  #trail: Trail | undefined;

  private constructor(owner: Owner, spot: BlockSpot) {
    this.owner = owner;
    this.spot = spot;
  }

  static of(owner: Owner, spot: BlockSpot, block: Block): HeldBlock {
    const held = new HeldBlock(owner, spot);
    held.#block = block;
    return held;
  }

  static unread(owner: Owner, spot: BlockSpot, unread: UnreadBlock): HeldBlock {
    const held = new HeldBlock(owner, spot);
    held.#unread = unread;
    return held;
  }

  get place(): BlockPlace {
    return this.#unread?.place ?? this.block;
  }

  /**
   * SHA-256 of the stored form, as far as it is known without reading the block; see
   * `Block.digest`.
   */
  get digest(): Buffer | null | undefined {
    return this.#unread ? this.#unread.digest : this.block.digest;
  }

  /** Bytes that the block and its range ends take once the block was read. */
  get openBytes(): number {
    return (this.#block?.byteCount ?? 0) + bytesOfEnds(this.#ends);
  }

  /** Notes that its owner may write to it; false if that was noted since its ends were asked for. */
  touch(): boolean {
    const isFirst = !this.#isTouched;
    this.#isTouched = true;
    return isFirst;
  }

  /** Ends of the ranges of its formulas, read anew only after formulas were written. */
  ends(read: ReadEnds): readonly EndSpan[] {
    const { block } = this;
    this.#isTouched = false;
    if (this.#endsAt !== block.formulaWrites) {
      this.#ends = read({ column: this.spot.column, block });
      this.#endsAt = block.formulaWrites;
    }
    return this.#ends;
  }

  /** Adds the block to the memory accounting; an unread one takes little beside its source. */
  weigh(scale: Scale): void {
    // A block that was read is part of the bytes of its `Block`.
    this.#block?.weigh(scale);
    const hasOwn = this.#unread !== undefined || this.#ends.length > 0;
    if (!hasOwn || !scale.isNew(this)) return;
    scale.add(bytesOfEnds(this.#ends));
    if (!this.#unread) return;
    scale.add(unreadBytes);
    scale.share(this.#unread.source);
  }

  /** Makes a copy to write to; the block need not be read for that. */
  copy(): Block {
    if (!this.#unread) return this.block.copy();
    this.#trail ??= new Trail();
    const { place, digest } = this.#unread;
    return Block.after(place, this, { digest, trail: this.#trail.copy() });
  }

  /** Reads all that it is made of. */
  readThrough(): void {
    let { base } = this.block;
    while (base) ({ base } = base.block);
  }

  /** Reads what it is made of as far as it may hold legacy arrays. */
  readArrays(): void {
    if (!this.#unread) this.#block?.base?.readArrays?.();
    else if (!this.#hasNoArrays && this.#unread.mayHoldArrays()) this.#read();
    else this.#hasNoArrays = true;
  }

  get block(): Block {
    return this.#block ?? this.#read();
  }

  #read(): Block {
    if (!this.#unread) throw new Error('a block is neither here nor in storage');
    this.#block = this.#unread.read();
    this.#unread = undefined;
    if (this.#trail) this.#block.follow(this.#trail);
    this.#trail = undefined;
    return this.#block;
  }
}
