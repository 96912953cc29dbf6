import { ROOT } from './arena';
import { lowerUnit } from './text-case';

/**
 * Hash of all tables whose keys users choose: SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast
 * short-input PRF", 2012) under a secret key of the process, without which nobody can make keys
 * that collide. No value may depend on it: tables are not walked in the order of hashes, and their
 * steps cost no fuel.
 */
@unmanaged
class HashRecord {
  key0: u64 = 0;
  key1: u64 = 0;
  /** Number of entries looked at in all tables, which tests count instead of time. */
  probeCount: u64 = 0;
}

/** Behind the words of the text pool (grid/model.ts). */
const RECORD: usize = ROOT + 16;
const KEY0: usize = RECORD;
const KEY1: usize = RECORD + offsetof<HashRecord>('key1');
const PROBES: usize = RECORD + offsetof<HashRecord>('probeCount');

const START0: u64 = 0x736f6d6570736575;
const START1: u64 = 0x646f72616e646f6d;
const START2: u64 = 0x6c7967656e657261;
const START3: u64 = 0x7465646279746573;

const NOT_ASCII: u64 = 0xff80ff80ff80ff80;
const FROM_A: u64 = 0x003f003f003f003f;
const BEHIND_Z: u64 = 0x0025002500250025;
const LANE_BIT_7: u64 = 0x0080008000800080;

/** Sets the key, before anything is hashed. */
export function openHash(key0: u64, key1: u64): void {
  store<u64>(KEY0, key0);
  store<u64>(KEY1, key1);
  store<u64>(PROBES, 0);
}

/** Counts an entry of a table that was looked at. */
export function noteProbe(): void {
  store<u64>(PROBES, load<u64>(PROBES) + 1);
}

export function probesSoFar(): f64 {
  return <f64>load<u64>(PROBES);
}

/** The hash of some bytes. */
export function hashBytes(start: usize, byteCount: u32): u64 {
  return hashBlocks(start, byteCount, false);
}

/** The hash of units without regard to case. */
export function hashFolded(units: usize, unitCount: u32): u64 {
  return hashBlocks(units, unitCount << 1, true);
}

/**
 * Returns the hash of one word. For several words: the hash of the next one, xor the hash so far.
 */
export function hashWord(word: u64): u64 {
  const key0 = load<u64>(KEY0);
  const key1 = load<u64>(KEY1);
  return finish(key0 ^ START0, key1 ^ START1, key0 ^ START2, key1 ^ START3, word);
}

function hashBlocks(start: usize, byteCount: u32, folds: bool): u64 {
  const key0 = load<u64>(KEY0);
  const key1 = load<u64>(KEY1);
  let v0 = key0 ^ START0;
  let v1 = key1 ^ START1;
  let v2 = key0 ^ START2;
  let v3 = key1 ^ START3;
  const end = start + (byteCount & ~7);
  for (let place = start; place < end; place += 8) {
    let word = load<u64>(place);
    if (folds) word = fold(word);
    v3 ^= word;
    v0 += v1;
    v1 = rotl<u64>(v1, 13) ^ v0;
    v0 = rotl<u64>(v0, 32);
    v2 += v3;
    v3 = rotl<u64>(v3, 16) ^ v2;
    v0 += v3;
    v3 = rotl<u64>(v3, 21) ^ v0;
    v2 += v1;
    v1 = rotl<u64>(v1, 17) ^ v2;
    v2 = rotl<u64>(v2, 32);
    v0 ^= word;
  }
  let rest: u64 = 0;
  const restBytes = byteCount & 7;
  for (let offset: u32 = 0; offset < restBytes; offset += 2) {
    rest |= (<u64>load<u16>(end + offset)) << (offset << 3);
  }
  if (folds) rest = fold(rest);
  return finish(v0, v1, v2, v3, rest | ((<u64>byteCount) << 56));
}

/** Four units, each in lower case. */
function fold(word: u64): u64 {
  if (!(word & NOT_ASCII)) {
    // Bit 7 of a lane is set from A on by the one sum, and from behind Z on by the other.
    const isCapital = (word + FROM_A) & ~(word + BEHIND_Z) & LANE_BIT_7;
    return word | (isCapital >> 2);
  }
  let folded: u64 = 0;
  for (let shift: u64 = 0; shift < 64; shift += 16) {
    folded |= (<u64>lowerUnit(<u32>(word >> shift) & 0xffff)) << shift;
  }
  return folded;
}

/** Takes in the last word, and mixes three times. */
function finish(a: u64, b: u64, c: u64, d: u64, word: u64): u64 {
  let v0 = a;
  let v1 = b;
  let v2 = c;
  let v3 = d ^ word;
  for (let round = 0; round < 4; round++) {
    v0 += v1;
    v1 = rotl<u64>(v1, 13) ^ v0;
    v0 = rotl<u64>(v0, 32);
    v2 += v3;
    v3 = rotl<u64>(v3, 16) ^ v2;
    v0 += v3;
    v3 = rotl<u64>(v3, 21) ^ v0;
    v2 += v1;
    v1 = rotl<u64>(v1, 17) ^ v2;
    v2 = rotl<u64>(v2, 32);
    if (round) continue;
    v0 ^= word;
    v2 ^= 0xff;
  }
  return v0 ^ v1 ^ v2 ^ v3;
}
