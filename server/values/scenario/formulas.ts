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
  /** Sheet of its cells; the first one if left out. */
  readonly sheet?: string | undefined;
  /** Place of the formula in the request. */
  readonly pointer: string;
  /** Place of its sheet. */
  readonly sheetPointer: string;
}

/** The value of a formula, as rows: one value, or an array. */
export interface FormulaResult {
  readonly formula: string;
  readonly rows: readonly (readonly Value[])[];
}

/** A formula that was read, and the sheet of its cells. */
export interface ReadFormula extends AskedFormula {
  readonly outline: SheetOutline;
}

/** Most cells of one result. */
const resultCellsMost = 10_000;

/** Reads formulas before calculating; fails at the first malformed one. */
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

/** Calculates formulas one by one in an evaluated model. */
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
