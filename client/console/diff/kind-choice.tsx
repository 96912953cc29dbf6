type Counts = Readonly<Record<string, number>>;

/** Kinds of changes: their words, and the members of a summary with their counts. */
const kinds: readonly (readonly [kind: string, words: string, members: readonly string[]])[] = [
  ['cells', 'cells', ['cells']],
  [
    'structure',
    'rows, columns and sheets',
    [
      'rowsInserted',
      'rowsDeleted',
      'rowsMoved',
      'colsInserted',
      'colsDeleted',
      'colsMoved',
      'sheets',
    ],
  ],
  ['formats', 'looks', ['formats']],
  ['tables', 'tables', ['tables']],
  ['names', 'names', ['names']],
  ['records', 'what lies on cells', ['records']],
  ['properties', 'sizes and sheets', ['properties']],
  ['settings', 'settings', ['settings']],
];

interface ChoiceParts {
  /** Counts of all differences; undefined until they are loaded. */
  readonly summary: Counts | undefined;
  /** Listed kind; empty for all kinds. */
  readonly kind: string;
  readonly onPick: (kind: string) => void;
}

/** Chooses the kind of changes to list, if there are several. */
export function KindChoice({ summary = {}, kind, onPick }: ChoiceParts) {
  const there = kinds.filter(([, , members]) => members.some((one) => (summary[one] ?? 0) > 0));
  if (there.length < 2) return null;
  return (
    <label>
      Only{' '}
      <select value={kind} onChange={(event) => onPick(event.currentTarget.value)}>
        <option value="">everything</option>
        {there.map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
