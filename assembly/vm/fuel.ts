import { isWorkDue, noteWork } from '../memory/work';
import { burn } from './cell-fuel';

/**
 * Pays for a turn of a loop without a known bound, in units of memory/work.ts. Returns false when
 * nothing is left to pay with; the result is then #NUM!, whatever the function answers.
 */
export function pay(units: u32): bool {
  noteWork(units);
  return !isWorkDue() || burn(0);
}
