import { createHash } from 'node:crypto';

import type { PackedTexts } from './shared-arrays.ts';

export interface HashTask {
  /** Options and everything else that a result depends on, as text. */
  readonly facts: string;
  readonly texts: readonly PackedTexts[];
}

/** Returns the SHA-256 of all that a result depends on; equal hashes mean equal results. */
export function hashInputs({ facts, texts }: HashTask): Uint8Array {
  const hash = createHash('sha256').update(`${facts.length} ${facts}`);
  for (const { characters, ends } of texts) {
    hash.update(`${ends.length} `);
    // The hash functions refuse shared memory.
    hash.update(Uint32Array.from(ends));
    hash.update(Uint16Array.from(characters.subarray(0, ends.at(-1) ?? 0)));
  }
  return hash.digest();
}
