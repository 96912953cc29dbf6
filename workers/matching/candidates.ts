import type { Corpus } from './corpus.ts';
import { Retrieval, type RetrievalRule } from './retrieval.ts';

/**
 * Right rows that are nearest to left rows, with the same number of places for each left row; empty
 * places are `noRow`.
 */
export interface Candidates {
  /** Places for each left row. */
  readonly width: number;
  readonly rows: Uint32Array;
  readonly cosines: Float64Array;
}

export const noRow = 0xffffffff;
/** Setting that finds 999 of 1,000 nearest rows. */
const exactRule = { prunedMass: 0.07, rescored: 60 } as const;
/**
 * Setting for long lists: it skips more, is three times as fast, and hardly ever misses a match.
 */
const largeRule = { prunedMass: 0.2, rescored: 60 } as const;
const largeTexts = 20_000;
/** Setting for hashed terms: nothing is skipped, because signed sums may cancel each other out. */
const hashedRule = { prunedMass: 0, rescored: 30 } as const;

export interface CandidateWish {
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly isHashed: boolean;
  /** True when a column is matched with itself, so that only earlier texts are candidates. */
  readonly isDedupe: boolean;
  /** Block of each text; candidates are of the same block. */
  readonly blocks?: { readonly left: Uint32Array; readonly right: Uint32Array } | undefined;
}

export function findCandidates(
  { vectors: { left, right, termCount }, index }: Corpus,
  { from, to, width, isHashed, isDedupe, blocks }: CandidateWish,
): Candidates {
  const isLarge = right.starts.length > largeTexts;
  // With blocks, all rows found by the rarer terms may be of other blocks.
  const base = isHashed || blocks ? hashedRule : isLarge ? largeRule : exactRule;
  const rule: RetrievalRule = { ...base, rescored: Math.max(width, base.rescored), kept: width };
  const given = { indexed: right, termCount, blocks: blocks?.right };
  const retrieval = new Retrieval(index, given, rule);
  const rows = new Uint32Array((to - from) * width).fill(noRow);
  const cosines = new Float64Array((to - from) * width);
  for (let row = from; row < to; row++) {
    const found = retrieval.nearest(left, row, {
      ...(isDedupe && { below: row }),
      block: blocks && (blocks.left[row] ?? noRow),
    });
    const at = (row - from) * width;
    rows.set(found.rows.subarray(0, found.count), at);
    cosines.set(found.scores.subarray(0, found.count), at);
  }
  retrieval.close();
  return { width, rows, cosines };
}

/** Best left rows for each right row. */
export interface Suitors {
  /**
   * For each right row the left row with the highest cosine, that cosine, and the highest among the
   * others.
   */
  readonly best: Uint32Array;
  readonly cosine: Float64Array;
  readonly second: Float64Array;
}

export function findSuitors({ width, rows, cosines }: Candidates, rightCount: number): Suitors {
  const best = new Uint32Array(new SharedArrayBuffer(rightCount * 4)).fill(noRow);
  const cosine = new Float64Array(new SharedArrayBuffer(rightCount * 8));
  const second = new Float64Array(new SharedArrayBuffer(rightCount * 8));
  for (let at = 0; at < rows.length; at++) {
    const right = rows[at] ?? noRow;
    if (right === noRow) continue;
    const value = cosines[at] ?? 0;
    if (value > (cosine[right] ?? 0)) {
      second[right] = cosine[right] ?? 0;
      cosine[right] = value;
      best[right] = Math.floor(at / width);
    } else if (value > (second[right] ?? 0)) second[right] = value;
  }
  return { best, cosine, second };
}
