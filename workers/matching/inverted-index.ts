import { sharedFloat32, sharedUint32, startsOf } from './shared-arrays.ts';
import type { Vectors } from './vectors.ts';

/** Rows by the terms that they have, with their weights; rows of a term in ascending order. */
export interface InvertedIndex {
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
  readonly weights: Float32Array;
}

export function invert({ starts, terms, weights }: Vectors, termCount: number): InvertedIndex {
  const perTerm = new Uint32Array(termCount);
  for (const term of terms) perTerm[term] = (perTerm[term] ?? 0) + 1;
  const termStarts = startsOf(perTerm);
  const next = Uint32Array.from(termStarts);
  const rows = sharedUint32(terms.length);
  const rowWeights = sharedFloat32(terms.length);
  for (let row = 0; row + 1 < starts.length; row++) {
    for (let at = starts[row] ?? 0; at < (starts[row + 1] ?? 0); at++) {
      const term = terms[at] ?? 0;
      const place = next[term] ?? 0;
      next[term] = place + 1;
      rows[place] = row;
      rowWeights[place] = weights[at] ?? 0;
    }
  }
  return { starts: termStarts, rows, weights: rowWeights };
}
