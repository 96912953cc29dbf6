import { allocate, allocateZeroed } from '../memory/arena';
import { at } from '../memory/pointer';
import { model } from '../grid/model';

/** Lazy functions get code offsets instead of values (vm/machine.ts runs them). */
export const FAMILY_LAZY: u32 = 0;
export const FAMILY_LOGICAL: u32 = 1;
export const FAMILY_MATH: u32 = 2;
export const FAMILY_TRIGONOMETRY: u32 = 3;
export const FAMILY_AGGREGATE: u32 = 4;
export const FAMILY_DATE_TIME: u32 = 13;
export const FAMILY_INFORMATION: u32 = 14;

/** One function as the compiler needs it; 32 bytes in the model's memory. */
@unmanaged
export class FunctionRecord {
  id: u32 = 0;
  /** Address of the upper-case name's units and their count. */
  name: u32 = 0;
  nameLength: u32 = 0;
  fewest: u16 = 0;
  most: u16 = 0;
  /** Address of the kinds' units, their count, and where the part after `+` begins (or count). */
  kinds: u32 = 0;
  kindCount: u16 = 0;
  repeatFrom: u16 = 0;
  /** Bit 0: volatile; bit 1: depends on the formula's place. */
  flags: u32 = 0;
  next: u32 = 0;
}

export const FUNCTION_VOLATILE: u32 = 1;
export const FUNCTION_PLACE: u32 = 2;
/** No parameter wants a scalar. */
export const FUNCTION_TAKES_ANYTHING: u32 = 4;
/** SUBTOTAL and AGGREGATE, which leave one another's cells out. */
export const FUNCTION_SUBTOTAL: u32 = 32;
/** Its answers about ranges are remembered (vm/answer-cache.ts). */
export const FUNCTION_REMEMBERED: u32 = 64;
/** It takes references to several sheets (vm/sheet-span.ts). */
export const FUNCTION_TAKES_SPANS: u32 = 128;
/** Its answer is an array by nature: legacy formulas calculate with all of it, as with {1,2}. */
export const FUNCTION_ARRAY: u32 = 256;
/** An array of references is taken one after the other, which gives an array of answers. */
export const FUNCTION_TAKES_EACH: u32 = 512;
/** It may take an array in the place of a single value as a whole. */
export const FUNCTION_TAKES_WHOLE: u32 = 1024;
const RECORD_BYTES: usize = 40;
const BUCKETS: u32 = 1024;

function hashName(units: usize, length: u32): u32 {
  let hash: u32 = 0x811c9dc5;
  for (let index: u32 = 0; index < length; index++) {
    let code = <u32>load<u16>(units + ((<usize>index) << 1));
    if (code - 97 < 26) code -= 32;
    hash = (hash ^ code) * 0x01000193;
  }
  return hash ^ (hash >> 15);
}

/** Empties the table of a model, before the families are read into it. */
export function openFunctionTable(): void {
  model().functionTable = <u32>allocateZeroed(BUCKETS << 2);
}

/** Reads the rows of a family; the number of a row is the case of its switch. */
export function readTable(family: u32, units: usize, length: u32): void {
  let from: u32 = 0;
  let row: u32 = 0;
  while (from < length) {
    let end = from;
    while (end < length && load<u16>(units + ((<usize>end) << 1)) != 59) end++;
    while (from < end && load<u16>(units + ((<usize>from) << 1)) <= 32) from++;
    if (from < end) readRow((family << 16) | row++, units + ((<usize>from) << 1), end - from);
    from = end + 1;
  }
}

/** Notes a property of each function that a list of names has. */
export function markFunctions(units: usize, length: u32, flag: u32): void {
  for (nextWord(units, length, 0); wordEnd > wordStart; nextWord(units, length, wordEnd)) {
    const found = findFunction(units + ((<usize>wordStart) << 1), wordEnd - wordStart);
    if (!found) continue;
    const record = at<FunctionRecord>(found);
    record.flags |= flag;
    // Its arguments have to be looked at.
    if (flag == FUNCTION_TAKES_EACH) record.flags &= ~FUNCTION_TAKES_ANYTHING;
  }
}

let wordStart: u32 = 0;
let wordEnd: u32 = 0;

/** Finds the next word of a row behind `from`. */
function nextWord(units: usize, length: u32, from: u32): void {
  wordStart = from;
  while (wordStart < length && load<u16>(units + ((<usize>wordStart) << 1)) <= 32) wordStart++;
  wordEnd = wordStart;
  while (wordEnd < length && load<u16>(units + ((<usize>wordEnd) << 1)) > 32) wordEnd++;
}

function readCount(units: usize): u32 {
  let value: u32 = 0;
  for (let index = wordStart; index < wordEnd; index++) {
    value = value * 10 + load<u16>(units + ((<usize>index) << 1)) - 48;
  }
  return value;
}

function readRow(id: u32, units: usize, length: u32): void {
  const place = allocate(<u32>RECORD_BYTES);
  memory.fill(place, 0, RECORD_BYTES);
  const record = at<FunctionRecord>(place);
  record.id = id;
  nextWord(units, length, 0);
  record.name = <u32>units + (wordStart << 1);
  record.nameLength = wordEnd - wordStart;
  nextWord(units, length, wordEnd);
  record.fewest = <u16>readCount(units);
  nextWord(units, length, wordEnd);
  record.most = <u16>readCount(units);
  nextWord(units, length, wordEnd);
  record.kinds = <u32>units + (wordStart << 1);
  record.kindCount = <u16>(wordEnd - wordStart);
  record.repeatFrom = record.kindCount;
  record.flags = FUNCTION_TAKES_ANYTHING;
  for (let index = wordStart; index < wordEnd; index++) {
    const kind = load<u16>(units + ((<usize>index) << 1));
    if (kind == 43) record.repeatFrom = <u16>(index - wordStart);
    if (kind == 118 || kind == 116) record.flags &= ~FUNCTION_TAKES_ANYTHING;
  }
  nextWord(units, length, wordEnd);
  for (let index = wordStart; index < wordEnd; index++) {
    const flag = load<u16>(units + ((<usize>index) << 1));
    if (flag == 86) record.flags |= FUNCTION_VOLATILE;
    if (flag == 80) record.flags |= FUNCTION_PLACE;
    if (flag == 83) record.flags |= FUNCTION_SUBTOTAL;
    if (flag == 82) record.flags |= FUNCTION_REMEMBERED;
    if (flag == 65) record.flags |= FUNCTION_ARRAY;
  }
  const bucket =
    <usize>model().functionTable +
    ((<usize>(hashName(record.name, record.nameLength) & (BUCKETS - 1))) << 2);
  record.next = load<u32>(bucket);
  store<u32>(bucket, <u32>place);
}

/** The function with this name in any case, or 0. */
export function findFunction(units: usize, length: u32): usize {
  const hash = hashName(units, length);
  let record = <usize>(
    load<u32>(<usize>model().functionTable + ((<usize>(hash & (BUCKETS - 1))) << 2))
  );
  while (record) {
    const row = at<FunctionRecord>(record);
    if (row.nameLength == length && sameName(row.name, units, length)) return record;
    record = row.next;
  }
  return 0;
}

function sameName(upper: usize, units: usize, length: u32): bool {
  for (let index: u32 = 0; index < length; index++) {
    let code = <u32>load<u16>(units + ((<usize>index) << 1));
    if (code - 97 < 26) code -= 32;
    if (code != <u32>load<u16>(upper + ((<usize>index) << 1))) return false;
  }
  return true;
}

/** Kind of parameter `index`: one of the letters v, t, r, a, l. */
export function kindOfParameter(record: usize, index: u32): u32 {
  const row = at<FunctionRecord>(record);
  let place = index;
  if (row.repeatFrom < row.kindCount) {
    const head = <u32>row.repeatFrom;
    const repeated = <u32>row.kindCount - head - 1;
    place = index < head ? index : head + 1 + ((index - head) % repeated);
  } else if (place >= row.kindCount) place = row.kindCount - 1;
  return load<u16>(<usize>row.kinds + ((<usize>place) << 1));
}
