import { isFormulaInput, type Input } from '../model/cell-value.ts';
import type { Mutation } from '../model/mutation.ts';
import type { Kernel } from '../../workers/kernel.ts';

/** Returns whether a change adds formulas of unknown cost, or moves cells that they refer to. */
export function isUnmeasured(mutation: Mutation): boolean {
  switch (mutation.kind) {
    case 'cell':
    case 'fill':
      return isFormulaInput(mutation.input);
    case 'column':
      return mutation.inputs.some(isFormulaInput);
    case 'block':
      return mutation.inputs.some((row) => row.some(isFormulaInput));
    case 'rowsHidden':
      return false;
    default:
      return true;
  }
}

/** Size of the changed model: moving lines may look at all of it. */
export interface ModelSize {
  readonly formulas: number;
  readonly cells: number;
}

export const noSize: ModelSize = { formulas: 0, cells: 0 };

/** Number of cells moved in the time of entering one. */
const movedCellsPerCell = 64;
/** Characters of a formula read, or of a text stored, in that time. */
const formulaUnitsPerCell = 32;
const textUnitsPerCell = 256;

/** Weight up to which applying and evaluating take a few milliseconds. */
const littleWeightMost = 2000;

/** Returns whether changes are applied within a few milliseconds, without marking dependents. */
export function isLittle(kernel: Kernel, mutations: readonly Mutation[]): boolean {
  const size = sizeOf(kernel);
  let weight = 0;
  for (const mutation of mutations) {
    weight += mutationWeight(mutation, size);
    if (weight > littleWeightMost) return false;
  }
  return true;
}

/** Returns the size of a model, whose cells are counted once if they are asked for. */
function sizeOf(kernel: Kernel): ModelSize {
  let cells: number | undefined;
  return {
    formulas: kernel.formulaCount,
    get cells() {
      return (cells ??= kernel.valueCount);
    },
  };
}

/** Cost of a change for the kernel before anything is evaluated, in cells. */
export function mutationWeight(mutation: Mutation, size: ModelSize): number {
  switch (mutation.kind) {
    case 'cell':
      return inputWeight(mutation.input);
    case 'column':
      return sum(mutation.inputs);
    case 'block':
      return mutation.inputs.reduce((weight, row) => weight + sum(row), 1);
    case 'merges':
      return 1 + mutation.removed.length + mutation.added.length;
    case 'fill':
      return inputWeight(mutation.input) + mutation.rowCount * mutation.columnCount;
    default:
      // References in all formulas may be rewritten, and cells move with their lines.
      return 16 + size.formulas + Math.floor(size.cells / movedCellsPerCell);
  }
}

function sum(inputs: readonly (Input | undefined)[]): number {
  let weight = 0;
  for (const input of inputs) weight += inputWeight(input);
  return weight;
}

function inputWeight(input: Input | undefined): number {
  if (typeof input === 'string') return 1 + Math.floor(input.length / textUnitsPerCell);
  return isFormulaInput(input) ? 1 + Math.floor(input.formula.length / formulaUnitsPerCell) : 1;
}
