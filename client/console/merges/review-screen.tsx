import { useEffect, useState } from 'preact/hooks';

import { useOfferedLetters } from '../palette/offered-letters.ts';
import { Problem } from '../service.ts';
import { refusalOf, useAccess } from '../shell/access.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { useCommandKeys } from '../shell/letter-key.ts';
import { ScreenLink } from '../shell/link.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { tellScreen } from '../shell/title.ts';
import { Waiting } from '../shell/waiting.tsx';
import { Approval } from './approval.tsx';
import { Changes } from './changes.tsx';
import { Conflicts, SettledConflicts, type Deciding } from './conflicts.tsx';
import { Findings } from './findings.tsx';
import { MovedEnds } from './moved-ends.tsx';
import { useOwnInput } from './own-input.ts';
import { isOver, type ConflictPage, type MergeView } from './review.ts';
import { Timeline } from './timeline.tsx';
import { stateText } from './words.ts';

/** Pause before a merge is loaded again whose effects are being calculated. */
const computingMs = 500;

const letters = [
  ['j', 'Next conflict'],
  ['k', 'Previous conflict'],
  ['o', 'Take ours'],
  ['t', 'Take theirs'],
  ['b', 'Take the base'],
  ['O', 'Take ours for all that are open'],
  ['T', 'Take theirs for all that are open'],
  ['B', 'Take the base for all that are open'],
  ['u', 'Take these choices back'],
  ['v', 'Show the merge in the cells'],
  ['y', 'Go to the approval'],
] as const;

/** Screen of a merge from its changes to its approval, where conflicts are settled. */
export default function ReviewScreen({ book, mergeId }: { book: string; mergeId: string }) {
  const { service } = useShell();
  const path = `/v1/workbooks/${book}/merges/${mergeId}`;
  useOfferedLetters(letters);
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
  const broken = merge.error ?? page.error;
  useEffect(() => {
    if (view) tellScreen(view.title);
  }, [view?.title]);
  useEffect(() => {
    if (view?.state !== 'computing') return undefined;
    const timer = setTimeout(() => setRound((count) => count + 1), computingMs);
    return () => clearTimeout(timer);
  }, [view]);
  useApprovalKey();
  return (
    <main class="page wide">
      <Title book={book} view={view} />
      {error && <Fault error={error} />}
      {broken && <Fault error={broken} again={() => setRound((count) => count + 1)} />}
      {!view && !broken && <Waiting label="Loading the merge…" lines={6} />}
      {view && <Steps {...{ book, view, page: page.value, decide }} />}
    </main>
  );
}

function Title({ book, view }: { readonly book: string; readonly view: MergeView | undefined }) {
  return (
    <>
      <h1>{view?.title ?? 'A merge'}</h1>
      <p>
        <ScreenLink to={{ name: 'merges', book }}>All merges</ScreenLink>{' '}
        {view && <span class={`state ${view.state}`}>{stateText(view.state)}</span>}
      </p>
      {view && view.description !== '' && <p class="note">{view.description}</p>}
    </>
  );
}

/** Goes to the approval with Y. */
function useApprovalKey(): void {
  useCommandKeys((key) => {
    if (key === 'y') document.querySelector<HTMLElement>('#approve-button')?.focus();
  });
}

interface StepParts {
  readonly book: string;
  readonly view: MergeView;
  readonly page: ConflictPage | undefined;
  readonly decide: Deciding;
}

/** Steps of a review: changes, conflicts, findings, the approval and the timeline. */
function Steps({ book, view, page, decide }: StepParts) {
  const access = useAccess(book);
  const lock = isOver(view) ? undefined : refusalOf(access, 'write');
  const mayDecide = !isOver(view) && lock === undefined;
  return (
    <>
      {lock !== undefined && <p class="lock">{lock}</p>}
      <Changes
        book={book}
        view={view}
        mayDecide={mayDecide}
        onDecide={(groups) => decide('units', { groups })}
        onDivide={(grouping) => decide('units', { grouping })}
      />
      {page && <Questions {...{ book, view, page }} decide={mayDecide ? decide : undefined} />}
      {!isOver(view) && <MovedEnds book={book} view={view} />}
      <Approval {...{ book, view, access, decide }} />
      <Timeline events={view.timeline} />
    </>
  );
}

interface QuestionParts {
  readonly book: string;
  readonly view: MergeView;
  readonly page: ConflictPage;
  /** Undefined once nothing can be decided. */
  readonly decide: Deciding | undefined;
}

/** Everything that somebody has to decide: conflicts, and what only the merge brings about. */
function Questions({ book, view, page, decide }: QuestionParts) {
  const ownInput = useOwnInput(book, view.id);
  return (
    <>
      {page.total > 0 && decide && <Conflicts {...{ book, view, page, decide, ownInput }} />}
      {page.total > 0 && !decide && <SettledConflicts {...{ book, view, page }} />}
      <Findings {...{ book, page, decide, ownInput }} branch={view.target.branch} />
    </>
  );
}
