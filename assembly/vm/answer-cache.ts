import { KIND_BOOLEAN, KIND_ERROR, KIND_NUMBER, KIND_REFERENCE, KIND_STRING } from '../abi';
import { suspended } from '../grid/sheet';
import { hashBytes } from '../memory/keyed-hash';
import { at } from '../memory/pointer';
import { repeatScratch, usedScratch } from '../memory/scratch';
import { isInterned } from '../memory/text';
import { answer, argument, argumentCount } from './call';
import { clearDynamicReads, noteDynamicRead, readsDynamically } from './context';
import { repeatWork, workOfCell } from './cell-fuel';
import { Area, areaCountOf, areaOf } from './reference';
import { kindOf, payloadOf, setSlot, wordOf } from './slot';
import { callFunction } from './function-entries';

/**
 * Remembers answers of functions about ranges, so that `A1/SUM($A$1:$B$1000)` filled down sums
 * once. An answer is valid as long as no cell that was read changes: until the recalculation ends,
 * or a cell is overwritten or becomes pending (`forgetAnswers`). A cell that gets a remembered
 * answer still pays its whole cost, in fuel and in memory, so that no cell fails or succeeds
 * because of others.
 */
@unmanaged
class Entry {
  epoch: u64 = 0;
  payload: u64 = 0;
  /** Cost of computing the answer: units of memory/work.ts, and bytes of scratch memory. */
  work: u64 = 0;
  scratch: u32 = 0;
  kind: u32 = 0;
  // The function and its arguments follow.
}

/** Cells of a range below which it is read as quickly as looked up. */
const CELLS_LEAST: u64 = 64;
const ARGUMENTS_MOST: u32 = 6;
const ARGUMENT_BYTES: usize = 24;
const KEY_BYTES: usize = 8 + 6 * 24;
const ENTRY_BYTES: usize = 32 + KEY_BYTES;
const ENTRY_COUNT: u32 = 256;

/** The present epoch, then the entries. In the memory, which instances share. */
const TABLE: usize = memory.data(16 + 256 * (32 + 8 + 6 * 24), 16);
/** The function and arguments of the present call. */
const KEY: usize = memory.data(8 + 6 * 24, 16);

/** Calls in a row without a remembered answer, by function. */
const MISSES: usize = memory.data(64 * 4, 16);
const MISSES_MOST: u32 = 32;
/**
 * A function that always misses, as over moving windows, is only looked up in one of so many calls.
 */
const TRY_MASK: u32 = 255;

/** Changes with every `forgetAnswers`. */
export function answersEpoch(): u64 {
  return load<u64>(TABLE);
}

export function forgetAnswers(): void {
  store<u64>(TABLE, load<u64>(TABLE) + 1);
}

/** Calls a function, or takes its remembered answer. */
export function callRemembered(id: u32): void {
  const misses = MISSES + ((<usize>((id ^ (id >> 12)) & 63)) << 2);
  const missCount = load<u32>(misses);
  if (missCount > MISSES_MOST && (missCount & TRY_MASK) != 0) {
    store<u32>(misses, missCount + 1);
    return callFunction(id);
  }
  const hash = asksAboutMany() ? readKey(id) : 0;
  if (!hash) return callFunction(id);
  const place = TABLE + 16 + <usize>(hash & (ENTRY_COUNT - 1)) * ENTRY_BYTES;
  const entry = at<Entry>(place);
  const key = place + offsetof<Entry>();
  if (entry.epoch == load<u64>(TABLE) && memory.compare(key, KEY, KEY_BYTES) == 0) {
    store<u32>(misses, 0);
    repeatWork(entry.work);
    repeatScratch(entry.scratch);
    return setSlot(answer, entry.kind, entry.payload);
  }
  store<u32>(misses, missCount + 1);
  entry.epoch = u64.MAX_VALUE;
  memory.copy(key, KEY, KEY_BYTES);
  remember(entry, id);
}

/** Calls the function and remembers its answer, unless it must not be used again. */
function remember(entry: Entry, id: u32): void {
  const epoch = load<u64>(TABLE);
  const work = workOfCell();
  const scratch = usedScratch();
  const isDynamic = readsDynamically;
  clearDynamicReads();
  callFunction(id);
  // A caller that reads cells outside its formula must be noted as doing so, so such an answer is
  // not remembered.
  const isOwn = !readsDynamically;
  if (isDynamic) noteDynamicRead();
  // An evaluation that was stopped has no answer.
  if (suspended || !isOwn) return;
  const kind = kindOf(answer);
  if (kind != KIND_NUMBER && kind != KIND_BOOLEAN && kind != KIND_ERROR) return;
  entry.kind = kind;
  entry.payload = payloadOf(answer);
  entry.work = workOfCell() - work;
  entry.scratch = usedScratch() - scratch;
  entry.epoch = epoch;
}

/**
 * Returns whether the present call reads enough cells to be worth remembering, and has arguments
 * that can be told from others.
 */
function asksAboutMany(): bool {
  if (argumentCount > ARGUMENTS_MOST) return false;
  let cells: u64 = 0;
  for (let index: u32 = 0; index < argumentCount; index++) {
    const slot = argument(index);
    const kind = kindOf(slot);
    if (kind == KIND_REFERENCE) {
      if (areaCountOf(wordOf(slot)) != 1) return false;
      const area = at<Area>(areaOf(wordOf(slot), 0));
      cells += <u64>(area.row1 - area.row0 + 1) * (area.column1 - area.column0 + 1);
    } else if (kind == KIND_STRING) {
      // Interned texts can be compared by address; others would take time.
      if (!isInterned(wordOf(slot))) return false;
    } else if (kind > <u32>KIND_ERROR) return false;
  }
  return cells >= CELLS_LEAST;
}

/** Writes the present call to KEY and answers its hash, which is not 0. */
function readKey(id: u32): u32 {
  memory.fill(KEY, 0, KEY_BYTES);
  store<u32>(KEY, id);
  store<u32>(KEY, argumentCount, 4);
  for (let index: u32 = 0; index < argumentCount; index++) {
    const slot = argument(index);
    const kind = kindOf(slot);
    const place = KEY + 8 + <usize>index * ARGUMENT_BYTES;
    store<u32>(place, kind);
    if (kind == KIND_REFERENCE) {
      memory.copy(place + 4, areaOf(wordOf(slot), 0), offsetof<Area>());
    } else store<u64>(place, payloadOf(slot), 8);
  }
  return <u32>hashBytes(KEY, 8 + argumentCount * <u32>ARGUMENT_BYTES) | 0x80000000;
}
