import {
  ERROR_CALCULATION,
  ERROR_VALUE,
  KIND_ARRAY,
  KIND_LAMBDA,
  KIND_OMITTED,
  KIND_REFERENCE,
} from '../abi';
import { kindOfParameter } from '../functions/registry';
import { derefer } from './lift';
import { SLOT_BYTES, kindOf, setError } from './slot';

/** Reading single cells where a scalar is wanted. */

function isScalar(slot: usize): bool {
  const kind = kindOf(slot);
  return kind < <u32>KIND_ARRAY || kind == KIND_OMITTED;
}

/** Whether a slot, its single-cell reference read, is a scalar now. */
export function settle(slot: usize): bool {
  if (isScalar(slot)) return true;
  if (kindOf(slot) == KIND_LAMBDA) {
    setError(slot, ERROR_CALCULATION);
    return true;
  }
  return derefer(slot);
}

/** Reads single cells in scalar places; true when an array stands in one. */
export function settleArguments(function_: usize, base: usize, count: u32): bool {
  let lifts = false;
  for (let index: u32 = 0; index < count; index++) {
    const slot = base + <usize>index * SLOT_BYTES;
    if (isScalar(slot)) continue;
    const kind = kindOfParameter(function_, index);
    if (kind == 118 || kind == 116) {
      const wasReference = kindOf(slot) == KIND_REFERENCE;
      if (settle(slot)) continue;
      if (kind == 116 && wasReference) setError(slot, ERROR_VALUE);
      else lifts = true;
    }
  }
  return lifts;
}
