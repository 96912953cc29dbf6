import { invert, type InvertedIndex } from './inverted-index.ts';
import { findNegativePairs, type NegativePairs } from './negative-pairs.ts';
import { packTexts, type PackedTexts } from './shared-arrays.ts';
import { listTokens, type Tokens } from './tokens.ts';
import { buildVectors, type VectorPair } from './vectors.ts';

/** Two columns prepared for matching; threads share all of it. */
export interface Corpus {
  readonly vectors: VectorPair;
  /** Index of the right side. */
  readonly index: InvertedIndex;
  readonly tokens: Tokens;
  readonly negativePairs: NegativePairs;
  readonly leftTexts: PackedTexts;
  readonly rightTexts: PackedTexts;
}

/** Builds the corpus of normalised texts and their vectors. */
export function buildCorpus(
  left: readonly string[],
  right: readonly string[],
  vectors: VectorPair = buildVectors(left, right),
): Corpus {
  const tokens = listTokens(left, right);
  return {
    vectors,
    index: invert(vectors.right, vectors.termCount),
    tokens,
    negativePairs: findNegativePairs(tokens.right),
    leftTexts: packTexts(left),
    rightTexts: packTexts(right),
  };
}
