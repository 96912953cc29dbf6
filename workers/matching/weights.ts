/**
 * Weights that `npm run bench -- matching --only train` has written from sets of pairs; never
 * edited by hand.
 */
export const featureWeights: { readonly bias: number; readonly weights: readonly number[] } = {
  bias: -6.552,
  weights: [
    -0.05, // cosine
    6.629, // margin
    0.682, // reciprocal
    0.394, // reciprocalMargin
    -0.037, // leftWords
    0.117, // rightWords
    2.003, // leftCoverage
    0.137, // rightCoverage
    1.2, // leastCoverage
    0.321, // leftUnmatched
    -0.112, // rightUnmatched
    0.196, // leftRarest
    0.489, // rightRarest
    -1.211, // negative
    -1.795, // numberConflict
    -0.187, // leftNumber
    -0.53, // rightNumber
    1.664, // sameWords
    0.825, // firstSame
    0.007, // lastSame
    0.129, // jaroWinkler
    -1.143, // lengthRatio
    3.421, // coverageProduct
    -0.413, // leftKnown
    0.02, // rightKnown
  ],
};
