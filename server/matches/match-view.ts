import { decisions, type Decision } from '../../workers/matching/options.ts';
import { arrowOf, type ArrowKind } from '../tables/reading/row-arrow.ts';
import { isFinished, type MatchRecord } from './match.ts';
import type { StoredRow } from './sql.ts';

/** A row of a result as it is shown. */
export interface MatchRow {
  readonly leftKey: string | number | boolean;
  readonly leftValue: string | null;
  readonly rightKey: string | number | boolean | null;
  readonly rightValue: string | null;
  readonly score: number | null;
  readonly decision: Decision;
  readonly verified: boolean;
  readonly confidence: number | null;
  readonly reason: string;
  readonly rank: number;
  readonly detail?: string;
}

export const retrySeconds = 1;

export function matchView(match: MatchRecord) {
  const { id, branch, seq, request, sides, status, done, total } = match;
  const isOpen = !isFinished(status);
  return {
    matchId: id,
    status,
    phase: match.phase,
    ref: { branch, seq },
    left: { ...request.left, ...sides?.left },
    right: { ...request.right, ...sides?.right },
    opts: request.opts,
    algo: match.algo,
    reused: match.reused,
    progress: match.progress,
    progressDetail: { done, total },
    counts: match.counts ?? { accept: 0, review: 0, reject: 0, unmatched: 0 },
    createdBy: match.createdBy,
    createdAt: match.createdAt.toISOString(),
    startedAt: match.startedAt?.toISOString() ?? null,
    finishedAt: match.finishedAt?.toISOString() ?? null,
    error: match.error,
    ...(isOpen && { retry_after: retrySeconds }),
  };
}

export function rowView({ body, decision, isManual }: StoredRow): MatchRow {
  const made = JSON.parse(body) as MatchRow;
  if (!isManual) return made;
  const decided = decisions[decision] ?? made.decision;
  return { ...made, decision: decided, verified: true, reason: 'manual' };
}

const columns = [
  'leftKey',
  'leftValue',
  'rightKey',
  'rightValue',
  'score',
  'decision',
  'verified',
  'confidence',
  'reason',
  'rank',
] as const satisfies readonly (keyof Omit<MatchRow, 'detail'>)[];

/** Keys are texts: those of one table may be of several types. */
const arrowKinds: Partial<Record<(typeof columns)[number], ArrowKind>> = {
  score: 'number',
  confidence: 'number',
  rank: 'integer',
  verified: 'boolean',
};

/** Rows as an IPC stream of Arrow. */
export function arrowRowsOf(
  batches: AsyncIterable<readonly MatchRow[]>,
): AsyncGenerator<Uint8Array> {
  const typed = columns.map((name) => ({ name, kind: arrowKinds[name] ?? 'text' }));
  return arrowOf(typed, listed(batches), false);
}

async function* listed(batches: AsyncIterable<readonly MatchRow[]>) {
  for await (const rows of batches) yield rows.map((row) => columns.map((name) => row[name]));
}

const encoder = new TextEncoder();

/** Rows as CSV with a header; texts that a program would run as formulas are marked as texts. */
export async function* csvOf(batches: AsyncIterable<readonly MatchRow[]>) {
  yield encoder.encode(`${columns.join(',')}\r\n`);
  for await (const rows of batches) {
    const lines = rows.map((row) => columns.map((name) => csvCell(row[name])).join(','));
    yield encoder.encode(`${lines.join('\r\n')}\r\n`);
  }
}

const dangerous = /^[=+\-@\t\r\n'\uFF1D\uFF0B\uFF0D\uFF20]/u;

function csvCell(cell: string | number | boolean | null): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = dangerous.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
