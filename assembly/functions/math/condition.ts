import { CELL_PENDING, CHUNK_ROWS, KIND_MASK, KIND_NUMBER } from '../../abi';
import { Chunk, chunkAt } from '../../grid/sheet';
import { indexOf } from '../../indexes/column-index';
import { openMarked } from '../../indexes/text-marks';
import { at } from '../../memory/pointer';
import { noteWork } from '../../memory/work';
import { Criterion, isNumberOrder, isPattern, isUpwardLimit } from '../../values/criteria';
import { marksOfPattern } from '../../values/text-marks';
import { Area } from '../../vm/reference';

/** A criteria range and its criterion. */
@unmanaged
export class Condition {
  area: u32 = 0;
  criterion: u32 = 0;
  /** Address of the column record while a single column is walked, 0 when it has no cells. */
  column: u32 = 0;
}

export const CONDITION_BYTES: usize = offsetof<Condition>();

/** Opens the rows whose texts have the letters of a condition with wildcards. */
export function opensMarked(condition: Condition, rows: u32): bool {
  const criterion = at<Criterion>(condition.criterion);
  if (!condition.column || !isPattern(criterion)) return false;
  const row0 = at<Area>(condition.area).row0;
  const marks = marksOfPattern(criterion.word);
  return marks != 0 && openMarked(indexOf(condition.column), marks, row0, row0 + rows);
}

/** The next row that may meet a condition that is a limit of numbers; `row` for other conditions. */
export function nextOrdered(condition: Condition, row: u32, rows: u32): u32 {
  const criterion = at<Criterion>(condition.criterion);
  if (!condition.column || !isNumberOrder(criterion)) return row;
  const row0 = at<Area>(condition.area).row0;
  let next = row0 + row;
  while (next < row0 + rows) {
    const end = min((next | (CHUNK_ROWS - 1)) + 1, row0 + rows);
    const address = chunkAt(condition.column, next >> 10);
    if (address) next = nextInChunk(at<Chunk>(address), next, end, condition);
    else next = end;
    if (next < end) break;
  }
  noteWork(min(next, row0 + rows) - row0 - row);
  return min(next - row0, rows);
}

/** The same among the rows of a chunk; `end` if there is none. A cell that waits may be one. */
function nextInChunk(chunk: Chunk, row: u32, end: u32, condition: Condition): u32 {
  const criterion = at<Criterion>(condition.criterion);
  const isUpward = isUpwardLimit(criterion);
  const limit = criterion.number;
  const base = row & ~(CHUNK_ROWS - 1);
  const held = min(end, base + chunk.capacity);
  for (let next = row; next < held; next++) {
    const tag = <u32>load<u8>(<usize>chunk.tags + (next - base));
    if (tag & CELL_PENDING) return next;
    if ((tag & KIND_MASK) != KIND_NUMBER) continue;
    const value = load<f64>(<usize>chunk.values + ((<usize>(next - base)) << 3));
    if (isUpward ? value <= limit : value >= limit) return next;
  }
  return end;
}
