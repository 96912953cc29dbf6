/** How two columns are matched, settled: every default is filled in. */
export interface MatchRules {
  /** From this cosine on a pair is accepted, below `lo` it is refused; between, it is verified. */
  readonly hi: number;
  readonly lo: number;
  readonly isVerified: boolean;
  /** Buckets that terms are hashed to; left out, terms are what they are. */
  readonly dim?: number | undefined;
  readonly assignment: Assignment;
  /** Candidates that a left row keeps. */
  readonly topK: number;
  readonly minConfidence: number;
  readonly normalise: 'default' | 'none';
  readonly include: 'accepted' | 'all';
  /** A column with itself: each pair once, a row with one before it. */
  readonly isDedupe: boolean;
  /** A model was asked about pairs: its yes or no is the decision, whatever `minConfidence` is. */
  readonly isJudged?: boolean | undefined;
}

export const assignments = ['many-to-one', 'one-to-one', 'many-to-many'] as const;
export type Assignment = (typeof assignments)[number];

/** Changes whenever the same columns could be matched in another way. */
export const algorithm = 'local/1';

/** Candidates that are looked at even where fewer are kept: the margin needs a second one. */
const candidatesLeast = 5;

export function candidatesOf({ topK }: Pick<MatchRules, 'topK'>): number {
  return Math.max(topK, candidatesLeast);
}

export const decisions = ['accept', 'review', 'reject'] as const;
export type Decision = (typeof decisions)[number];

/** The closed list of explanations, in the order of their numbers. */
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
