import { useEffect, useState } from 'preact/hooks';

import { Sign } from '../diff/sign.tsx';
import { Side } from '../diff/side.tsx';
import { Problem } from '../service.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { isCommandKey } from '../shell/letter-key.ts';
import { ScreenLink } from '../shell/link.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { Changes } from './changes.tsx';
import { Conflicts, SettledConflicts, type Deciding } from './conflicts.tsx';
import { MovedEnds } from './moved-ends.tsx';
import { loadPlaceLabels, type PlaceLabels } from './place-labels.ts';
import { loadResults, type Results } from './results.ts';
import { isOver, type ConflictPage, type MergeView } from './review.ts';
import { Applied } from './applied.tsx';
import { Timeline } from './timeline.tsx';
import { kindText, obstacleText, stateText } from './words.ts';

/** Pause before a merge is loaded again whose effects are being calculated. */
const computingMs = 500;

/** Screen of a merge from its changes to its approval, where conflicts are settled. */
export default function ReviewScreen({ book, mergeId }: { book: string; mergeId: string }) {
  const { service } = useShell();
  const path = `/v1/workbooks/${book}/merges/${mergeId}`;
  const [round, setRound] = useState(0);
  const [error, setError] = useState<Error>();
  const merge = useLoaded((signal) => service.ask<MergeView>(path, { signal }), [path, round]);
  const page = useLoaded(
    (signal) => service.ask<ConflictPage>(`${path}/conflicts?limit=200`, { signal }),
    [path, round],
  );
  const decide: Deciding = (route, body) => {
    setError(undefined);
    const method = route === 'units' ? 'PUT' : 'POST';
    Promise.resolve(body)
      .then((decision) => service.ask(`${path}/${route}`, { body: decision, method }))
      .then(() => setRound((count) => count + 1))
      .catch((fault: Error) => {
        setError(fault);
        // A branch has moved, so its changes are shown at once.
        if (fault instanceof Problem && fault.code === 'digest_mismatch') {
          setRound((count) => count + 1);
        }
      });
  };
  const { value: view } = merge;
  useEffect(() => {
    if (view?.state !== 'computing') return undefined;
    const timer = setTimeout(() => setRound((count) => count + 1), computingMs);
    return () => clearTimeout(timer);
  }, [view]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'y' || !isCommandKey(event)) return;
      document.querySelector<HTMLElement>('#approve-button')?.focus();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (
    <main class="page wide">
      <h1>{view?.title ?? 'A merge'}</h1>
      <p>
        <ScreenLink to={{ name: 'merges', book }}>All merges</ScreenLink>{' '}
        {view && <span class={`state ${view.state}`}>{stateText(view.state)}</span>}
      </p>
      {view && view.description !== '' && <p class="note">{view.description}</p>}
      {error && <Fault error={error} />}
      {merge.error && <Fault error={merge.error} again={merge.again} />}
      {view && <Steps {...{ book, view, page: page.value, round, decide }} />}
    </main>
  );
}

interface StepParts {
  readonly book: string;
  readonly view: MergeView;
  readonly page: ConflictPage | undefined;
  readonly round: number;
  readonly decide: Deciding;
}

/** Steps of a review: changes, conflicts, findings, the approval and the timeline. */
function Steps({ book, view, page, round, decide }: StepParts) {
  const names = { ours: view.target.branch, theirs: view.source.branch };
  const labels = usePlaceLabels(book, view, page);
  const results = useResults(book, view, page);
  const hasConflicts = page !== undefined && page.total > 0;
  const accept = (id: string) => decide('resolve', { resolutions: [{ id, choice: 'accept' }] });
  const isOpen = !isOver(view);
  return (
    <>
      <Changes
        book={book}
        view={view}
        round={round}
        onDecide={(groups) => decide('units', { groups })}
        onDivide={(grouping) => decide('units', { grouping })}
      />
      {hasConflicts && isOpen && (
        <Conflicts
          {...{ page, names, labels, results, decide }}
          rows={{ book, merge: view.id, digest: view.digest ?? '' }}
          units={view.units ?? []}
        />
      )}
      {hasConflicts && !isOpen && <SettledConflicts {...{ page, names, labels }} />}
      {page && <Findings page={page} onAccept={isOpen ? accept : undefined} />}
      {isOpen && <MovedEnds book={book} view={view} />}
      <Approval
        book={book}
        view={view}
        onApprove={() => decide('approve', { digest: view.digest })}
      />
      <Timeline events={view.timeline} />
    </>
  );
}

const noLabels: PlaceLabels = new Map();

/** Loads names for the rows and columns of conflicts; without them addresses are shown. */
function usePlaceLabels(
  book: string,
  { source, target }: MergeView,
  page: ConflictPage | undefined,
): PlaceLabels {
  const { service } = useShell();
  const conflicts = page?.conflicts ?? [];
  const { value } = useLoaded(
    () => loadPlaceLabels(service, { book, source, target }, conflicts),
    [book, source.seq, target.seq, conflicts.map(({ id }) => id).join(' ')],
  );
  return value ?? noLabels;
}

const noResults: Results = new Map();

/** Loads the texts of conflict cells, and again after each choice. */
function useResults(book: string, view: MergeView, page: ConflictPage | undefined): Results {
  const { service } = useShell();
  const { id, digest } = view;
  const conflicts = isOver(view) ? [] : (page?.conflicts ?? []);
  const { value } = useLoaded(
    () => loadResults(service, { book, id }, conflicts),
    [book, id, digest, conflicts.map((one) => one.id).join(' ')],
  );
  return value ?? noResults;
}

interface FindingParts {
  readonly page: ConflictPage;
  /** Accepts a finding; undefined once the merge is closed. */
  readonly onAccept: ((id: string) => void) | undefined;
}

function Findings({ page, onAccept }: FindingParts) {
  const findings = [...page.effects, ...page.violations];
  if (findings.length === 0) return null;
  return (
    <section aria-labelledby="effects">
      <h2 id="effects">What only the merge brings about</h2>
      <ul class="list">
        {findings.map(({ id, kind, text, status, choices, value, becauseOf = [] }) => (
          <li key={id}>
            {text} <Side side={{ input: value?.ours }} /> <Sign change="modified" />{' '}
            <Side side={{ input: value?.merged }} /> <span class="quiet">{kindText(kind)}</span>{' '}
            {becauseOf.length > 0 && <span class="quiet">because of {becauseOf.join(', ')}</span>}{' '}
            <span class={`state ${status}`}>{status}</span>{' '}
            {onAccept && status === 'open' && choices.includes('accept') && (
              <button type="button" class="second" onClick={() => onAccept(id)}>
                Accept
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Obstacles that an approval may remove. */
const approvedAway: ReadonlySet<string> = new Set(['approvals', 'owners']);

interface ApprovalParts {
  readonly book: string;
  readonly view: MergeView;
  readonly onApprove: () => void;
}

function Approval({ book, view, onApprove }: ApprovalParts) {
  const { state, policy, digest } = view;
  if (state === 'merged') return <Applied book={book} view={view} />;
  if (state === 'aborted') return <p role="status">This merge was given up.</p>;
  if (!policy || digest === undefined) return <p role="status">It is being computed.</p>;
  const { blockedBy } = policy;
  return (
    <section aria-labelledby="approve">
      <h2 id="approve">Approve</h2>
      {policy.required > 0 && (
        <p>
          {policy.approvals} of {policy.required} approvals are given.
        </p>
      )}
      {blockedBy.length > 0 && <p>It waits for: {blockedBy.map(obstacleText).join(', ')}.</p>}
      <button
        id="approve-button"
        type="button"
        class="main"
        disabled={blockedBy.some((one) => !approvedAway.has(one))}
        onClick={onApprove}
      >
        {blockedBy.some((one) => approvedAway.has(one)) ? 'Approve' : 'Approve and merge'}
      </button>
      <p class="quiet">
        Approves exactly what is shown (<code>{digest.slice(0, 19)}…</code>): if a branch goes on
        meanwhile, you are asked again.
      </p>
    </section>
  );
}
