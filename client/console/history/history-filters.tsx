import type { ComponentChildren } from 'preact';

import type { Done } from './groups.ts';
import { kindFamilies } from './kind-words.ts';

/** Stands for the selected cell in the choice of sheets; no sheet is named so. */
export const ofCell = '[cell]';

/** Filter of the list by author, kind and sheet; an empty text is all of them. */
export interface Wanted {
  readonly person: string;
  readonly family: string;
  readonly sheet: string;
}

/** Filter of a history, which its owner keeps. */
export interface HistoryFilter {
  readonly wanted: Wanted;
  readonly want: (wanted: Wanted) => void;
}

interface FilterParts {
  readonly people: readonly string[];
  readonly sheets: readonly string[];
  /** Address of the active cell. */
  readonly cell: string;
  readonly wanted: Wanted;
  readonly onWant: (wanted: Wanted) => void;
}

/** Choices of what is listed: of whom, which kinds, and where. */
export function Filters({ people, sheets, cell, wanted, onWant }: FilterParts) {
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
      <Choice label="On" all="all sheets" of={sheets} {...pick('sheet')}>
        <option value={ofCell}>the selected cell, {cell}</option>
      </Choice>
    </p>
  );
}

/** Leaves the operations of a family of kinds; all of them without one. */
export function ofFamily(ops: readonly Done[], family: string): readonly Done[] {
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
  /** Further options. */
  readonly children?: ComponentChildren;
}

function Choice({ label, all, of, value, onPick, children }: ChoiceParts) {
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={(event) => onPick(event.currentTarget.value)}>
        <option value="">{all}</option>
        {children}
        {of.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
