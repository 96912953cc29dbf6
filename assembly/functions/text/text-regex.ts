import { ERROR_NOT_AVAILABLE, ERROR_NUMBER, ERROR_VALUE, KIND_STRING } from '../../abi';
import { newBuffer, bytesIn, pushWord, wordAt } from '../../formula/buffer';
import { TEXT_HEADER, lengthOf, textFrom, unit } from '../../memory/text';
import {
  afterMatch,
  findMatch,
  groupEnd,
  groupStart,
  isExhausted,
  openPattern,
} from '../../regex/match';
import { groupCount, groupNamed, isWordUnit } from '../../regex/reader';
import {
  appendPiece,
  appendUnit,
  builderOverflow,
  closeBuilder,
  openBuilder,
} from '../../values/text-builder';
import { ITEM_LIMIT, newArray, setItemAt } from '../../vm/array';
import {
  answerArray,
  answerBoolean,
  answerError,
  answerText,
  fail,
  failed,
  integerOr,
  textArgument,
} from '../../vm/call';

/**
 * REGEXTEST, REGEXEXTRACT and REGEXREPLACE: patterns of PCRE2, with regard to case unless the last
 * argument is 1. A text that is no pattern is #VALUE!.
 */
function openArguments(caseIndex: u32): bool {
  const pattern = textArgument(1);
  const sensitivity = integerOr(caseIndex, 0);
  if (sensitivity != 0 && sensitivity != 1) fail(ERROR_VALUE);
  if (failed()) return false;
  if (openPattern(pattern, sensitivity == 1)) return true;
  answerError(ERROR_VALUE);
  return false;
}

/** REGEXTEST(text, pattern, [case]) */
export function evaluateRegexTest(): void {
  const text = textArgument(0);
  if (openArguments(2)) answerBoolean(findMatch(text, 0));
}

function pieceOf(text: usize, group: u32): usize {
  const start = max(groupStart(group), 0);
  const end = max(groupEnd(group), start);
  return textFrom(text + TEXT_HEADER + ((<usize>start) << 1), end - start);
}

/** REGEXEXTRACT(text, pattern, [0 first, 1 all, 2 groups of the first], [case]) */
export function evaluateRegexExtract(): void {
  const text = textArgument(0);
  const mode = integerOr(2, 0);
  if (!(mode >= 0 && mode <= 2)) fail(ERROR_VALUE);
  if (!openArguments(3)) return;
  if (!findMatch(text, 0)) return answerError(ERROR_NOT_AVAILABLE);
  if (mode == 0) answerText(pieceOf(text, 0));
  else if (mode == 1) answerAll(text);
  else answerGroups(text);
}

/** All matches, side by side. */
function answerAll(text: usize): void {
  const pieces = newBuffer(64);
  do {
    pushWord(pieces, <u32>pieceOf(text, 0));
  } while (findMatch(text, afterMatch()));
  const count = bytesIn(pieces) >> 2;
  if (count > ITEM_LIMIT) return answerError(ERROR_NUMBER);
  const array = newArray(1, count);
  for (let index: u32 = 0; index < count; index++) {
    setItemAt(array, index, KIND_STRING, wordAt(pieces, index));
  }
  answerArray(array);
}

function answerGroups(text: usize): void {
  if (!groupCount) return answerError(ERROR_NOT_AVAILABLE);
  const array = newArray(1, groupCount);
  for (let group: u32 = 1; group <= groupCount; group++) {
    setItemAt(array, group - 1, KIND_STRING, pieceOf(text, group));
  }
  answerArray(array);
}

/** REGEXREPLACE(text, pattern, replacement, [which: 0 all, from the end when negative], [case]) */
export function evaluateRegexReplace(): void {
  const text = textArgument(0);
  const replacement = textArgument(2);
  const occurrence = integerOr(3, 0);
  if (!openArguments(4)) return;
  const wanted = occurrence < 0 ? countMatches(text) + occurrence + 1 : occurrence;
  if (occurrence < 0 && wanted < 1) return answerText(text);
  openBuilder();
  let kept: u32 = 0;
  let count: f64 = 0;
  let found = findMatch(text, 0);
  while (found) {
    count++;
    if (wanted == 0 || count == wanted) {
      appendPiece(text, kept, <u32>max(groupStart(0) - <i32>kept, 0));
      if (!appendReplacement(replacement, text)) return answerError(ERROR_VALUE);
      kept = <u32>groupEnd(0);
      if (wanted || builderOverflow) break;
    }
    found = findMatch(text, afterMatch());
  }
  appendPiece(text, kept, lengthOf(text) - kept);
  const replaced = closeBuilder();
  if (builderOverflow) answerError(ERROR_VALUE);
  else answerText(replaced);
}

function countMatches(text: usize): f64 {
  let count: f64 = 0;
  let found = findMatch(text, 0);
  while (found && !isExhausted) {
    count++;
    found = findMatch(text, afterMatch());
  }
  return count;
}

const DOLLAR: u32 = 36;

/** Appends the replacement: `$1`, `${1}` and `${name}` are groups, `$$` is a dollar sign. */
function appendReplacement(replacement: usize, text: usize): bool {
  const length = lengthOf(replacement);
  let place: u32 = 0;
  while (place < length) {
    const code = unit(replacement, place++);
    if (code != DOLLAR) {
      appendUnit(code);
      continue;
    }
    if (place < length && unit(replacement, place) == DOLLAR) {
      appendUnit(DOLLAR);
      place++;
      continue;
    }
    const after = readGroup(replacement, place);
    if (!after || namedGroup > groupCount) return false;
    const start = max(groupStart(namedGroup), 0);
    appendPiece(text, start, max(groupEnd(namedGroup) - start, 0));
    place = after;
  }
  return true;
}

/** The group that readGroup read. */
let namedGroup: u32 = 0;

/** Reads the group behind a dollar sign; returns where it ends, or 0 if there is none. */
function readGroup(replacement: usize, from: u32): u32 {
  const length = lengthOf(replacement);
  const isBraced = from < length && unit(replacement, from) == 123;
  const start = isBraced ? from + 1 : from;
  let end = start;
  while (end < length && isWordUnit(unit(replacement, end))) {
    if (!isBraced && unit(replacement, end) - 48 > 9) break;
    end++;
  }
  if (end == start || (isBraced && (end >= length || unit(replacement, end) != 125))) return 0;
  if (!readNumber(replacement, start, end)) {
    const units = replacement + TEXT_HEADER + ((<usize>start) << 1);
    namedGroup = groupNamed(units, end - start);
    if (!namedGroup) return 0;
  }
  return isBraced ? end + 1 : end;
}

function readNumber(replacement: usize, start: u32, end: u32): bool {
  let number: u32 = 0;
  for (let place = start; place < end; place++) {
    const digit = unit(replacement, place) - 48;
    if (digit > 9) return false;
    number = min(number * 10 + digit, 100_000);
  }
  namedGroup = number;
  return true;
}
