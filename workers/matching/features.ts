import { Aligner, type Alignment } from './alignment.ts';
import { noRow, type Candidates, type Suitors } from './candidates.ts';
import type { Corpus } from './corpus.ts';
import { jaroWinkler } from './jaro-winkler.ts';
import { startOf, type PackedTexts } from './shared-arrays.ts';

/** Features for the verifier, in the order of its weights. */
export const featureNames = [
  'cosine',
  'margin',
  'reciprocal',
  'reciprocalMargin',
  'leftWords',
  'rightWords',
  'leftCoverage',
  'rightCoverage',
  'leastCoverage',
  'leftUnmatched',
  'rightUnmatched',
  'leftRarest',
  'rightRarest',
  'negative',
  'numberConflict',
  'leftNumber',
  'rightNumber',
  'sameWords',
  'firstSame',
  'lastSame',
  'jaroWinkler',
  'lengthRatio',
  'coverageProduct',
  'leftKnown',
  'rightKnown',
] as const;

export const featureCount = featureNames.length;

const wordsMost = 8;
const unmatchedMost = 4;

/** Facts about a pair that only its explanation needs. */
export interface PairFacts {
  readonly margin: number;
  readonly alignment: Alignment;
}

/** Computes features of a left row and its candidates. */
export class PairFeatures {
  readonly #corpus: Corpus;
  readonly #suitors: Suitors;
  readonly #aligner: Aligner;

  constructor(corpus: Corpus, suitors: Suitors) {
    this.#corpus = corpus;
    this.#suitors = suitors;
    this.#aligner = new Aligner(corpus.tokens, corpus.negativePairs);
  }

  /** Writes the features of a candidate into `into`. */
  describe(
    left: number,
    { candidates, place }: { candidates: Candidates; place: number },
    into: Float64Array,
  ): PairFacts {
    const { width, rows, cosines } = candidates;
    const first = left * width;
    const right = rows[first + place] ?? noRow;
    const cosine = cosines[first + place] ?? 0;
    const margin = cosine - bestOther(candidates, left, place);
    const { best, cosine: bestCosine, second } = this.#suitors;
    const isBest = best[right] === left || cosine >= (bestCosine[right] ?? 0);
    const rivalCosine = best[right] === left ? (second[right] ?? 0) : (bestCosine[right] ?? 0);
    const alignment = this.#aligner.align(left, right);
    const { leftTexts, rightTexts } = this.#corpus;
    const values = [
      cosine,
      margin,
      Number(isBest),
      cosine - rivalCosine,
      Math.min(wordsMost, alignment.leftWords),
      Math.min(wordsMost, alignment.rightWords),
      ...ofAlignment(alignment),
      jaroWinkler(textAt(leftTexts, left), textAt(rightTexts, right)),
      ratio(textAt(leftTexts, left), textAt(rightTexts, right)),
      Math.sqrt(alignment.leftCoverage * alignment.rightCoverage),
      alignment.leftKnown,
      alignment.rightKnown,
    ];
    into.set(values);
    return { margin, alignment };
  }
}

/** Returns the highest cosine among the other candidates of a left row; 0 if there is none. */
function bestOther({ width, rows, cosines }: Candidates, left: number, place: number): number {
  let best = 0;
  for (let other = 0; other < width; other++) {
    const at = left * width + other;
    if (rows[at] === noRow) break;
    if (other !== place) best = Math.max(best, cosines[at] ?? 0);
  }
  return best;
}

function ofAlignment(alignment: Alignment): number[] {
  const { leftCoverage, rightCoverage, leftNumbers, rightNumbers } = alignment;
  const isConflict = leftNumbers > 0 && rightNumbers > 0;
  return [
    leftCoverage,
    rightCoverage,
    Math.min(leftCoverage, rightCoverage),
    Math.min(unmatchedMost, alignment.leftUnmatched),
    Math.min(unmatchedMost, alignment.rightUnmatched),
    alignment.leftRarest,
    alignment.rightRarest,
    Number(alignment.negative),
    Number(isConflict),
    Number(leftNumbers > 0 && !isConflict),
    Number(rightNumbers > 0 && !isConflict),
    Number(alignment.isSameWords),
    Number(alignment.isFirstSame),
    Number(alignment.isLastSame),
  ];
}

function textAt({ characters, ends }: PackedTexts, row: number) {
  return { units: characters, start: startOf(ends, row), end: ends[row] ?? 0 };
}

function ratio(a: { start: number; end: number }, b: { start: number; end: number }): number {
  const [lengthA, lengthB] = [a.end - a.start, b.end - b.start];
  return Math.min(lengthA, lengthB) / Math.max(1, lengthA, lengthB);
}
