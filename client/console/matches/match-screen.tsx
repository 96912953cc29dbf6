import { useEffect, useMemo, useState } from 'preact/hooks';

import { refusalOf, useAccess } from '../shell/access.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { useLoaded } from '../shell/loaded.ts';
import type { Service } from '../service.ts';
import { ApplyMatch } from './apply-match.tsx';
import { Waiting } from '../shell/waiting.tsx';
import { Bands } from './bands.tsx';
import { Histogram } from './histogram.tsx';
import {
  bandOf,
  columnsOf,
  isPair,
  statusText,
  type Bounds,
  type Decision,
  type MatchRow,
} from './match.ts';
import type { MatchSummary, Pair } from './match.ts';
import { PairReview } from './pair-review.tsx';

type MatchPage = MatchSummary & { readonly total: number; readonly rows: readonly MatchRow[] };

const ended = new Set(['done', 'failed', 'cancelled']);
const pageRows = 1000;
const rowsMost = 20_000;
const pollMs = 700;
const sentAtOnce = 5000;

/**
 * Screen of one match: its progress, its scores, the pairs to decide, and its result as a table.
 */
export default function MatchScreen({ book, matchId }: { book: string; matchId: string }) {
  const { service } = useShell();
  const path = `/v1/workbooks/${book}/matches/${matchId}`;
  const lock = refusalOf(useAccess(book), 'write');
  const match = useLoaded((signal) => loadMatch(service, path, signal), [path]);
  const { value } = match;
  useEffect(() => {
    if (!value || ended.has(value.status)) return undefined;
    const timer = setTimeout(match.again, pollMs);
    return () => clearTimeout(timer);
  }, [value]);
  const { rows, counts, decide, fault } = useDecisions(path, value);
  return (
    <main class="page wide">
      <Title match={value} />
      <p>
        <ScreenLink to={{ name: 'matches', book }}>All matches</ScreenLink>
      </p>
      {lock !== undefined && <p class="lock">{lock}</p>}
      {fault && <Fault error={fault} />}
      {match.error && <Fault error={match.error} again={match.again} />}
      {!value && !match.error && <Waiting label="Loading the match…" lines={6} />}
      {value && !ended.has(value.status) && <Running path={path} match={value} />}
      {value?.status === 'done' && (
        <Done
          {...{ book, path }}
          match={{ ...value, rows, counts }}
          decide={lock === undefined ? decide : undefined}
        />
      )}
    </main>
  );
}

/**
 * Sends decisions about pairs, which count at once: the next key is for the next pair. Those that
 * the service refuses are taken back.
 */
function useDecisions(path: string, match: MatchPage | undefined) {
  const { service } = useShell();
  const [made, setMade] = useState<ReadonlyMap<string, Decision>>(new Map());
  const [counts, setCounts] = useState<MatchSummary['counts']>();
  const [fault, setFault] = useState<Error>();
  const decide = async (decisions: readonly Decided[]) => {
    setFault(undefined);
    const before = new Map(match?.rows.map((row) => [pairKey(row), row.decision]));
    setMade((known) => new Map([...known, ...decisions.map(entryOf)]));
    try {
      for (let at = 0; at < decisions.length; at += sentAtOnce) {
        const body = { decisions: decisions.slice(at, at + sentAtOnce) };
        const answer = await service.ask<MatchSummary>(`${path}/rows`, { method: 'PATCH', body });
        setCounts(answer.counts);
      }
    } catch (error) {
      setFault(error as Error);
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
  const rows = useMemo(
    () =>
      (match?.rows ?? []).map((row): MatchRow => {
        const decision = made.get(pairKey(row));
        return decision && decision !== row.decision ? { ...row, decision, reason: 'manual' } : row;
      }),
    [match, made],
  );
  return { rows, counts: counts ?? match?.counts ?? noCounts, decide, fault };
}

const noCounts = { accept: 0, review: 0, reject: 0, unmatched: 0 };

function pairKey({ leftKey, rightKey }: Pick<MatchRow, 'leftKey' | 'rightKey'>): string {
  return JSON.stringify([leftKey, rightKey]);
}

function entryOf(decided: Decided): [string, Decision] {
  return [pairKey(decided), decided.decision];
}

function Title({ match }: { match: MatchPage | undefined }) {
  if (!match) return <h1>A match</h1>;
  const { left, right, status, error } = match;
  return (
    <>
      <h1>
        {columnsOf(left)} with {columnsOf(right)}{' '}
        <span class={`state ${status}`}>{statusText(status)}</span>
      </h1>
      {error && <p role="alert">{[error.message, error.hint].filter(Boolean).join(' ')}</p>}
    </>
  );
}

export interface Decided {
  readonly leftKey: Pair['leftKey'];
  readonly rightKey: Pair['rightKey'];
  readonly decision: Decision;
}

/** Loads the rows of a finished match, up to the number that a page should hold. */
async function loadMatch(service: Service, path: string, signal: AbortSignal): Promise<MatchPage> {
  const first = await service.ask<MatchPage>(`${path}?limit=${pageRows}`, { signal });
  const rows = [...first.rows];
  while (rows.length < Math.min(first.total, rowsMost)) {
    const query = `offset=${rows.length}&limit=${pageRows}`;
    const page = await service.ask<MatchPage>(`${path}?${query}`, { signal });
    if (page.rows.length === 0) break;
    rows.push(...page.rows);
  }
  return { ...first, rows };
}

function Running({ path, match }: { path: string; match: MatchPage }) {
  const { service } = useShell();
  const { done, total } = match.progressDetail;
  return (
    <p role="status" class="meter">
      <label>
        {total > 0 ? `${done.toLocaleString()} of ${total.toLocaleString()} rows` : 'It waits'}
        <progress max={1} value={match.progress} />
      </label>
      <button
        type="button"
        class="second"
        onClick={() => void service.ask(path, { method: 'DELETE' })}
      >
        Cancel
      </button>
    </p>
  );
}

interface DoneParts {
  readonly book: string;
  readonly path: string;
  readonly match: MatchPage;
  /** Undefined for somebody who may only read. */
  readonly decide: ((decisions: readonly Decided[]) => Promise<void>) | undefined;
}

function Done({ book, path, match, decide }: DoneParts) {
  const [bounds, setBounds] = useState<Bounds>(match.opts);
  const pairs = useMemo(() => match.rows.filter(isPair), [match.rows]);
  // Decisions of a person do not depend on scores.
  const moved = pairs.filter(
    ({ reason, score, decision }) => reason !== 'manual' && bandOf(score, bounds) !== decision,
  );
  const { accept, review, reject, unmatched } = match.counts;
  const isMoved = bounds.hi !== match.opts.hi || bounds.lo !== match.opts.lo;
  const save = () =>
    decide?.(
      moved.map(({ leftKey, rightKey, score }) => ({
        leftKey,
        rightKey,
        decision: bandOf(score, bounds),
      })),
    );
  return (
    <>
      <ul class="counts" aria-label="Rows">
        {Object.entries({ accepted: accept, 'to review': review, refused: reject, unmatched }).map(
          ([name, count]) => (
            <li key={name}>
              <strong>{count.toLocaleString()}</strong> {name}
            </li>
          ),
        )}
      </ul>
      {match.rows.length < match.total && (
        <p class="quiet">
          The first {rowsMost.toLocaleString()} of {match.total.toLocaleString()} rows are here.
        </p>
      )}
      <Histogram pairs={pairs} bounds={bounds} onMove={setBounds} />
      {isMoved && (
        <p class="actions">
          <span role="status">These bounds decide {moved.length} pairs otherwise.</span>
          <button
            type="button"
            class="main"
            disabled={moved.length === 0 || !decide}
            onClick={() => void save()}
          >
            Save {moved.length} decisions
          </button>
          <button type="button" class="second" onClick={() => setBounds(match.opts)}>
            As they were
          </button>
        </p>
      )}
      {decide && <PairReview {...{ book, match, pairs, decide }} />}
      <Bands rows={match.rows} counts={match.counts} decide={decide} />
      {decide && <ApplyMatch book={book} path={path} accepted={accept} />}
    </>
  );
}
