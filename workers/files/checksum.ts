const table = new Uint32Array(256);
for (let byte = 0; byte < 256; byte++) {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  table[byte] = value;
}

/** Returns the CRC-32 of ZIP, continued from `previous`. node:zlib has none before Node 20.15. */
export function crc32(bytes: Uint8Array, previous = 0): number {
  let state = ~previous;
  for (let at = 0; at < bytes.length; at++) {
    state = (table[(state ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (state >>> 8);
  }
  return ~state >>> 0;
}
