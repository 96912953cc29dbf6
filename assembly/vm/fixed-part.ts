import { KIND_ARRAY, KIND_BOOLEAN, KIND_ERROR, KIND_NUMBER, KIND_STRING } from '../abi';
import { FIXED_IN_COLUMN, FIXED_LITERALS_MOST } from '../formula/fixed-call';
import { suspended } from '../grid/sheet';
import { allocate, release } from '../memory/arena';
import { addressOf, at } from '../memory/pointer';
import { repeatScratch, usedScratch } from '../memory/scratch';
import { dropText, internText } from '../memory/text';
import { answersEpoch } from './answer-cache';
import {
  Grid,
  columnsOf,
  itemKindOf,
  itemPayloadOf,
  referencesOf,
  rowsOf,
  setItemAt,
} from './array';
import { repeatWork, workOfCell } from './cell-fuel';
import {
  clearDynamicReads,
  formulaColumn,
  formulaSheet,
  noteDynamicRead,
  readsDynamically,
} from './context';
import { kindOf, payloadOf, setSlot, wordOf } from './slot';
import { spread } from './sparse';

/**
 * Remembers what parts of formulas came to that are the same in all cells (formula/fixed-call.ts),
 * as long as vm/answer-cache.ts remembers answers; cells pay as if they had computed them.
 */
@unmanaged
class Part {
  /** Epoch of the value; none while it is being computed. */
  epoch: u64 = 0;
  payload: u64 = 0;
  /** Cost of computing it, or what the cell had paid for when it began to. */
  work: u64 = 0;
  scratch: u32 = 0;
  kind: u32 = 0;
  /** Flag: the cell had read dynamically when it began to. */
  wasDynamic: u32 = 0;
  /** How often it came to an array, which is kept from the second time on. */
  arrayCount: u32 = 0;
  // The key follows.
}

const KEY_OFFSET: usize = 40;
/** Address of the code, the sheet, the column plus one where that matters, then literals. */
const KEY_BYTES: usize = 16 + 4 * 16;
const PART_BYTES: usize = 40 + KEY_BYTES;
const PART_COUNT: u32 = 32;
const PARTS: usize = memory.data(32 * (40 + 16 + 4 * 16), 16);
const KEY: usize = memory.data(16 + 4 * 16, 16);
const NO_EPOCH: u64 = u64.MAX_VALUE;

/** Writes the key of the part whose code begins behind `place`; returns its place in the table. */
function partAt(place: usize, constants: usize): Part {
  const literals = load<u32>(place);
  const count = min((literals >> 24) & ~FIXED_IN_COLUMN, FIXED_LITERALS_MOST);
  memory.fill(KEY, 0, KEY_BYTES);
  store<u32>(KEY, <u32>place);
  store<u32>(KEY, <u32>formulaSheet, 4);
  if ((literals >> 24) & FIXED_IN_COLUMN) store<u32>(KEY, formulaColumn + 1, 8);
  memory.copy(KEY + 16, constants + ((<usize>(literals & 0xffffff)) << 4), (<usize>count) << 4);
  const number = (<u32>place * 0x9e3779b1) >> 27;
  return at<Part>(PARTS + <usize>(number % PART_COUNT) * PART_BYTES);
}

function isKnownKey(part: Part): bool {
  return memory.compare(addressOf(part) + KEY_OFFSET, KEY, KEY_BYTES) == 0;
}

/** Code of the part that the present cell computes, or 0; parts within it are not remembered. */
let openPlace: usize = 0;

/** Forgets a part that an evaluation was stopped in. */
export function openParts(): void {
  openPlace = 0;
}

/** Puts the remembered value into the slot, or notes that it is computed next: returns which. */
export function recallPart(place: usize, constants: usize, slot: usize): bool {
  if (openPlace) return false;
  const part = partAt(place, constants);
  if (part.epoch == answersEpoch() && isKnownKey(part)) {
    repeatWork(part.work);
    repeatScratch(part.scratch);
    setSlot(slot, part.kind, part.payload);
    return true;
  }
  // An array that the present cell may be using stays.
  if (part.kind == KIND_ARRAY && part.epoch == answersEpoch()) return false;
  openPlace = place;
  if (part.kind == KIND_ARRAY && part.epoch != NO_EPOCH) forgetArray(part);
  if (!isKnownKey(part)) part.arrayCount = 0;
  part.epoch = NO_EPOCH;
  memory.copy(addressOf(part) + KEY_OFFSET, KEY, KEY_BYTES);
  part.work = workOfCell();
  part.scratch = usedScratch();
  part.wasDynamic = readsDynamically ? 1 : 0;
  clearDynamicReads();
  return false;
}

/** Remembers what the part came to that began at `place`, unless the evaluation was stopped. */
export function keepPart(place: usize, constants: usize, slot: usize): void {
  if (place != openPlace) return;
  openPlace = 0;
  const part = partAt(place, constants);
  // Whoever reads cells that its formula does not name must be noted as doing so.
  const isOwn = !readsDynamically;
  if (part.wasDynamic) noteDynamicRead();
  const kind = kindOf(slot);
  const isPlain = kind == KIND_NUMBER || kind == KIND_BOOLEAN || kind == KIND_ERROR;
  if (suspended || !isOwn) return;
  if (kind == KIND_ARRAY && part.arrayCount++ > 0) return keepArray(part, wordOf(slot));
  if (!isPlain) return;
  part.kind = kind;
  part.payload = payloadOf(slot);
  part.work = workOfCell() - part.work;
  part.scratch = usedScratch() - part.scratch;
  part.epoch = answersEpoch();
}

/** Items of a kept array, at least and at most. */
const ITEMS_LEAST: u32 = 32;
const ITEMS_MOST: u32 = 1 << 18;

/** Copies an array to memory that outlives the cell, with its texts. */
function keepArray(part: Part, array: usize): void {
  const count = rowsOf(array) * columnsOf(array);
  if (count < ITEMS_LEAST || count > ITEMS_MOST || referencesOf(array)) return;
  spread(array);
  const header = allocate(offsetof<Grid>());
  const from = at<Grid>(array);
  const grid = at<Grid>(header);
  grid.rows = from.rows;
  grid.columns = from.columns;
  grid.references = grid.sparse = grid.split = 0;
  grid.kinds = <u32>allocate(count);
  grid.payloads = <u32>allocate(count << 3);
  memory.copy(grid.kinds, from.kinds, count);
  memory.copy(grid.payloads, from.payloads, (<usize>count) << 3);
  for (let index: u32 = 0; index < count; index++) {
    if (itemKindOf(header, index) != KIND_STRING) continue;
    const text = internText(<usize>itemPayloadOf(header, index));
    setItemAt(header, index, KIND_STRING, text);
  }
  part.kind = KIND_ARRAY;
  part.payload = header;
  part.work = workOfCell() - part.work;
  part.scratch = usedScratch() - part.scratch;
  part.epoch = answersEpoch();
}

function forgetArray(part: Part): void {
  const header = <usize>part.payload;
  const grid = at<Grid>(header);
  const count = grid.rows * grid.columns;
  for (let index: u32 = 0; index < count; index++) {
    if (itemKindOf(header, index) == KIND_STRING) dropText(<usize>itemPayloadOf(header, index));
  }
  release(grid.kinds, count);
  release(grid.payloads, count << 3);
  release(header, offsetof<Grid>());
  part.kind = 0;
  part.epoch = NO_EPOCH;
}

/** Gives back the arrays that are kept, at the end of a call. */
export function closeParts(): void {
  for (let index: u32 = 0; index < PART_COUNT; index++) {
    const part = at<Part>(PARTS + <usize>index * PART_BYTES);
    if (part.kind == KIND_ARRAY && part.epoch != NO_EPOCH) forgetArray(part);
  }
}
