import { useState } from 'preact/hooks';

import { LoadMore } from '../diff/load-more.tsx';
import { AboutField } from '../shell/about-field.tsx';
import { refusalOf, useAccess } from '../shell/access.ts';
import { useBranchNames } from '../shell/branch-names.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { curlLine, NothingYet } from '../shell/nothing-yet.tsx';
import { Waiting } from '../shell/waiting.tsx';
import { MergeList, type MergeRow } from './merge-list.tsx';
import { PartKindChoice } from './part-kind-choice.tsx';

interface MergePage {
  readonly total: number;
  readonly merges: readonly MergeRow[];
}

const pageRows = 50;

/** The merges of a workbook, and a form to propose one. */
export default function MergesScreen({ book }: { book: string }) {
  const { service } = useShell();
  const [most, setMost] = useState(pageRows);
  const merges = useLoaded(
    (signal) => loadMerges({ path: `/v1/workbooks/${book}/merges`, most }, service, signal),
    [book, most],
  );
  const lock = refusalOf(useAccess(book), 'write');
  const { value } = merges;
  return (
    <main class="page wide">
      <h1>Merges</h1>
      {lock === undefined ? <Proposal book={book} /> : <p class="lock">{lock}</p>}
      {merges.error && <Fault error={merges.error} again={merges.again} />}
      {!value && !merges.error && <Waiting label="Loading merges…" />}
      {value?.merges.length === 0 && <NoMerge book={book} />}
      {value && value.merges.length > 0 && (
        <MergeList {...{ book }} merges={value.merges} round={merges.value} />
      )}
      {value && value.merges.length < value.total && (
        <LoadMore key={most} onMore={() => setMost(most + pageRows)} />
      )}
    </main>
  );
}

type Asking = Pick<ReturnType<typeof useShell>['service'], 'ask'>;

/** Loads so many of the newest merges, page by page. */
async function loadMerges(
  { path, most }: { readonly path: string; readonly most: number },
  service: Asking,
  signal: AbortSignal,
): Promise<MergePage> {
  const merges: MergeRow[] = [];
  for (;;) {
    const query = `offset=${merges.length}&limit=${pageRows}`;
    const page = await service.ask<MergePage>(`${path}?${query}`, { signal });
    merges.push(...page.merges);
    const isWhole = merges.length >= page.total || page.merges.length === 0;
    if (isWhole || merges.length >= most) return { total: page.total, merges };
  }
}

function NoMerge({ book }: { readonly book: string }) {
  return (
    <NothingYet
      command={`quire merge ${book} <branch> --into main`}
      request={curlLine(`/v1/workbooks/${book}/merges`, { source: '<branch>', target: 'main' })}
    >
      No merge was proposed yet. A proposal writes nothing: it shows what would change, and what
      both branches have changed, before anybody approves it.
    </NothingYet>
  );
}

function Proposal({ book }: { book: string }) {
  const { service, go } = useShell();
  const { names, ...branches } = useBranchNames(book);
  const [picked, setPicked] = useState<string>();
  const [target, setTarget] = useState('main');
  const [units, setUnits] = useState('sheet');
  const [description, setDescription] = useState('');
  const [error, setError] = useState<Error>();
  const source = picked ?? names.find((name) => name !== target) ?? '';
  const propose = (event: Event) => {
    event.preventDefault();
    const body = { source, target, units, description: description.trim() };
    service
      .ask<{ id: string }>(`/v1/workbooks/${book}/merges`, { body })
      .then(({ id }) => go({ name: 'review', book, merge: id }))
      .catch(setError);
  };
  if (branches.error) return <Fault error={branches.error} again={branches.again} />;
  if (names.length === 1) {
    return (
      <p>
        There is one branch only. Begin another one with “Branch from here” beside its{' '}
        <ScreenLink to={{ name: 'sheet', book, at: { branch: names[0] ?? 'main' } }}>
          cells
        </ScreenLink>
        , change it, and come back to merge it.
      </p>
    );
  }
  return (
    <form class="actions" onSubmit={propose}>
      <BranchChoice label="Merge" names={names} value={source} onPick={setPicked} />
      <BranchChoice label="into" names={names} value={target} onPick={setTarget} />
      <PartKindChoice label="in parts by" kind={units} onPick={setUnits} />
      <AboutField value={description} onChange={setDescription} />
      <button type="submit" class="main" disabled={source === target || source === ''}>
        Propose
      </button>
      {error && <Fault error={error} />}
    </form>
  );
}

interface ChoiceParts {
  readonly label: string;
  readonly names: readonly string[];
  readonly value: string;
  readonly onPick: (name: string) => void;
}

function BranchChoice({ label, names, value, onPick }: ChoiceParts) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onPick(event.currentTarget.value)}>
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
