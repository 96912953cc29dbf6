import { KIND_BOOLEAN, KIND_ERROR, KIND_NUMBER } from '../abi';
import { FIXED_LITERALS_MOST } from '../formula/fixed-call';
import { suspended } from '../grid/sheet';
import { addressOf, at } from '../memory/pointer';
import { repeatScratch, usedScratch } from '../memory/scratch';
import { answersEpoch } from './answer-cache';
import { repeatWork, workOfCell } from './cell-fuel';
import { clearDynamicReads, formulaSheet, noteDynamicRead, readsDynamically } from './context';
import { kindOf, payloadOf, setSlot } from './slot';

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
  // The key follows.
}

const KEY_OFFSET: usize = 40;
/** Address of the code and the sheet, then literals. */
const KEY_BYTES: usize = 16 + 4 * 16;
const PART_BYTES: usize = 40 + KEY_BYTES;
const PART_COUNT: u32 = 32;
const PARTS: usize = memory.data(32 * (40 + 16 + 4 * 16), 16);
const KEY: usize = memory.data(16 + 4 * 16, 16);
const NO_EPOCH: u64 = u64.MAX_VALUE;

/** Writes the key of the part whose code begins behind `place`; returns its place in the table. */
function partAt(place: usize, constants: usize): Part {
  const literals = load<u32>(place);
  const count = min(literals >> 24, FIXED_LITERALS_MOST);
  memory.fill(KEY, 0, KEY_BYTES);
  store<u32>(KEY, <u32>place);
  store<u32>(KEY, <u32>formulaSheet, 4);
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
  openPlace = place;
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
  if (suspended || !isOwn || !isPlain) return;
  part.kind = kind;
  part.payload = payloadOf(slot);
  part.work = workOfCell() - part.work;
  part.scratch = usedScratch() - part.scratch;
  part.epoch = answersEpoch();
}
