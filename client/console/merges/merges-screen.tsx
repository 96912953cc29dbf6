import { useState } from 'preact/hooks';

import { AboutField } from '../shell/about-field.tsx';
import { useBranchNames } from '../shell/branch-names.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { PartKindChoice } from './part-kind-choice.tsx';
import { stateText } from './words.ts';

interface MergeRow {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly state: string;
  readonly createdAt: string;
}

/** The merges of a workbook, and a form to propose one. */
export default function MergesScreen({ book }: { book: string }) {
  const { service } = useShell();
  const merges = useLoaded(
    (signal) =>
      service.ask<{ merges: readonly MergeRow[] }>(`/v1/workbooks/${book}/merges`, { signal }),
    [book],
  );
  return (
    <main class="page wide">
      <h1>Merges</h1>
      <Proposal book={book} />
      {merges.error && <Fault error={merges.error} again={merges.again} />}
      {merges.value?.merges.length === 0 && (
        <p class="quiet">
          No merge was proposed yet. A proposal writes nothing: it shows what would change, and what
          both branches have changed, before anybody approves it.
        </p>
      )}
      {merges.value && (
        <ul class="list">
          {merges.value.merges.map(({ id, title, description, state, createdAt }) => (
            <li key={id}>
              <ScreenLink to={{ name: 'review', book, merge: id }}>{title}</ScreenLink>{' '}
              <span class={`state ${state}`}>{stateText(state)}</span>{' '}
              <time class="quiet" dateTime={createdAt}>
                {new Date(createdAt).toLocaleString()}
              </time>
              {description !== '' && <div class="quiet first-line">{description}</div>}
            </li>
          ))}
        </ul>
      )}
    </main>
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
