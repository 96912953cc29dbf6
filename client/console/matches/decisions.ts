import { useMemo, useState } from 'preact/hooks';

import { Problem } from '../service.ts';
import { useShell } from '../shell/context.ts';
import { isPair, type Decision, type MatchRow, type MatchSummary, type Pair } from './match.ts';

export type MatchPage = MatchSummary & {
  readonly total: number;
  readonly rows: readonly MatchRow[];
};

const sentAtOnce = 5000;

export interface Decided {
  readonly leftKey: Pair['leftKey'];
  readonly rightKey: Pair['rightKey'];
  readonly decision: Decision;
}

/** Pairs that were to be accepted, whose rows have other partners already. */
export interface Taken {
  readonly wanted: readonly Pair[];
  /** Accepted pairs that are in the way. */
  readonly others: readonly Pair[];
}

/** Returns the accepted pairs for which the service refused decisions; undefined for other refusals. */
function takenBy(
  rows: readonly MatchRow[],
  decisions: readonly Decided[],
  error: Error,
): Taken | undefined {
  if (!(error instanceof Problem) || error.code !== 'pair_taken') return undefined;
  const keys = new Set(decisions.filter((one) => one.decision === 'accept').map(pairKey));
  const pairs = rows.filter(isPair);
  const wanted = pairs.filter((pair) => keys.has(pairKey(pair)));
  const [left, right] = [
    new Set(wanted.map(({ leftKey }) => leftKey)),
    new Set(wanted.map(({ rightKey }) => rightKey)),
  ];
  const others = pairs.filter((pair) => {
    const isInWay = left.has(pair.leftKey) || right.has(pair.rightKey);
    return isInWay && pair.decision === 'accept' && !keys.has(pairKey(pair));
  });
  return wanted.length > 0 && others.length > 0 ? { wanted, others } : undefined;
}

/**
 * Sends decisions about pairs, which count at once: the next key is for the next pair. Those that
 * the service refuses are taken back.
 */
export function useDecisions(path: string, match: MatchPage | undefined) {
  const { service } = useShell();
  const [made, setMade] = useState<ReadonlyMap<string, Decision>>(new Map());
  const [counts, setCounts] = useState<MatchSummary['counts']>();
  const [fault, setFault] = useState<Error>();
  const [taken, setTaken] = useState<Taken>();
  const rows = useMemo(
    () =>
      (match?.rows ?? []).map((row): MatchRow => {
        const decision = made.get(pairKey(row));
        return decision && decision !== row.decision ? { ...row, decision, reason: 'manual' } : row;
      }),
    [match, made],
  );
  const decide = async (decisions: readonly Decided[]) => {
    setFault(undefined);
    setTaken(undefined);
    const before = new Map(rows.map((row) => [pairKey(row), row.decision]));
    setMade((known) => new Map([...known, ...decisions.map(entryOf)]));
    try {
      for (let at = 0; at < decisions.length; at += sentAtOnce) {
        const body = { decisions: decisions.slice(at, at + sentAtOnce) };
        const answer = await service.ask<MatchSummary>(`${path}/rows`, { method: 'PATCH', body });
        setCounts(answer.counts);
      }
    } catch (error) {
      const found = takenBy(rows, decisions, error as Error);
      if (found) setTaken(found);
      else setFault(error as Error);
      setMade((known) => {
        const kept = new Map(known);
        for (const one of decisions) {
          const former = before.get(pairKey(one));
          if (former) kept.set(pairKey(one), former);
        }
        return kept;
      });
    }
  };
  const keep = () => setTaken(undefined);
  return { rows, counts: counts ?? match?.counts ?? noCounts, decide, fault, taken, keep };
}

const noCounts = { accept: 0, review: 0, reject: 0, unmatched: 0 };

function pairKey({ leftKey, rightKey }: Pick<MatchRow, 'leftKey' | 'rightKey'>): string {
  return JSON.stringify([leftKey, rightKey]);
}

function entryOf(decided: Decided): [string, Decision] {
  return [pairKey(decided), decided.decision];
}
