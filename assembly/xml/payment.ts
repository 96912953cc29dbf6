import { burn } from '../vm/cell-fuel';

/**
 * Cost of reading XML and finding nodes, in quarters of a step: one for each unit of text or node
 * that is looked at.
 */
let owed: u32 = 0;
/** The fuel of the cell is used up, so that further results do not matter. */
export let isExhausted: bool = false;

const QUARTERS_PER_PAYMENT: u32 = 4096;
/** Steps for the buffers of each reading, whose memory is only freed after the cell. */
const OPENING_STEPS: u32 = 32;

export function openPayment(): void {
  owed = 0;
  isExhausted = !burn(OPENING_STEPS);
}

/** Pays the rest of the cost, because a formula may read many small documents. */
export function closePayment(): void {
  burn((owed + 3) >> 2);
  owed = 0;
}

/** Adds to the cost; returns false if the fuel of the cell is used up. */
export function pay(quarters: u32): bool {
  owed += quarters;
  if (owed < QUARTERS_PER_PAYMENT) return !isExhausted;
  if (!burn(owed >> 2)) isExhausted = true;
  owed &= 3;
  return !isExhausted;
}
