import type { PairFacts } from './features.ts';
import { featureWeights } from './weights.ts';

/** Why the verifier accepts or refuses a pair, from the closed list. */
export type Verdict =
  | 'token-coverage'
  | 'clear-margin'
  | 'number-conflict'
  | 'negative-pair'
  | 'ambiguous'
  | 'low-confidence';

/** In the order of their numbers. */
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

/** How sure it is that two texts mean the same, from 0 to 1 in steps of a millionth. */
export function confidenceOf(features: Float64Array): number {
  let logit = featureWeights.bias;
  for (const [at, weight] of featureWeights.weights.entries()) {
    logit += weight * (features[at] ?? 0);
  }
  return Math.round(1e6 / (1 + Math.exp(-logit))) / 1e6;
}

/** Names what speaks most for an accepted pair, or against a refused one. */
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
