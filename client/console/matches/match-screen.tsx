import { useEffect, useMemo, useState } from 'preact/hooks';

import type { Screen } from '../address.ts';
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
import { bandOf, columnsOf, isPair, statusText, type Bounds } from './match.ts';
import { useDecisions, type Decided, type MatchPage } from './decisions.ts';
import { PairReview } from './pair-review.tsx';
import { TakenRows } from './taken-rows.tsx';

type MatchPlace = Extract<Screen, { name: 'match' }>;

const ended = new Set(['done', 'failed', 'cancelled']);
const pageRows = 1000;
const rowsMost = 20_000;
const pollMs = 700;

/**
 * Screen of one match: its progress, its scores, the pairs to decide, and its result as a table.
 */
export default function MatchScreen({ screen }: { screen: MatchPlace }) {
  const { service } = useShell();
  const { book, match: matchId, band } = screen;
  const path = `/v1/workbooks/${book}/matches/${matchId}`;
  const lock = refusalOf(useAccess(book), 'write');
  const match = useLoaded((signal) => loadMatch(service, path, signal), [path]);
  const { value } = match;
  useEffect(() => {
    if (!value || ended.has(value.status)) return undefined;
    const timer = setTimeout(match.again, pollMs);
    return () => clearTimeout(timer);
  }, [value]);
  const { rows, counts, decide, fault, taken, keep } = useDecisions(path, value);
  return (
    <main class="page wide">
      <Title match={value} />
      <p>
        <ScreenLink to={{ name: 'matches', book }}>All matches</ScreenLink>
      </p>
      {lock !== undefined && <p class="lock">{lock}</p>}
      {fault && <Fault error={fault} />}
      {taken && <TakenRows taken={taken} decide={decide} onKeep={keep} />}
      {match.error && <Fault error={match.error} again={match.again} />}
      {!value && !match.error && <Waiting label="Loading the match…" lines={6} />}
      {value && !ended.has(value.status) && <Running path={path} match={value} />}
      {value?.status === 'done' && (
        <Done
          {...{ book, path, band }}
          match={{ ...value, rows, counts }}
          decide={lock === undefined ? decide : undefined}
        />
      )}
    </main>
  );
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
  readonly band: string | undefined;
  /** Undefined for somebody who may only read. */
  readonly decide: ((decisions: readonly Decided[]) => Promise<void>) | undefined;
}

function Done({ book, path, match, band, decide }: DoneParts) {
  const [bounds, setBounds] = useState<Bounds>(match.opts);
  const pairs = useMemo(() => match.rows.filter(isPair), [match.rows]);
  // Decisions of a person do not depend on scores; one that was taken back is none.
  const moved = pairs.filter(({ reason, score, decision }) => {
    const isDecided = reason === 'manual' && decision !== 'review';
    return !isDecided && bandOf(score, bounds) !== decision;
  });
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
          <span role="status">
            These bounds decide {moved.length} {moved.length === 1 ? 'pair' : 'pairs'} otherwise.
          </span>
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
      <Bands rows={match.rows} counts={match.counts} band={band} decide={decide} />
      {decide && <ApplyMatch book={book} path={path} accepted={accept} />}
    </>
  );
}
