import { attach } from './attached-kernel.ts';
import { faultOf, type Faulty } from './kernel-fault.ts';
import type { ApartResult } from './kernel-results.ts';
import type { KernelLoan } from './kernel.ts';

export interface EvaluateFormulaTask {
  /** A model with nothing pending. */
  readonly loan: KernelLoan;
  readonly formula: string;
  /** Key of the sheet that its cells are of. */
  readonly sheet: number;
  readonly cellsMost: number;
}

export type EvaluateFormulaResult = Faulty<{ readonly result: ApartResult | undefined }>;

/** Returns the value of a formula that stands in no cell of the model. */
export function evaluateFormula(task: EvaluateFormulaTask): EvaluateFormulaResult {
  const { loan, formula, sheet, cellsMost } = task;
  return faultOf(() => ({
    ok: true,
    result: attach(loan).evaluateApart(formula, sheet, cellsMost),
  }));
}
