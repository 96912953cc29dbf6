import { FORMULA_LENGTH_LIMIT, ROW_LIMIT } from '../abi';
import { at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { startOf } from './buffer';
import { RowSpot, SPOT_BYTES, hasRowSpotsOnly, rowSpotCount, rowSpots } from './row-spot';
import { Template, dropConstants, dropTemplate } from './template';

/**
 * Recognises filled-down formulas without lexing them. A text that only differs from one further up
 * in its column by relative row numbers, each greater by the rows between them, has the same
 * template and literals. The last lexed formula of each column of a block is kept for this while
 * the block is applied, during which no name, sheet or table changes.
 */
@unmanaged
class CarriedFormula {
  /** Address of the text in the command buffer. */
  units: u32 = 0;
  length: u32 = 0;
  row: u32 = 0;
  mode: u32 = 0;
  /** Template, which is held like the literals; 0 for none. */
  template: u32 = 0;
  constants: u32 = 0;
  spots: u32 = 0;
  spotCount: u32 = 0;
}

const CARRIED_BYTES: u32 = 32;

let formulas: usize = 0;
let firstColumn: u32 = 0;
let columnCount: u32 = 0;

/** Starts a block, whose formulas come row by row. */
export function openCarried(column: u32, columns: u32): void {
  formulas = scratch(columns * CARRIED_BYTES);
  memory.fill(formulas, 0, columns * CARRIED_BYTES);
  firstColumn = column;
  columnCount = columns;
}

export function closeCarried(): void {
  for (let index: u32 = 0; index < columnCount; index++) letGo(carriedAt(index));
  columnCount = 0;
}

function carriedAt(index: u32): CarriedFormula {
  return at<CarriedFormula>(formulas + <usize>(index * CARRIED_BYTES));
}

function letGo(carried: CarriedFormula): void {
  if (!carried.template) return;
  dropConstants(carried.constants, at<Template>(carried.template).constantCount);
  dropTemplate(carried.template);
  carried.template = 0;
}

/** Template and literals of the last text that was found; the column holds them. */
export let carriedTemplate: usize = 0;
export let carriedConstants: usize = 0;

/** Returns whether a text is the last formula of its column, filled down to this row. */
export function findCarried(row: u32, column: u32, mode: u32, units: usize, length: u32): bool {
  if (column - firstColumn >= columnCount) return false;
  const carried = carriedAt(column - firstColumn);
  if (!carried.template || carried.mode != mode || length > <u32>FORMULA_LENGTH_LIMIT) return false;
  const shift = row - carried.row;
  let from = <usize>carried.units;
  let place = units;
  const end = units + ((<usize>length) << 1);
  for (let index: u32 = 0; index < carried.spotCount; index++) {
    const spot = at<RowSpot>(<usize>carried.spots + <usize>(index * SPOT_BYTES));
    const bytes = <usize>carried.units + ((<usize>spot.start) << 1) - from;
    if (place + bytes > end || !areSame(from, place, bytes)) return false;
    const number = spot.number + shift;
    if (number > <u32>ROW_LIMIT) return false;
    place = afterNumber(place + bytes, end, number);
    if (!place) return false;
    from = <usize>carried.units + ((<usize>spot.end) << 1);
  }
  const rest = <usize>carried.units + ((<usize>carried.length) << 1) - from;
  if (end - place != rest || !areSame(from, place, rest)) return false;
  carriedTemplate = carried.template;
  carriedConstants = carried.constants;
  return true;
}

/**
 * Returns the address behind this number in the text, if it is there without leading zeros; else 0.
 */
function afterNumber(start: usize, end: usize, number: u32): usize {
  let place = start;
  let value: u32 = 0;
  while (place < end && value <= number) {
    const digit = <u32>load<u16>(place) - 48;
    if (digit > 9 || (digit == 0 && place == start)) break;
    value = value * 10 + digit;
    place += 2;
  }
  return value == number ? place : 0;
}

function areSame(a: usize, b: usize, byteCount: usize): bool {
  let offset: usize = 0;
  for (; offset + 8 <= byteCount; offset += 8) {
    if (load<u64>(a + offset) != load<u64>(b + offset)) return false;
  }
  for (; offset < byteCount; offset += 2) {
    if (load<u16>(a + offset) != load<u16>(b + offset)) return false;
  }
  return true;
}

/**
 * Keeps the last lexed formula for those below it, with the holds on its template and literals;
 * returns false if it cannot be kept.
 */
export function keepCarried(
  row: u32,
  column: u32,
  mode: u32,
  units: usize,
  length: u32,
  template: usize,
  constants: usize,
): bool {
  if (column - firstColumn >= columnCount || !hasRowSpotsOnly) return false;
  const carried = carriedAt(column - firstColumn);
  letGo(carried);
  carried.units = <u32>units;
  carried.length = length;
  carried.row = row;
  carried.mode = mode;
  carried.template = <u32>template;
  carried.constants = <u32>constants;
  carried.spotCount = rowSpotCount();
  carried.spots = <u32>scratch(carried.spotCount * SPOT_BYTES);
  memory.copy(carried.spots, startOf(rowSpots), carried.spotCount * SPOT_BYTES);
  return true;
}
