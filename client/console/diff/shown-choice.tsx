/** The parts of a formula's cell that are shown: what was written, what it comes to, or both. */
export type ShownParts = 'both' | 'formulas' | 'values';

interface ChoiceParts {
  readonly parts: ShownParts;
  readonly onPick: (parts: ShownParts) => void;
}

/** Picks what is shown of cells, in the list and in the cells beside it. */
export function ShownChoice({ parts, onPick }: ChoiceParts) {
  return (
    <label>
      Show{' '}
      <select value={parts} onChange={(event) => onPick(event.currentTarget.value as ShownParts)}>
        <option value="both">formulas and values</option>
        <option value="formulas">formulas</option>
        <option value="values">values</option>
      </select>
    </label>
  );
}
