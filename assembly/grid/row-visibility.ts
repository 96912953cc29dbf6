import { CHUNK_ROWS, ROWS_SHOWN } from '../abi';
import { allocateZeroed, release } from '../memory/arena';
import { at } from '../memory/pointer';
import { freeVector, push } from '../memory/vector';
import { Sheet, SHEET_HIDDEN } from './sheet';

/**
 * States of the rows of a sheet: one byte for each row (ROWS_* of abi.ts), in chunks of 1,024 rows,
 * which only exist if they have a hidden row.
 */

/** Returns the state of a row: ROWS_SHOWN, or one of ROWS_HIDDEN_*. */
export function visibilityOf(sheet: usize, row: u32): u32 {
  const chunk = hiddenChunk(sheet, row >> 10);
  return chunk ? load<u8>(chunk + (row & (CHUNK_ROWS - 1))) : ROWS_SHOWN;
}

export function hidesRows(sheet: usize): bool {
  return at<Sheet>(sheet).hiddenLength != 0;
}

/** Returns one past the last row that may be hidden. */
export function hiddenEnd(sheet: usize): u32 {
  return at<Sheet>(sheet).hiddenLength << 10;
}

export function hiddenChunk(sheet: usize, index: u32): usize {
  const record = at<Sheet>(sheet);
  if (index >= record.hiddenLength) return 0;
  return load<u32>(<usize>record.hidden + ((<usize>index) << 2));
}

/** Sets the state of rows; returns whether it changes any of them. */
export function setVisibility(sheet: usize, from: u32, count: u32, visibility: u32): bool {
  const isShown = visibility == ROWS_SHOWN;
  const end = isShown ? min(from + count, hiddenEnd(sheet)) : from + count;
  let hasChanged = false;
  let row = from;
  while (row < end) {
    const stop = min(end, (row | (CHUNK_ROWS - 1)) + 1);
    const index = row >> 10;
    const chunk = isShown ? hiddenChunk(sheet, index) : ensureHiddenChunk(sheet, index);
    if (chunk && fillRows(chunk + (row & (CHUNK_ROWS - 1)), stop - row, visibility)) {
      hasChanged = true;
      if (isShown) dropShown(sheet, index);
    }
    row = stop;
  }
  return hasChanged;
}

function fillRows(place: usize, count: u32, visibility: u32): bool {
  let isSame = true;
  for (let offset: u32 = 0; offset < count && isSame; offset++) {
    isSame = load<u8>(place + offset) == <u8>visibility;
  }
  if (!isSame) memory.fill(place, <u8>visibility, count);
  return !isSame;
}

export function ensureHiddenChunk(sheet: usize, index: u32): usize {
  const record = at<Sheet>(sheet);
  while (record.hiddenLength <= index) push(sheet + SHEET_HIDDEN, 0);
  const place = <usize>record.hidden + ((<usize>index) << 2);
  if (!load<u32>(place)) store<u32>(place, <u32>allocateZeroed(CHUNK_ROWS));
  return load<u32>(place);
}

/** Frees a chunk without hidden rows. */
function dropShown(sheet: usize, index: u32): void {
  const record = at<Sheet>(sheet);
  const chunk = hiddenChunk(sheet, index);
  if (!areShown(chunk, CHUNK_ROWS)) return;
  release(chunk, CHUNK_ROWS);
  store<u32>(<usize>record.hidden + ((<usize>index) << 2), 0);
  while (record.hiddenLength && !hiddenChunk(sheet, record.hiddenLength - 1)) {
    record.hiddenLength--;
  }
}

/** Returns whether `count` rows are all shown, beginning at a place in a chunk of states. */
export function areShown(place: usize, count: u32): bool {
  for (let offset: u32 = 0; offset < count; offset++) {
    if (load<u8>(place + offset) != ROWS_SHOWN) return false;
  }
  return true;
}

/** Gives back all chunks of a list of them. */
export function freeHiddenChunks(vector: usize, count: u32): void {
  const items = <usize>load<u32>(vector);
  for (let index: u32 = 0; index < count; index++) {
    const chunk = load<u32>(items + ((<usize>index) << 2));
    if (chunk) release(chunk, CHUNK_ROWS);
  }
  freeVector(vector);
}
