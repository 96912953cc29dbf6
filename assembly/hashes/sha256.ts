/**
 * SHA-256 (FIPS 180-4) of four messages at once, one in each lane of a vector. Hashing a few
 * hundred bytes by node:crypto costs more for the call and its result than for the hash.
 */
export const DIGEST_BYTES: u32 = 32;
export const BLOCK_BYTES: u32 = 64;

/** A message ends with one bit, zeros, and its length in bits as eight bytes. */
const PADDING_BYTES: u32 = 9;
/** How many messages are hashed at once. */
export const LANES: u32 = 4;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (4.2.2).
const ROUNDS: usize = memory.data<u32>([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);

// The same of the square roots of the first eight primes (5.3.3).
const INITIAL: usize = memory.data<u32>([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]);

/** Words of the message schedule, each of four lanes. */
const SCHEDULE: usize = memory.data(64 * 16, 16);
/** The eight words of the hash so far, each of four lanes. */
const STATE: usize = memory.data(8 * 16, 16);
const BEFORE: usize = memory.data(8 * 16, 16);

/** The bytes that a message of so many takes in blocks. */
export function paddedBytes(byteCount: u32): u32 {
  return (byteCount + PADDING_BYTES + BLOCK_BYTES - 1) & ~(BLOCK_BYTES - 1);
}

/** Pads a message in its place. */
export function pad(message: usize, byteCount: u32): void {
  const end = message + paddedBytes(byteCount);
  memory.fill(message + byteCount, 0, end - message - byteCount);
  store<u8>(message + byteCount, 0x80);
  store<u64>(end - 8, bswap<u64>((<u64>byteCount) << 3));
}

/**
 * Hashes four padded messages; `places` has their addresses, `sizes` their padded sizes in bytes.
 * The digests come one behind the other.
 */
export function digest(places: usize, sizes: usize, digests: usize): void {
  let longest: u32 = 0;
  for (let lane: u32 = 0; lane < LANES; lane++) {
    longest = max(longest, load<u32>(sizes + (lane << 2)));
  }
  for (let word: usize = 0; word < 8; word++) {
    v128.store(STATE + (word << 4), v128.load_splat<u32>(INITIAL + (word << 2)));
  }
  const ends = v128.load(sizes);
  for (let offset: u32 = 0; offset < longest; offset += BLOCK_BYTES) {
    // A finished message is hashed on, and the result of that is ignored.
    const isGoingOn = i32x4.gt_u(ends, i32x4.splat(offset));
    memory.copy(BEFORE, STATE, 8 * 16);
    readBlock(places, sizes, offset);
    compress();
    for (let word: usize = 0; word < 8; word++) {
      const at = word << 4;
      const hash = v128.bitselect(v128.load(STATE + at), v128.load(BEFORE + at), isGoingOn);
      v128.store(STATE + at, hash);
    }
  }
  writeHalf(digests, STATE);
  writeHalf(digests + 16, STATE + 64);
}

/** The block at an offset of each message into the schedule, or the last one of a shorter message. */
function readBlock(places: usize, sizes: usize, offset: u32): void {
  const first = blockOf(places, sizes, offset);
  const second = blockOf(places + 4, sizes + 4, offset);
  const third = blockOf(places + 8, sizes + 8, offset);
  const fourth = blockOf(places + 12, sizes + 12, offset);
  for (let at: usize = 0; at < BLOCK_BYTES; at += 16) {
    transpose(
      bigEndian(v128.load(first + at)),
      bigEndian(v128.load(second + at)),
      bigEndian(v128.load(third + at)),
      bigEndian(v128.load(fourth + at)),
      SCHEDULE + (at << 2),
    );
  }
}

function blockOf(place: usize, size: usize, offset: u32): usize {
  return <usize>load<u32>(place) + min(offset, load<u32>(size) - BLOCK_BYTES);
}

function bigEndian(words: v128): v128 {
  return i8x16.shuffle(words, words, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
}

/** Four words of four messages as four vectors of one word each, or the other way round. */
function transpose(a: v128, b: v128, c: v128, d: v128, out: usize): void {
  const low = v128.shuffle<i32>(a, b, 0, 4, 1, 5);
  const otherLow = v128.shuffle<i32>(c, d, 0, 4, 1, 5);
  const high = v128.shuffle<i32>(a, b, 2, 6, 3, 7);
  const otherHigh = v128.shuffle<i32>(c, d, 2, 6, 3, 7);
  v128.store(out, v128.shuffle<i64>(low, otherLow, 0, 2));
  v128.store(out, v128.shuffle<i64>(low, otherLow, 1, 3), 16);
  v128.store(out, v128.shuffle<i64>(high, otherHigh, 0, 2), 32);
  v128.store(out, v128.shuffle<i64>(high, otherHigh, 1, 3), 48);
}

/** Half of each of the four digests. */
function writeHalf(digests: usize, state: usize): void {
  transpose(
    v128.load(state),
    v128.load(state, 16),
    v128.load(state, 32),
    v128.load(state, 48),
    SCHEDULE,
  );
  for (let lane: usize = 0; lane < LANES; lane++) {
    v128.store(digests + lane * DIGEST_BYTES, bigEndian(v128.load(SCHEDULE + (lane << 4))));
  }
}

function rotated(words: v128, bits: i32): v128 {
  return v128.or(i32x4.shr_u(words, bits), i32x4.shl(words, 32 - bits));
}

function sum(a: v128, b: v128): v128 {
  return i32x4.add(a, b);
}

function xor3(a: v128, b: v128, c: v128): v128 {
  return v128.xor(v128.xor(a, b), c);
}

/** The hash after the block in the schedule (6.2.2). */
function compress(): void {
  for (let at: usize = SCHEDULE + 16 * 16; at < SCHEDULE + 64 * 16; at += 16) {
    const early = v128.load(at - 15 * 16);
    const late = v128.load(at - 2 * 16);
    const early0 = xor3(rotated(early, 7), rotated(early, 18), i32x4.shr_u(early, 3));
    const late1 = xor3(rotated(late, 17), rotated(late, 19), i32x4.shr_u(late, 10));
    const others = sum(v128.load(at - 16 * 16), v128.load(at - 7 * 16));
    v128.store(at, sum(sum(early0, late1), others));
  }
  let a = v128.load(STATE);
  let b = v128.load(STATE, 16);
  let c = v128.load(STATE, 32);
  let d = v128.load(STATE, 48);
  let e = v128.load(STATE, 64);
  let f = v128.load(STATE, 80);
  let g = v128.load(STATE, 96);
  let h = v128.load(STATE, 112);
  for (let round: usize = 0; round < 64; round++) {
    const sum1 = xor3(rotated(e, 6), rotated(e, 11), rotated(e, 25));
    const choice = v128.bitselect(f, g, e);
    const word = sum(
      v128.load_splat<u32>(ROUNDS + (round << 2)),
      v128.load(SCHEDULE + (round << 4)),
    );
    const first = sum(sum(h, sum1), sum(choice, word));
    const sum0 = xor3(rotated(a, 2), rotated(a, 13), rotated(a, 22));
    const majority = v128.bitselect(v128.or(b, c), v128.and(b, c), a);
    h = g;
    g = f;
    f = e;
    e = sum(d, first);
    d = c;
    c = b;
    b = a;
    a = sum(first, sum(sum0, majority));
  }
  v128.store(STATE, sum(v128.load(STATE), a));
  v128.store(STATE, sum(v128.load(STATE, 16), b), 16);
  v128.store(STATE, sum(v128.load(STATE, 32), c), 32);
  v128.store(STATE, sum(v128.load(STATE, 48), d), 48);
  v128.store(STATE, sum(v128.load(STATE, 64), e), 64);
  v128.store(STATE, sum(v128.load(STATE, 80), f), 80);
  v128.store(STATE, sum(v128.load(STATE, 96), g), 96);
  v128.store(STATE, sum(v128.load(STATE, 112), h), 112);
}
