import { ERROR_VALUE, KIND_BOOLEAN } from '../../abi';
import { argument, argumentCount, fail, omitted, slotNumber } from '../../vm/call';
import { kindOf } from '../../vm/slot';

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

/**
 * An integer that may be missing, also between or behind commas; `otherwise` stands for it then.
 */
export function toolIntegerOr(index: u32, otherwise: f64): f64 {
  return index < argumentCount && !omitted(index) ? trunc(toolNumber(index)) : otherwise;
}
