import { ERROR_DIVISION, ERROR_NUMBER, KIND_ERROR } from '../../abi';
import { answerError, answerNumber, argument, failed, failure } from '../../vm/call';
import { kindOf } from '../../vm/slot';
import { gatherOne, sumOf } from '../shared/number-list';

/** PERCENTOF(subset, all): the quotient of their sums; #NUM! for any error among many values. */
export function evaluatePercentOf(): void {
  const isAlone = kindOf(argument(0)) == KIND_ERROR || kindOf(argument(1)) == KIND_ERROR;
  const subset = sumOf(gatherOne(0));
  const all = sumOf(gatherOne(1));
  if (failure >= 0 && !isAlone) return answerError(ERROR_NUMBER);
  if (failed()) return;
  if (all == 0) answerError(ERROR_DIVISION);
  else answerNumber(subset / all);
}
