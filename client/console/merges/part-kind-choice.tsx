const partKinds: readonly (readonly [kind: string, words: string])[] = [
  ['auto', 'what belongs together'],
  ['sheet', 'sheet'],
  ['table', 'table'],
  ['writer', 'who wrote it'],
  ['op-group', 'step'],
];

interface ChoiceParts {
  readonly label: string;
  /** Rule of the parts; empty if a person made them. */
  readonly kind: string;
  readonly onPick: (kind: string) => void;
}

/** Chooses the rule that groups the changes of a merge into parts. */
export function PartKindChoice({ label, kind, onPick }: ChoiceParts) {
  return (
    <label>
      {label}
      <select value={kind} onChange={(event) => onPick(event.currentTarget.value)}>
        {kind === '' && <option value="">somebody’s choice</option>}
        {partKinds.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
