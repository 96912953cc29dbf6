import { endOfName, isConstant, isSpace } from '../xml/character';

/** An XPath, as it is read. Space may stand between its tokens, so it is skipped behind each. */
let place: usize = 0;
let finish: usize = 0;
/** Set when the text read so far is no XPath. */
export let isBad: bool = false;

export function openReader(units: usize, length: u32): void {
  place = units;
  finish = units + ((<usize>length) << 1);
  isBad = false;
  skipSpaces();
}

/** The text is no XPath. */
export function refuse(): u32 {
  isBad = true;
  place = finish;
  return 0;
}

export function atEnd(): bool {
  return place >= finish;
}

/** The unit at a distance from the next one; 0 behind the end. */
export function peek(offset: u32 = 0): u32 {
  const at = place + ((<usize>offset) << 1);
  return at < finish ? load<u16>(at) : 0;
}

export function skipSpaces(): void {
  while (place < finish && isSpace(load<u16>(place))) place += 2;
}

/** Moves behind one unit, and not behind space. */
export function skipUnit(): void {
  place += 2;
}

/** Moves behind these units, and the space behind them, if they are next. */
export function take(token: string): bool {
  const length = token.length;
  if (place + ((<usize>length) << 1) > finish || !isConstant(place, length, token)) return false;
  place += (<usize>length) << 1;
  skipSpaces();
  return true;
}

export function want(token: string): void {
  if (!take(token)) refuse();
}

/** Returns whether the next name is this word; moves behind it if it is. */
export function takeWord(word: string): bool {
  const length = <u32>(endOfName(place, finish) - place) >> 1;
  return isConstant(place, length, word) && take(word);
}

/** The name or literal that was read last: its units and how many. */
export let readUnits: usize = 0;
export let readLength: u32 = 0;

/** Reads a name without a colon, not the space behind it; returns false if there is none. */
export function takeName(): bool {
  readUnits = place;
  place = endOfName(place, finish);
  readLength = <u32>(place - readUnits) >> 1;
  return readLength > 0;
}

/** The first unit behind the name that is next and the space behind that, and the one behind it. */
export let unitBehindName: u32 = 0;
export let secondBehindName: u32 = 0;

/** Looks over the name that is next; returns false if there is none. */
export function lookBehindName(): bool {
  let end = endOfName(place, finish);
  if (end == place) return false;
  readUnits = place;
  readLength = <u32>(end - place) >> 1;
  while (end < finish && isSpace(load<u16>(end))) end += 2;
  unitBehindName = end < finish ? load<u16>(end) : 0;
  secondBehindName = end + 2 < finish ? load<u16>(end, 2) : 0;
  return true;
}

/** Reads a text between quotes; returns false if there is none. */
export function takeLiteral(): bool {
  const quote = peek();
  if (quote != 34 && quote != 39) return false;
  place += 2;
  readUnits = place;
  while (place < finish && load<u16>(place) != quote) place += 2;
  readLength = <u32>(place - readUnits) >> 1;
  if (place >= finish) refuse();
  else place += 2;
  skipSpaces();
  return true;
}

/** Reads digits, with a point perhaps; returns false if there are none. */
export function takeDigits(): bool {
  readUnits = place;
  const first = skipRun();
  let digits = first;
  if (peek() == 46 && (first || peek(1) - 48 < 10)) {
    place += 2;
    digits += skipRun();
  }
  readLength = <u32>(place - readUnits) >> 1;
  skipSpaces();
  return digits > 0;
}

function skipRun(): u32 {
  const from = place;
  while (peek() - 48 < 10) place += 2;
  return <u32>(place - from) >> 1;
}
