import type { SideNames } from './conflict-card.tsx';
import {
  membersIn,
  type Conflict,
  type ConflictFilter,
  type FilterMember,
  type Unit,
} from './review.ts';
import { kindText } from './words.ts';

interface BulkParts {
  /** Number of open conflicts that the filter selects; undefined until it is known. */
  readonly open: number | undefined;
  /** Conflicts whose members the filter can have. */
  readonly filterable: readonly Conflict[];
  /** True if a side can be the base. */
  readonly hasBase: boolean;
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
export function BulkBar({ open, filterable, names, units, ...parts }: BulkParts) {
  const { filter, hasBase, onFilter, onTake } = parts;
  const textOf = (member: FilterMember, value: string): string => {
    if (member === 'kind') return kindText(value);
    return (member === 'unit' && units.find(({ id }) => id === value)?.title) || value;
  };
  const which = [
    `${open?.toLocaleString() ?? '…'} open`,
    ...members.flatMap(([member, , before]) => {
      const value = filter[member];
      return value === undefined ? [] : [`${before} ${textOf(member, value)}`];
    }),
  ].join(' ');
  const sides = [
    ['ours', `ours (${names.ours})`],
    ['theirs', `theirs (${names.theirs})`],
    ...(hasBase ? [['base', 'the base'] as const] : []),
  ] as const;
  return (
    <p class="actions">
      {members.map(([member, label]) => (
        <Pick
          key={member}
          label={label}
          of={membersIn(filterable, member)}
          textOf={(value) => textOf(member, value)}
          value={filter[member]}
          onPick={(value) => {
            const { [member]: _former, ...rest } = filter;
            onFilter(value === '' ? rest : { ...rest, [member]: value });
          }}
        />
      ))}
      {sides.map(([choice, name]) => (
        <button
          key={choice}
          type="button"
          class="second"
          disabled={open === undefined || open === 0}
          onClick={() => onTake(choice)}
        >
          Take {name} for {which}
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
