import { hashBytes } from './hasher.ts';

const blockBytes = 64;
const lengthBytes = 8;
const endMark = 0x80;

const roundConstants = new Uint32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);

const initialState = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/**
 * SHA-256 (FIPS 180-4) where there is none that answers at once: Web Crypto answers later, and a
 * proof is a chain of hashes of which each needs the one before.
 */
export function sha256(bytes: Uint8Array): Uint8Array {
  const padded = pad(bytes);
  const state = new Uint32Array(initialState);
  const schedule = new Uint32Array(blockBytes);
  for (let start = 0; start < padded.byteLength; start += blockBytes) {
    expand(schedule, padded, start);
    compress(state, schedule);
  }
  const hash = new DataView(new ArrayBuffer(hashBytes));
  for (const [index, word] of state.entries()) hash.setUint32(4 * index, word);
  return new Uint8Array(hash.buffer);
}

function pad(bytes: Uint8Array): DataView {
  const least = bytes.length + 1 + lengthBytes;
  const padded = new Uint8Array(Math.ceil(least / blockBytes) * blockBytes);
  padded.set(bytes);
  padded[bytes.length] = endMark;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - lengthBytes, BigInt(bytes.length) * 8n);
  return view;
}

function expand(schedule: Uint32Array, padded: DataView, start: number): void {
  for (let index = 0; index < 16; index++) schedule[index] = padded.getUint32(start + 4 * index);
  for (let index = 16; index < blockBytes; index++) {
    const early = at(schedule, index - 15);
    const late = at(schedule, index - 2);
    const earlyMix = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const lateMix = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    schedule[index] = at(schedule, index - 16) + earlyMix + at(schedule, index - 7) + lateMix;
  }
}

/**
 * Each round makes two of its eight words anew and moves the others on: here they stay where they
 * are, in two rows that grow by one word a round.
 */
function compress(state: Uint32Array, schedule: Uint32Array): void {
  const upper = new Uint32Array(blockBytes + 4);
  const lower = new Uint32Array(blockBytes + 4);
  for (let index = 0; index < 4; index++) {
    upper[3 - index] = at(state, index);
    lower[3 - index] = at(state, 4 + index);
  }
  for (let index = 0; index < blockBytes; index++) {
    const [a, b, c] = [at(upper, index + 3), at(upper, index + 2), at(upper, index + 1)];
    const [e, f, g] = [at(lower, index + 3), at(lower, index + 2), at(lower, index + 1)];
    const eMix = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const input = at(roundConstants, index) + at(schedule, index);
    const first = (at(lower, index) + eMix + choice + input) | 0;
    const aMix = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    lower[index + 4] = at(upper, index) + first;
    upper[index + 4] = first + aMix + majority;
  }
  for (let index = 0; index < 4; index++) {
    state[index] = at(state, index) + at(upper, blockBytes + 3 - index);
    state[4 + index] = at(state, 4 + index) + at(lower, blockBytes + 3 - index);
  }
}

/** Reads a word; every place that is asked for is there. */
function at(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
