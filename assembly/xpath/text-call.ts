import { bytesIn, newBuffer, pushUnit, pushUnits, startOf } from '../formula/buffer';
import { characterAt, isSpace, widthAt } from '../xml/character';
import { pay } from '../xml/payment';
import {
  CALL_CONCAT,
  CALL_CONTAINS,
  CALL_NORMALIZE_SPACE,
  CALL_STARTS_WITH,
  CALL_STRING,
  CALL_STRING_LENGTH,
  CALL_SUBSTRING,
  CALL_SUBSTRING_AFTER,
  CALL_SUBSTRING_BEFORE,
} from './core-function';
import { roundNumber } from './number';
import {
  isSame,
  popNumber,
  popText,
  pushBoolean,
  pushNumber,
  pushText,
  textLength,
  textUnits,
} from './value';

/**
 * Functions of texts; their arguments are the latest values. Positions and lengths count
 * characters, not the units of UTF-16.
 */
export function callText(call: u32, count: u32): void {
  switch (call) {
    case CALL_STRING:
      popText();
      return pushText(textUnits, textLength);
    case CALL_CONCAT:
      return concatenate(count);
    case CALL_STARTS_WITH:
    case CALL_CONTAINS:
    case CALL_SUBSTRING_BEFORE:
    case CALL_SUBSTRING_AFTER:
      return search(call);
    case CALL_SUBSTRING:
      return cut(count);
    case CALL_STRING_LENGTH:
      popText();
      return pushNumber(countCharacters(textUnits, endOfText()));
    case CALL_NORMALIZE_SPACE:
      return normalizeSpace();
    default:
      return translate();
  }
}

/** Where the text that popText took ends. */
function endOfText(): usize {
  return textUnits + ((<usize>textLength) << 1);
}

/**
 * Cost of a new text beside its units, in quarters of a step: its memory is only given back after
 * the cell.
 */
const TEXT_QUARTERS: u32 = 16;

function newUnits(length: u32): usize {
  pay(TEXT_QUARTERS);
  return newBuffer(max<u32>(length << 1, 16));
}

function pushBuffer(buffer: usize): void {
  pushText(startOf(buffer), bytesIn(buffer) >> 1);
}

/** The arguments come from the last one to the first: the text grows at its beginning. */
function concatenate(count: u32): void {
  let units: usize = 0;
  let length: u32 = 0;
  for (let left = count; left; left--) {
    popText();
    if (!textLength) continue;
    if (!length) {
      units = textUnits;
      length = textLength;
    } else if (pay(length + textLength)) {
      const joined = newUnits(length + textLength);
      pushUnits(joined, textUnits, textLength);
      pushUnits(joined, units, length);
      units = startOf(joined);
      length += textLength;
    }
  }
  pushText(units, length);
}

function search(call: u32): void {
  popText();
  const part = textUnits;
  const partLength = textLength;
  popText();
  const place = find(part, partLength, call == CALL_STARTS_WITH);
  if (call <= CALL_CONTAINS) return pushBoolean(place >= 0);
  if (place < 0) return pushText(0, 0);
  if (call == CALL_SUBSTRING_BEFORE) return pushText(textUnits, place);
  const behind = <u32>place + partLength;
  pushText(textUnits + ((<usize>behind) << 1), textLength - behind);
}

/** Where a part stands in the text that popText took, or -1. */
function find(part: usize, length: u32, atStart: bool): i32 {
  if (length > textLength) return -1;
  const last: u32 = atStart ? 0 : textLength - length;
  for (let place: u32 = 0; place <= last; place++) {
    if (isSame(textUnits + ((<usize>place) << 1), length, part, length)) return place;
  }
  return -1;
}

function countCharacters(units: usize, end: usize): f64 {
  let count: f64 = 0;
  pay(<u32>(end - units) >> 1);
  for (let place = units; place < end; place += widthAt(place, end)) count++;
  return count;
}

/** substring(text, first position, [how many]); numbers are rounded, and may be none at all. */
function cut(count: u32): void {
  const length = count == 3 ? roundNumber(popNumber()) : Infinity;
  const first = roundNumber(popNumber());
  popText();
  const end = endOfText();
  pay(textLength);
  const last = first + length;
  let position: f64 = 1;
  let start = end;
  let place = textUnits;
  for (; place < end; place += widthAt(place, end), position++) {
    if (!(position < last)) break;
    if (position >= first && start == end) start = place;
  }
  pushText(start, start < place ? <u32>(place - start) >> 1 : 0);
}

function normalizeSpace(): void {
  popText();
  const units = newUnits(textLength);
  const end = endOfText();
  let isApart = false;
  if (!pay(textLength)) return pushText(0, 0);
  for (let place = textUnits; place < end; place += 2) {
    const code = load<u16>(place);
    if (isSpace(code)) {
      isApart = bytesIn(units) > 0;
      continue;
    }
    if (isApart) pushUnit(units, 32);
    isApart = false;
    pushUnit(units, code);
  }
  pushBuffer(units);
}

/** translate(text, characters, what stands for each): those without a counterpart are left out. */
function translate(): void {
  popText();
  const to = textUnits;
  const toEnd = endOfText();
  popText();
  const from = textUnits;
  const fromEnd = endOfText();
  popText();
  const units = newUnits(textLength);
  const end = endOfText();
  for (let place = textUnits; place < end; place += widthAt(place, end)) {
    const character = characterAt(place, end);
    const ordinal = ordinalOf(character, from, fromEnd);
    const width = widthAt(place, end);
    if (ordinal < 0) pushUnits(units, place, <u32>width >> 1);
    else appendCharacter(units, ordinal, to, toEnd);
    if (!pay(1)) break;
  }
  pushBuffer(units);
}

/** How many characters stand before a character, or -1 if it is none of them. */
function ordinalOf(character: u32, units: usize, end: usize): i32 {
  let ordinal = 0;
  for (let place = units; place < end; place += widthAt(place, end), ordinal++) {
    if (characterAt(place, end) == character) return ordinal;
    if (!pay(1)) return -1;
  }
  return -1;
}

/** Appends the character before which so many others stand, if there is one. */
function appendCharacter(buffer: usize, ordinal: u32, units: usize, end: usize): void {
  let place = units;
  pay(ordinal);
  for (let left = ordinal; left && place < end; left--) place += widthAt(place, end);
  if (place < end) pushUnits(buffer, place, <u32>widthAt(place, end) >> 1);
}
