import { noRow, type Candidates } from './candidates.ts';
import { isSettled, type Verification } from './chunks.ts';
import type { MatchRules } from './options.ts';
import type { PreparedMatch } from './prepared.ts';

export interface JudgingTask {
  readonly prepared: PreparedMatch;
  readonly rules: MatchRules;
  readonly candidates: Candidates;
  /** Most pairs about which the model is asked. */
  readonly pairsMost: number;
}

/**
 * Returns 1 for each candidate about which a model is asked: those between `lo` and `hi`, the most
 * likely of all left texts first, up to the limit.
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

/** Judgement about a pair, which is named by its index among the candidates of a part. */
export interface Judgement {
  readonly own: number;
  readonly isMatch: boolean;
  readonly detail: string | undefined;
}

const million = 1_000_000;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Packs the judgements of a part for storage. */
export function packJudgements(judgements: readonly Judgement[]): Uint8Array {
  return encoder.encode(
    JSON.stringify(judgements.map(({ own, isMatch, detail }) => [own, isMatch ? 1 : 0, detail])),
  );
}

/** Copies a model's judgements of a part into all candidates. */
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
