import type { Assignment } from '../../workers/matching/options.ts';
import type { MatchSide } from './sides.ts';

export const statuses = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type Status = (typeof statuses)[number];

/** Phases of one that runs, in their order; each has a share of the progress. */
export const phases = [
  'reading',
  'embedding',
  'scoring',
  'verifying',
  'assigning',
  'writing',
] as const;
export type Phase = (typeof phases)[number];

const shares: Readonly<Record<Phase, number>> = {
  reading: 0.05,
  embedding: 0.35,
  scoring: 0.3,
  verifying: 0.25,
  assigning: 0,
  writing: 0.05,
};

/** How far a match is when a phase has done so much; below 1, as only one that is done is at 1. */
export function progressAt(phase: Phase, done: number, total: number): number {
  let before = 0;
  for (const earlier of phases.slice(0, phases.indexOf(phase))) before += shares[earlier];
  const within = total > 0 ? Math.min(1, done / total) : 0;
  return Math.min(0.999, Math.round((before + shares[phase] * within) * 1000) / 1000);
}

/** States that may follow each state. */
const transitions: Readonly<Record<Status, readonly Status[]>> = {
  queued: ['running', 'failed', 'cancelled', 'done'],
  running: ['running', 'queued', 'done', 'failed', 'cancelled'],
  done: [],
  failed: [],
  cancelled: [],
};

export function mayFollow(from: Status, to: Status): boolean {
  return transitions[from].includes(to);
}

export function isFinished(status: Status): boolean {
  return transitions[status].length === 0;
}

export interface ColumnPlace {
  readonly tableId: string;
  readonly column: string;
}

/** The options with all defaults filled in, as they are shown. */
export interface MatchOptions {
  readonly hi: number;
  readonly lo: number;
  readonly provider: string;
  readonly verifyProvider: string;
  /** Null: exact, without buckets. */
  readonly dim: number | null;
  readonly assignment: Assignment;
  readonly topK: number;
  readonly minConfidence: number;
  readonly normalise: 'default' | 'none';
  readonly aliases: { readonly tableId: string; readonly from: string; readonly to: string } | null;
  readonly include: 'accepted' | 'all';
}

export interface MatchRequest {
  readonly left: MatchSide;
  readonly right: MatchSide;
  readonly opts: MatchOptions;
}

export interface SideFacts {
  readonly rows: number;
  readonly distinct: number;
  readonly empty: number;
}

export interface Counts {
  readonly accept: number;
  readonly review: number;
  readonly reject: number;
  /** Left rows without any candidate, which are among the rejected ones. */
  readonly unmatched: number;
}

export interface MatchRecord {
  readonly id: string;
  readonly workbookId: string;
  readonly createdBy: string;
  readonly ownerId: string;
  readonly branch: string;
  readonly branchNo: number;
  readonly seq: number;
  readonly request: MatchRequest;
  readonly algo: string;
  readonly status: Status;
  readonly phase: Phase | null;
  readonly done: number;
  readonly total: number;
  readonly progress: number;
  readonly attempts: number;
  readonly sides: { readonly left: SideFacts; readonly right: SideFacts } | null;
  readonly reused: boolean;
  readonly counts: Counts | null;
  readonly rowCount: number;
  readonly error: MatchError | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

/** Why a match failed, and the next call to make; matches of before have no hint. */
export interface MatchError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export const matchLimits = {
  rowsPerSide: 250_000,
  charactersPerSide: 64_000_000,
  runningPerAccount: 2,
  queuedPerAccount: 20,
  attempts: 3,
  retentionDays: 30,
  pageMost: 1000,
  pageDefault: 100,
  decisionsPerCall: 10_000,
} as const;
