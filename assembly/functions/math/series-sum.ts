import { ERROR_NOT_AVAILABLE, ERROR_VALUE, KIND_BOOLEAN, KIND_STRING } from '../../abi';
import { powerOf } from '../../values/power';
import { answerNumber, argument, fail, failed, failure, omitted } from '../../vm/call';
import { itemKind, nextItem, openScan } from '../../vm/view';
import { gatherOne, numberAt, strictNumber } from '../shared/number-list';

/** SERIESSUM(x, n, m, coefficients): a1·xⁿ + a2·xⁿ⁺ᵐ + …; 0⁰ is #NUM! as in the operator. */
export function evaluateSeriesSum(): void {
  const x = strictNumber(0);
  const start = strictNumber(1);
  const step = strictNumber(2);
  if (omitted(3)) fail(ERROR_NOT_AVAILABLE);
  const list = gatherOne(3);
  refuseWords(argument(3));
  if (failed()) return;
  let sum: f64 = 0;
  for (let index: u32 = 0; index < list.count; index++) {
    sum += numberAt(list, index) * powerOf(x, start + <f64>index * step);
  }
  answerNumber(sum);
}

/** A coefficient that is a text or a boolean is #VALUE!: all after it would change their powers. */
function refuseWords(slot: usize): void {
  const scan = openScan(slot);
  while (failure < 0 && nextItem(scan)) {
    if (itemKind == KIND_STRING || itemKind == KIND_BOOLEAN) fail(ERROR_VALUE);
  }
}
