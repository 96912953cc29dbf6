import { openPostings, postingsIn, type PostingMemory } from '../kernel-postings.ts';
import { startsOf } from './shared-arrays.ts';
import type { Vectors } from './vectors.ts';

/** Rows and weights by term, rows in ascending order. */
export interface InvertedIndex {
  readonly starts: Uint32Array;
  /** Postings in the memory of a kernel, which adds them up. */
  readonly postings: PostingMemory;
}

export function invert({ starts, terms, weights }: Vectors, termCount: number): InvertedIndex {
  const perTerm = new Uint32Array(termCount);
  for (const term of terms) perTerm[term] = (perTerm[term] ?? 0) + 1;
  const termStarts = startsOf(perTerm);
  const next = Uint32Array.from(termStarts);
  const postings = openPostings(terms.length, starts.length - 1);
  const written = postingsIn(postings);
  for (let row = 0; row + 1 < starts.length; row++) {
    for (let at = starts[row] ?? 0; at < (starts[row + 1] ?? 0); at++) {
      const term = terms[at] ?? 0;
      const place = next[term] ?? 0;
      next[term] = place + 1;
      written.rows[place] = row;
      written.weights[place] = weights[at] ?? 0;
    }
  }
  return { starts: termStarts, postings };
}

/** Returns the bytes of an index. */
export function indexBytes({ starts, postings }: InvertedIndex): number {
  return starts.byteLength + postings.memory.buffer.byteLength;
}
