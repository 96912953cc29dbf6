import { at as overlay } from '../memory/pointer';

/** Bytes of a vector register, and of a number. */
const REGISTER: usize = 16;
const BYTES: usize = 2;

/** Bytes of the arguments; the products come after them. */
const ORDER_BYTES: usize = 32;

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
 * 2³¹.
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

/** Multiplies four queries by two rows, so that each loaded number is used more than once. */
function block(a: usize, b: usize, into: usize): void {
  const bytes = stride;
  let s00 = i32x4.splat(0);
  let s01 = i32x4.splat(0);
  let s10 = i32x4.splat(0);
  let s11 = i32x4.splat(0);
  let s20 = i32x4.splat(0);
  let s21 = i32x4.splat(0);
  let s30 = i32x4.splat(0);
  let s31 = i32x4.splat(0);
  for (let at: usize = 0; at < bytes; at += REGISTER) {
    const first = v128.load(b + at);
    const second = v128.load(b + bytes + at);
    let query = v128.load(a + at);
    s00 = i32x4.add(s00, i32x4.dot_i16x8_s(query, first));
    s01 = i32x4.add(s01, i32x4.dot_i16x8_s(query, second));
    query = v128.load(a + bytes + at);
    s10 = i32x4.add(s10, i32x4.dot_i16x8_s(query, first));
    s11 = i32x4.add(s11, i32x4.dot_i16x8_s(query, second));
    query = v128.load(a + 2 * bytes + at);
    s20 = i32x4.add(s20, i32x4.dot_i16x8_s(query, first));
    s21 = i32x4.add(s21, i32x4.dot_i16x8_s(query, second));
    query = v128.load(a + 3 * bytes + at);
    s30 = i32x4.add(s30, i32x4.dot_i16x8_s(query, first));
    s31 = i32x4.add(s31, i32x4.dot_i16x8_s(query, second));
  }
  const next = line;
  store<i32>(into, added(s00));
  store<i32>(into + 4, added(s01));
  store<i32>(into + next, added(s10));
  store<i32>(into + next + 4, added(s11));
  store<i32>(into + 2 * next, added(s20));
  store<i32>(into + 2 * next + 4, added(s21));
  store<i32>(into + 3 * next, added(s30));
  store<i32>(into + 3 * next + 4, added(s31));
}

function added(sum: v128): i32 {
  return (
    i32x4.extract_lane(sum, 0) +
    i32x4.extract_lane(sum, 1) +
    i32x4.extract_lane(sum, 2) +
    i32x4.extract_lane(sum, 3)
  );
}
