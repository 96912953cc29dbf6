import { Sheet } from '../grid/sheet';
import { at } from '../memory/pointer';

/**
 * Surroundings of a formula: its own cell, the date system of the workbook, and clock and seed of
 * the request. They are globals of the instance, set before an evaluation.
 */
export let formulaSheet: usize = 0;
export let formulaRow: u32 = 0;
export let formulaColumn: u32 = 0;
/** How many cells a legacy array formula fills; 1 and 1 of any other. */
export let formulaRows: u32 = 1;
export let formulaColumns: u32 = 1;
/** True when serial 0 is 1 January 1904. */
export let date1904: bool = false;

let clock: f64 = 0;
let seed: u64 = 0;
let randomState: u64 = 0;

/** Clock (NOW as a local serial number) and seed of a request. */
export function setContext(clockSerialNow: f64, requestSeed: u64): void {
  clock = clockSerialNow;
  seed = requestSeed;
  randomState = mix(requestSeed);
}

export function setDateSystem(is1904: bool): void {
  date1904 = is1904;
}

/**
 * Sets the cell that is computed next. Its random numbers start from the seed and the cell's
 * position, so they do not depend on the order of evaluation, and a repeated evaluation draws the
 * same ones.
 */
export function setFormulaCell(sheet: usize, row: u32, column: u32): void {
  formulaSheet = sheet;
  formulaRow = row;
  formulaColumn = column;
  const key: u64 = sheet ? at<Sheet>(sheet).key : 0;
  randomState = mix(seed ^ mix((key << 40) ^ ((<u64>column) << 21) ^ <u64>row));
}

/** To be called after `setFormulaCell` where a formula fills an area of a fixed size. */
export function setFormulaArea(rows: u32, columns: u32): void {
  formulaRows = rows;
  formulaColumns = columns;
}

/** NOW as a serial number of the workbook's date system, in local time. */
export function clockSerial(): f64 {
  return clock;
}

/** A number in [0, 1) with 53 random bits: splitmix64 (Steele, Lea and Flood 2014). */
export function randomNumber(): f64 {
  randomState += 0x9e3779b97f4a7c15;
  return <f64>(mix(randomState) >> 11) * (1.0 / 9007199254740992.0);
}

function mix(state: u64): u64 {
  let bits = state + 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

/**
 * Set when a formula read cells that its text does not name, such as a joined range. Such a formula
 * is computed in every recalculation, because no list of precedents tells when it must be.
 */
export let readsDynamically: bool = false;

export function noteDynamicRead(): void {
  readsDynamically = true;
}

export function clearDynamicReads(): void {
  readsDynamically = false;
}
