/** Bytes of the key of the kernels' hash tables, as SipHash wants them. */
export const hashKeyBytes = 16;

type Words = readonly [number, number, number, number];

/**
 * Key of this thread. The code that starts the thread sets it before any kernel is made; models
 * keep theirs.
 */
let words: Words = [0, 0, 0, 0];

/**
 * Sets the key that the process has drawn, for all kernels that this thread makes later. No value
 * depends on it. Without a secret key, texts could be made that all collide in a table.
 */
export function useHashKey(key: Uint8Array): void {
  if (key.length !== hashKeyBytes) throw new RangeError(`a hash key of ${key.length} bytes`);
  const view = new DataView(key.buffer, key.byteOffset, hashKeyBytes);
  words = [view.getUint32(0), view.getUint32(4), view.getUint32(8), view.getUint32(12)];
}

export function hashKeyWords(): Words {
  return words;
}
