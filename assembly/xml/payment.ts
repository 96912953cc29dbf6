import { burn } from '../vm/cell-fuel';

/**
 * Cost of reading XML and finding nodes, owed in quarters of a step: a look at a unit of the text
 * or at a node is one quarter.
 */
let owed: u32 = 0;
/** The fuel of the cell is used up: what is found from now on does not matter. */
export let isExhausted: bool = false;

const QUARTERS_PER_PAYMENT: u32 = 4096;
/**
 * Cost of the buffers that every reading needs, in steps: their memory is only given back after the
 * cell.
 */
const OPENING_STEPS: u32 = 32;

export function openPayment(): void {
  owed = 0;
  isExhausted = !burn(OPENING_STEPS);
}

/** Pays what is still owed: a formula may read many small documents. */
export function closePayment(): void {
  burn((owed + 3) >> 2);
  owed = 0;
}

/** False once the fuel of the cell is used up. */
export function pay(quarters: u32): bool {
  owed += quarters;
  if (owed < QUARTERS_PER_PAYMENT) return !isExhausted;
  if (!burn(owed >> 2)) isExhausted = true;
  owed &= 3;
  return !isExhausted;
}
