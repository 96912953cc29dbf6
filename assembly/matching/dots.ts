import { at as overlay } from '../memory/pointer';

/** Bytes of a vector register, and of a number. */
const REGISTER: usize = 16;
const BYTES: usize = 2;

/** Bytes of the arguments; the products come after them. */
const ORDER_BYTES: usize = 32;

/** Bytes of consecutive products of a query of which the highest is told. */
const STRETCH_BYTES: usize = 64 * 4;

/** Arguments of a call, written by the host: the vectors of both sides. */
@unmanaged
class DotOrder {
  queries: usize = 0;
  queryCount: usize = 0;
  rows: usize = 0;
  rowCount: usize = 0;
  /** Numbers of a vector, a multiple of 16. */
  width: usize = 0;
}

/** Bytes of a vector, and of a row of products. */
let stride: usize = 0;
let line: usize = 0;

/**
 * Computes the products of each query vector with each row vector, both of 16-bit numbers: as 32
 * bits each after the arguments, a row for each query. Sums of vectors scaled to 8,191 stay below
 * 2³¹. The highest products of each 64 rows follow, a row for each query.
 */
export function dotVectors(address: usize): void {
  const order = overlay<DotOrder>(address);
  const into = address + ORDER_BYTES;
  stride = order.width * BYTES;
  line = order.rowCount * 4;
  let query: usize = 0;
  for (; query + 4 <= order.queryCount; query += 4) {
    fourLines(order, order.queries + query * stride, into + query * line);
  }
  for (; query < order.queryCount; query++) {
    const out = into + query * line;
    const a = order.queries + query * stride;
    for (let row: usize = 0; row < order.rowCount; row++) {
      store<i32>(out + row * 4, dot(a, order.rows + row * stride));
    }
  }
  findHighest(into, order.queryCount);
}

function findHighest(products: usize, queryCount: usize): void {
  let into = products + queryCount * line;
  for (let query: usize = 0; query < queryCount; query++) {
    const end = products + (query + 1) * line;
    for (let from = products + query * line; from < end; from += STRETCH_BYTES) {
      store<i32>(into, highestOf(from, min(end, from + STRETCH_BYTES)));
      into += 4;
    }
  }
}

function highestOf(from: usize, end: usize): i32 {
  let four = i32x4.splat(i32.MIN_VALUE);
  let at = from;
  for (; at + REGISTER <= end; at += REGISTER) four = i32x4.max_s(four, v128.load(at));
  let highest = max(
    max(i32x4.extract_lane(four, 0), i32x4.extract_lane(four, 1)),
    max(i32x4.extract_lane(four, 2), i32x4.extract_lane(four, 3)),
  );
  for (; at < end; at += 4) highest = max(highest, load<i32>(at));
  return highest;
}

function fourLines(order: DotOrder, a: usize, out: usize): void {
  const rowCount = order.rowCount;
  let row: usize = 0;
  for (; row + 2 <= rowCount; row += 2) block(a, order.rows + row * stride, out + row * 4);
  if (row === rowCount) return;
  for (let at: usize = 0; at < 4; at++) {
    store<i32>(out + at * line + row * 4, dot(a + at * stride, order.rows + row * stride));
  }
}

function dot(a: usize, b: usize): i32 {
  let sum = i32x4.splat(0);
  for (let at: usize = 0; at < stride; at += REGISTER) {
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load(a + at), v128.load(b + at)));
  }
  return added(sum);
}

/**
 * Multiplies four queries by two rows, so that each loaded number is used more than once; two
 * registers at a time, as vectors are multiples of both.
 */
function block(a: usize, b: usize, into: usize): void {
  const bytes = stride;
  const a1 = a + bytes;
  const a2 = a1 + bytes;
  const a3 = a2 + bytes;
  const next = b + bytes;
  let s00 = i32x4.splat(0);
  let s01 = i32x4.splat(0);
  let s10 = i32x4.splat(0);
  let s11 = i32x4.splat(0);
  let s20 = i32x4.splat(0);
  let s21 = i32x4.splat(0);
  let s30 = i32x4.splat(0);
  let s31 = i32x4.splat(0);
  let first: v128;
  let second: v128;
  let query: v128;
  for (let at: usize = 0; at < bytes; at += 2 * REGISTER) {
    first = v128.load(b + at);
    second = v128.load(next + at);
    query = v128.load(a + at);
    s00 = i32x4.add(s00, i32x4.dot_i16x8_s(query, first));
    s01 = i32x4.add(s01, i32x4.dot_i16x8_s(query, second));
    query = v128.load(a1 + at);
    s10 = i32x4.add(s10, i32x4.dot_i16x8_s(query, first));
    s11 = i32x4.add(s11, i32x4.dot_i16x8_s(query, second));
    query = v128.load(a2 + at);
    s20 = i32x4.add(s20, i32x4.dot_i16x8_s(query, first));
    s21 = i32x4.add(s21, i32x4.dot_i16x8_s(query, second));
    query = v128.load(a3 + at);
    s30 = i32x4.add(s30, i32x4.dot_i16x8_s(query, first));
    s31 = i32x4.add(s31, i32x4.dot_i16x8_s(query, second));
    first = v128.load(b + at, 16);
    second = v128.load(next + at, 16);
    query = v128.load(a + at, 16);
    s00 = i32x4.add(s00, i32x4.dot_i16x8_s(query, first));
    s01 = i32x4.add(s01, i32x4.dot_i16x8_s(query, second));
    query = v128.load(a1 + at, 16);
    s10 = i32x4.add(s10, i32x4.dot_i16x8_s(query, first));
    s11 = i32x4.add(s11, i32x4.dot_i16x8_s(query, second));
    query = v128.load(a2 + at, 16);
    s20 = i32x4.add(s20, i32x4.dot_i16x8_s(query, first));
    s21 = i32x4.add(s21, i32x4.dot_i16x8_s(query, second));
    query = v128.load(a3 + at, 16);
    s30 = i32x4.add(s30, i32x4.dot_i16x8_s(query, first));
    s31 = i32x4.add(s31, i32x4.dot_i16x8_s(query, second));
  }
  const two = sums(s00, s01, s10, s11);
  v128.store64_lane(into, two, 0);
  v128.store64_lane(into + line, two, 1);
  const others = sums(s20, s21, s30, s31);
  v128.store64_lane(into + 2 * line, others, 0);
  v128.store64_lane(into + 3 * line, others, 1);
}

/** Adds up the numbers of each of four registers. */
function sums(a: v128, b: v128, c: v128, d: v128): v128 {
  return pairSums(pairSums(a, b), pairSums(c, d));
}

function pairSums(a: v128, b: v128): v128 {
  return i32x4.add(v128.shuffle<i32>(a, b, 0, 2, 4, 6), v128.shuffle<i32>(a, b, 1, 3, 5, 7));
}

function added(sum: v128): i32 {
  return (
    i32x4.extract_lane(sum, 0) +
    i32x4.extract_lane(sum, 1) +
    i32x4.extract_lane(sum, 2) +
    i32x4.extract_lane(sum, 3)
  );
}
