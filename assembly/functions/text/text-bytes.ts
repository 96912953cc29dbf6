import { ERROR_VALUE } from '../../abi';
import { lengthOf, unit } from '../../memory/text';
import { noteWork } from '../../memory/work';
import { widthAt } from '../../values/characters';
import {
  appendPiece,
  appendText,
  appendUnit,
  builderOverflow,
  closeBuilder,
  openBuilder,
} from '../../values/text-builder';
import { findWildcard } from '../../values/wildcard';
import {
  answerError,
  answerNumber,
  answerText,
  fail,
  failed,
  integerArgument,
  integerOr,
  textArgument,
} from '../../vm/call';
import { indexOfText } from './text-search';

/**
 * The functions that count bytes. A character is two of them if it is wide or fullwidth (Unicode
 * Standard Annex 11), as in Excel where the default language is Chinese, Japanese or Korean. Where
 * it is not, Excel counts one: a workbook would come to other values on another computer. Half of
 * a character is a space.
 */

const SPACE: u32 = 32;

function isWide(code: u32): bool {
  if (code < 0x1100) return false;
  if (code < 0x2e80) return code < 0x1160 || code == 0x2329 || code == 0x232a;
  if (code < 0xa4d0) return code != 0x303f;
  if (code < 0xe000) return (code >= 0xac00 && code < 0xd7a4) || (code >= 0xa960 && code < 0xa980);
  if (code < 0xff00) {
    return (code >= 0xf900 && code < 0xfb00) || (code >= 0xfe10 && code < 0xfe70);
  }
  return (code > 0xff00 && code < 0xff61) || (code >= 0xffe0 && code < 0xffe7);
}

function bytesAt(text: usize, place: u32): u32 {
  return widthAt(text, place) == 2 || isWide(unit(text, place)) ? 2 : 1;
}

function bytesBefore(text: usize, end: u32): u32 {
  noteWork(end << 1);
  let count: u32 = 0;
  for (let place: u32 = 0; place < end; place += widthAt(text, place)) {
    count += bytesAt(text, place);
  }
  return count;
}

/** Appends the bytes of a text from one count of them up to another. */
function appendBytes(text: usize, from: f64, end: f64): void {
  const length = lengthOf(text);
  noteWork(length << 2);
  let count: f64 = 0;
  for (let place: u32 = 0; place < length && count < end;) {
    const width = widthAt(text, place);
    const next = count + <f64>bytesAt(text, place);
    if (count >= from && next <= end) appendPiece(text, place, width);
    else if (next > from) appendUnit(SPACE);
    count = next;
    place += width;
  }
}

function answerBuilt(): void {
  const text = closeBuilder();
  if (builderOverflow) answerError(ERROR_VALUE);
  else answerText(text);
}

function answerBytes(text: usize, from: f64, count: f64): void {
  if (!(count >= 0)) fail(ERROR_VALUE);
  if (failed()) return;
  openBuilder();
  appendBytes(text, from, from + count);
  answerBuilt();
}

/** LENB(text) */
export function evaluateLenB(): void {
  const text = textArgument(0);
  if (failed()) return;
  answerNumber(bytesBefore(text, lengthOf(text)));
}

/** LEFTB(text, [count]) */
export function evaluateLeftB(): void {
  const text = textArgument(0);
  answerBytes(text, 0, integerOr(1, 1));
}

/** RIGHTB(text, [count]) */
export function evaluateRightB(): void {
  const text = textArgument(0);
  const count = integerOr(1, 1);
  if (failed()) return;
  const length = <f64>bytesBefore(text, lengthOf(text));
  answerBytes(text, max(length - count, 0), count);
}

/** MIDB(text, start, count) */
export function evaluateMidB(): void {
  const text = textArgument(0);
  const start = integerArgument(1);
  if (start < 1) fail(ERROR_VALUE);
  answerBytes(text, start - 1, integerArgument(2));
}

/** REPLACEB(text, start, count, replacement) */
export function evaluateReplaceB(): void {
  const text = textArgument(0);
  const start = integerArgument(1);
  const count = integerArgument(2);
  const replacement = textArgument(3);
  if (start < 1 || count < 0) fail(ERROR_VALUE);
  if (failed()) return;
  openBuilder();
  appendBytes(text, 0, start - 1);
  appendText(replacement);
  appendBytes(text, start - 1 + count, Infinity);
  answerBuilt();
}

/** Where the first character begins at or after a byte, counted from one; -1 past the end. */
function placeOfByte(text: usize, start: f64): i32 {
  const length = lengthOf(text);
  noteWork(length << 1);
  let count: f64 = 1;
  let place: u32 = 0;
  while (place < length && count < start) {
    count += <f64>bytesAt(text, place);
    place += widthAt(text, place);
  }
  return count < start ? -1 : <i32>place;
}

function answerByteOf(text: usize, place: i32): void {
  if (place < 0) answerError(ERROR_VALUE);
  else answerNumber(bytesBefore(text, place) + 1);
}

/** FINDB(part, text, [start]) */
export function evaluateFindB(): void {
  const part = textArgument(0);
  const text = textArgument(1);
  const start = integerOr(2, 1);
  if (failed()) return;
  const from = start < 1 ? -1 : placeOfByte(text, start);
  answerByteOf(text, from < 0 ? -1 : indexOfText(text, part, from));
}

/** SEARCHB(pattern, text, [start]) */
export function evaluateSearchB(): void {
  const pattern = textArgument(0);
  const text = textArgument(1);
  const start = integerOr(2, 1);
  if (failed()) return;
  const from = start < 1 || !lengthOf(text) ? -1 : placeOfByte(text, start);
  answerByteOf(text, from < 0 ? -1 : findWildcard(pattern, text, from));
}
