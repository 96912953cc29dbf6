import { allocate, release } from '../memory/arena';
import { at } from '../memory/pointer';
import { sortWords } from '../memory/sort';
import { RUN_DEAD, Run, letGo } from './run';

/** A rectangle that a run reads, and so the run to be computed when a cell in it changes. */
@unmanaged
export class WatchEntry {
  row0: u32 = 0;
  row1: u32 = 0;
  column0: u32 = 0;
  column1: u32 = 0;
  run: u32 = 0;
  /**
   * Address of the reference record, which lives as long as the run; 0 if all rows depend on the
   * rectangle.
   */
  record: u32 = 0;
}

/**
 * Rectangles over one column (or over many, in a sheet's list of wide ones), sorted by first row
 * under a tree of maxima of last rows, so that those that meet an interval are found in O(log n +
 * hits). The newest are unsorted at the end. Entries of dead runs leave when the list is sorted or
 * full.
 */
@unmanaged
export class WatchList {
  entries: u32 = 0;
  count: u32 = 0;
  capacity: u32 = 0;
  sortedCount: u32 = 0;
  /** Maxima of 16 entries each, then of 16 of those, and so on; one word each. */
  maxima: u32 = 0;
  maximaBytes: u32 = 0;
}

const ENTRY_BYTES: u32 = 24;
const FANOUT_BITS: u32 = 4;

function entryAt(list: WatchList, index: u32): WatchEntry {
  return at<WatchEntry>(<usize>list.entries + <usize>index * ENTRY_BYTES);
}

/** Appends an entry, to be filled by the caller. */
export function addEntry(list: WatchList, run: usize): WatchEntry {
  if (list.count == list.capacity) makeRoom(list);
  const entry = entryAt(list, list.count++);
  entry.run = <u32>run;
  at<Run>(run).holders++;
  return entry;
}

/**
 * Removes dead entries and makes room. A list whose cells never change may never be read, and
 * formulas that are entered again and again would fill it.
 */
function makeRoom(list: WatchList): void {
  const count = list.count;
  dropDead(list);
  if (list.count < count) list.sortedCount = 0;
  if (list.count << 1 < list.capacity) return;
  const capacity = max(4, list.capacity << 1);
  const entries = allocate(capacity * ENTRY_BYTES);
  memory.copy(entries, list.entries, <usize>list.count * ENTRY_BYTES);
  if (list.capacity) release(list.entries, list.capacity * ENTRY_BYTES);
  list.entries = <u32>entries;
  list.capacity = capacity;
}

/** Sorts the list if too much is unsorted; called before it is read. */
function tidyList(list: WatchList): void {
  if (list.count - list.sortedCount <= 32 + (list.sortedCount >> 3)) return;
  dropDead(list);
  sortEntries(list);
  buildMaxima(list);
}

function dropDead(list: WatchList): void {
  let kept: u32 = 0;
  for (let index: u32 = 0; index < list.count; index++) {
    const entry = entryAt(list, index);
    if (at<Run>(entry.run).flags & RUN_DEAD) {
      letGo(entry.run);
      continue;
    }
    if (kept != index) memory.copy(entryPlace(list, kept), entryPlace(list, index), ENTRY_BYTES);
    kept++;
  }
  list.count = kept;
}

function entryPlace(list: WatchList, index: u32): usize {
  return <usize>list.entries + <usize>index * ENTRY_BYTES;
}

/** List whose entries byRow compares. */
let sorted: WatchList = at<WatchList>(0);

function byRow(left: u32, right: u32): i32 {
  return <i32>entryAt(sorted, left).row0 - <i32>entryAt(sorted, right).row0;
}

/** Sorts by first row: first the indexes of the entries, then the wide entries themselves, once. */
function sortEntries(list: WatchList): void {
  const count = list.count;
  list.sortedCount = count;
  if (isInOrder(list)) return;
  const numbers = allocate(count << 2);
  for (let index: u32 = 0; index < count; index++) {
    store<u32>(numbers + ((<usize>index) << 2), index);
  }
  const entries = allocate(list.capacity * ENTRY_BYTES);
  sorted = list;
  sortWords(numbers, entries, count, byRow);
  for (let index: u32 = 0; index < count; index++) {
    const source = entryPlace(list, load<u32>(numbers + ((<usize>index) << 2)));
    memory.copy(entries + <usize>index * ENTRY_BYTES, source, ENTRY_BYTES);
  }
  release(numbers, count << 2);
  release(list.entries, list.capacity * ENTRY_BYTES);
  list.entries = <u32>entries;
}

function isInOrder(list: WatchList): bool {
  for (let index: u32 = 1; index < list.count; index++) {
    if (entryAt(list, index - 1).row0 > entryAt(list, index).row0) return false;
  }
  return true;
}

function buildMaxima(list: WatchList): void {
  if (list.maximaBytes) release(list.maxima, list.maximaBytes);
  let words: u32 = 0;
  list.maximaBytes = 0;
  if (!list.count) return;
  let size = list.count;
  do {
    size = (size + 15) >> FANOUT_BITS;
    words += size;
  } while (size > 1);
  list.maximaBytes = words << 2;
  list.maxima = <u32>allocate(list.maximaBytes);
  let level = <usize>list.maxima;
  size = (list.count + 15) >> FANOUT_BITS;
  for (let group: u32 = 0; group < size; group++) {
    let highest: u32 = 0;
    const end = min((group + 1) << FANOUT_BITS, list.count);
    for (let index = group << FANOUT_BITS; index < end; index++) {
      highest = max(highest, entryAt(list, index).row1);
    }
    store<u32>(level + ((<usize>group) << 2), highest);
  }
  while (size > 1) {
    const above = level + ((<usize>size) << 2);
    const groups = (size + 15) >> FANOUT_BITS;
    for (let group: u32 = 0; group < groups; group++) {
      let highest: u32 = 0;
      const end = min((group + 1) << FANOUT_BITS, size);
      for (let index = group << FANOUT_BITS; index < end; index++) {
        highest = max(highest, load<u32>(level + ((<usize>index) << 2)));
      }
      store<u32>(above + ((<usize>group) << 2), highest);
    }
    level = above;
    size = groups;
  }
}

/** A walk over the entries that meet rows `row0` to `row1`. */
let walked: WatchList = at<WatchList>(0);
let walkRow0: u32 = 0;
let walkRow1: u32 = 0;
let walkNext: u32 = 0;

export function openWalk(list: WatchList, row0: u32, row1: u32): void {
  tidyList(list);
  walked = list;
  walkRow0 = row0;
  walkRow1 = row1;
  walkNext = 0;
}

/** The next entry of a live run, or 0 at the end. */
export function nextEntry(): usize {
  const list = walked;
  while (walkNext < list.count) {
    if (walkNext < list.sortedCount && !skipGroups(list)) {
      walkNext = list.sortedCount;
      continue;
    }
    const place = entryPlace(list, walkNext);
    const entry = at<WatchEntry>(place);
    if (walkNext < list.sortedCount && entry.row0 > walkRow1) {
      walkNext = list.sortedCount;
      continue;
    }
    walkNext++;
    if (entry.row0 > walkRow1 || entry.row1 < walkRow0) continue;
    if (at<Run>(entry.run).flags & RUN_DEAD) continue;
    return place;
  }
  return 0;
}

/**
 * Skips whole groups that end above the wanted rows; returns false at the end of the sorted part.
 */
function skipGroups(list: WatchList): bool {
  while (walkNext < list.sortedCount) {
    if (walkNext & 15) return true;
    let level = <usize>list.maxima;
    let size = (list.sortedCount + 15) >> FANOUT_BITS;
    let shift = FANOUT_BITS;
    let skip: u32 = 0;
    // The largest group that starts here and ends too early is skipped at once.
    while (size) {
      const group = walkNext >> shift;
      if (load<u32>(level + ((<usize>group) << 2)) >= walkRow0) break;
      skip = shift;
      if (size == 1) break;
      const following = shift + FANOUT_BITS;
      if (walkNext & ((1 << following) - 1)) break;
      level += (<usize>size) << 2;
      size = (size + 15) >> FANOUT_BITS;
      shift = following;
    }
    if (!skip) return true;
    walkNext = ((walkNext >> skip) + 1) << skip;
  }
  return false;
}

/** Forgets all entries. */
export function clearList(list: WatchList): void {
  for (let index: u32 = 0; index < list.count; index++) letGo(entryAt(list, index).run);
  if (list.capacity) release(list.entries, list.capacity * ENTRY_BYTES);
  if (list.maximaBytes) release(list.maxima, list.maximaBytes);
  list.entries = list.count = list.capacity = list.sortedCount = list.maxima = 0;
  list.maximaBytes = 0;
}
