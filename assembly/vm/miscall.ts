import { ERROR_NOT_AVAILABLE, KIND_ERROR } from '../abi';
import { settle } from './settle';
import { SLOT_BYTES, copySlot, kindOf, setError } from './slot';

/** Answers a call with a wrong number of arguments: the first error among them, else #N/A. */
export function answerMiscall(first: usize, count: u32): void {
  for (let index: u32 = 0; index < count; index++) {
    const slot = first + <usize>index * SLOT_BYTES;
    if (settle(slot) && kindOf(slot) == KIND_ERROR) return copySlot(first, slot);
  }
  setError(first, ERROR_NOT_AVAILABLE);
}
