/** A match as the service shows it (docs/matching.md). */
export interface MatchSummary {
  readonly matchId: string;
  readonly status: string;
  readonly ref: { readonly branch: string; readonly seq: number };
  readonly left: MatchSide;
  readonly right: MatchSide;
  readonly opts: { readonly hi: number; readonly lo: number };
  readonly progress: number;
  readonly progressDetail: { readonly done: number; readonly total: number };
  readonly counts: Readonly<Record<Decision | 'unmatched', number>>;
  readonly createdAt: string;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly hint?: string;
  } | null;
}

export interface MatchSide {
  readonly tableId: string;
  readonly column?: string;
  /** Several columns that count together, instead of one. */
  readonly columns?: readonly { readonly column: string }[];
  readonly rows?: number;
}

/** Names of the columns of a side. */
export function columnsOf({ column, columns = [] }: MatchSide): string {
  return column ?? columns.map((one) => one.column).join(', ');
}

export type Decision = 'accept' | 'review' | 'reject';

export interface MatchRow {
  readonly leftKey: string | number | boolean;
  readonly leftValue: string | null;
  readonly rightKey: string | number | boolean | null;
  readonly rightValue: string | null;
  readonly score: number | null;
  readonly decision: Decision;
  readonly reason: string;
  readonly rank: number;
}

export interface Bounds {
  readonly hi: number;
  readonly lo: number;
}

/** A row that has a partner to decide about. */
export type Pair = MatchRow & {
  readonly rightKey: NonNullable<MatchRow['rightKey']>;
  readonly score: number;
};

export function isPair(row: MatchRow): row is Pair {
  return row.rightKey !== null && row.score !== null;
}

/** Returns the decision that the bounds give a score. */
export function bandOf(score: number, { hi, lo }: Bounds): Decision {
  if (score >= hi) return 'accept';
  return score < lo ? 'reject' : 'review';
}

/** Returns the number of pairs in each of some equal intervals of scores from 0 to 1. */
export function histogramOf(pairs: readonly Pair[], parts: number): readonly number[] {
  const counts = Array.from({ length: parts }, () => 0);
  for (const { score } of pairs) {
    const part = Math.max(0, Math.min(parts - 1, Math.floor(score * parts)));
    counts[part] = (counts[part] ?? 0) + 1;
  }
  return counts;
}

/** Returns the words of a text, each with whether the other text lacks it. */
export function wordsAgainst(
  text: string,
  other: string,
): readonly (readonly [word: string, isAlone: boolean])[] {
  const theirs = new Set(other.toLowerCase().split(/[\s,.;:/()-]+/u));
  return text
    .split(/(?<=[\s,.;:/()-]+)/u)
    .map((word) => [word, !theirs.has(word.toLowerCase().replaceAll(/[\s,.;:/()-]+/gu, ''))]);
}

const reasons: Readonly<Record<string, string>> = {
  exact: 'the same text',
  manual: 'somebody’s decision',
  taken: 'another row has the partner',
  llm: 'a model’s decision',
  'below-lo': 'a low score',
  'low-confidence': 'the verifier is not sure',
  'clear-margin': 'far better than the next one',
  'token-coverage': 'all words are there',
  'number-conflict': 'other numbers',
  'negative-pair': 'words that exclude one another',
  'no-candidate': 'nothing alike',
  'verifier-unavailable': 'nobody has verified it',
  'provider-refused': 'the provider refused it',
};

/** Returns the reason of a decision as a person says it. */
export function reasonText(reason: string): string {
  return reasons[reason] ?? reason.replaceAll('-', ' ');
}

const statuses: Readonly<Record<string, string>> = {
  queued: 'waits',
  running: 'runs',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
};

export function statusText(status: string): string {
  return statuses[status] ?? status;
}
