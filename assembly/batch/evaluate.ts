import { CELL_FORMULA, CHUNK_ROWS, KIND_BOOLEAN, KIND_NUMBER, KIND_STRING } from '../abi';
import { Template, recordOf } from '../formula/template';
import { ReferenceRecord } from '../formula/token';
import { RUN_COMPUTED, RUN_DEAD, RUN_READS_BELOW, Run, runAt } from '../graph/run';
import { hasSpillIn } from '../graph/spill';
import { model } from '../grid/model';
import {
  Chunk,
  Column,
  chunkAt,
  columnAt,
  firstPending,
  firstSettled,
  writeCell,
} from '../grid/sheet';
import { at } from '../memory/pointer';
import { resetScratch } from '../memory/scratch';
import { internText } from '../memory/text';
import { spendFuel } from '../vm/cell-fuel';
import { areFinite } from './arithmetic';
import {
  areaColumn0,
  areaColumn1,
  areaMoves,
  areaRow0,
  areaRow1,
  areaSheet,
  haveTexts,
  openCells,
  placeArea,
  placeRunning,
  readsBatch,
} from './cells';
import { isForBatches } from './eligible';
import { interpret } from './interpret';
import { takeSteps } from './recurrence';
import { LANES_BOOLEAN, LANES_NUMBER, LANES_TEXT, Register, laneOf, registerAt } from './register';

/**
 * Computes pending rows of a run at once, up to those of one chunk. Cells that they read are
 * computed first, if a batch can do that.
 */

/** Fewest rows for which a batch is worthwhile. */
const ROWS_LEAST: u32 = 8;
/** Most batches that may wait for each other. */
const DEPTH_MOST: u32 = 32;
/**
 * Limits of a range whose precedents a batch computes; the scalar machine handles larger ones
 * better.
 */
const COLUMNS_MOST: i32 = 16;
const AREA_ROWS_MOST: i32 = 1024;
/** Lanes of one operation that a step of fuel pays for, as a shift. */
const LANES_PER_STEP: u32 = 3;

let waiting: u32 = 0;

/**
 * Computes rows of a run from a pending `row` on, to `last` at most. Returns how many were tried.
 * Rows whose result is no number stay pending for the scalar machine, as does `row` if the result
 * is 0.
 */
export function evaluateBatch(address: usize, row: u32, last: u32): u32 {
  const run = at<Run>(address);
  if (last - row + 1 < ROWS_LEAST || !isForBatch(run)) return 0;
  const end = firstSettled(run.column, row, min(last, row | (CHUNK_ROWS - 1)));
  const count = end - row;
  if (count < ROWS_LEAST || hasSpillIn(run.column, row, end - 1)) return 0;
  run.flags |= RUN_COMPUTED;
  const isReady = computePrecedents(run, row, count);
  run.flags &= ~RUN_COMPUTED;
  if (!isReady) return 0;
  openCells(run.column, row, count);
  const root = model();
  const before = root.evaluatedCount;
  const done = interpret(address, row, count) ? storeResult(run.column, row, count) : 0;
  resetScratch();
  root.batchedCount += root.evaluatedCount - before;
  const words = at<Template>(run.template).codeBytes >> 2;
  spendFuel(<i64>((words * done) >> LANES_PER_STEP) + 1);
  return done;
}

function isForBatch(run: Run): bool {
  const others = RUN_DEAD | RUN_READS_BELOW | RUN_COMPUTED;
  if (run.flags & others || run.areaRows) return false;
  if (model().isAnew || model().isScalar) return false;
  return isForBatches(at<Template>(run.template));
}

/**
 * Computes the pending cells that rows of a run read; returns whether all are up to date
 * afterwards.
 */
function computePrecedents(run: Run, row: u32, count: u32): bool {
  const template = at<Template>(run.template);
  for (let index: u32 = 0; index < template.referenceCount; index++) {
    openCells(run.column, row, count);
    if (!placeRows(recordOf(template, index), row, count)) return false;
    const sheet = areaSheet;
    const row0 = readRow0;
    const end = readEnd;
    const last = row0 < end ? areaColumn1 : -1;
    for (let number = areaColumn0; number <= last; number++) {
      const column = columnAt(sheet, number);
      if (column && !computeRows(column, row0, end - 1)) return false;
    }
  }
  return true;
}

// Rows that have to be up to date before the batch: the first, and one past the last.
let readRow0: u32 = 0;
let readEnd: u32 = 0;

function placeRows(record: ReferenceRecord, row: u32, count: u32): bool {
  if (placeRunning(record)) {
    // Earlier rows are checked when they are added to the running total.
    readRow0 = areaRow1;
    readEnd = areaRow1 + count;
    return true;
  }
  if (!placeArea(record)) return false;
  const columns = areaColumn1 - areaColumn0;
  const isLarge = columns >= COLUMNS_MOST || areaRow1 - areaRow0 >= AREA_ROWS_MOST;
  readRow0 = areaRow0;
  if (isLarge) {
    // A fixed range is checked when a function reads it.
    readEnd = readRow0;
    return !areaMoves;
  }
  readEnd = areaMoves ? areaRow1 + count : areaRow1 + 1;
  if (areaRow0 != areaRow1 || columns || !readsBatch()) return true;
  // One cell of the own column is computed on the way; a range of it never is.
  readEnd = row;
  return readRow0 < row;
}

/** Computes the pending cells in rows of a column; returns false if one stays pending. */
function computeRows(column: usize, row0: u32, row1: u32): bool {
  let row = firstPending(column, row0, row1);
  if (row > row1) return true;
  if (waiting == DEPTH_MOST) return false;
  waiting++;
  while (row <= row1) {
    const address = runAt(column, row);
    // Formulas that read one row of a chunk mostly read the others next.
    const end = row1 | (CHUNK_ROWS - 1);
    const done = address ? evaluateBatch(address, row, min(at<Run>(address).row1, end)) : 0;
    const next = firstPending(column, row, row1);
    // The batch did nothing, or its values are no numbers.
    if (next < row + max(done, 1)) break;
    row = next;
  }
  waiting--;
  return row > row1;
}

/**
 * Writes the values of the first register into a column; returns the number of rows with a value.
 */
function storeResult(column: usize, row: u32, count: u32): u32 {
  const register = registerAt(0);
  const chunk = at<Chunk>(chunkAt(column, row >> 10));
  const offset = row & (CHUNK_ROWS - 1);
  const tags = <usize>chunk.tags + offset;
  const values = <usize>chunk.values + ((<usize>offset) << 3);
  const isPlain = !at<Column>(column).former && !haveTexts(tags, count);
  if (register.isStepped) {
    if (!isPlain || register.type != LANES_NUMBER) return 0;
    const done = takeSteps(register, values, count);
    noteNumbers(tags, done);
    return done;
  }
  if (isPlain && isColumnOfNumbers(register, count)) {
    memory.copy(values, register.lanes, (<usize>count) << 3);
    noteNumbers(tags, count);
    return count;
  }
  // Lanes that are not finite stay pending.
  for (let lane: u32 = 0; lane < count; lane++) {
    const value = laneOf(register, lane);
    if (value - value == 0) storeLane(column, row + lane, register.type, value);
  }
  return count;
}

/** Marks cells whose values are in place as computed numbers. */
function noteNumbers(tags: usize, count: u32): void {
  memory.fill(tags, <u8>(KIND_NUMBER | CELL_FORMULA), count);
  model().evaluatedCount += count;
}

function isColumnOfNumbers(register: Register, count: u32): bool {
  if (register.type == LANES_BOOLEAN || register.type == LANES_TEXT) return false;
  return register.step != 0 && areFinite(register.lanes, count);
}

function storeLane(column: usize, row: u32, type: u32, value: f64): void {
  let kind: u32 = KIND_NUMBER;
  let payload = reinterpret<u64>(value);
  if (type == LANES_BOOLEAN) {
    kind = KIND_BOOLEAN;
    payload = value != 0 ? 1 : 0;
  } else if (type == LANES_TEXT) {
    kind = KIND_STRING;
    payload = internText(<usize>payload);
  }
  writeCell(column, row, kind | CELL_FORMULA, payload);
  model().evaluatedCount++;
}
