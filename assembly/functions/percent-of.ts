import { ERROR_DIVISION } from '../abi';
import { answerError, answerNumber, failed } from '../vm/call';
import { gatherOne, sumOf } from './number-list';

/** PERCENTOF(subset, all): the quotient of their sums. */
export function evaluatePercentOf(): void {
  const subset = sumOf(gatherOne(0));
  const all = sumOf(gatherOne(1));
  if (failed()) return;
  if (all == 0) answerError(ERROR_DIVISION);
  else answerNumber(subset / all);
}
