import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';

import { parsePosition, positionText, type Screen } from '../address.ts';
import { AboutField } from '../shell/about-field.tsx';
import { useBranchNames } from '../shell/branch-names.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { Waiting } from '../shell/waiting.tsx';
import { Computing } from '../shell/computing.tsx';
import { ComparedCells } from './compared-cells.tsx';
import { diffPath } from './compared-sheets.ts';
import { countedWords } from './counts.ts';
import { EndChoice } from './end-choice.tsx';
import { entriesOf, type DiffEntry, type DiffPage } from './diff-page.ts';
import { Downloads } from './downloads.tsx';
import { formerOfEntry, sheetOfEntry } from './entry-places.ts';
import { EntryTable } from './entry-table.tsx';
import { KindChoice } from './kind-choice.tsx';
import { LoadMore } from './load-more.tsx';
import { ShownChoice, type ShownParts } from './shown-choice.tsx';
import { useStepKeys } from './step-keys.ts';
import { useDiff, type LoadedDiff } from './use-diff.ts';

type DiffAddress = Extract<Screen, { name: 'diff' }>;

/** Screen of all differences between two positions. */
export default function DiffScreen({ screen }: { screen: DiffAddress }) {
  const { book, from, to, kind = '', show: parts = 'both' } = screen;
  const isAll = screen.also === 'calculated';
  const view = useView();
  const [values, setValues] = useState<'true' | 'false'>('true');
  const diff = useDiff(diffPath(screen, { values, ...(kind !== '' && { kinds: kind }) }));
  const { names, ...branches } = useBranchNames(book);
  const entries = useMemo(
    () => diff.pages.flatMap(entriesOf).filter((entry) => isAll || !entry.isCalculated),
    [diff.pages, isAll],
  );
  const isCalculated = diff.pages.some((page) => entriesOf(page).some((one) => one.isCalculated));
  const [first] = diff.pages;
  const summary = useWholeSummary(screen, first);
  const [shown, setShown] = useState<DiffEntry>();
  useStepKeys();
  const placeOf = (entry: DiffEntry) => sheetOfEntry(screen, entry);
  const formerOf = (entry: DiffEntry) => formerOfEntry(screen, entry);
  return (
    <main class="page wide">
      <h1>
        {from} and {to} compared
      </h1>
      <Ends screen={screen} names={names} />
      {branches.error && <Fault error={branches.error} again={branches.again} />}
      <Loading
        {...{ screen, diff, values }}
        onValues={(areWanted) => setValues(areWanted ? 'true' : 'false')}
      />
      <Summary {...{ screen, names, summary }} />
      {(entries.length > 0 || kind !== '') && (
        <Ways
          screen={screen}
          names={names}
          isAll={isAll}
          onAll={isCalculated ? view.pickAll : undefined}
        >
          <KindChoice {...{ summary, kind }} onPick={view.pickKind} />
          <ShownChoice {...{ parts }} onPick={view.pickParts} />
        </Ways>
      )}
      {first && entries.length > 0 && (
        <div class="compared">
          <div class="compared-list">
            <EntryTable {...{ entries, placeOf, formerOf, parts }} onShow={setShown} />
            {diff.hasMore && !diff.error && <LoadMore key={diff.pages.length} onMore={diff.more} />}
          </div>
          <ComparedCells
            ends={{ book, from: positionText(first.from), to: positionText(first.to) }}
            {...{ entries, shown, parts }}
          />
        </div>
      )}
    </main>
  );
}

/** Keeps what is listed and shown in the address, so that it can be shown to others. */
function useView() {
  const { change } = useShell();
  const edit = (make: (now: DiffAddress) => DiffAddress) =>
    change((now) => (now.name === 'diff' ? make(now) : now));
  return {
    pickKind: (kind: string) =>
      edit(({ kind: _former, ...rest }) => (kind === '' ? rest : { ...rest, kind })),
    pickParts: (parts: ShownParts) =>
      edit(({ show: _former, ...rest }) => (parts === 'both' ? rest : { ...rest, show: parts })),
    pickAll: (isAll: boolean) =>
      edit(({ also: _former, ...rest }) => (isAll ? { ...rest, also: 'calculated' } : rest)),
  };
}

/** Returns the counts of all kinds, whichever is listed. */
function useWholeSummary(screen: DiffAddress, first: DiffPage | undefined) {
  const isWhole = screen.kind === undefined;
  const whole = useDiff(isWhole ? undefined : diffPath(screen, { limit: '1' }));
  return (isWhole ? first : whole.pages[0])?.summary;
}

interface LoadingParts {
  readonly screen: DiffAddress;
  readonly diff: LoadedDiff;
  readonly values: 'true' | 'false';
  readonly onValues: (areWanted: boolean) => void;
}

/** Tells how far the first differences are, or why there are none. */
function Loading({ screen: { book, from, to }, diff, values, onValues }: LoadingParts) {
  const isWaiting = diff.pages.length === 0 && !diff.error;
  return (
    <>
      {diff.error && <Fault error={diff.error} again={diff.more} />}
      {isWaiting && <Waiting label="The differences are on the way" lines={6} />}
      {isWaiting && diff.isComputing && (
        <Computing
          book={book}
          ends={[from, to]}
          told="The service calculates the values of both positions."
          instead={{ label: 'Compare without values', run: () => onValues(false) }}
        />
      )}
      {values === 'false' && (
        <p role="status">
          Values are not compared.{' '}
          <button type="button" class="second" onClick={() => onValues(true)}>
            Compare them
          </button>
        </p>
      )}
    </>
  );
}

interface WayParts extends EndParts {
  readonly isAll: boolean;
  /** Undefined when nothing is recalculated. */
  readonly onAll: ((isAll: boolean) => void) | undefined;
  /** Choices of what is listed and shown. */
  readonly children: ComponentChildren;
}

/** Links from a list of differences: to the cells, to all of them, to a merge. */
function Ways({ screen, names, isAll, onAll, children }: WayParts) {
  const { book, from, to } = screen;
  return (
    <>
      <p class="actions">
        <ScreenLink to={{ name: 'sheet', book, at: parsePosition(to), compare: from }}>
          Mark it in the sheet
        </ScreenLink>
        {children}
        {onAll && (
          <label>
            <input
              type="checkbox"
              checked={isAll}
              onChange={(event) => onAll(event.currentTarget.checked)}
            />{' '}
            also what is calculated anew
          </label>
        )}
        <Downloads ends={screen} />
      </p>
      {[from, to].every((end) => names.includes(end)) && <Propose screen={screen} />}
      <p class="quiet">J and K go from one change to the next; the cells follow.</p>
    </>
  );
}

interface EndParts {
  readonly screen: DiffAddress;
  /** Names of all branches. */
  readonly names: readonly string[];
}

/** Suggests other ends when a branch is compared with itself. */
function Others({ screen, names }: EndParts) {
  const { book, from, to } = screen;
  return (
    <>
      <p role="status">This is one position twice: nothing differs.</p>
      <ul class="list" aria-label="What to compare">
        {names
          .filter((name) => name !== to)
          .map((name) => (
            <li key={name}>
              <ScreenLink to={{ name: 'diff', book, from, to: name }}>
                {from} and {name}
              </ScreenLink>
            </li>
          ))}
      </ul>
      <p class="quiet">
        An older position is named by its number, such as <code>main@12</code>: “All versions”
        beside the cells has them.
      </p>
    </>
  );
}

/** Form that proposes the merge of the compared branches. */
function Propose({ screen: { book, from, to } }: { screen: DiffAddress }) {
  const { service, go } = useShell();
  const [description, setDescription] = useState('');
  const [error, setError] = useState<Error>();
  const propose = (event: Event) => {
    event.preventDefault();
    const body = { source: to, target: from, description: description.trim() };
    service
      .ask<{ id: string }>(`/v1/workbooks/${book}/merges`, { body })
      .then(({ id }) => go({ name: 'review', book, merge: id }))
      .catch(setError);
  };
  return (
    <form class="actions" onSubmit={propose}>
      <AboutField value={description} onChange={setDescription} />
      <button type="submit" class="main">
        Propose to merge {to} into {from}
      </button>
      {error && <Fault error={error} />}
    </form>
  );
}

function Ends({ screen, names }: EndParts) {
  const { go } = useShell();
  const { book, from, to } = screen;
  const [ends, setEnds] = useState({ from, to });
  useEffect(() => setEnds({ from, to }), [from, to]);
  const compare = (event: Event) => {
    event.preventDefault();
    go({ name: 'diff', book, ...ends });
  };
  return (
    <form class="actions" onSubmit={compare}>
      {(['from', 'to'] as const).map((end) => (
        <EndChoice
          key={end}
          label={end === 'from' ? 'From' : 'To'}
          book={book}
          names={names}
          value={ends[end]}
          onPick={(position) => setEnds({ ...ends, [end]: position })}
        />
      ))}
      <button type="submit" class="second">
        Compare
      </button>
      <button
        type="button"
        class="second"
        onClick={() => go({ name: 'diff', book, from: to, to: from })}
      >
        Swap
      </button>
    </form>
  );
}

interface SummaryParts extends EndParts {
  readonly summary: DiffPage['summary'] | undefined;
}

function Summary({ screen, names, summary }: SummaryParts) {
  if (screen.from === screen.to) return <Others screen={screen} names={names} />;
  if (!summary) return null;
  const counts = countedWords(summary);
  if (counts.length === 0) return <p role="status">Nothing differs.</p>;
  return (
    <ul class="counts" aria-label="What differs">
      {counts.map(([name, count]) => (
        <li key={name}>
          <strong>{count}</strong> {name}
        </li>
      ))}
    </ul>
  );
}
