import { isWorkDue, noteWork } from '../memory/work';
import { burn } from './cell-fuel';

/**
 * Pays for a turn of a loop whose turns nobody can bound, in units of memory/work.ts. False when
 * the evaluation has nothing left to pay with; its result is #NUM! then, whatever is answered.
 */
export function pay(units: u32): bool {
  noteWork(units);
  return !isWorkDue() || burn(0);
}
