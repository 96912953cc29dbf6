import type { Match, MatchRow } from '../library/match.ts';
import type { Terminal } from './terminal.ts';

export type Decision = Parameters<Match['decide']>[0][number];

const keys: Readonly<Record<string, Decision['decision']>> = { a: 'accept', r: 'reject' };
const help = [
  'a accept    both mean the same',
  'r reject    they do not',
  's skip      decide later',
  'u undo      go back to the one before',
  'w write     send what was decided',
  'q quit      send nothing',
];

/**
 * Asks about pair after pair; resolves with the decisions, or undefined when the person leaves.
 * Nothing is sent.
 */
export async function reviewPairs(
  terminal: Terminal,
  rows: readonly MatchRow[],
): Promise<Decision[] | undefined> {
  const decided = new Map<MatchRow, Decision>();
  for (let at = 0; ;) {
    const row = rows[at];
    if (row) show(terminal, row, `${at + 1}/${rows.length}`);
    const question = row ? '[a,r,s,u,w,q,?] ' : `${decided.size} decided. [w,u,q,?] `;
    const key = (await terminal.ask(question)).slice(0, 1).toLowerCase();
    if (key === 'q') return undefined;
    if (key === 'w') return [...decided.values()];
    const step = key === 'u' ? back(rows, decided, at) : take(row, decided, key);
    if (step === undefined) for (const line of help) terminal.warn(line);
    at += step ?? 0;
  }
}

/**
 * Applies a key to the pair at hand; returns how many rows to go on, undefined for an unknown key.
 */
function take(
  row: MatchRow | undefined,
  decided: Map<MatchRow, Decision>,
  key: string,
): number | undefined {
  if (!row) return undefined;
  if (key === 's') return 1;
  const decision = keys[key];
  const { leftKey, rightKey } = row;
  if (decision === undefined || rightKey === null) return undefined;
  decided.set(row, { leftKey, rightKey, decision });
  return 1;
}

/** Goes back to the row before, and drops the decision about it. */
function back(rows: readonly MatchRow[], decided: Map<MatchRow, Decision>, at: number): number {
  const before = rows[at - 1];
  if (!before) return 0;
  decided.delete(before);
  return -1;
}

function show(terminal: Terminal, row: MatchRow, place: string): void {
  const { leftKey, leftValue, rightKey, rightValue, score, reason, detail } = row;
  const shown = score === null ? '' : `  ${score.toFixed(3)}`;
  terminal.warn(terminal.paint('bold', `\n${place}${shown}  ${reason}`));
  terminal.warn(`  ${leftValue ?? ''}  ${terminal.paint('dim', String(leftKey))}`);
  terminal.warn(`  ${rightValue ?? ''}  ${terminal.paint('dim', String(rightKey))}`);
  if (detail !== undefined) terminal.warn(`  ${detail}`);
}
