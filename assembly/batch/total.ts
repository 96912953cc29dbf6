import {
  areaColumn0,
  areaColumn1,
  areaMoves,
  areaRow0,
  areaRow1,
  areaSheet,
  gatherCells,
  gatheredBlank,
  gatheredOther,
  placeArea,
  placeRunning,
} from './cells';
import { OPERATOR_ADD, OPERATOR_DIVIDE, ReferenceRecord } from '../formula/token';
import { openTotals, sumReference, totalError, totalSum } from '../functions/shared/column-totals';
import { FAMILY_AGGREGATE } from '../functions/function-record';
import { clearSuspension, columnAt, suspended } from '../grid/sheet';
import { at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { closeCell } from '../vm/cell-fuel';
import { openCell } from '../vm/machine';
import { Area, setArea, setReference } from '../vm/reference';
import { SLOT_BYTES, wordOf } from '../vm/slot';
import { combineLanes } from './arithmetic';
import {
  LANES_NUMBER,
  LANES_REFERENCE,
  LANES_TEXT,
  LANE_PAIR_BYTES,
  depth,
  keepRegisters,
  laneCount,
  registerAt,
  resultBytes,
  setResult,
  spareRegister,
} from './register';

/**
 * SUM, AVERAGE, MIN and MAX over lanes. Arguments are taken in order, ranges row by row and
 * left to right, as functions/shared/column-totals.ts takes them, so sums have the same bits.
 */

/** Their numbers in the registry: rows of functions/math/math-aggregates.ts. */
const FUNCTION_SUM: u32 = (FAMILY_AGGREGATE << 16) | 0;
const FUNCTION_AVERAGE: u32 = (FAMILY_AGGREGATE << 16) | 2;
const FUNCTION_MIN: u32 = (FAMILY_AGGREGATE << 16) | 3;
const FUNCTION_MAX: u32 = (FAMILY_AGGREGATE << 16) | 4;

/** Cells of a range for one row; larger totals are better shared between rows. */
const RANGE_CELLS_MOST: i32 = 1024;
const RANGE_COLUMNS_MOST: i32 = 16;

export function isTotal(id: u32): bool {
  return id == FUNCTION_SUM || id == FUNCTION_AVERAGE || id == FUNCTION_MIN || id == FUNCTION_MAX;
}

/**
 * Puts the total of the last `count` registers in their place; returns false to leave it to the
 * scalar machine.
 */
export function totalOverLanes(id: u32, count: u32): bool {
  const first = depth - count;
  const totals = spareRegister();
  const end = <usize>totals.buffer + resultBytes(false);
  fillLanes(totals.buffer, end, id == FUNCTION_MIN ? Infinity : id == FUNCTION_MAX ? -Infinity : 0);
  let taken: u32 = 0;
  for (let index = first; index < depth; index++) {
    const register = registerAt(index);
    if (register.type == LANES_TEXT || register.isStepped) return false;
    if (register.type != LANES_REFERENCE) {
      takeLanes(id, register.lanes, register.step, totals.buffer, end);
      taken++;
    } else {
      const record = at<ReferenceRecord>(register.record);
      const cells = placeRunning(record)
        ? takeRunning(id, taken == 0, totals.buffer)
        : takeRange(id, record, totals.buffer, end);
      if (!cells) return false;
      taken += cells;
    }
  }
  finish(id, taken, totals.buffer, end);
  // The totals are in the lanes of the first argument now, so the two swap buffers.
  const result = registerAt(first);
  const buffer = result.buffer;
  result.buffer = totals.buffer;
  totals.buffer = buffer;
  setResult(result, false, LANES_NUMBER);
  keepRegisters(first + 1);
  return true;
}

function fillLanes(out: usize, end: usize, value: f64): void {
  const values = f64x2.splat(value);
  for (; out < end; out += LANE_PAIR_BYTES) v128.store(out, values);
}

/** Adds one more value to each total. */
function joined(id: u32, total: v128, value: v128): v128 {
  if (id == FUNCTION_MIN) return f64x2.min(total, value);
  return id == FUNCTION_MAX ? f64x2.max(total, value) : f64x2.add(total, value);
}

/** Adds an argument that is a value, finite or not. */
function takeLanes(id: u32, lanes: usize, step: usize, out: usize, end: usize): void {
  for (; out < end; out += LANE_PAIR_BYTES) {
    const value = v128.load(lanes);
    // A minimum would hide infinity.
    const known = f64x2.add(value, f64x2.sub(value, value));
    v128.store(out, joined(id, v128.load(out), known));
    lanes += step;
  }
}

/**
 * Takes an argument that is a range. Returns the number of its cells in one row, or 0 to leave it
 * to the scalar machine.
 */
function takeRange(id: u32, record: ReferenceRecord, out: usize, end: usize): u32 {
  if (!placeArea(record) || !areaMoves) return 0;
  const rows = areaRow1 - areaRow0 + 1;
  const columns = areaColumn1 - areaColumn0 + 1;
  if (columns > RANGE_COLUMNS_MOST || rows > RANGE_CELLS_MOST / columns) return 0;
  const read = <u32>rows + laneCount - 1;
  // Lanes are read in pairs from the start of the last one.
  const columnBytes = (<usize>(read + 2) & ~1) << 3;
  const cells = scratch(<u32>columns * <u32>columnBytes);
  for (let index = 0; index < columns; index++) {
    const to = cells + <usize>index * columnBytes;
    gatherCells(columnAt(areaSheet, areaColumn0 + index), areaRow0, read, to, 0);
    // SUM counts cells that are no numbers as 0; the other totals would count them wrongly.
    if (id != FUNCTION_SUM && (gatheredBlank || gatheredOther)) return 0;
  }
  takeWindows(id, cells, rows, columns, columnBytes, out, end);
  return rows * columns;
}

/** Totals a range that moves down with the rows. */
function takeWindows(
  id: u32,
  cells: usize,
  rows: u32,
  columns: u32,
  columnBytes: usize,
  out: usize,
  end: usize,
): void {
  for (; out < end; out += LANE_PAIR_BYTES) {
    let total = v128.load(out);
    for (let row: u32 = 0; row < rows; row++) {
      let place = cells + ((<usize>row) << 3);
      for (let column: u32 = 0; column < columns; column++) {
        total = joined(id, total, v128.load(place));
        place += columnBytes;
      }
    }
    v128.store(out, total);
    cells += LANE_PAIR_BYTES;
  }
}

/**
 * Totals a column from a fixed row on, as the first argument. The first lane gets the sum of the
 * scalar machine, which shares it between rows (indexes/running-total.ts); each further lane adds
 * one row to the lane before.
 */
function takeRunning(id: u32, isFirst: bool, out: usize): u32 {
  if (id != FUNCTION_SUM || !isFirst) return 0;
  const area = scratch(<u32>offsetof<Area>());
  setArea(area, areaSheet, areaRow0, areaColumn0, areaRow1, areaColumn0);
  const slot = scratch(<u32>SLOT_BYTES);
  setReference(slot, area);
  openCell();
  openTotals();
  sumReference(wordOf(slot));
  closeCell();
  if (suspended) {
    clearSuspension();
    return 0;
  }
  let sum = totalError >= 0 ? NaN : totalSum;
  const more = <usize>scratch(laneCount << 3);
  gatherCells(columnAt(areaSheet, areaColumn0), areaRow1 + 1, laneCount - 1, more, 0);
  store<f64>(out, sum);
  for (let place: usize = 8; place < (<usize>laneCount) << 3; place += 8) {
    sum += load<f64>(more + place - 8);
    store<f64>(out + place, sum);
  }
  return 1;
}

/** Turns totals into results: averages are divided, minus zero and denormals become zero. */
function finish(id: u32, count: u32, out: usize, end: usize): void {
  const isAverage = id == FUNCTION_AVERAGE;
  const operand = scratch(<u32>LANE_PAIR_BYTES);
  v128.store(operand, f64x2.splat(isAverage ? <f64>count : 0));
  const operator = isAverage ? OPERATOR_DIVIDE : OPERATOR_ADD;
  combineLanes(operator, out, LANE_PAIR_BYTES, operand, 0, out, end);
}
