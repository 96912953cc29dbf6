import type { Input } from '../../server/model/cell-value.ts';
import { cellName } from '../../server/model/address.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { textOf, type Tree } from './tree.ts';

/** A formula that is entered, in pieces. */
export interface FormulaStep {
  readonly tree: Tree;
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
  readonly mode: 'dynamic' | 'legacy' | 'array';
}

/** One change of a workbook; a case is a list of them. */
export type Step = { readonly mutation: Mutation } | FormulaStep;

/** Rows and columns of the fixed area of a legacy array formula. */
const areaRows = 3;
const areaColumns = 2;

export function formulaText({ tree }: FormulaStep): string {
  return `=${textOf(tree)}`;
}

export function mutationOf(step: Step): Mutation {
  if ('mutation' in step) return step.mutation;
  const { sheet, row, column } = step;
  return { kind: 'cell', sheet, row, column, input: inputOf(step) };
}

function inputOf(step: FormulaStep): Input {
  const formula = formulaText(step);
  const { row, column, mode } = step;
  if (mode === 'dynamic') return { formula };
  if (mode === 'legacy') return { formula, legacy: true };
  const end = cellName(row + areaRows - 1, column + areaColumns - 1);
  return { formula, array: `${cellName(row, column)}:${end}` };
}

/** A step as somebody who repeats the fault reads it. */
export function stepText(step: Step): string {
  return JSON.stringify(mutationOf(step));
}
