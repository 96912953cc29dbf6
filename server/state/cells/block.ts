import type { Scale } from '../ids/scale.ts';
import { blockLanes, copiedLanes, noLanes, passingCopy, widened } from './block-lanes.ts';
import type { BlockLanes } from './block-lanes.ts';
import { Trail } from './trail.ts';
import { WaitingWrites, type BlockWrite } from './waiting-writes.ts';

export { blockLanes };

/** Writes that wait for a reader, at most; one more applies them all. */
const waitingMost = 64;
/** Cells that are read past waiting writes, at most; one more applies these. */
const glancesMost = 256;

/** The block that a copy was made from, which may itself be packed. */
interface BlockBase {
  readonly block: Block;
  weigh(scale: Scale): void;
  /** Unpacks the block if it may hold legacy arrays; missing on unpacked blocks. */
  readArrays?(): void;
}

/** Measured bytes of a block and its entries in maps, without the elements of its arrays. */
const blockBytes = 950;

/** The kind of value that the number of a lane stands for. */
export const cellTag = { blank: 0, number: 1, text: 2, boolean: 3, error: 4, formula: 5 } as const;

/**
 * Up to 1,024 cells of one column in typed arrays: a tag, a number (a value, or an index into the
 * dictionary or the error codes), and the index of a style. Only the range of lanes that was ever
 * written takes memory, so a single cell does not cost a whole block.
 */
export class Block {
  readonly branch: number;
  readonly sequence: number;
  /** Number of the block in its run of row ids: the offset of lane 0 by the lanes of a block. */
  readonly index: number;
  /** Lane of the first element of tags and numbers. */
  #low = 0;
  #tags = noLanes.tags;
  #numbers = noLanes.numbers;
  #filledCount = 0;
  /** Lane of the first element of formats. */
  #formatLow = 0;
  #formats = noLanes.formats;
  /** The block that this one was copied from, while the copy is still pending. It never changes. */
  #base: BlockBase | undefined;
  /** Writes since the copy, not applied yet. */
  #waiting = new WaitingWrites();
  /** Number of cells that were read past the waiting writes. */
  #glanceCount = 0;
  #trail = new Trail();
  /** Counts writes of formulas, so that data derived from formulas can be cached. */
  #formulaWrites = 0;
  /** SHA-256 of the stored form; undefined after a change, null when there is nothing to store. */
  #digest: Buffer | null | undefined = null;

  constructor(branch: number, sequence: number, index: number) {
    this.branch = branch;
    this.sequence = sequence;
    this.index = index;
  }

  /** Makes a block from its stored form. */
  static from(
    { branch, sequence, index }: { branch: number; sequence: number; index: number },
    lanes: BlockLanes,
    digest: Buffer | undefined,
  ): Block {
    const block = new Block(branch, sequence, index);
    block.#hold(lanes);
    block.#formulaWrites = Number(lanes.tags.includes(cellTag.formula));
    for (const tag of lanes.tags) if (tag !== cellTag.blank) block.#filledCount++;
    block.#digest = digest;
    return block;
  }

  /** Makes a copy that unpacks `base` only when the copy is read. */
  static after(
    { branch, sequence, index }: { branch: number; sequence: number; index: number },
    base: BlockBase,
    { digest, trail }: { digest: Buffer | null | undefined; trail: Trail },
  ): Block {
    const copy = new Block(branch, sequence, index);
    copy.#base = base;
    copy.#digest = digest;
    copy.#trail = trail;
    return copy;
  }

  /** Returns a copy to write to; this block must not be written to any more. */
  copy(): Block {
    const made = { digest: this.#digest, trail: this.#trail.copy() };
    const copy = Block.after(this, this.#base ?? this, made);
    copy.#waiting = this.#waiting.copy();
    return copy;
  }

  /** The block that copies are made from. */
  get block(): Block {
    return this;
  }

  /** The block that this one was copied from, while the copy is pending. */
  get base(): BlockBase | undefined {
    return this.#base;
  }

  /** Continues the trail of copies that were made before the block was unpacked. */
  follow(trail: Trail): void {
    if (this.#trail.byteCount === 0) this.#trail = trail;
  }

  /** The lanes that were written recently. */
  get trail(): Trail {
    return this.#trail;
  }

  /** Completes a pending copy: takes the content of the base, and applies the waiting writes. */
  #catchUp(): void {
    const base = this.#base;
    if (base === undefined) return;
    const digest = this.#digest;
    this.#base = undefined;
    const whole = base.block;
    this.#hold(copiedLanes(whole.lanes));
    this.#filledCount = whole.#filledCount;
    this.#formulaWrites = whole.#formulaWrites;
    for (const write of this.#waiting.take()) this.#carryOut(write);
    this.#digest = digest;
  }

  /** Applies a write, or lets it wait while the copy is pending. */
  #write(write: BlockWrite): void {
    if (this.#base === undefined) this.#carryOut(write);
    else {
      this.#digest = undefined;
      this.#waiting.add(write);
      if (this.#waiting.count > waitingMost) this.#catchUp();
    }
  }

  #carryOut({ kind, from, to, tag, number }: BlockWrite): void {
    if (kind === 'set') this.#set(from, tag, number);
    else if (kind === 'fill') this.#fill(from, to, tag, number);
    else this.#fillFormat(from, to, number);
  }

  /** Returns the base while reading past the waiting writes is cheaper than applying them. */
  #passed(): Block | undefined {
    if (this.#base === undefined) return undefined;
    if (++this.#glanceCount <= glancesMost) return this.#base.block;
    this.#catchUp();
    return undefined;
  }

  /** Number of cells that are not blank. */
  get filledCount(): number {
    this.#catchUp();
    return this.#filledCount;
  }

  /** Counts writes of formulas; 0 before the first one. */
  get formulaWrites(): number {
    this.#catchUp();
    return this.#formulaWrites;
  }

  get isEmpty(): boolean {
    this.#catchUp();
    return this.#filledCount === 0 && this.#formats.every((format) => format === 0);
  }

  /** First lane that may be filled, and one past the last. */
  get window(): readonly [number, number] {
    this.#catchUp();
    return [this.#low, this.#low + this.#tags.length];
  }

  tagAt(lane: number): number {
    const base = this.#passed();
    if (base) return this.#waiting.at(lane, false)?.tag ?? base.tagAt(lane);
    return this.#tags[lane - this.#low] ?? cellTag.blank;
  }

  numberAt(lane: number): number {
    const base = this.#passed();
    if (base) return this.#waiting.at(lane, false)?.number ?? base.numberAt(lane);
    return this.#numbers[lane - this.#low] ?? 0;
  }

  /** Returns tag and number of a lane. */
  cellAt(lane: number): { readonly tag: number; readonly number: number } {
    const base = this.#passed();
    const waiting = base && this.#waiting.at(lane, false);
    if (waiting) return { tag: waiting.tag, number: waiting.number };
    if (base) return base.cellAt(lane);
    const at = lane - this.#low;
    return { tag: this.#tags[at] ?? cellTag.blank, number: this.#numbers[at] ?? 0 };
  }

  formatAt(lane: number): number {
    // Fast path: new lines ask many blocks for the format of one lane.
    if (this.#base && !this.#waiting.hasFormats) return this.#base.block.formatAt(lane);
    const base = this.#passed();
    if (base) return this.#waiting.at(lane, true)?.number ?? base.formatAt(lane);
    return this.#formats[lane - this.#formatLow] ?? 0;
  }

  set(lane: number, tag: number, number: number): void {
    this.#trail.note(lane, lane + 1);
    if (this.#base === undefined) this.#set(lane, tag, number);
    else this.#write({ kind: 'set', from: lane, to: lane + 1, tag, number });
  }

  #set(lane: number, tag: number, number: number): void {
    if (tag === cellTag.blank && this.tagAt(lane) === cellTag.blank) return;
    this.#widen(lane, lane + 1);
    const at = lane - this.#low;
    this.#filledCount += Number(tag !== cellTag.blank) - Number(this.#tags[at] !== cellTag.blank);
    this.#tags[at] = tag;
    this.#numbers[at] = number;
    if (tag === cellTag.formula) this.#formulaWrites++;
    this.#digest = undefined;
  }

  /** Grows the window at once for cells that will be set one by one. */
  reserve(from: number, to: number): void {
    if (this.#base === undefined) this.#widen(from, to);
  }

  fill(from: number, to: number, tag: number, number: number): void {
    this.#trail.note(from, to);
    this.#write({ kind: 'fill', from, to, tag, number });
  }

  #fill(from: number, to: number, tag: number, number: number): void {
    if (tag === cellTag.blank) {
      this.#blank(from, to);
      return;
    }
    this.#widen(from, to);
    for (let lane = from; lane < to; lane++) {
      if (this.#tags[lane - this.#low] === cellTag.blank) this.#filledCount++;
    }
    this.#tags.fill(tag, from - this.#low, to - this.#low);
    this.#numbers.fill(number, from - this.#low, to - this.#low);
    if (tag === cellTag.formula) this.#formulaWrites++;
    this.#digest = undefined;
  }

  fillFormat(from: number, to: number, format: number): void {
    this.#write({ kind: 'format', from, to, tag: cellTag.blank, number: format });
  }

  #fillFormat(from: number, to: number, format: number): void {
    let start = from;
    let end = to;
    if (format === 0) {
      start = Math.max(from, this.#formatLow);
      end = Math.min(to, this.#formatLow + this.#formats.length);
      if (start >= end) return;
    } else {
      this.#widenFormats(from, to);
    }
    this.#formats.fill(format, start - this.#formatLow, end - this.#formatLow);
    this.#digest = undefined;
  }

  /** Returns whether all lanes from `from` up to `to` hold this content. */
  isFilledWith(from: number, to: number, cell: { tag: number; number: number }): boolean {
    for (let lane = from; lane < to; lane++) {
      if (this.tagAt(lane) !== cell.tag || this.numberAt(lane) !== cell.number) return false;
    }
    return true;
  }

  isBlank(from: number, to: number): boolean {
    for (let lane = from; lane < to; lane++) {
      if (this.tagAt(lane) !== cellTag.blank) return false;
    }
    return true;
  }

  /** All lanes, to be read only. */
  get lanes(): BlockLanes {
    this.#catchUp();
    return {
      low: this.#low,
      tags: this.#tags,
      numbers: this.#numbers,
      formatLow: this.#formatLow,
      formats: this.#formats,
    };
  }

  /**
   * The lanes, read-only, valid until those of the next block are asked for. A pending copy stays
   * pending.
   */
  get passingLanes(): BlockLanes {
    if (this.#base === undefined) return this.lanes;
    const copy = new Block(this.branch, this.sequence, this.index);
    copy.#hold(passingCopy(this.#base.block.lanes));
    for (const write of this.#waiting) copy.#carryOut(write);
    return copy.lanes;
  }

  #hold({ low, tags, numbers, formatLow, formats }: BlockLanes): void {
    this.#low = low;
    this.#tags = tags;
    this.#numbers = numbers;
    this.#formatLow = formatLow;
    this.#formats = formats;
  }

  /** The lanes with formats, read-only. */
  get formatLanes(): Pick<BlockLanes, 'formatLow' | 'formats'> {
    if (this.#base && !this.#waiting.hasFormats) return this.#base.block.formatLanes;
    return this.lanes;
  }

  /** Estimated bytes, without the base of a pending copy. */
  get byteCount(): number {
    const lanes = this.#tags.length * 9 + this.#formats.length * 2;
    const waiting = this.#waiting.byteCount + this.#trail.byteCount;
    return blockBytes + waiting + lanes;
  }

  /** Adds this block, and the block it was copied from, to the memory accounting (`Scale`). */
  weigh(scale: Scale): void {
    if (!scale.isNew(this)) return;
    scale.add(this.byteCount);
    this.#base?.weigh(scale);
  }

  /**
   * SHA-256 of the stored form; null when there is nothing to store, undefined when it was not
   * hashed.
   */
  get digest(): Buffer | null | undefined {
    return this.#digest;
  }

  /** Stores the digest, right after the content was hashed. */
  noteDigest(digest: Buffer | null): void {
    this.#digest = digest;
  }

  #blank(from: number, to: number): void {
    const start = Math.max(from, this.#low);
    const end = Math.min(to, this.#low + this.#tags.length);
    if (start >= end) return;
    for (let lane = start; lane < end; lane++) {
      if (this.#tags[lane - this.#low] !== cellTag.blank) this.#filledCount--;
    }
    this.#tags.fill(cellTag.blank, start - this.#low, end - this.#low);
    this.#numbers.fill(0, start - this.#low, end - this.#low);
    this.#digest = undefined;
  }

  #widen(from: number, to: number): void {
    const size = this.#tags.length;
    const [low, high] = widened(this.#low, size, from, to);
    if (size > 0 && low === this.#low && high === low + size) return;
    const tags = new Uint8Array(high - low);
    const numbers = new Float64Array(high - low);
    if (size > 0) {
      tags.set(this.#tags, this.#low - low);
      numbers.set(this.#numbers, this.#low - low);
    }
    this.#low = low;
    this.#tags = tags;
    this.#numbers = numbers;
  }

  #widenFormats(from: number, to: number): void {
    const size = this.#formats.length;
    const [low, high] = widened(this.#formatLow, size, from, to);
    if (size > 0 && low === this.#formatLow && high === low + size) return;
    const formats = new Uint16Array(high - low);
    if (size > 0) formats.set(this.#formats, this.#formatLow - low);
    this.#formatLow = low;
    this.#formats = formats;
  }
}
