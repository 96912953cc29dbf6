/**
 * Counts work that is too small to be paid for piece by piece, in units of about a nanosecond;
 * vm/cell-fuel.ts turns them into steps of fuel.
 */
let units: u64 = 0;

/** Units that one step of fuel pays for, as a shift. */
export const STEP_BITS: u64 = 6;
/** Units of about a millisecond: loops pay after that many, so that they notice when to stop. */
const DUE_UNITS: u64 = 1 << 20;

export function noteWork(count: u32): void {
  units += count;
}

/** Counts work that may exceed 32 bits. */
export function noteLargeWork(count: u64): void {
  units += count;
}

/** Returns whether so much work has been noted that it is time to pay for it. */
export function isWorkDue(): bool {
  return units >= DUE_UNITS;
}

/** Returns the units of work since the last payment. */
export function notedWork(): u64 {
  return units;
}

/** Sets the units back to `before`, for work that no cell pays for. */
export function setNotedWork(before: u64): void {
  units = before;
}

/** Returns the steps of fuel for the work since the last payment. */
export function takeSteps(): i64 {
  const steps = units >> STEP_BITS;
  units &= (1 << STEP_BITS) - 1;
  return <i64>steps;
}
