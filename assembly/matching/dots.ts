/** Bytes of a vector register, and of a number. */
const REGISTER: usize = 16;
const BYTES: usize = 2;

/**
 * Products of each of `queryCount` vectors with each of `rowCount` vectors, all of them `width`
 * numbers of 16 bits, a multiple of 16: as 32 bits each, a line for each query. Sums of vectors
 * that are scaled to 8,191 stay below 2³¹.
 */
export function dotVectors(
  queries: usize,
  queryCount: usize,
  rows: usize,
  rowCount: usize,
  width: usize,
  into: usize,
): void {
  const stride: usize = width * BYTES;
  const line: usize = rowCount * 4;
  let query: usize = 0;
  for (; query + 4 <= queryCount; query += 4) {
    const a = queries + query * stride;
    const out = into + query * line;
    let row: usize = 0;
    for (; row + 2 <= rowCount; row += 2) {
      block(a, stride, rows + row * stride, out + row * 4, line);
    }
    if (row < rowCount) {
      for (let at: usize = 0; at < 4; at++) {
        store<i32>(out + at * line + row * 4, dot(a + at * stride, rows + row * stride, stride));
      }
    }
  }
  for (; query < queryCount; query++) {
    const out = into + query * line;
    for (let row: usize = 0; row < rowCount; row++) {
      store<i32>(out + row * 4, dot(queries + query * stride, rows + row * stride, stride));
    }
  }
}

function dot(a: usize, b: usize, stride: usize): i32 {
  let sum = i32x4.splat(0);
  for (let at: usize = 0; at < stride; at += REGISTER) {
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load(a + at), v128.load(b + at)));
  }
  return added(sum);
}

/** Four queries by two rows, so that each number that is loaded is used more than once. */
function block(a: usize, stride: usize, b: usize, into: usize, line: usize): void {
  let s00 = i32x4.splat(0);
  let s01 = i32x4.splat(0);
  let s10 = i32x4.splat(0);
  let s11 = i32x4.splat(0);
  let s20 = i32x4.splat(0);
  let s21 = i32x4.splat(0);
  let s30 = i32x4.splat(0);
  let s31 = i32x4.splat(0);
  for (let at: usize = 0; at < stride; at += REGISTER) {
    const first = v128.load(b + at);
    const second = v128.load(b + stride + at);
    let query = v128.load(a + at);
    s00 = i32x4.add(s00, i32x4.dot_i16x8_s(query, first));
    s01 = i32x4.add(s01, i32x4.dot_i16x8_s(query, second));
    query = v128.load(a + stride + at);
    s10 = i32x4.add(s10, i32x4.dot_i16x8_s(query, first));
    s11 = i32x4.add(s11, i32x4.dot_i16x8_s(query, second));
    query = v128.load(a + 2 * stride + at);
    s20 = i32x4.add(s20, i32x4.dot_i16x8_s(query, first));
    s21 = i32x4.add(s21, i32x4.dot_i16x8_s(query, second));
    query = v128.load(a + 3 * stride + at);
    s30 = i32x4.add(s30, i32x4.dot_i16x8_s(query, first));
    s31 = i32x4.add(s31, i32x4.dot_i16x8_s(query, second));
  }
  store<i32>(into, added(s00));
  store<i32>(into + 4, added(s01));
  store<i32>(into + line, added(s10));
  store<i32>(into + line + 4, added(s11));
  store<i32>(into + 2 * line, added(s20));
  store<i32>(into + 2 * line + 4, added(s21));
  store<i32>(into + 3 * line, added(s30));
  store<i32>(into + 3 * line + 4, added(s31));
}

function added(sum: v128): i32 {
  return (
    i32x4.extract_lane(sum, 0) +
    i32x4.extract_lane(sum, 1) +
    i32x4.extract_lane(sum, 2) +
    i32x4.extract_lane(sum, 3)
  );
}
