import {
  ERROR_CALCULATION,
  ERROR_NOT_AVAILABLE,
  ERROR_VALUE,
  KIND_ARRAY,
  KIND_LAMBDA,
  KIND_OMITTED,
  KIND_REFERENCE,
} from '../abi';
import { FunctionRecord, kindOfParameter } from '../functions/function-record';
import { at } from '../memory/pointer';
import { derefer, isEachTaken } from './lift';
import { SLOT_BYTES, kindOf, setError } from './slot';

/** Reading single cells where a scalar is wanted. */

function isScalar(slot: usize): bool {
  const kind = kindOf(slot);
  return kind < <u32>KIND_ARRAY || kind == KIND_OMITTED;
}

/** Reads a reference to a single cell, and returns whether the slot is a scalar now. */
export function settle(slot: usize): bool {
  if (isScalar(slot)) return true;
  if (kindOf(slot) == KIND_LAMBDA) {
    setError(slot, ERROR_CALCULATION);
    return true;
  }
  return derefer(slot);
}

/** Kinds of parameters that want one value: of any function, of one of the Analysis ToolPak. */
const VALUE: u32 = 118;
const TOOL_VALUE: u32 = 116;

/** An argument that a function of the Analysis ToolPak must have is #N/A where it is left empty. */
function missTool(function_: usize, index: u32, slot: usize): void {
  if (index >= <u32>at<FunctionRecord>(function_).fewest) return;
  if (kindOfParameter(function_, index) == TOOL_VALUE) setError(slot, ERROR_NOT_AVAILABLE);
}

/** Reads single cells in scalar places; true when an array stands in one. */
export function settleArguments(function_: usize, base: usize, count: u32): bool {
  let lifts = false;
  for (let index: u32 = 0; index < count; index++) {
    const slot = base + <usize>index * SLOT_BYTES;
    if (kindOf(slot) == KIND_OMITTED) missTool(function_, index, slot);
    if (isScalar(slot)) continue;
    const kind = kindOfParameter(function_, index);
    if (kind == VALUE || kind == TOOL_VALUE) {
      const wasReference = kindOf(slot) == KIND_REFERENCE;
      if (settle(slot)) continue;
      if (kind == TOOL_VALUE && wasReference) setError(slot, ERROR_VALUE);
      else lifts = true;
    } else if (isEachTaken(function_, slot)) lifts = true;
  }
  return lifts;
}
