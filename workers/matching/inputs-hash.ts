import { createHash } from 'node:crypto';

import type { PackedTexts } from './shared-arrays.ts';

export interface HashTask {
  /** Everything else that a result depends on. */
  readonly facts: string;
  readonly texts: readonly PackedTexts[];
}

/** SHA-256 of all that a result depends on: equal inputs have equal rows. */
export function hashInputs({ facts, texts }: HashTask): Uint8Array {
  const hash = createHash('sha256').update(`${facts.length} ${facts}`);
  for (const { characters, ends } of texts) {
    hash.update(`${ends.length} `);
    // A hash does not take memory that is shared.
    hash.update(Uint32Array.from(ends));
    hash.update(Uint16Array.from(characters.subarray(0, ends.at(-1) ?? 0)));
  }
  return hash.digest();
}
