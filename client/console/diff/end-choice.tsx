import { useState } from 'preact/hooks';

import { parsePosition } from '../address.ts';
import { doneWords, groupsOf, type Done } from '../history/groups.ts';
import { loadNamedPositions, type NamedPosition } from '../history/named-positions.ts';
import type { Service } from '../service.ts';
import { useShell } from '../shell/context.ts';
import { useLoaded } from '../shell/loaded.ts';
import { fullTime } from '../shell/time-text.ts';

interface EndParts {
  readonly label: string;
  readonly book: string;
  /** Names of all branches. */
  readonly names: readonly string[];
  /** Position as it is named: `main`, `main@12`, `commit:v2`. */
  readonly value: string;
  readonly onPick: (position: string) => void;
}

interface Option {
  readonly value: string;
  readonly text: string;
}

const stepsMost = 200;

/** Chooses an end of a comparison: a branch, a named position, or an operation of the history. */
export function EndChoice({ label, book, names, value, onPick }: EndParts) {
  const { service } = useShell();
  const [isTyped, setTyped] = useState(false);
  const asked = parsePosition(value).branch;
  // An incomplete name of a branch is none yet.
  const branch = names.includes(asked) ? asked : undefined;
  const ends = useLoaded(
    async (signal) => (branch === undefined ? [] : loadEnds(service, { book, branch }, signal)),
    [book, branch],
  );
  if (isTyped) {
    return (
      <>
        <label>
          {label}
          <input value={value} onInput={(event) => onPick(event.currentTarget.value)} />
        </label>
        <button type="button" class="second" onClick={() => setTyped(false)}>
          From a list
        </button>
      </>
    );
  }
  const branches = names.map((name) => ({ value: name, text: name }));
  const groups = [{ name: 'Branches', options: branches }, ...(ends.value ?? [])];
  const isListed = groups.some(({ options }) => options.some((one) => one.value === value));
  return (
    <label>
      {label}
      <select
        class="end"
        value={value}
        onChange={({ currentTarget }) => {
          if (currentTarget.value === '') setTyped(true);
          else onPick(currentTarget.value);
        }}
      >
        {!isListed && <option value={value}>{value}</option>}
        {groups.map(({ name, options }) => (
          <Group key={name} name={name} options={options} />
        ))}
        <option value="">Another position…</option>
      </select>
    </label>
  );
}

interface GroupParts {
  readonly name: string;
  readonly options: readonly Option[];
}

function Group({ name, options }: GroupParts) {
  if (options.length === 0) return null;
  return (
    <optgroup label={name}>
      {options.map(({ value, text }) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </optgroup>
  );
}

async function loadEnds(
  service: Service,
  { book, branch }: { readonly book: string; readonly branch: string },
  signal: AbortSignal,
): Promise<readonly GroupParts[]> {
  const query = `before=${Number.MAX_SAFE_INTEGER}&payload=false&limit=${stepsMost}`;
  const path = `/v1/workbooks/${book}/branches/${encodeURIComponent(branch)}/ops?${query}`;
  const [named, { ops }] = await Promise.all([
    loadNamedPositions(service, book, signal),
    service.ask<{ readonly ops: readonly Done[] }>(path, { signal }),
  ]);
  const namesHere = new Map(
    named.flatMap((one) => (one.branch === branch ? [[one.seq, one.name] as const] : [])),
  );
  const steps = groupsOf(ops, namesHere).filter(({ last }) => !namesHere.has(last));
  return [
    { name: 'Named versions', options: named.map(versionOf) },
    { name: `History of ${branch}`, options: steps.map((step) => stepOf(branch, step)) },
  ];
}

function versionOf({ branch, seq, name }: NamedPosition): Option {
  const value = `${branch}@${seq}`;
  return { value, text: `${name} (${value})` };
}

function stepOf(branch: string, step: ReturnType<typeof groupsOf>[number]): Option {
  const value = `${branch}@${step.last}`;
  return { value, text: `${value}: ${step.by} ${doneWords(step)}, ${fullTime(step.at)}` };
}
