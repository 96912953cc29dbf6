import { CELL_PENDING, CHUNK_ROWS, KIND_BLANK, KIND_MASK } from '../abi';
import { Chunk, Column, chunkAt } from '../grid/sheet';
import { at } from '../memory/pointer';
import { IndexRecord } from './index-record';

/** Bit of `kindsOfRows` for cells that wait to be computed. */
export const KINDS_PENDING: u32 = 1 << 8;

/** The bit of each kind, for the first eight of them. */
const BITS = v128(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
const LANES: u32 = 16;

/**
 * Returns the kinds that cells of some rows have, a bit each. The latest answer of a column is kept
 * until one of its rows changes, and a longer stretch from the same row goes on from it.
 */
export function kindsOfRows(index: IndexRecord, row0: u32, end: u32): u32 {
  const isKnown = index.kindsEnd > row0 && index.kinds0 == row0;
  if (isKnown && end == index.kindsEnd) return index.kinds;
  const goesOn = isKnown && end > index.kindsEnd;
  const found = (goesOn ? index.kinds : 0) | scanKinds(index, goesOn ? index.kindsEnd : row0, end);
  if (found & KINDS_PENDING) return found;
  index.kinds = found;
  index.kinds0 = row0;
  index.kindsEnd = end;
  return found;
}

function scanKinds(index: IndexRecord, row0: u32, end: u32): u32 {
  const stop = min(end, at<Column>(index.column).chunksLength << 10);
  let bits: u32 = end > stop ? 1 << KIND_BLANK : 0;
  for (let row = row0; row < stop; row = (row | (CHUNK_ROWS - 1)) + 1) {
    const address = chunkAt(index.column, row >> 10);
    const from = row & (CHUNK_ROWS - 1);
    const to = min(stop - (row - from), CHUNK_ROWS);
    const held: u32 = address ? min(to, at<Chunk>(address).capacity) : 0;
    if (held < to) bits |= 1 << KIND_BLANK;
    if (held > from) bits |= kindsOfTags(<usize>at<Chunk>(address).tags + from, held - from);
  }
  return bits;
}

function kindsOfTags(tags: usize, count: u32): u32 {
  let kinds = i8x16.splat(0);
  let flags = i8x16.splat(0);
  let offset: u32 = 0;
  for (; offset + LANES <= count; offset += LANES) {
    const lanes = v128.load(tags + offset);
    flags = v128.or(flags, lanes);
    kinds = v128.or(kinds, i8x16.swizzle(BITS, v128.and(lanes, i8x16.splat(<i8>KIND_MASK))));
  }
  let bits = halves(kinds);
  let all = halves(flags);
  for (; offset < count; offset++) {
    const tag = <u32>load<u8>(tags + offset);
    bits |= 1 << (tag & KIND_MASK);
    all |= tag;
  }
  return all & CELL_PENDING ? bits | KINDS_PENDING : bits;
}

/** All bytes of a vector, or-ed together. */
function halves(lanes: v128): u32 {
  const both = v128.extract_lane<u64>(lanes, 0) | v128.extract_lane<u64>(lanes, 1);
  const word = <u32>both | <u32>(both >> 32);
  const pair = word | (word >> 16);
  return (pair | (pair >> 8)) & 255;
}

/** Rows from `row0` to `row1` have changed or wait. */
export function forgetKinds(index: IndexRecord, row0: u32, row1: u32): void {
  if (row0 < index.kindsEnd && row1 >= index.kinds0) index.kinds0 = index.kindsEnd = 0;
}
