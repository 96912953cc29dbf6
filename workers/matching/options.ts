/** Options of a match with all defaults filled in. */
export interface MatchRules {
  /**
   * Cosine from which a pair is accepted; below `lo` it is refused, in between the verifier
   * decides.
   */
  readonly hi: number;
  readonly lo: number;
  readonly isVerified: boolean;
  /** Number of buckets for hashed terms; undefined if terms are not hashed. */
  readonly dim?: number | undefined;
  readonly assignment: Assignment;
  /** Number of candidates that a left row keeps. */
  readonly topK: number;
  readonly minConfidence: number;
  readonly normalise: 'default' | 'none';
  readonly include: 'accepted' | 'all';
  /**
   * True when a column is matched with itself: each pair is found once, as a row with an earlier
   * one.
   */
  readonly isDedupe: boolean;
  /** True when a model answers for pairs: its yes or no decides, whatever `minConfidence` is. */
  readonly isJudged?: boolean | undefined;
}

export const assignments = ['many-to-one', 'one-to-one', 'many-to-many'] as const;
export type Assignment = (typeof assignments)[number];

/** Version of the algorithm; it changes when the same columns may match otherwise. */
export const algorithm = 'local/1';

/** Candidates that are looked at even if fewer are kept, because the margin needs a second one. */
const candidatesLeast = 5;

export function candidatesOf({ topK }: Pick<MatchRules, 'topK'>): number {
  return Math.max(topK, candidatesLeast);
}

export const decisions = ['accept', 'review', 'reject'] as const;
export type Decision = (typeof decisions)[number];

/** All explanations, by number. */
export const reasons = [
  'exact',
  'cosine>=hi',
  'below-lo',
  'verified:token-coverage',
  'verified:clear-margin',
  'verified:alias',
  'refused:number-conflict',
  'refused:negative-pair',
  'refused:ambiguous',
  'refused:low-confidence',
  'verifier-unavailable',
  'llm',
  'provider-refused',
  'taken',
  'empty',
  'no-candidate',
  'manual',
] as const;
export type Reason = (typeof reasons)[number];
