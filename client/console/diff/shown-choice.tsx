/** Parts of a formula cell to show: the formula, its value, or both. */
export type ShownParts = 'both' | 'formulas' | 'values';

interface ChoiceParts {
  readonly parts: ShownParts;
  readonly onPick: (parts: ShownParts) => void;
}

/** Chooses what to show of cells, in the list and in the grid. */
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
