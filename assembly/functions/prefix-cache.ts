import { at } from '../memory/pointer';

/**
 * Running totals of one recalculation. SUM(A$1:A1), SUM(A$1:A2) … each begin where the one before
 * ended, so a column of them costs one walk. An entry belongs to a start (sheet, column, row) and
 * knows the sum and count up to a row; it is extended forward and never past a cell that is
 * out of date. It stays true because a cell once read does not change in the same recalculation;
 * whoever changes one all the same (a spill over cells already read) calls openPrefixes again.
 */
@unmanaged
export class Prefix {
  /** Recalculation it belongs to; another number means the entry is free. */
  epoch: u32 = 0;
  sheet: u32 = 0;
  column: u32 = 0;
  row0: u32 = 0;
  /** One past the last row in the totals. */
  end: u32 = 0;
  /** Error found in row end - 1, or -1; the totals then go no further. */
  error: i32 = -1;
  sum: f64 = 0;
  count: u32 = 0;
  chunk: u32 = 0;
  least: f64 = 0;
  greatest: f64 = 0;
}

/** What an entry holds beside its start: part of the key, above the column number. */
export const PREFIX_SUM: u32 = 0;
export const PREFIX_SPAN: u32 = 1 << 16;
export const PREFIX_COUNT: u32 = 2 << 16;
export const PREFIX_COUNT_ALL: u32 = 3 << 16;

/** A sum up to a chunk's first row, for ranges that end before the running total does. */
export const PREFIX_CHECKPOINT: u32 = 4 << 16;

/** Entries; a new start takes the place of whatever has the same hash. */
const ENTRY_COUNT: u32 = 1024;
/** The number of the recalculation, then the entries. In the memory, which instances share. */
const TABLE: usize = memory.data(16 + 1024 * 56, 16);

/** Forgets all totals; called at the start of each recalculation. */
export function openPrefixes(): void {
  store<u32>(TABLE, load<u32>(TABLE) + 1);
}

function placeOf(sheet: usize, column: u32, row0: u32, chunk: u32): Prefix {
  const hash =
    (<u32>sheet * 0x9e3779b1) ^ (column * 0x85ebca6b) ^ (row0 * 0xc2b2ae35) ^ (chunk * 0x27d4eb2f);
  const index = (hash ^ (hash >> 15)) & (ENTRY_COUNT - 1);
  return at<Prefix>(TABLE + 16 + <usize>index * offsetof<Prefix>());
}

/** Whether there are totals that begin at a cell; `foundPrefix` is their entry. */
export function hasPrefix(sheet: usize, column: u32, row0: u32, chunk: u32): bool {
  foundPrefix = placeOf(sheet, column, row0, chunk);
  return (
    foundPrefix.epoch == load<u32>(TABLE) &&
    foundPrefix.sheet == <u32>sheet &&
    foundPrefix.column == column &&
    foundPrefix.row0 == row0 &&
    foundPrefix.chunk == chunk
  );
}

export let foundPrefix: Prefix = at<Prefix>(TABLE);

/**
 * The totals that begin at a cell, empty ones if there were none. `column` is the column number
 * with what is held (PREFIX_SUM …) above it; `chunk` tells checkpoints apart, otherwise it is 0.
 */
export function prefixFrom(sheet: usize, column: u32, row0: u32, chunk: u32): Prefix {
  if (hasPrefix(sheet, column, row0, chunk)) return foundPrefix;
  const prefix = foundPrefix;
  prefix.epoch = load<u32>(TABLE);
  prefix.sheet = <u32>sheet;
  prefix.column = column;
  prefix.row0 = row0;
  prefix.chunk = chunk;
  prefix.end = row0;
  prefix.error = -1;
  prefix.sum = 0;
  prefix.count = 0;
  prefix.least = Infinity;
  prefix.greatest = -Infinity;
  return prefix;
}
