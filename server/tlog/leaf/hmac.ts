import { concatBytes } from '../encoding/bytes.ts';
import { hashBytes, type Sha256 } from '../tree/hasher.ts';

const blockBytes = 64;
const innerByte = 0x36;
const outerByte = 0x5c;

/** HMAC-SHA256 (RFC 2104). */
export function hmacSha256(sha256: Sha256, key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = new Uint8Array(blockBytes);
  block.set(key.length > blockBytes ? sha256(key) : key);
  const inner = sha256(concatBytes([block.map((byte) => byte ^ innerByte), message]));
  return sha256(concatBytes([block.map((byte) => byte ^ outerByte), inner]));
}

/** The first half of HKDF-SHA256 (RFC 5869), without a salt. */
export function hkdfExtract(sha256: Sha256, secret: Uint8Array): Uint8Array {
  return hmacSha256(sha256, new Uint8Array(hashBytes), secret);
}

/** The second half, as far as one block goes: 32 bytes for an info. */
export function hkdfExpand(sha256: Sha256, key: Uint8Array, info: Uint8Array): Uint8Array {
  return hmacSha256(sha256, key, concatBytes([info, Uint8Array.of(1)]));
}
