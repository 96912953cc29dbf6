import { conflictShare, numberConflict } from '../../workers/matching/verifier.ts';
import type { Described } from './samples.ts';
import type { LogisticModel, Samples } from './logistic.ts';

/** Quality of a match: shares from 0 to 1. */
export interface Quality {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  readonly top1: number;
}

/** The defaults of the service. */
export const defaults = { hi: 0.95, lo: 0.35, minConfidence: 0.35 } as const;

/** Returns the quality of the default decisions with these weights, many to one. */
export function judge(set: Described, model: LogisticModel): Quality {
  let [accepted, right, first] = [0, 0, 0];
  for (let at = 0; at < set.left.length;) {
    const left = set.left[at] ?? 0;
    const best = bestOf(set, model, at);
    const found = set.equal.get(left) ?? best.right;
    const rows = set.leftCounts[left] ?? 0;
    const trueRows = set.isTrue(left, found) ? rows : 0;
    if ((set.equal.has(left) || isSure(best)) && set.rightCounts[found] === 1) {
      accepted += rows;
      right += trueRows;
    }
    first += trueRows;
    at = best.end;
  }
  const precision = accepted === 0 ? 1 : right / accepted;
  const recall = right / set.truthCount;
  const f1 = right === 0 ? 0 : (2 * precision * recall) / (precision + recall);
  return { precision, recall, f1, top1: first / set.truthCount };
}

function isSure({ cosine, confidence }: { cosine: number; confidence: number }): boolean {
  const isLikely = cosine >= defaults.hi || confidence >= defaults.minConfidence;
  return cosine >= defaults.lo && isLikely;
}

function bestOf({ left, right, cosines, samples }: Described, model: LogisticModel, start: number) {
  let best = { right: 0, cosine: 0, confidence: -1 };
  let at = start;
  for (; at < left.length && left[at] === left[start]; at++) {
    const confidence = confidenceAt(samples, model, at);
    if (confidence <= best.confidence) continue;
    best = { right: right[at] ?? 0, cosine: cosines[at] ?? 0, confidence };
  }
  return { ...best, end: at };
}

function confidenceAt({ width, values }: Samples, model: LogisticModel, at: number): number {
  let logit = model.bias;
  for (const [column, weight] of model.weights.entries()) {
    logit += weight * (values[at * width + column] ?? 0);
  }
  const isConflict = (values[at * width + numberConflict] ?? 0) > 0;
  return (isConflict ? conflictShare : 1) / (1 + Math.exp(-logit));
}

export function meanOf(qualities: readonly Quality[]): Quality {
  const mean = (of: keyof Quality): number =>
    qualities.reduce((sum, quality) => sum + quality[of], 0) / qualities.length;
  return {
    precision: mean('precision'),
    recall: mean('recall'),
    f1: mean('f1'),
    top1: mean('top1'),
  };
}
