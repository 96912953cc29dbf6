import {
  COLUMN_LIMIT,
  REFERENCE_COLUMN0_ABSOLUTE,
  REFERENCE_ROW0_ABSOLUTE,
  ROW_LIMIT,
} from '../abi';
import { homeColumn, homeRow, isDigit, peek } from './lexer';
import { ABSENT } from './lexer-reference';

// A corner in R1C1 notation as readCornerR1C1 found it, as a place on the grid (or beside it, for
// an offset that runs off); ABSENT where it names no row or no column.
export let r1c1Row: i32 = 0;
export let r1c1Column: i32 = 0;
export let r1c1Flags: u32 = 0;
export let r1c1End: u32 = 0;

// One coordinate as readCoordinate found it.
let coordinate: i32 = 0;
let isAbsolute: bool = false;

/** Reads `R5C3`, `R[-2]C`, `RC`, `R5` or `C[1]` at `start`; false when there is none. */
export function readCornerR1C1(start: u32): bool {
  r1c1Row = ABSENT;
  r1c1Column = ABSENT;
  r1c1Flags = 0;
  r1c1End = start;
  if ((peek(r1c1End) | 32) == 114) {
    if (!readCoordinate(homeRow, ROW_LIMIT)) return false;
    r1c1Row = coordinate;
    if (isAbsolute) r1c1Flags |= REFERENCE_ROW0_ABSOLUTE;
  }
  if ((peek(r1c1End) | 32) == 99) {
    if (!readCoordinate(homeColumn, COLUMN_LIMIT)) return false;
    r1c1Column = coordinate;
    if (isAbsolute) r1c1Flags |= REFERENCE_COLUMN0_ABSOLUTE;
  }
  return r1c1End > start;
}

/** What follows the letter at `r1c1End`: a number, an offset in brackets, or nothing. */
function readCoordinate(home: i32, limit: i32): bool {
  let offset = r1c1End + 1;
  const isBracketed = peek(offset) == 91;
  let isNegative = false;
  if (isBracketed) {
    offset++;
    isNegative = peek(offset) == 45;
    if (isNegative || peek(offset) == 43) offset++;
  }
  const from = offset;
  let value: i32 = 0;
  while (isDigit(peek(offset)) && offset - from < 8) {
    value = value * 10 + <i32>(peek(offset) - 48);
    offset++;
  }
  const hasDigits = offset > from;
  if (isBracketed && (!hasDigits || peek(offset++) != 93)) return false;
  isAbsolute = hasDigits && !isBracketed;
  if (isAbsolute ? value < 1 || value > limit : value >= limit) return false;
  coordinate = isAbsolute ? value - 1 : home + (isNegative ? -value : value);
  r1c1End = offset;
  return true;
}
