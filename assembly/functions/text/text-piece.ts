import { ERROR_VALUE, KIND_ARRAY, KIND_ERROR, KIND_STRING, TEXT_LENGTH_LIMIT } from '../../abi';
import {
  TEXT_HEADER,
  emptyText,
  lengthOf,
  lowerUnit,
  smallUnit,
  newText,
  sameText,
  setUnit,
  textFrom,
  unit,
  upperUnit,
} from '../../memory/text';
import {
  charactersBetween,
  hasSurrogates,
  placeAfter,
  placeBeforeEnd,
} from '../../values/characters';
import { columnsOf, itemKindOf, itemPayloadOf, newArray, rowsOf, setItemAt } from '../../vm/array';
import {
  answerArray,
  answerBoolean,
  answerError,
  answerNumber,
  answerText,
  argument,
  fail,
  failed,
  integerArgument,
  integerOr,
  textArgument,
} from '../../vm/call';
import { kindOf } from '../../vm/slot';
import { itemKind, itemWord, openView, toArray, viewItem } from '../../vm/view';

/** LEN(text) */
export function evaluateLen(): void {
  const text = textArgument(0);
  if (failed()) return;
  const length = lengthOf(text);
  answerNumber(hasSurrogates(text) ? charactersBetween(text, 0, length) : length);
}

/** `count` units of a text from `start`, cut to what is there. */
function pieceOf(text: usize, start: u32, count: u32): usize {
  const length = lengthOf(text);
  if (start >= length) return emptyText();
  const kept = min(count, length - start);
  if (kept == length) return text;
  return textFrom(text + TEXT_HEADER + ((<usize>start) << 1), kept);
}

/** A count as an argument gives it; below zero is #VALUE!, above the limit all. */
function characterCount(value: f64): u32 {
  if (!(value >= 0)) fail(ERROR_VALUE);
  return value >= 1e6 ? 1_000_000 : <u32>max(value, 0);
}

/** LEFT(text, [count]) */
export function evaluateLeft(): void {
  const text = textArgument(0);
  const count = characterCount(integerOr(1, 1));
  if (failed()) return;
  answerText(pieceOf(text, 0, hasSurrogates(text) ? placeAfter(text, 0, count) : count));
}

/** RIGHT(text, [count]) */
export function evaluateRight(): void {
  const text = textArgument(0);
  const count = characterCount(integerOr(1, 1));
  if (failed()) return;
  const length = lengthOf(text);
  const isPlain = !hasSurrogates(text);
  const start = isPlain ? length - min(count, length) : placeBeforeEnd(text, count);
  answerText(pieceOf(text, start, length - start));
}

/** MID(text, start, count) */
export function evaluateMid(): void {
  const text = textArgument(0);
  const start = integerArgument(1);
  if (start < 1) fail(ERROR_VALUE);
  const count = characterCount(integerArgument(2));
  if (failed()) return;
  const before = characterCount(start) - 1;
  if (!hasSurrogates(text)) return answerText(pieceOf(text, before, count));
  const from = placeAfter(text, 0, before);
  answerText(pieceOf(text, from, placeAfter(text, from, count) - from));
}

/** UPPER(text): unit by unit, so ß stays as it does in Excel. */
export function evaluateUpper(): void {
  const text = textArgument(0);
  if (failed()) return;
  const length = lengthOf(text);
  const upper = newText(length);
  for (let index: u32 = 0; index < length; index++) {
    setUnit(upper, index, upperUnit(unit(text, index)));
  }
  answerText(upper);
}

/** LOWER(text) */
export function evaluateLower(): void {
  const text = textArgument(0);
  if (failed()) return;
  const length = lengthOf(text);
  const lower = newText(length);
  for (let index: u32 = 0; index < length; index++) {
    setUnit(lower, index, smallUnit(unit(text, index)));
  }
  answerText(lower);
}

/** Letters are what has two cases, and the scripts that have one. */
function isLetter(code: u32): bool {
  if (code < 128) return (code | 32) - 97 < 26;
  if (lowerUnit(code) != code || upperUnit(code) != code) return true;
  if (code == 0xaa || code == 0xba || code == 0xdf) return true;
  return (code >= 0x5d0 && code < 0x2000) || (code >= 0x3041 && code < 0xd800);
}

/** PROPER(text): a letter after anything that is no letter is a capital, other letters are not. */
export function evaluateProper(): void {
  const text = textArgument(0);
  if (failed()) return;
  const length = lengthOf(text);
  const proper = newText(length);
  let inside: bool = false;
  for (let index: u32 = 0; index < length; index++) {
    const code = unit(text, index);
    setUnit(proper, index, inside ? smallUnit(code) : upperUnit(code));
    inside = isLetter(code);
  }
  answerText(proper);
}

/** TRIM(text): only U+0020; runs inside become one. */
export function evaluateTrim(): void {
  const text = textArgument(0);
  if (failed()) return;
  const length = lengthOf(text);
  const trimmed = newText(length);
  let kept: u32 = 0;
  for (let index: u32 = 0; index < length; index++) {
    const code = unit(text, index);
    if (code == 32 && (kept == 0 || unit(trimmed, kept - 1) == 32)) continue;
    setUnit(trimmed, kept++, code);
  }
  if (kept && unit(trimmed, kept - 1) == 32) kept--;
  answerText(pieceOf(trimmed, 0, kept));
}

/** CLEAN(text): without the control characters 0 to 31. */
export function evaluateClean(): void {
  const text = textArgument(0);
  if (failed()) return;
  const length = lengthOf(text);
  const cleaned = newText(length);
  let kept: u32 = 0;
  for (let index: u32 = 0; index < length; index++) {
    const code = unit(text, index);
    if (code >= 32) setUnit(cleaned, kept++, code);
  }
  answerText(pieceOf(cleaned, 0, kept));
}

/** REPT(text, times) */
export function evaluateRept(): void {
  const text = textArgument(0);
  const times = integerArgument(1);
  const length = lengthOf(text);
  if (times < 0 || times * <f64>length > <f64>TEXT_LENGTH_LIMIT) fail(ERROR_VALUE);
  if (failed()) return;
  const count: u32 = length ? <u32>times : 0;
  const repeated = newText(length * count);
  const units = repeated + TEXT_HEADER;
  const bytes = (<usize>(length * count)) << 1;
  let done = min(bytes, (<usize>length) << 1);
  memory.copy(units, text + TEXT_HEADER, done);
  for (; done < bytes; done += min(done, bytes - done)) {
    memory.copy(units + done, units, min(done, bytes - done));
  }
  answerText(repeated);
}

/** EXACT(left, right): with regard to case. */
export function evaluateExact(): void {
  const left = textArgument(0);
  const right = textArgument(1);
  if (failed()) return;
  answerBoolean(sameText(left, right));
}

/** T(value): the value if it is text; of a range the first cell counts, of an array each item. */
export function evaluateT(): void {
  const slot = argument(0);
  if (kindOf(slot) == KIND_ARRAY) {
    const source = toArray(slot);
    const count = rowsOf(source) * columnsOf(source);
    const array = newArray(rowsOf(source), columnsOf(source));
    for (let index: u32 = 0; index < count; index++) {
      const kind = itemKindOf(source, index);
      if (kind == KIND_STRING || kind == KIND_ERROR) {
        setItemAt(array, index, kind, itemPayloadOf(source, index));
      } else {
        setItemAt(array, index, KIND_STRING, emptyText());
      }
    }
    return answerArray(array);
  }
  viewItem(openView(slot), 0, 0);
  if (itemKind == KIND_ERROR) return answerError(itemWord());
  answerText(itemKind == KIND_STRING ? <usize>itemWord() : emptyText());
}
