import { Pending } from './pending';

/**
 * Two entries to the worksheet functions. The registry of functions sets them when the module
 * starts, so that the code that runs formulas imports no function.
 */
let callIndex: u32 = 0;
let stepIndex: u32 = 0;

/** The lazy function has its answer and needs no further argument. */
export const LAZY_DONE: i32 = -1;
/** Added to the index of an argument whose value is the answer. */
export const LAZY_LAST: i32 = 1 << 16;

export function useFunctions(
  call: (id: u32) => void,
  step: (waiting: Pending, value: usize, place: usize) => i32,
): void {
  callIndex = call.index;
  stepIndex = step.index;
}

/** Enters a function that takes its arguments as values (vm/call.ts is open). */
export function callFunction(id: u32): void {
  call_indirect<void>(callIndex, id);
}

/**
 * Continues a lazy function after an argument was evaluated: returns the index of the argument that
 * it needs next, with LAZY_LAST if that is the answer, or LAZY_DONE.
 */
export function stepLazy(waiting: Pending, value: usize, place: usize): i32 {
  return call_indirect<i32>(stepIndex, waiting, value, place);
}
