import { useState } from 'preact/hooks';

import type { Position, Screen } from '../address.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { RelativeTime } from '../shell/relative-time.tsx';
import { loadState } from '../sheet/sheet-loading.ts';
import { doneWords, groupsOf, type Done, type DoneGroup } from './groups.ts';
import { kindFamilies } from './kind-words.ts';
import { loadNamedPositions } from './named-positions.ts';

interface PanelParts {
  readonly screen: Extract<Screen, { name: 'sheet' }>;
  /** Newest sequence number that the page knows. */
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

/** Lists the operations of a branch, newest first, each as a link to the position after it. */
export function HistoryPanel({ screen, head, isLocked, onClose }: PanelParts) {
  const { book, at } = screen;
  const [wanted, setWanted] = useState<Wanted>({ person: '', family: '', sheet: '' });
  const sheets = useSheets(book, at.branch, head);
  const touched = sheets.find(({ name }) => name === wanted.sheet);
  const steps = useSteps({ book, branch: at.branch, head, touched });
  const names = useNames(book, at.branch, head);
  const groups = groupsOf(ofFamily(steps.ops, wanted.family), names.value ?? new Map());
  const { person } = wanted;
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
      <Filters
        people={[...new Set(steps.ops.map(({ by }) => by))]}
        sheets={sheets.map(({ name }) => name)}
        wanted={wanted}
        onWant={setWanted}
      />
      {steps.error && <Fault error={steps.error} again={steps.more} />}
      <Steps
        groups={groups.filter(({ by }) => person === '' || by === person)}
        newest={steps.ops[0]?.seq ?? head}
        screen={screen}
        isFiltered={steps.isLoaded && Object.values(wanted).join('') !== ''}
      />
      {steps.hasMore && (
        <button type="button" class="second" onClick={steps.more}>
          Earlier changes
        </button>
      )}
    </aside>
  );
}

/** Filter of the list by author, kind and sheet; an empty text is all of them. */
interface Wanted {
  readonly person: string;
  readonly family: string;
  readonly sheet: string;
}

interface FilterParts {
  readonly people: readonly string[];
  readonly sheets: readonly string[];
  readonly wanted: Wanted;
  readonly onWant: (wanted: Wanted) => void;
}

function Filters({ people, sheets, wanted, onWant }: FilterParts) {
  const families = kindFamilies.map(([name]) => name);
  const pick = (part: keyof Wanted) => ({
    value: wanted[part],
    onPick: (name: string) => onWant({ ...wanted, [part]: name }),
  });
  return (
    <p class="actions">
      {people.length + wanted.person.length > 1 && (
        <Choice label="By" all="everybody" of={people} {...pick('person')} />
      )}
      <Choice label="Only" all="everything" of={families} {...pick('family')} />
      {sheets.length > 1 && <Choice label="On" all="all sheets" of={sheets} {...pick('sheet')} />}
    </p>
  );
}

interface StepListParts {
  readonly groups: readonly DoneGroup[];
  readonly newest: number;
  readonly screen: PanelParts['screen'];
  /** True when the list may be filtered. */
  readonly isFiltered: boolean;
}

function Steps({ groups, newest, screen, isFiltered }: StepListParts) {
  const shown = screen.at.seq ?? newest;
  if (isFiltered && groups.length === 0) return <p>Nothing of that kind is among these changes.</p>;
  return (
    <ol class="plain steps">
      {groups.map((group) => (
        <Step
          key={group.last}
          group={group}
          screen={screen}
          isShown={group.first <= shown && shown <= group.last}
          isNewest={group.last === newest}
        />
      ))}
    </ol>
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
        <RelativeTime at={at} />
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

/** Returns the sheets of a branch. */
function useSheets(book: string, branch: string, head: number) {
  const { service } = useShell();
  const { value } = useLoaded(
    () => loadState(service, { workbookId: book, branch }),
    [book, branch, head],
  );
  return value?.sheets ?? [];
}

interface StepsParts {
  readonly book: string;
  readonly branch: string;
  readonly head: number;
  /** Sheet of the wanted operations; undefined for all. */
  readonly touched: { readonly id: string } | undefined;
}

/** Loads the operations of a branch page by page, and from the start for another branch. */
function useSteps({ book, branch, head, touched }: StepsParts) {
  const { service } = useShell();
  const of = touched?.id ?? '';
  const [earlier, setEarlier] = useState<EarlierSteps>({ of, ops: [], rest: undefined });
  const [fault, setFault] = useState<Error>();
  const path = `/v1/workbooks/${book}/branches/${encodeURIComponent(branch)}/ops`;
  const page = async (before: number, signal?: AbortSignal) => {
    const sheet = touched ? `&sheet=${encodeURIComponent(touched.id)}` : '';
    const query = `payload=false&limit=${pageLimit}${sheet}`;
    const options = signal ? { signal } : {};
    const { ops, next } = await service.ask<Page>(`${path}?before=${before}&${query}`, options);
    return { of, ops, next, oldest: next ?? ops.at(-1)?.seq ?? 0 };
  };
  const first = useLoaded((signal) => page(Number.MAX_SAFE_INTEGER, signal), [path, head, of]);
  const latest = first.value?.of === of ? first.value : undefined;
  const known = earlier.of === of ? earlier : { of, ops: [], rest: undefined };
  const next = known.rest === undefined ? (latest?.next ?? null) : known.rest;
  const load = async (before: number) => {
    const { ops, next: rest } = await page(before);
    setFault(undefined);
    setEarlier({ of, ops: [...known.ops, ...ops], rest });
  };
  const more = () => {
    if (next === null) return first.again();
    load(next).catch(setFault);
  };
  // Pages that were loaded before may overlap the newest one.
  const ops = [
    ...(latest?.ops ?? []),
    ...known.ops.filter(({ seq }) => seq < (latest?.oldest ?? 0)),
  ];
  const isLoaded = latest !== undefined;
  return { ops, isLoaded, hasMore: next !== null, more, error: fault ?? first.error };
}

/**
 * Operations before the newest page, and where the next page begins; those of another sheet do not
 * count.
 */
interface EarlierSteps {
  readonly of: string;
  readonly ops: readonly Done[];
  readonly rest: number | null | undefined;
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

/** Form that names the current position of the branch. */
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
