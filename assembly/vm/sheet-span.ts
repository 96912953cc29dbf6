import { KIND_REFERENCE } from '../abi';
import { SLOT_BYTES, kindOf, wordOf } from './slot';
import { isSpan } from './reference';

/**
 * Functions that take `First:Last!A1`, all sheets of it; to others it is #VALUE!. Source: Excel's
 * "Create a 3-D reference to the same cell range on multiple worksheets", and for functions that are
 * newer their own pages. The last line is of functions that ask about the reference, not its cells.
 */
export const SPAN_FUNCTIONS: string = `
AND AVEDEV AVERAGE AVERAGEA CONCAT COUNT COUNTA DEVSQ GEOMEAN HARMEAN HSTACK KURT LARGE MAX MAXA
MEDIAN MIN MINA OR PERCENTILE PERCENTILE.EXC PERCENTILE.INC PERCENTRANK PERCENTRANK.EXC
PERCENTRANK.INC PRODUCT QUARTILE QUARTILE.EXC QUARTILE.INC RANK RANK.AVG RANK.EQ SKEW SKEW.P
SMALL STDEV STDEV.P STDEV.S STDEVA STDEVP STDEVPA SUM SUMSQ TEXTJOIN TOCOL TOROW TRIMMEAN VAR
VAR.P VAR.S VARA VARP VARPA VSTACK XOR
AREAS ISREF SHEET SHEETS
`;

/** Returns whether one of the `count` arguments from `base` on refers to several sheets. */
export function hasSpan(base: usize, count: u32): bool {
  for (let index: u32 = 0; index < count; index++) {
    const slot = base + <usize>index * SLOT_BYTES;
    if (kindOf(slot) == KIND_REFERENCE && isSpan(wordOf(slot))) return true;
  }
  return false;
}
