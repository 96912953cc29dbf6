import { scratch } from '../memory/scratch';
import { BLOCK_BYTES, DIGEST_BYTES, LANES, digest, pad, paddedBytes } from './sha256';

/** Before each record of a segment stands how long it is. */
const LENGTH_BYTES: u32 = 4;
/** Length of the text hashed to a nonce: the branch's key and the operation's sequence number. */
const NONCE_INPUT_BYTES: u32 = DIGEST_BYTES + 8;
const NONCE_BYTES: u32 = 16;
/** Before a leaf stand its prefix and its nonce. */
const LEAF_HEAD_BYTES: u32 = 1 + NONCE_BYTES;
const NODE_BYTES: u32 = 1 + 2 * DIGEST_BYTES;
const LEAF_PREFIX: u8 = 0;
const NODE_PREFIX: u8 = 1;

/** Addresses and padded sizes of four messages. */
const PLACES: usize = memory.data(16, 16);
const SIZES: usize = memory.data(16, 16);
/** Four short messages: nonce inputs, or nodes of a tree. */
const SHORT: usize = memory.data(4 * 128, 16);
const NONCES: usize = memory.data(4 * 32, 16);

/** How many operations the last segment had. */
export let operationCount: u32 = 0;

/**
 * The Merkle root (RFC 6962, section 2.1) over the records of a packed segment, each hashed behind
 * a nonce that hides it: 32 bytes in scratch memory, or 0 for a segment that is damaged or empty.
 */
export function operationsRoot(key: usize, body: usize, byteCount: u32, firstSeq: u64): usize {
  const end = body + byteCount;
  let longest: u32 = 0;
  operationCount = 0;
  for (let at = body; at < end; operationCount++) {
    const length = load<u32>(at);
    if (at + LENGTH_BYTES > end || length > <u32>(end - at) - LENGTH_BYTES) return 0;
    longest = max(longest, length);
    at += LENGTH_BYTES + length;
  }
  if (operationCount == 0) return 0;
  const leaves = scratch((operationCount + LANES) * DIGEST_BYTES);
  const laneBytes = paddedBytes(LEAF_HEAD_BYTES + longest);
  const lanes = scratch(LANES * laneBytes);
  openNonces(key);
  let at = body;
  for (let index: u32 = 0; index < operationCount; index += LANES) {
    hashNonces(firstSeq + index);
    for (let lane: u32 = 0; lane < LANES; lane++) {
      // The lanes behind the last operation hash it again.
      const length = load<u32>(at);
      writeLeaf(lanes + lane * laneBytes, NONCES + lane * DIGEST_BYTES, at + LENGTH_BYTES, length);
      setLane(lane, lanes + lane * laneBytes, paddedBytes(LEAF_HEAD_BYTES + length));
      if (index + lane + 1 < operationCount) at += LENGTH_BYTES + length;
    }
    digest(PLACES, SIZES, leaves + index * DIGEST_BYTES);
  }
  foldTree(leaves, operationCount);
  return leaves;
}

function setLane(lane: u32, message: usize, byteCount: u32): void {
  store<u32>(PLACES + (lane << 2), <u32>message);
  store<u32>(SIZES + (lane << 2), byteCount);
}

/** All but the sequence numbers. */
function openNonces(key: usize): void {
  for (let lane: u32 = 0; lane < LANES; lane++) {
    const message = SHORT + lane * BLOCK_BYTES;
    memory.copy(message, key, DIGEST_BYTES);
    pad(message, NONCE_INPUT_BYTES);
  }
}

function hashNonces(firstSeq: u64): void {
  for (let lane: u32 = 0; lane < LANES; lane++) {
    const message = SHORT + lane * BLOCK_BYTES;
    store<u64>(message + DIGEST_BYTES, bswap<u64>(firstSeq + lane));
    setLane(lane, message, BLOCK_BYTES);
  }
  digest(PLACES, SIZES, NONCES);
}

function writeLeaf(message: usize, nonce: usize, record: usize, length: u32): void {
  store<u8>(message, LEAF_PREFIX);
  v128.store(message + 1, v128.load(nonce));
  memory.copy(message + LEAF_HEAD_BYTES, record, length);
  pad(message, LEAF_HEAD_BYTES + length);
}

/** Hashes pairs until one is left, which comes to the front; one without a neighbour goes up as it is. */
function foldTree(hashes: usize, leafCount: u32): void {
  const messageBytes = paddedBytes(NODE_BYTES);
  for (let lane: u32 = 0; lane < LANES; lane++) {
    store<u8>(SHORT + lane * messageBytes, NODE_PREFIX);
    pad(SHORT + lane * messageBytes, NODE_BYTES);
    setLane(lane, SHORT + lane * messageBytes, messageBytes);
  }
  for (let count = leafCount; count > 1; count = (count + 1) >> 1) {
    const pairCount = count >> 1;
    const last = hashes + (count - 1) * DIGEST_BYTES;
    const isOdd = (count & 1) != 0;
    for (let pair: u32 = 0; pair < pairCount; pair += LANES) {
      const laneCount = min(LANES, pairCount - pair);
      for (let lane: u32 = 0; lane < laneCount; lane++) {
        const children = hashes + ((pair + lane) << 1) * DIGEST_BYTES;
        memory.copy(SHORT + lane * messageBytes + 1, children, 2 * DIGEST_BYTES);
      }
      digest(PLACES, SIZES, NONCES);
      memory.copy(hashes + pair * DIGEST_BYTES, NONCES, laneCount * DIGEST_BYTES);
    }
    if (isOdd) memory.copy(hashes + pairCount * DIGEST_BYTES, last, DIGEST_BYTES);
  }
}
