import type { Input } from '../model/cell-value.ts';
import type { Mutation } from '../model/mutation.ts';

/** Whether a change brings formulas whose cost nobody has measured yet, or moves what they refer to. */
export function isUnmeasured(mutation: Mutation): boolean {
  switch (mutation.kind) {
    case 'cell':
    case 'fill':
      return isFormula(mutation.input);
    case 'column':
      return mutation.inputs.some(isFormula);
    case 'block':
      return mutation.inputs.some((row) => row.some(isFormula));
    case 'rowsHidden':
      return false;
    default:
      return true;
  }
}

function isFormula(input: Input | undefined): boolean {
  return typeof input === 'object' && input !== null && 'formula' in input;
}

/** What a change costs the kernel before anything is evaluated, in cells. */
export function mutationWeight(mutation: Mutation, formulaCount: number): number {
  switch (mutation.kind) {
    case 'cell':
    case 'rowsHidden':
    case 'setting':
      return 1;
    case 'column':
      return mutation.inputs.length;
    case 'block':
      return mutation.inputs.length * Math.max(1, mutation.inputs[0]?.length ?? 0);
    case 'fill':
      return mutation.rowCount * mutation.columnCount;
    default:
      // References in all formulas may have to be rewritten.
      return 16 + formulaCount;
  }
}
