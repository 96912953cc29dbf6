/** Arrays in shared memory: one thread makes them, all others read them. */

export function sharedUint16(length: number): Uint16Array {
  return new Uint16Array(new SharedArrayBuffer(length * 2));
}

export function sharedUint32(length: number): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(length * 4));
}

export function sharedFloat32(length: number): Float32Array {
  return new Float32Array(new SharedArrayBuffer(length * 4));
}

/** Texts in one array; text `n` ends at `ends[n]`. */
export interface PackedTexts {
  readonly characters: Uint16Array;
  readonly ends: Uint32Array;
}

export function packTexts(texts: readonly string[]): PackedTexts {
  let length = 0;
  for (const text of texts) length += text.length;
  const characters = sharedUint16(length);
  const ends = sharedUint32(texts.length);
  let at = 0;
  for (const [index, text] of texts.entries()) {
    for (let character = 0; character < text.length; character++) {
      characters[at++] = text.charCodeAt(character);
    }
    ends[index] = at;
  }
  return { characters, ends };
}

export function startOf(ends: Uint32Array, index: number): number {
  return index === 0 ? 0 : (ends[index - 1] ?? 0);
}

/**
 * Returns the start of each of several consecutive lists by their lengths, and the end of the last.
 */
export function startsOf(counts: Uint32Array): Uint32Array {
  const starts = sharedUint32(counts.length + 1);
  let sum = 0;
  for (let index = 0; index < counts.length; index++) {
    starts[index] = sum;
    sum += counts[index] ?? 0;
  }
  starts[counts.length] = sum;
  return starts;
}
