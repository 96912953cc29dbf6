import { createHash } from 'node:crypto';

import type { Dictionary } from './dictionary.ts';

/** Rows of one run and one column that share a block. */
export const blockLanes = 1024;

/** What the number of a lane means. */
export const cellTag = { blank: 0, number: 1, text: 2, boolean: 3, error: 4, formula: 5 } as const;

/**
 * Up to 1,024 cells below one another, in columns of plain numbers: a tag, a number (itself, or an
 * index into the dictionary or the error codes), and a number format. Only the window of lanes that
 * was ever written takes room, so that a lone cell does not cost a whole block.
 */
export class Block {
  readonly branch: number;
  readonly sequence: number;
  /** Offset in its run of lane 0, divided by the lane count. */
  readonly index: number;
  /** Lane of the first element of tags and numbers. */
  #low = 0;
  #tags = new Uint8Array(0);
  #numbers = new Float64Array(0);
  #filledCount = 0;
  /** Lane of the first element of formats. */
  #formatLow = 0;
  #formats = new Uint16Array(0);
  /** SHA-256 of the content; dropped at each change, null when there is none. */
  #digest: Buffer | null | undefined = null;

  constructor(branch: number, sequence: number, index: number) {
    this.branch = branch;
    this.sequence = sequence;
    this.index = index;
  }

  copy(): Block {
    const copy = new Block(this.branch, this.sequence, this.index);
    copy.#low = this.#low;
    copy.#tags = this.#tags.slice();
    copy.#numbers = this.#numbers.slice();
    copy.#filledCount = this.#filledCount;
    copy.#formatLow = this.#formatLow;
    copy.#formats = this.#formats.slice();
    copy.#digest = this.#digest;
    return copy;
  }

  /** Cells that are not blank. */
  get filledCount(): number {
    return this.#filledCount;
  }

  get isEmpty(): boolean {
    return this.#filledCount === 0 && this.#formats.every((format) => format === 0);
  }

  /** First and one past the last lane that may be filled. */
  get window(): readonly [number, number] {
    return [this.#low, this.#low + this.#tags.length];
  }

  tagAt(lane: number): number {
    return this.#tags[lane - this.#low] ?? cellTag.blank;
  }

  numberAt(lane: number): number {
    return this.#numbers[lane - this.#low] ?? 0;
  }

  formatAt(lane: number): number {
    return this.#formats[lane - this.#formatLow] ?? 0;
  }

  set(lane: number, tag: number, number: number): void {
    if (tag === cellTag.blank && this.tagAt(lane) === cellTag.blank) return;
    this.#widen(lane, lane + 1);
    const at = lane - this.#low;
    this.#filledCount += Number(tag !== cellTag.blank) - Number(this.#tags[at] !== cellTag.blank);
    this.#tags[at] = tag;
    this.#numbers[at] = number;
    this.#digest = undefined;
  }

  fill(from: number, to: number, tag: number, number: number): void {
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
    this.#digest = undefined;
  }

  fillFormat(from: number, to: number, format: number): void {
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

  /** Whether all lanes of a stretch hold just this. */
  isFilledWith(from: number, to: number, cell: { tag: number; number: number }): boolean {
    for (let lane = from; lane < to; lane++) {
      if (this.tagAt(lane) !== cell.tag || this.numberAt(lane) !== cell.number) return false;
    }
    return true;
  }

  isFormattedAs(from: number, to: number, format: number): boolean {
    for (let lane = from; lane < to; lane++) {
      if (this.formatAt(lane) !== format) return false;
    }
    return true;
  }

  isBlank(from: number, to: number): boolean {
    for (let lane = from; lane < to; lane++) {
      if (this.tagAt(lane) !== cellTag.blank) return false;
    }
    return true;
  }

  /** SHA-256 of the content, independent of how it came about; undefined without content. */
  digest(dictionary: Dictionary): Buffer | undefined {
    if (this.#digest === undefined) this.#digest = this.#hash(dictionary) ?? null;
    return this.#digest ?? undefined;
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

  /** Indexes are replaced by their rank of first use, and what they stand for is hashed after. */
  #hash(dictionary: Dictionary): Buffer | undefined {
    let low = Math.min(this.#low, this.#formatLow);
    let high = Math.max(this.#low + this.#tags.length, this.#formatLow + this.#formats.length);
    const isDefault = (lane: number) => this.tagAt(lane) === 0 && this.formatAt(lane) === 0;
    while (low < high && isDefault(low)) low++;
    while (low < high && isDefault(high - 1)) high--;
    if (low === high) return undefined;
    const tags = new Uint8Array(high - low);
    const numbers = new Float64Array(high - low);
    const formats = new Float64Array(high - low);
    const texts = new Ranks((index) => dictionary.textDigest(index));
    const formulas = new Ranks((index) => dictionary.formulaDigest(index));
    const patterns = new Ranks((index) => dictionary.formatDigest(index));
    for (let lane = low; lane < high; lane++) {
      const tag = this.tagAt(lane);
      const number = this.numberAt(lane);
      tags[lane - low] = tag;
      if (tag === cellTag.text) numbers[lane - low] = texts.rank(number);
      else if (tag === cellTag.formula) numbers[lane - low] = formulas.rank(number);
      else numbers[lane - low] = number;
      const format = this.formatAt(lane);
      formats[lane - low] = format === 0 ? -1 : patterns.rank(format);
    }
    const hash = createHash('sha256').update(`block ${low} ${high}\n`);
    hash.update(tags).update(numbers).update(formats);
    for (const ranks of [texts, formulas, patterns]) {
      hash.update(`${ranks.digests.length}\n`);
      for (const digest of ranks.digests) hash.update(digest);
    }
    return hash.digest();
  }
}

/** Numbers dictionary indexes by first use within one block. */
class Ranks {
  readonly digests: Buffer[] = [];
  readonly #ranks = new Map<number, number>();
  readonly #digestOf: (index: number) => Buffer;
  #lastIndex = -1;
  #lastRank = -1;

  constructor(digestOf: (index: number) => Buffer) {
    this.#digestOf = digestOf;
  }

  rank(index: number): number {
    if (index === this.#lastIndex) return this.#lastRank;
    let rank = this.#ranks.get(index);
    if (rank === undefined) {
      rank = this.digests.push(this.#digestOf(index)) - 1;
      this.#ranks.set(index, rank);
    }
    this.#lastIndex = index;
    this.#lastRank = rank;
    return rank;
  }
}

/** The window that also covers from…to; it doubles, so that appending row by row stays cheap. */
function widened(
  low: number,
  size: number,
  from: number,
  to: number,
): readonly [low: number, high: number] {
  if (size === 0) return [from, to];
  const high = low + size;
  if (from >= low && to <= high) return [low, high];
  const newLow = Math.min(low, from);
  const newHigh = to > high ? Math.min(blockLanes, Math.max(to, low + size * 2)) : high;
  return [newLow, newHigh];
}
