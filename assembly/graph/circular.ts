import { CELL_FORMULA, CELL_PENDING, ERROR_CIRCULAR, KIND_ERROR, KIND_MASK } from '../abi';
import { MODEL_SHEETS, model } from '../grid/model';
import { Chunk, Column, Sheet, chunkAt, columnAt } from '../grid/sheet';
import { at } from '../memory/pointer';
import { item, lengthOfVector } from '../memory/vector';
import { markRows } from './dirty';
import { runAt } from './run';

/**
 * Marks all cells that show a cycle. Moved rows and columns can end a cycle without changing its
 * formulas, if it went through the cells of an array.
 */
export function markCircular(): void {
  visitAll(true);
}

/** Returns the number of formula cells that show a cycle. */
export function countCircular(): u32 {
  if (!model().hadCircular) return 0;
  const count = visitAll(false);
  if (!count) model().hadCircular = 0;
  return count;
}

function visitAll(marks: bool): u32 {
  let count: u32 = 0;
  for (let index: u32 = 0; index < lengthOfVector(MODEL_SHEETS); index++) {
    const sheet = item(MODEL_SHEETS, index);
    for (let number: u32 = 0; number < at<Sheet>(sheet).columnsLength; number++) {
      const column = columnAt(sheet, number);
      if (!column || !at<Column>(column).runsLength) continue;
      for (let chunk: u32 = 0; chunk < at<Column>(column).chunksLength; chunk++) {
        count += visitChunk(column, chunk, marks);
      }
    }
  }
  return count;
}

function visitChunk(column: usize, index: u32, marks: bool): u32 {
  const address = chunkAt(column, index);
  if (!address) return 0;
  const chunk = at<Chunk>(address);
  let count: u32 = 0;
  for (let offset: u32 = 0; offset < chunk.capacity; offset++) {
    const tag = <u32>load<u8>(<usize>chunk.tags + offset);
    if ((tag & KIND_MASK) != KIND_ERROR || !(tag & CELL_FORMULA) || tag & CELL_PENDING) continue;
    if (load<u32>(<usize>chunk.values + ((<usize>offset) << 3)) != ERROR_CIRCULAR) continue;
    count++;
    const row = (index << 10) + offset;
    const run = marks ? runAt(column, row) : 0;
    if (run) markRows(run, row, row);
  }
  return count;
}
