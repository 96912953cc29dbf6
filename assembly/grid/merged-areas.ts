import { COLUMN_LIMIT, ROW_LIMIT } from '../abi';
import { at } from '../memory/pointer';
import { Vector, insertItem, item, lengthOfVector, removeItems, setItem } from '../memory/vector';
import { SHEET_MERGES, Sheet } from './sheet';

/**
 * Merged cells of a sheet, into which nothing spills. Areas of four words each (first and last row,
 * first and last column), sorted by first row and column, without overlap.
 */
const WORDS: u32 = 4;

function areaCount(sheet: usize): u32 {
  return lengthOfVector(sheet + SHEET_MERGES) / WORDS;
}

function wordOf(sheet: usize, index: u32, word: u32): u32 {
  return item(sheet + SHEET_MERGES, index * WORDS + word);
}

/** Returns the index of the first area that begins at a cell or after it, row by row. */
function firstFrom(sheet: usize, row: u32, column: u32): u32 {
  let low: u32 = 0;
  let high = areaCount(sheet);
  while (low < high) {
    const middle = (low + high) >> 1;
    const first = wordOf(sheet, middle, 0);
    const isBefore = first < row || (first == row && wordOf(sheet, middle, 2) < column);
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns whether merged cells lie in an area. */
export function meetsMerge(sheet: usize, row0: u32, column0: u32, row1: u32, column1: u32): bool {
  const reach = at<Sheet>(sheet).mergeRowsMost;
  const count = areaCount(sheet);
  for (let index = firstFrom(sheet, row0 - min(row0, reach), 0); index < count; index++) {
    if (wordOf(sheet, index, 0) > row1) return false;
    if (wordOf(sheet, index, 1) < row0) continue;
    if (wordOf(sheet, index, 2) <= column1 && wordOf(sheet, index, 3) >= column0) return true;
  }
  return false;
}

/** Adds an area, unless it is already there. */
export function addMerge(sheet: usize, row0: u32, row1: u32, column0: u32, column1: u32): void {
  const record = at<Sheet>(sheet);
  record.mergeRowsMost = max(record.mergeRowsMost, row1 - row0);
  const index = firstFrom(sheet, row0, column0);
  if (isAt(sheet, index, row0, column0)) return place(sheet, index, row0, row1, column0, column1);
  for (let word: u32 = 0; word < WORDS; word++) {
    insertItem(sheet + SHEET_MERGES, index * WORDS, 0);
  }
  place(sheet, index, row0, row1, column0, column1);
}

function isAt(sheet: usize, index: u32, row: u32, column: u32): bool {
  if (index == areaCount(sheet)) return false;
  return wordOf(sheet, index, 0) == row && wordOf(sheet, index, 2) == column;
}

function place(sheet: usize, index: u32, row0: u32, row1: u32, column0: u32, column1: u32): void {
  const vector = sheet + SHEET_MERGES;
  setItem(vector, index * WORDS, row0);
  setItem(vector, index * WORDS + 1, row1);
  setItem(vector, index * WORDS + 2, column0);
  setItem(vector, index * WORDS + 3, column1);
}

/** Removes exactly this area, if it is there. */
export function removeMerge(sheet: usize, row0: u32, row1: u32, column0: u32, column1: u32): void {
  const index = firstFrom(sheet, row0, column0);
  if (!isAt(sheet, index, row0, column0)) return;
  if (wordOf(sheet, index, 1) != row1 || wordOf(sheet, index, 3) != column1) return;
  removeItems(sheet + SHEET_MERGES, index * WORDS, WORDS);
}

/** Inserts lines: areas behind them move, and areas around them grow. */
export function insertIntoMerges(sheet: usize, isRows: bool, from: u32, count: u32): void {
  const vector = sheet + SHEET_MERGES;
  const first: u32 = isRows ? 0 : 2;
  const limit: u32 = isRows ? ROW_LIMIT : COLUMN_LIMIT;
  let kept: u32 = 0;
  for (let index: u32 = 0; index < areaCount(sheet); index++) {
    const start = wordOf(sheet, index, first);
    const end = wordOf(sheet, index, first + 1);
    const movedStart = start >= from ? start + count : start;
    // An area pushed off the grid is dropped; the host adds it again if it comes back.
    if (movedStart >= limit) continue;
    for (let word: u32 = 0; word < WORDS; word++) {
      setItem(vector, kept * WORDS + word, wordOf(sheet, index, word));
    }
    setItem(vector, kept * WORDS + first, movedStart);
    setItem(vector, kept * WORDS + first + 1, min(end >= from ? end + count : end, limit - 1));
    kept++;
  }
  at<Vector>(vector).length = kept * WORDS;
  if (isRows) at<Sheet>(sheet).mergeRowsMost += count;
}
