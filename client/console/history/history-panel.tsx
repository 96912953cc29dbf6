import { useState } from 'preact/hooks';

import type { Position, Screen } from '../address.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { When } from '../shell/when.tsx';
import { doneWords, groupsOf, type Done, type DoneGroup } from './groups.ts';
import { kindFamilies } from './kind-words.ts';
import { loadNamedPositions } from './named-positions.ts';

interface PanelParts {
  readonly screen: Extract<Screen, { name: 'sheet' }>;
  /** The newest sequence that the page knows of. */
  readonly head: number;
  readonly isLocked: boolean;
  readonly onClose: () => void;
}

interface Page {
  readonly head: number;
  readonly next: number | null;
  readonly ops: readonly Done[];
}

const pageLimit = 200;

/** Lists the steps of a branch, newest first: each leads to the cells as they were behind it. */
export function HistoryPanel({ screen, head, isLocked, onClose }: PanelParts) {
  const { book, at } = screen;
  const [person, setPerson] = useState('');
  const [family, setFamily] = useState('');
  const steps = useSteps(book, at.branch, head);
  const names = useNames(book, at.branch, head);
  const groups = groupsOf(ofFamily(steps.ops, family), names.value ?? new Map());
  const people = [...new Set(steps.ops.map(({ by }) => by))];
  const newest = steps.ops[0]?.seq ?? head;
  const shown = at.seq ?? newest;
  return (
    <aside class="beside" aria-label="History">
      <p class="actions spread">
        <h2>History of {at.branch}</h2>
        <button type="button" class="second" onClick={onClose}>
          Close
        </button>
      </p>
      {at.seq === undefined && !isLocked && (
        <NameIt book={book} branch={at.branch} onNamed={names.again} />
      )}
      <p class="actions">
        {people.length > 1 && (
          <Choice label="By" all="everybody" of={people} value={person} onPick={setPerson} />
        )}
        <Choice
          label="Only"
          all="everything"
          of={kindFamilies.map(([name]) => name)}
          value={family}
          onPick={setFamily}
        />
      </p>
      {steps.error && <Fault error={steps.error} again={steps.more} />}
      <ol class="plain steps">
        {groups
          .filter(({ by }) => person === '' || by === person)
          .map((group) => (
            <Step
              key={group.last}
              group={group}
              screen={screen}
              isShown={group.first <= shown && shown <= group.last}
              isNewest={group.last === newest}
            />
          ))}
      </ol>
      {family !== '' && groups.length === 0 && <p>Nothing of that kind is among these changes.</p>}
      {steps.hasMore && (
        <button type="button" class="second" onClick={steps.more}>
          Earlier changes
        </button>
      )}
    </aside>
  );
}

function ofFamily(ops: readonly Done[], family: string): readonly Done[] {
  const kinds = kindFamilies.find(([name]) => name === family)?.[1];
  return kinds ? ops.filter(({ kind }) => kinds.test(kind)) : ops;
}

interface ChoiceParts {
  readonly label: string;
  /** The text for all of them. */
  readonly all: string;
  readonly of: readonly string[];
  readonly value: string;
  readonly onPick: (name: string) => void;
}

function Choice({ label, all, of, value, onPick }: ChoiceParts) {
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={(event) => onPick(event.currentTarget.value)}>
        <option value="">{all}</option>
        {of.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

interface StepParts {
  readonly group: DoneGroup;
  readonly screen: PanelParts['screen'];
  readonly isShown: boolean;
  readonly isNewest: boolean;
}

function Step({ group, screen, isShown, isNewest }: StepParts) {
  const { first, last, by, at, name, count } = group;
  const { book, at: place } = screen;
  const { branch } = place;
  const position: Position = isNewest ? { branch } : { branch, seq: last };
  return (
    <li class={isShown ? 'shown' : ''}>
      {name !== undefined && <strong class="version">{name}</strong>}
      <ScreenLink to={{ ...screen, at: position }} isCurrent={isShown}>
        <When at={at} />
      </ScreenLink>{' '}
      <strong>{by}</strong> {doneWords(group)}
      <div class="links quiet">
        <span>
          {branch}@{first === last ? last : `${first}–${last}`}
        </span>
        {count > 0 && (
          <ScreenLink
            to={{ name: 'diff', book, from: `${branch}@${first - 1}`, to: `${branch}@${last}` }}
          >
            What changed
          </ScreenLink>
        )}
      </div>
    </li>
  );
}

/** Loads the steps of a branch page by page, and anew when there is another one. */
function useSteps(book: string, branch: string, head: number) {
  const { service } = useShell();
  const [earlier, setEarlier] = useState<readonly Done[]>([]);
  const [rest, setRest] = useState<number | null>();
  const [fault, setFault] = useState<Error>();
  const path = `/v1/workbooks/${book}/branches/${encodeURIComponent(branch)}/ops`;
  const page = (before: number, signal?: AbortSignal) => {
    const query = `before=${before}&payload=false&limit=${pageLimit}`;
    return service.ask<Page>(`${path}?${query}`, signal ? { signal } : {});
  };
  const first = useLoaded((signal) => page(Number.MAX_SAFE_INTEGER, signal), [path, head]);
  const latest = first.value?.ops ?? [];
  const oldest = latest.at(-1)?.seq ?? 0;
  const next = rest === undefined ? (first.value?.next ?? null) : rest;
  const more = () => {
    if (next === null) return first.again();
    load(next).catch(setFault);
  };
  const load = async (before: number) => {
    const { ops, next: behind } = await page(before);
    setFault(undefined);
    setEarlier([...earlier, ...ops]);
    setRest(behind);
  };
  // Pages that were loaded before may begin within the newest one.
  const ops = [...latest, ...earlier.filter(({ seq }) => seq < oldest)];
  return { ops, hasMore: next !== null, more, error: fault ?? first.error };
}

/** Returns the names of positions, by sequence. */
function useNames(book: string, branch: string, head: number) {
  const { service } = useShell();
  return useLoaded(
    async (signal) => {
      const named = await loadNamedPositions(service, book, signal);
      const here = named.filter((one) => one.branch === branch);
      return new Map(here.map(({ seq, name }) => [seq, name]));
    },
    [book, branch, head],
  );
}

interface NameParts {
  readonly book: string;
  readonly branch: string;
  readonly onNamed: () => void;
}

/** Gives the position that the branch is at a name. */
function NameIt({ book, branch, onNamed }: NameParts) {
  const { service, writer } = useShell();
  const [message, setMessage] = useState('');
  const [error, setError] = useState<Error>();
  const send = async () => {
    const path = `/v1/workbooks/${book}/branches/${encodeURIComponent(branch)}/commit`;
    await service.ask(path, { body: { message: message.trim(), writer } });
    setMessage('');
    setError(undefined);
    onNamed();
  };
  return (
    <form
      class="actions"
      onSubmit={(event) => {
        event.preventDefault();
        send().catch(setError);
      }}
    >
      <input
        aria-label="Name of this version"
        placeholder="Name this version"
        required
        value={message}
        size={16}
        onInput={(event) => setMessage(event.currentTarget.value)}
      />
      <button type="submit" class="second">
        Keep the name
      </button>
      {error && <Fault error={error} />}
    </form>
  );
}
