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

/** The rows of a block: a run of ids, and the number of the block in it. */
export interface BlockPlace {
  readonly branch: number;
  readonly sequence: number;
  readonly index: number;
}

/** Key of a line: a small number for lines of the genesis run, else its id as text. */
export type LineKey = number | string;

/** The place of a block in a sheet, which its copies share. */
export interface BlockSpot {
  readonly column: LineId;
  readonly key: LineKey;
}

/** Finds the lines at which ranges of a block's formulas begin or end; may return too many. */
export type ReadEnds = (place: { column: LineId; block: Block }) => readonly EndSpan[];

/** A stored block that is not unpacked. */
export interface UnreadBlock {
  readonly place: BlockPlace;
  /** SHA-256 of the stored form; undefined for a former form. */
  readonly digest: Buffer | undefined;
  readonly source: NodeSource;
  read(): Block;
  /** Returns whether a cell may have a legacy array formula. */
  mayHoldArrays(): boolean;
}

/** Measured bytes of a packed block. */
const unreadBytes = 500;

/** A block that is unpacked on first use. Forks of a state share it. */
export class HeldBlock {
  readonly owner: Owner;
  readonly spot: BlockSpot;
  #block: Block | undefined;
  #unread: UnreadBlock | undefined;
  /** True once the packed block was found to have no legacy array. */
  #hasNoArrays = false;
  /** Ends of ranges of its formulas, valid while formulas were written `#endsAt` times. */
  #ends: readonly EndSpan[] = [];
  #endsAt = 0;
  #isTouched = false;
  /** Trail of copies that were made before the block was unpacked. */
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

  /** SHA-256 of the stored form, if known without unpacking the block; see `Block.digest`. */
  get digest(): Buffer | null | undefined {
    return this.#unread ? this.#unread.digest : this.block.digest;
  }

  /** The stored form of a block that nobody has read; undefined for one that was read. */
  get stored(): UnreadBlock | undefined {
    return this.#unread;
  }

  /** Bytes of the unpacked block and its ends of ranges; 0 for a packed one. */
  get openBytes(): number {
    return (this.#block?.byteCount ?? 0) + bytesOfEnds(this.#ends);
  }

  /** Notes that its owner may write to it; returns false if that was noted already since `ends`. */
  touch(): boolean {
    const isFirst = !this.#isTouched;
    this.#isTouched = true;
    return isFirst;
  }

  /**
   * Returns the ends of ranges of its formulas, which are read again only after formulas were
   * written.
   */
  ends(read: ReadEnds): readonly EndSpan[] {
    const { block } = this;
    this.#isTouched = false;
    if (this.#endsAt !== block.formulaWrites) {
      this.#ends = read({ column: this.spot.column, block });
      this.#endsAt = block.formulaWrites;
    }
    return this.#ends;
  }

  /** Adds the block to the memory accounting. */
  weigh(scale: Scale): void {
    // An unpacked block counts as its `Block`.
    this.#block?.weigh(scale);
    const hasOwn = this.#unread !== undefined || this.#ends.length > 0;
    if (!hasOwn || !scale.isNew(this)) return;
    scale.add(bytesOfEnds(this.#ends));
    if (!this.#unread) return;
    scale.add(unreadBytes);
    scale.share(this.#unread.source);
  }

  /** Makes a copy to write to, without unpacking. */
  copy(): Block {
    if (!this.#unread) return this.block.copy();
    this.#trail ??= new Trail();
    const { place, digest } = this.#unread;
    return Block.after(place, this, { digest, trail: this.#trail.copy() });
  }

  /** Unpacks everything that the block is made of. */
  readThrough(): void {
    let { base } = this.block;
    while (base) ({ base } = base.block);
  }

  /** Unpacks what the block is made of, as far as it may have legacy arrays. */
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
