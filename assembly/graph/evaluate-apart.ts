import { COLUMN_LIMIT, ERROR_CIRCULAR, ERROR_NUMBER, KIND_ARRAY, ROW_LIMIT } from '../abi';
import { MODE_DYNAMIC, Template } from '../formula/template';
import { model } from '../grid/model';
import { clearSuspension, halted, suspended } from '../grid/sheet';
import { at } from '../memory/pointer';
import { newArray, setItemAt } from '../vm/array';
import { setCellLimit, setTotalFuel } from '../vm/cell-fuel';
import { clearDynamicReads, setFormulaCell } from '../vm/context';
import { evaluate } from '../vm/machine';
import { kindOf, payloadOf, setError, wordOf } from '../vm/slot';
import { settleResult } from './evaluate';
import { openEvaluation } from './open-evaluation';

/** Last row of a sheet, where such a formula counts as standing. */
export const APART_ROW: u32 = ROW_LIMIT - 1;
export const APART_COLUMN: u32 = COLUMN_LIMIT - 1;

/**
 * Evaluates a formula that is in no cell, as if it were in the last cell with no readers and no
 * obstacles; returns an array of what cells would show. No cell may be pending. Clock and seed are
 * those of the last recalculation.
 */
export function evaluateApart(template: usize, literals: usize, sheet: usize): usize {
  const root = model();
  openEvaluation(root.clock, root.seed);
  setTotalFuel(i64.MAX_VALUE);
  setCellLimit(i64.MAX_VALUE);
  setFormulaCell(sheet, APART_ROW, APART_COLUMN);
  const slot = evaluate(at<Template>(template), literals);
  if (!suspended) settleResult(slot, MODE_DYNAMIC, false);
  if (suspended) setError(slot, halted ? ERROR_NUMBER : ERROR_CIRCULAR);
  clearSuspension();
  clearDynamicReads();
  if (kindOf(slot) == KIND_ARRAY) return wordOf(slot);
  const array = newArray(1, 1);
  setItemAt(array, 0, kindOf(slot), payloadOf(slot));
  return array;
}
