import {
  COLUMN_LIMIT,
  REFERENCE_COLUMN0_ABSOLUTE,
  REFERENCE_ROW0_ABSOLUTE,
  ROW_LIMIT,
} from '../abi';
import { NOTATION_STORED, homeColumn, homeRow, isDigit, notation, peek } from './lexer';
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

/** Reads `R5C3`, `R[-2]C`, `RC`, `R5` or `C[1]` at `start`; returns false when there is none. */
export function readCornerR1C1(start: u32): bool {
  r1c1Row = ABSENT;
  r1c1Column = ABSENT;
  r1c1Flags = 0;
  r1c1End = start;
  // Stored texts have capitals, so that a name in small letters is a name.
  const small: u32 = notation == NOTATION_STORED ? 0 : 32;
  if ((peek(r1c1End) | small) == (82 | small)) {
    if (!readCoordinate(homeRow, ROW_LIMIT)) return false;
    r1c1Row = coordinate;
    if (isAbsolute) r1c1Flags |= REFERENCE_ROW0_ABSOLUTE;
  }
  if ((peek(r1c1End) | small) == (67 | small)) {
    if (!readCoordinate(homeColumn, COLUMN_LIMIT)) return false;
    r1c1Column = coordinate;
    if (isAbsolute) r1c1Flags |= REFERENCE_COLUMN0_ABSOLUTE;
  }
  return r1c1End > start;
}

/**
 * Reads the coordinate behind the letter at `r1c1End`: a number, an offset in brackets, or nothing.
 * Returns false when it is off the grid or not well formed.
 */
function readCoordinate(home: i32, limit: i32): bool {
  let offset = r1c1End + 1;
  const isBracketed = peek(offset) == 91;
  let isNegative = false;
  if (isBracketed) {
    offset++;
    isNegative = peek(offset) == 45;
    if (isNegative || (peek(offset) == 43 && notation != NOTATION_STORED)) offset++;
  }
  const from = offset;
  let value: i32 = 0;
  while (isDigit(peek(offset)) && offset - from < 8) {
    value = value * 10 + <i32>(peek(offset) - 48);
    offset++;
  }
  const hasDigits = offset > from;
  if (notation == NOTATION_STORED && hasDigits && peek(from) == 48) return false;
  if (isBracketed && (!hasDigits || peek(offset++) != 93)) return false;
  isAbsolute = hasDigits && !isBracketed;
  if (isAbsolute ? value < 1 || value > limit : value >= limit) return false;
  coordinate = isAbsolute ? value - 1 : home + (isNegative ? -value : value);
  r1c1End = offset;
  return true;
}

/**
 * Returns whether a word looks like a cell of a stored text: `RC`, `R5C`, `R1C1`. A name that looks
 * so is stored in quotes. A line, such as `R` or `C5`, is a reference only as a range, which no
 * name is part of.
 */
export function looksLikeStoredCell(word: usize, length: u32): bool {
  const end = word + ((<usize>length) << 1);
  if (!length || load<u16>(word) != 82) return false;
  const place = behindDigits(word + 2, end);
  if (place >= end || load<u16>(place) != 67) return false;
  return behindDigits(place + 2, end) == end;
}

/**
 * Returns whether brackets behind a table's name could be read as part of a reference: `R[1]`,
 * `RC[2]`, `C5[1]`.
 */
export function looksLikeStoredLine(word: usize, length: u32): bool {
  const end = word + ((<usize>length) << 1);
  let place = word;
  if (place < end && load<u16>(place) == 82) place = behindDigits(place + 2, end);
  if (place < end && load<u16>(place) == 67) place = behindDigits(place + 2, end);
  return place == end;
}

function behindDigits(from: usize, end: usize): usize {
  let place = from;
  while (place < end && isDigit(load<u16>(place))) place += 2;
  return place;
}
