import { attach } from './attached-kernel.ts';
import { faultOf, type Faulty } from './kernel-fault.ts';
import type { ApartResult } from './kernel-results.ts';
import type { KernelLoan } from './kernel.ts';

export interface EvaluateFormulaTask {
  /** A model without pending cells. */
  readonly loan: KernelLoan;
  readonly formula: string;
  /** Key of the sheet that unqualified references name. */
  readonly sheet: number;
  readonly cellsMost: number;
}

export type EvaluateFormulaResult = Faulty<{ readonly result: ApartResult | undefined }>;

/** Evaluates a formula that is in no cell of the model. */
export function evaluateFormula(task: EvaluateFormulaTask): EvaluateFormulaResult {
  const { loan, formula, sheet, cellsMost } = task;
  return faultOf(() => ({
    ok: true,
    result: attach(loan).evaluateApart(formula, sheet, cellsMost),
  }));
}
