import { ERROR_VALUE } from '../../abi';
import { lengthOf, unit } from '../../memory/text';
import {
  appendPiece,
  appendText,
  builderOverflow,
  closeBuilder,
  openBuilder,
} from '../../values/text-builder';
import { charactersBetween, hasSurrogates, placeAfter } from '../../values/characters';
import { findWildcard } from '../../values/wildcard';
import { pay } from '../../vm/fuel';
import {
  answerError,
  answerNumber,
  answerText,
  argumentCount,
  fail,
  failed,
  integerArgument,
  integerOr,
  textArgument,
} from '../../vm/call';

/** First place at or after `from` where `part` stands in `text`, with regard to case, or -1. */
export function indexOfText(text: usize, part: usize, from: u32): i32 {
  const length = lengthOf(text);
  const partLength = lengthOf(part);
  if (from + partLength > length) return -1;
  if (!partLength) return <i32>from;
  const first = unit(part, 0);
  let paidTo = from;
  for (let start = from; start + partLength <= length; start++) {
    if (unit(text, start) != first) continue;
    const same = samePart(text, start, part, partLength);
    if (!pay(start - paidTo + same)) return -1;
    paidTo = start;
    if (same == partLength) return <i32>start;
  }
  pay(length - paidTo);
  return -1;
}

/** How many units of `part` stand in the text at `start`. */
function samePart(text: usize, start: u32, part: usize, partLength: u32): u32 {
  let same: u32 = 0;
  while (same < partLength && unit(text, start + same) == unit(part, same)) same++;
  return same;
}

/** The place that a character has, counted from one; past the end of the text -1. */
function placeOf(text: usize, start: f64): i32 {
  const length = lengthOf(text);
  if (!(start >= 1 && start <= <f64>length + 1)) return -1;
  const before = <u32>start - 1;
  if (!hasSurrogates(text)) return <i32>before;
  return before > charactersBetween(text, 0, length) ? -1 : <i32>placeAfter(text, 0, before);
}

function answerPlace(text: usize, place: i32): void {
  if (place < 0) answerError(ERROR_VALUE);
  else answerNumber((hasSurrogates(text) ? charactersBetween(text, 0, place) : place) + 1);
}

/** FIND(part, text, [start]) */
export function evaluateFind(): void {
  const part = textArgument(0);
  const text = textArgument(1);
  const start = integerOr(2, 1);
  if (failed()) return;
  const from = placeOf(text, start);
  answerPlace(text, from < 0 ? -1 : indexOfText(text, part, from));
}

/** SEARCH(pattern, text, [start]): wildcards, and case does not matter. */
export function evaluateSearch(): void {
  const pattern = textArgument(0);
  const text = textArgument(1);
  const start = integerOr(2, 1);
  if (failed()) return;
  // An empty text has no place at which SEARCH finds anything, unlike FIND.
  const from = lengthOf(text) ? placeOf(text, start) : -1;
  answerPlace(text, from < 0 ? -1 : findWildcard(pattern, text, from));
}

function answerBuilt(): void {
  const text = closeBuilder();
  if (builderOverflow) answerError(ERROR_VALUE);
  else answerText(text);
}

/** REPLACE(text, start, count, replacement) */
export function evaluateReplace(): void {
  const text = textArgument(0);
  const start = integerArgument(1);
  const count = integerArgument(2);
  const replacement = textArgument(3);
  if (start < 1 || count < 0) fail(ERROR_VALUE);
  if (failed()) return;
  const length = lengthOf(text);
  let before = <u32>min(start - 1, <f64>length);
  let end = before + <u32>min(count, <f64>(length - before));
  if (hasSurrogates(text)) {
    const removed = end - before;
    before = placeAfter(text, 0, before);
    end = placeAfter(text, before, removed);
  }
  openBuilder();
  appendPiece(text, 0, before);
  appendText(replacement);
  appendPiece(text, end, length - end);
  answerBuilt();
}

/** SUBSTITUTE(text, old, new, [instance]): all of them without an instance. */
export function evaluateSubstitute(): void {
  const text = textArgument(0);
  const old = textArgument(1);
  const replacement = textArgument(2);
  const instance = integerOr(3, 0);
  if (argumentCount > 3 && instance < 1) fail(ERROR_VALUE);
  if (failed()) return;
  const oldLength = lengthOf(old);
  if (!oldLength) return answerText(text);
  openBuilder();
  let kept: u32 = 0;
  let found: f64 = 0;
  let place = indexOfText(text, old, 0);
  while (place >= 0) {
    found++;
    if (instance == 0 || found == instance) {
      appendPiece(text, kept, <u32>place - kept);
      appendText(replacement);
      kept = <u32>place + oldLength;
      if (instance) break;
    }
    place = indexOfText(text, old, <u32>place + oldLength);
  }
  appendPiece(text, kept, lengthOf(text) - kept);
  answerBuilt();
}
