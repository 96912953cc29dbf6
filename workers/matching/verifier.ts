import { featureNames, type PairFacts } from './features.ts';
import { featureWeights } from './weights.ts';

/** Reason why the verifier accepts or refuses a pair. */
export type Verdict =
  | 'token-coverage'
  | 'clear-margin'
  | 'number-conflict'
  | 'negative-pair'
  | 'ambiguous'
  | 'low-confidence';

/** Reasons by number. */
export const verdicts: readonly Verdict[] = [
  'token-coverage',
  'clear-margin',
  'number-conflict',
  'negative-pair',
  'ambiguous',
  'low-confidence',
];

const coveredLeast = 0.9;
const clearMargin = 0.05;

export const numberConflict = featureNames.indexOf('numberConflict');
/**
 * Factor for the confidence in a pair with contradicting numbers, which outweigh any similarity.
 */
export const conflictShare = 0.001;

/**
 * Returns the confidence that two texts mean the same, from 0 to 1 in millionths. If each text has
 * a number that the other has not, they are two things, however similar.
 */
export function confidenceOf(features: Float64Array): number {
  let logit = featureWeights.bias;
  for (const [at, weight] of featureWeights.weights.entries()) {
    logit += weight * (features[at] ?? 0);
  }
  const share = (features[numberConflict] ?? 0) > 0 ? conflictShare : 1;
  return Math.round((share * 1e6) / (1 + Math.exp(-logit))) / 1e6;
}

/** Returns the strongest reason for an accepted pair, or against a refused one. */
export function verdictOf({ margin, alignment }: PairFacts, isAccepted: boolean): Verdict {
  if (isAccepted) {
    const { leftCoverage, rightCoverage } = alignment;
    const isCovered = Math.max(leftCoverage, rightCoverage) >= coveredLeast;
    return isCovered || margin < clearMargin ? 'token-coverage' : 'clear-margin';
  }
  if (alignment.leftNumbers > 0 && alignment.rightNumbers > 0) return 'number-conflict';
  if (alignment.negative) return 'negative-pair';
  return margin < clearMargin ? 'ambiguous' : 'low-confidence';
}
