import { noRow, type Candidates } from './candidates.ts';
import { isSettled, type Verification } from './chunks.ts';
import type { MatchRules } from './options.ts';
import type { PreparedMatch } from './prepared.ts';

export interface JudgingTask {
  readonly prepared: PreparedMatch;
  readonly rules: MatchRules;
  readonly candidates: Candidates;
  /** Pairs that may be asked about. */
  readonly pairsMost: number;
}

/**
 * 1 for each candidate that a model may be asked about: those between `lo` and `hi`, the likeliest
 * of all left texts first, until they are as many as may be.
 */
export function planJudging({ prepared, rules, candidates, pairsMost }: JudgingTask): Uint8Array {
  const { width, rows, cosines } = candidates;
  const planned = new Uint8Array(rows.length);
  const leftCount = rows.length / width;
  let count = 0;
  for (let place = 0; place < Math.min(width, rules.topK); place++) {
    for (let left = 0; left < leftCount && count < pairsMost; left++) {
      const at = left * width + place;
      const cosine = cosines[at] ?? 0;
      if (rows[at] === noRow || cosine < rules.lo || cosine >= rules.hi) continue;
      if (isSettled({ prepared, rules }, left)) continue;
      const isSure = (cosines[left * width] ?? 0) >= rules.hi;
      if (isSure && rules.assignment === 'many-to-one') continue;
      planned[at] = 1;
      count++;
    }
  }
  return planned;
}

/** Says about one pair, by its place among the candidates of a part. */
export interface Judgement {
  readonly own: number;
  readonly isMatch: boolean;
  readonly detail: string | undefined;
}

const million = 1_000_000;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Judgements of a part as they are kept. */
export function packJudgements(judgements: readonly Judgement[]): Uint8Array {
  return encoder.encode(
    JSON.stringify(judgements.map(({ own, isMatch, detail }) => [own, isMatch ? 1 : 0, detail])),
  );
}

/** Puts what a model said about a part into its place. */
export function placeJudgements(
  { confidences }: Verification,
  details: Map<number, string>,
  [bytes, start]: readonly [Uint8Array, number],
): void {
  const all = JSON.parse(decoder.decode(bytes)) as [number, number, (string | null)?][];
  for (const [own, isMatch, detail] of all) {
    confidences[start + own] = isMatch * million;
    if (typeof detail === 'string') details.set(start + own, detail);
  }
}
