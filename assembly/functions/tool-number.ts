import { ERROR_VALUE, KIND_BOOLEAN } from '../abi';
import { argument, argumentCount, fail, slotNumber } from '../vm/call';
import { kindOf } from '../vm/slot';

/**
 * Numbers as the functions of the old Analysis ToolPak take them: booleans are refused, where all
 * other functions read them as 1 and 0.
 */
export function toolNumber(index: u32): f64 {
  const slot = argument(index);
  if (kindOf(slot) != KIND_BOOLEAN) return slotNumber(slot);
  fail(ERROR_VALUE);
  return 0;
}

export function toolInteger(index: u32): f64 {
  return trunc(toolNumber(index));
}

export function toolIntegerOr(index: u32, otherwise: f64): f64 {
  return index < argumentCount ? trunc(toolNumber(index)) : otherwise;
}
