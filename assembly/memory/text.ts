import { allocate, allocateZeroed, ROOT, release } from './arena';
import { hashBytes, noteProbe } from './keyed-hash';
import { at, unitsOf } from './pointer';
import { scratch } from './scratch';
import { lowerUnit, upperUnit } from './text-case';
import { noteWork } from './work';

export { lowerUnit, smallUnit, upperUnit } from './text-case';

/**
 * Texts. A text is the address of a header followed by its UTF-16 units. Texts in cells and
 * templates are interned: equal texts are stored once, with a count of holders. Texts made during
 * an evaluation are in scratch memory, and are interned only when a cell keeps them.
 */
@unmanaged
export class Text {
  length: u32 = 0;
  /** Hash of the units of an interned text (keyed-hash.ts). */
  hash: u32 = 0;
  /** How many cells and templates hold it; 0 for a scratch text. */
  holders: u32 = 0;
  /** Next text of the same bucket. */
  next: u32 = 0;
}

export const TEXT_HEADER: usize = offsetof<Text>();

/** The pool's record, inside the root record (its first 16 bytes). */
@unmanaged
class Pool {
  buckets: u32 = 0;
  bucketCount: u32 = 0;
  count: u32 = 0;
  empty: u32 = 0;
}

export function openPool(): void {
  const pool = at<Pool>(ROOT);
  pool.bucketCount = 1024;
  pool.buckets = <u32>allocateZeroed(1024 * 4);
  const empty = allocateZeroed(<u32>TEXT_HEADER + 2);
  at<Text>(empty).holders = 1;
  pool.empty = <u32>empty;
}

/** The interned empty text. */
export function emptyText(): usize {
  return at<Pool>(ROOT).empty;
}

/** Returns whether a text is interned, so that its address identifies it. */
export function isInterned(text: usize): bool {
  return at<Text>(text).holders != 0;
}

/** A scratch text of `length` units, to be filled through `units`. */
export function newText(length: u32): usize {
  noteWork(length << 1);
  const text = scratch(<u32>TEXT_HEADER + (length << 1));
  const header = at<Text>(text);
  header.length = length;
  header.holders = 0;
  header.next = 0;
  return text;
}

/** A scratch copy of a constant string. */
export function textOf(constant: string): usize {
  const text = newText(constant.length);
  memory.copy(text + TEXT_HEADER, unitsOf(constant), (<usize>constant.length) << 1);
  return text;
}

/** A scratch text with `length` units copied from `source`. */
export function textFrom(source: usize, length: u32): usize {
  const text = newText(length);
  memory.copy(text + TEXT_HEADER, source, (<usize>length) << 1);
  return text;
}

export function lengthOf(text: usize): u32 {
  return at<Text>(text).length;
}

export function unit(text: usize, index: u32): u32 {
  return load<u16>(text + TEXT_HEADER + ((<usize>index) << 1));
}

export function setUnit(text: usize, index: u32, value: u32): void {
  store<u16>(text + TEXT_HEADER + ((<usize>index) << 1), <u16>value);
}

/** Returns the interned text equal to `text`, and adds a holder. */
export function internText(text: usize): usize {
  const header = at<Text>(text);
  if (header.holders) {
    header.holders++;
    return text;
  }
  return internUnits(text + TEXT_HEADER, header.length);
}

/** Returns the interned text with these units, and adds a holder. */
export function internUnits(units: usize, length: u32): usize {
  const pool = at<Pool>(ROOT);
  if (length == 0) {
    at<Text>(pool.empty).holders++;
    return pool.empty;
  }
  const hash = <u32>hashBytes(units, length << 1);
  const bucket = <usize>pool.buckets + ((<usize>(hash & (pool.bucketCount - 1))) << 2);
  let candidate = load<u32>(bucket);
  while (candidate) {
    noteProbe();
    const header = at<Text>(candidate);
    if (
      header.hash == hash &&
      header.length == length &&
      memory.compare(<usize>candidate + TEXT_HEADER, units, (<usize>length) << 1) == 0
    ) {
      header.holders++;
      return candidate;
    }
    candidate = header.next;
  }
  const text = allocate(<u32>TEXT_HEADER + (length << 1));
  const header = at<Text>(text);
  header.length = length;
  header.hash = hash;
  header.holders = 1;
  header.next = load<u32>(bucket);
  memory.copy(text + TEXT_HEADER, units, (<usize>length) << 1);
  store<u32>(bucket, <u32>text);
  if (++pool.count > pool.bucketCount) growPool(pool);
  return text;
}

/** Removes a holder; the last one frees the text. */
export function dropText(text: usize): void {
  const header = at<Text>(text);
  if (--header.holders) return;
  const pool = at<Pool>(ROOT);
  let link: usize = <usize>pool.buckets + ((<usize>(header.hash & (pool.bucketCount - 1))) << 2);
  while (load<u32>(link) != <u32>text) {
    noteProbe();
    link = <usize>load<u32>(link) + offsetof<Text>('next');
  }
  store<u32>(link, header.next);
  pool.count--;
  release(text, <u32>TEXT_HEADER + (header.length << 1));
}

function growPool(pool: Pool): void {
  const count = pool.bucketCount << 1;
  const buckets = allocateZeroed(count << 2);
  for (let index: u32 = 0; index < pool.bucketCount; index++) {
    let text = load<u32>(<usize>pool.buckets + ((<usize>index) << 2));
    while (text) {
      const header = at<Text>(text);
      const following = header.next;
      const bucket = buckets + ((<usize>(header.hash & (count - 1))) << 2);
      header.next = load<u32>(bucket);
      store<u32>(bucket, text);
      text = following;
    }
  }
  release(pool.buckets, pool.bucketCount << 2);
  pool.buckets = <u32>buckets;
  pool.bucketCount = count;
}

/** Returns whether two texts have the same units. */
export function sameText(left: usize, right: usize): bool {
  if (left == right) return true;
  const length = at<Text>(left).length;
  if (length != at<Text>(right).length) return false;
  noteWork(length);
  return memory.compare(left + TEXT_HEADER, right + TEXT_HEADER, (<usize>length) << 1) == 0;
}

/** Equality without regard to case. */
export function equalTexts(left: usize, right: usize): bool {
  if (left == right) return true;
  const length = at<Text>(left).length;
  if (at<Text>(right).length != length) return false;
  noteWork(length);
  for (let index: u32 = 0; index < length; index++) {
    const a = unit(left, index);
    const b = unit(right, index);
    if (a != b && lowerUnit(a) != lowerUnit(b)) return false;
  }
  return true;
}

/** Returns whether a text equals an upper-case ASCII constant, without regard to case. */
export function textIs(text: usize, upper: string): bool {
  const length = at<Text>(text).length;
  if (length != upper.length) return false;
  for (let index: u32 = 0; index < length; index++) {
    if (upperUnit(unit(text, index)) != <u32>upper.charCodeAt(index)) return false;
  }
  return true;
}
