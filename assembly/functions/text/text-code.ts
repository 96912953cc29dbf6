import { ERROR_NOT_AVAILABLE, ERROR_VALUE } from '../../abi';
import { lengthOf, newText, setUnit, unit } from '../../memory/text';
import { appendUnit, builderOverflow, closeBuilder, openBuilder } from '../../values/text-builder';
import {
  answerError,
  answerNumber,
  answerText,
  fail,
  failed,
  integerArgument,
  textArgument,
} from '../../vm/call';

/** Unicode of the Windows-1252 codes 128 to 159; the five unused ones stand for themselves. */
const WINDOWS_1252: StaticArray<u16> = [
  0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152,
  0x8d, 0x17d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122,
  0x161, 0x203a, 0x153, 0x9d, 0x17e, 0x178,
];

function textOfUnit(code: u32): usize {
  const text = newText(1);
  setUnit(text, 0, code);
  return text;
}

/** CHAR(code): Windows-1252, 1 to 255. */
export function evaluateChar(): void {
  const code = integerArgument(0);
  if (!(code >= 1 && code <= 255)) fail(ERROR_VALUE);
  if (failed()) return;
  const index = <u32>code;
  const high = index >= 128 && index < 160;
  answerText(textOfUnit(high ? unchecked(WINDOWS_1252[index - 128]) : index));
}

/** CODE(text): the Windows-1252 code of the first unit; what has none is a question mark. */
export function evaluateCode(): void {
  const text = textArgument(0);
  if (!lengthOf(text)) fail(ERROR_VALUE);
  if (failed()) return;
  const code = unit(text, 0);
  if (code < 128 || (code >= 160 && code < 256)) return answerNumber(code);
  for (let index = 0; index < 32; index++) {
    if (unchecked(WINDOWS_1252[index]) == code) return answerNumber(128 + index);
  }
  answerNumber(63);
}

/** UNICHAR(code point) */
export function evaluateUnichar(): void {
  const value = integerArgument(0);
  if (!(value >= 1 && value <= 0x10ffff)) fail(ERROR_VALUE);
  if (failed()) return;
  const code = <u32>value;
  if (code - 0xd800 < 0x800 || (code & 0xfffe) == 0xfffe) return answerError(ERROR_NOT_AVAILABLE);
  if (code < 0x10000) return answerText(textOfUnit(code));
  const text = newText(2);
  setUnit(text, 0, 0xd7c0 + (code >> 10));
  setUnit(text, 1, 0xdc00 + (code & 0x3ff));
  answerText(text);
}

/** The code point that begins at `place`; a lone surrogate is answered as it is. */
function codePointAt(text: usize, place: u32): u32 {
  const lead = unit(text, place);
  if (lead - 0xd800 >= 0x400 || place + 1 >= lengthOf(text)) return lead;
  const trail = unit(text, place + 1);
  if (trail - 0xdc00 >= 0x400) return lead;
  return 0x10000 + ((lead - 0xd800) << 10) + (trail - 0xdc00);
}

/** UNICODE(text): code point of the first character. */
export function evaluateUnicode(): void {
  const text = textArgument(0);
  if (!lengthOf(text)) fail(ERROR_VALUE);
  if (failed()) return;
  const code = codePointAt(text, 0);
  if (code - 0xd800 < 0x800) return answerError(ERROR_NOT_AVAILABLE);
  answerNumber(code);
}

/** ASC(text): full-width Latin letters, digits and signs become half-width ones. */
export function evaluateAsc(): void {
  const text = textArgument(0);
  if (failed()) return;
  const length = lengthOf(text);
  const half = newText(length);
  for (let index: u32 = 0; index < length; index++) {
    const code = unit(text, index);
    const wide = code >= 0xff01 && code <= 0xff5e;
    setUnit(half, index, wide ? code - 0xfee0 : code == 0x3000 ? 32 : code);
  }
  answerText(half);
}

function hexDigit(value: u32): u32 {
  return value < 10 ? 48 + value : 55 + value;
}

function appendEscaped(byte: u32): void {
  appendUnit(37);
  appendUnit(hexDigit(byte >> 4));
  appendUnit(hexDigit(byte & 15));
}

function isUnreserved(code: u32): bool {
  if ((code | 32) - 97 < 26 || code - 48 < 10) return code < 128;
  return code == 45 || code == 46 || code == 95 || code == 126;
}

/** ENCODEURL(text): UTF-8 bytes but RFC 3986's unreserved characters as %XX. */
export function evaluateEncodeUrl(): void {
  const text = textArgument(0);
  if (failed()) return;
  const length = lengthOf(text);
  openBuilder();
  for (let index: u32 = 0; index < length; index++) {
    const code = codePointAt(text, index);
    if (code >= 0x10000) index++;
    if (isUnreserved(code)) appendUnit(code);
    else if (code < 0x80) appendEscaped(code);
    else if (code < 0x800) {
      appendEscaped(0xc0 | (code >> 6));
      appendEscaped(0x80 | (code & 63));
    } else if (code < 0x10000) {
      appendEscaped(0xe0 | (code >> 12));
      appendEscaped(0x80 | ((code >> 6) & 63));
      appendEscaped(0x80 | (code & 63));
    } else {
      appendEscaped(0xf0 | (code >> 18));
      appendEscaped(0x80 | ((code >> 12) & 63));
      appendEscaped(0x80 | ((code >> 6) & 63));
      appendEscaped(0x80 | (code & 63));
    }
  }
  const encoded = closeBuilder();
  if (builderOverflow) answerError(ERROR_VALUE);
  else answerText(encoded);
}
