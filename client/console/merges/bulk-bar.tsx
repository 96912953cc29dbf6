import type { SideNames } from './conflict-card.tsx';
import {
  fits,
  membersIn,
  type ConflictFilter,
  type ConflictPage,
  type FilterMember,
  type Unit,
} from './review.ts';
import { kindText } from './words.ts';

interface BulkParts {
  readonly page: ConflictPage;
  readonly names: SideNames;
  readonly units: readonly Unit[];
  readonly filter: ConflictFilter;
  readonly onFilter: (filter: ConflictFilter) => void;
  readonly onTake: (choice: string) => void;
}

/** Members of a filter: the label of each choice, and the words before a picked value. */
const members: readonly (readonly [FilterMember, label: string, before: string])[] = [
  ['kind', 'Of the kind', 'where'],
  ['sheet', 'in', 'in'],
  ['table', 'of the table', 'of'],
  ['column', 'in the column', 'in column'],
  ['unit', 'of the part', 'of the part'],
  ['writer', 'written by', 'written by'],
];

/** Filters conflicts, and shows how many a choice would settle before it is made. */
export function BulkBar({ page, names, units, filter, onFilter, onTake }: BulkParts) {
  const { conflicts, open, total } = page;
  const fitting = conflicts.filter((one) => one.status === 'open' && fits(one, filter)).length;
  const isWhole = conflicts.length === total || Object.keys(filter).length === 0;
  const count = conflicts.length === total ? fitting : open;
  const textOf = (member: FilterMember, value: string): string => {
    if (member === 'kind') return kindText(value);
    return (member === 'unit' && units.find(({ id }) => id === value)?.title) || value;
  };
  const which = [
    isWhole ? `${count.toLocaleString()} open` : 'all that are open',
    ...members.flatMap(([member, , before]) => {
      const value = filter[member];
      return value === undefined ? [] : [`${before} ${textOf(member, value)}`];
    }),
  ].join(' ');
  return (
    <p class="actions">
      {members.map(([member, label]) => (
        <Pick
          key={member}
          label={label}
          of={membersIn(conflicts, member)}
          textOf={(value) => textOf(member, value)}
          value={filter[member]}
          onPick={(value) => {
            const { [member]: _former, ...rest } = filter;
            onFilter(value === '' ? rest : { ...rest, [member]: value });
          }}
        />
      ))}
      {(['ours', 'theirs'] as const).map((choice) => (
        <button
          key={choice}
          type="button"
          class="second"
          disabled={isWhole && count === 0}
          onClick={() => onTake(choice)}
        >
          Take {choice} ({names[choice]}) for {which}
        </button>
      ))}
    </p>
  );
}

interface PickParts {
  readonly label: string;
  readonly of: readonly string[];
  readonly textOf: (name: string) => string;
  readonly value: string | undefined;
  readonly onPick: (name: string) => void;
}

function Pick({ label, of, textOf, value, onPick }: PickParts) {
  if (of.length < 2) return null;
  return (
    <label>
      {label}
      <select value={value ?? ''} onChange={(event) => onPick(event.currentTarget.value)}>
        <option value="">any</option>
        {of.map((name) => (
          <option key={name} value={name}>
            {textOf(name)}
          </option>
        ))}
      </select>
    </label>
  );
}
