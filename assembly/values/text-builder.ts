import { TEXT_LENGTH_LIMIT } from '../abi';
import { TEXT_HEADER, lengthOf, newText, textOf, unit } from '../memory/text';

/**
 * Builds one text piece by piece in scratch memory; only one at a time. The buffer doubles, so a
 * text costs at most four times its length. Past Excel's 32,767 units nothing is kept any more and
 * `builderOverflow` says so.
 */
let buffer: usize = 0;
let length: u32 = 0;
let capacity: u32 = 0;

export let builderOverflow: bool = false;

export function openBuilder(): void {
  capacity = 64;
  buffer = newText(capacity);
  length = 0;
  builderOverflow = false;
}

function makeRoom(count: u32): bool {
  const needed = length + count;
  if (needed > <u32>TEXT_LENGTH_LIMIT) {
    builderOverflow = true;
    return false;
  }
  if (needed <= capacity) return true;
  while (capacity < needed) capacity <<= 1;
  const larger = newText(capacity);
  memory.copy(larger + TEXT_HEADER, buffer + TEXT_HEADER, (<usize>length) << 1);
  buffer = larger;
  return true;
}

export function appendUnit(code: u32): void {
  if (!makeRoom(1)) return;
  store<u16>(buffer + TEXT_HEADER + ((<usize>length) << 1), <u16>code);
  length++;
}

export function appendText(text: usize): void {
  appendPiece(text, 0, lengthOf(text));
}

/** Appends `count` units of a text from `start`; the caller keeps them inside the text. */
export function appendPiece(text: usize, start: u32, count: u32): void {
  if (!makeRoom(count)) return;
  const from = text + TEXT_HEADER + ((<usize>start) << 1);
  memory.copy(buffer + TEXT_HEADER + ((<usize>length) << 1), from, (<usize>count) << 1);
  length += count;
}

export function appendConstant(constant: string): void {
  appendText(textOf(constant));
}

/** Appends a text between double quotes, quotes inside doubled, as a formula writes it. */
export function appendQuoted(text: usize): void {
  const count = lengthOf(text);
  appendUnit(34);
  for (let index: u32 = 0; index < count; index++) {
    const code = unit(text, index);
    if (code == 34) appendUnit(34);
    appendUnit(code);
  }
  appendUnit(34);
}

/** Appends a whole number below 2^32 in decimal digits. */
export function appendWhole(value: u32): void {
  let divisor: u32 = 1;
  while (value / divisor >= 10) divisor *= 10;
  for (; divisor; divisor /= 10) appendUnit(48 + ((value / divisor) % 10));
}

/** The text built so far; the builder must be opened again before its next use. */
export function closeBuilder(): usize {
  store<u32>(buffer, length);
  return buffer;
}
