import { ERROR_NUMBER } from '../../abi';
import {
  answerError,
  answerNumber,
  fail,
  failed,
  integerArgument,
  numberArgument,
} from '../../vm/call';

/** One past the largest number the bit functions take: 48 bits. */
const BIT_LIMIT: f64 = 281474976710656;

function bitArgument(index: u32): u64 {
  const value = numberArgument(index);
  if (!(value >= 0 && value < BIT_LIMIT) || trunc(value) != value) {
    fail(ERROR_NUMBER);
    return 0;
  }
  return <u64>value;
}

/** BITAND (0), BITOR (1), BITXOR (2): (left, right) */
export function evaluateBitwise(operation: u32): void {
  const left = bitArgument(0);
  const right = bitArgument(1);
  if (failed()) return;
  if (operation == 0) answerNumber(<f64>(left & right));
  else answerNumber(<f64>(operation == 1 ? left | right : left ^ right));
}

/** BITLSHIFT and BITRSHIFT(number, by): a negative shift goes the other way. */
export function evaluateShift(direction: i32): void {
  const value = bitArgument(0);
  const by = integerArgument(1) * <f64>direction;
  if (!(abs(by) <= 53)) fail(ERROR_NUMBER);
  if (failed()) return;
  if (by <= 0) return answerNumber(<f64>(value >> <u64>-by));
  const shifted = <f64>value * <f64>((<u64>1) << (<u64>by));
  if (shifted < BIT_LIMIT) answerNumber(shifted);
  else answerError(ERROR_NUMBER);
}
