import { Pending } from './pending';

/**
 * The two ways into the functions. The registry of functions names them when the module starts, so
 * that the code that runs formulas imports no function, and functions may import all of it.
 */
let callIndex: u32 = 0;
let stepIndex: u32 = 0;

/** The lazy function has its answer, and no argument is needed any more. */
export const LAZY_DONE: i32 = -1;
/** Added to the number of an argument that is the answer, whatever its value. */
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
 * Goes on with a lazy function whose argument came to a value: answers with the number of the
 * argument that it needs next, with LAZY_LAST where that is the answer, or with LAZY_DONE.
 */
export function stepLazy(waiting: Pending, value: usize, place: usize): i32 {
  return call_indirect<i32>(stepIndex, waiting, value, place);
}
