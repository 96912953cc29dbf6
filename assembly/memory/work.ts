/**
 * Work too fine to be paid for piece by piece. Loops note it in units of about a nanosecond;
 * vm/machine.ts makes steps of fuel of it whenever somebody burns some.
 */
let units: u64 = 0;

/** Units that one step of fuel pays for, as a shift. */
export const STEP_BITS: u64 = 6;
/** A millisecond: loops that have done as much pay, so that they learn when they must stop. */
const DUE_UNITS: u64 = 1 << 20;

export function noteWork(count: u32): void {
  units += count;
}

/** The same for what may be more than 32 bits hold. */
export function noteLargeWork(count: u64): void {
  units += count;
}

/** Returns whether so much work has been noted that it is time to pay for it. */
export function isWorkDue(): bool {
  return units >= DUE_UNITS;
}

/** Returns the units of work noted since the last payment. */
export function notedWork(): u64 {
  return units;
}

/** Drops the work noted since `before`, which no cell is to pay for. */
export function setNotedWork(before: u64): void {
  units = before;
}

/** Steps of fuel for what was noted since the last payment. */
export function takeSteps(): i64 {
  const steps = units >> STEP_BITS;
  units &= (1 << STEP_BITS) - 1;
  return <i64>steps;
}
