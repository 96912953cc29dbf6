import type { Value } from '../../model/cell-value.ts';
import { Failure } from '../../model/failure.ts';
import { Rejection } from '../../model/rejection.ts';
import type { BranchState } from '../../state/branch-state.ts';
import type { SheetOutline } from '../../state/structure/structure.ts';
import { sheetNotFound } from '../../branches/sheet-not-found.ts';
import type { TrialModel } from '../trial-model.ts';
import { refused } from './tried.ts';

export interface AskedFormula {
  readonly formula: string;
  /** Name of the sheet that its cells are of; the first one when left out. */
  readonly sheet?: string | undefined;
  /** Place of the formula in the request. */
  readonly pointer: string;
  /** Place of its sheet. */
  readonly sheetPointer: string;
}

/** The value of a formula: rows of one value, or of its array. */
export interface FormulaResult {
  readonly formula: string;
  readonly rows: readonly (readonly Value[])[];
}

/** A formula of its own that was read, and the sheet that its cells are of. */
export interface ReadFormula extends AskedFormula {
  readonly outline: SheetOutline;
}

/** Cells of one result. */
const resultCellsMost = 10_000;

/** Reads formulas before anything is calculated; fails at the first that is none. */
export function readFormulas(asked: readonly AskedFormula[], state: BranchState): ReadFormula[] {
  return asked.map((one) => {
    checkFormula(one, state);
    const { structure } = state;
    const outline = one.sheet === undefined ? structure.sheets[0] : structure.named(one.sheet);
    if (!outline) throw sheetNotFound(one.sheet, structure.sheets, one.sheetPointer);
    return { ...one, outline };
  });
}

function checkFormula({ formula, pointer }: AskedFormula, { coding }: BranchState): void {
  try {
    coding.checkFormula(formula, 'person');
  } catch (error) {
    throw error instanceof Rejection ? refused(error, pointer) : error;
  }
}

/** Calculates formulas one after the other, in a model that is up to date. */
export async function evaluateFormulas(
  formulas: readonly ReadFormula[],
  trial: TrialModel,
  signal: AbortSignal,
): Promise<FormulaResult[]> {
  const results: FormulaResult[] = [];
  for (const { formula, outline, pointer } of formulas) {
    signal.throwIfAborted();
    const found = await trial.evaluate(formula, outline.key, resultCellsMost);
    if (!found) throw new Error(`${formula} was read before, and is no formula now`);
    if (!found.rows) throw tooMuch(pointer);
    results.push({ formula, rows: found.rows });
  }
  return results;
}

function tooMuch(pointer: string): Failure {
  return new Failure('rangeTooLarge', {
    detail: `${pointer} comes to more than ${resultCellsMost} cells.`,
    hint: 'Ask for a part of it: TAKE, INDEX, or a sum of it.',
  });
}
