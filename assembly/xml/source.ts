import {
  endOfName,
  isCharacter,
  isConstant,
  isHighSurrogate,
  isLowSurrogate,
  isSpace,
} from './character';
import { isExhausted, pay } from './payment';

/** The text of a document, as it is read. */
let start: usize = 0;
let finish: usize = 0;
/** Address of the next unit. */
export let place: usize = 0;
/** Set when the text read so far is no XML. */
export let isBad: bool = false;

export function openSource(units: usize, length: u32): void {
  start = units;
  place = units;
  finish = units + ((<usize>length) << 1);
  isBad = false;
}

/** Says that the text is no XML; nothing is left to be read then. */
export function refuse(): void {
  isBad = true;
  place = finish;
}

export function atEnd(): bool {
  return place >= finish;
}

/** The unit at a distance from the next one; 0 behind the end. */
export function peek(offset: u32 = 0): u32 {
  const at = place + ((<usize>offset) << 1);
  return at < finish ? load<u16>(at) : 0;
}

export function skip(count: u32): void {
  place = min(place + ((<usize>count) << 1), finish);
}

/** Returns whether these units are next; moves behind them if they are. */
export function take(constant: string): bool {
  const length = constant.length;
  if (place + ((<usize>length) << 1) > finish || !isConstant(place, length, constant)) return false;
  skip(length);
  return true;
}

/** Takes units that have to be here. */
export function want(constant: string): void {
  if (!take(constant)) refuse();
}

export function skipSpaces(): bool {
  const from = place;
  while (place < finish && isSpace(load<u16>(place))) place += 2;
  pay(<u32>(place - from) >> 1);
  return place > from;
}

/**
 * The next unit, with every line end as one line feed. Refuses what may not be in a document; the
 * second half of a pair is taken by the next call.
 */
export function takeUnit(): u32 {
  const code = <u32>load<u16>(place);
  place += 2;
  if (!pay(1)) place = finish;
  if (code == 13) {
    if (peek() == 10) place += 2;
    return 10;
  }
  if (code - 0xd800 >= 0x800) {
    if (!isCharacter(code)) refuse();
  } else if (isHighSurrogate(code)) {
    if (!isLowSurrogate(peek())) refuse();
  } else if (place < start + 4 || !isHighSurrogate(load<u16>(place - 4))) refuse();
  return code;
}

/** The name that was read last: its units, how many, and how many behind the colon, if it has one. */
export let nameUnits: usize = 0;
export let nameLength: u32 = 0;
export let localLength: u32 = 0;

/** Reads a name without a colon. */
export function takePlainName(): void {
  nameUnits = place;
  place = endOfName(place, finish);
  nameLength = <u32>(place - nameUnits) >> 1;
  localLength = nameLength;
  pay(nameLength);
  if (!nameLength) refuse();
}

/** Reads a name that may have a prefix. */
export function takeName(): void {
  takePlainName();
  if (isBad || peek() != 58) return;
  const units = nameUnits;
  place += 2;
  takePlainName();
  nameLength = <u32>(place - units) >> 1;
  nameUnits = units;
}

/** Returns whether reading must end, because of a mistake or because the fuel is used up. */
export function isOver(): bool {
  return isBad || isExhausted;
}
