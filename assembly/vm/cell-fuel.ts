import { haltEvaluation } from '../grid/sheet';
import { isScratchSpent } from '../memory/scratch';
import { STEP_BITS, noteLargeWork, notedWork, takeSteps } from '../memory/work';

/** Steps left for the cell, and for the whole call. */
let cellFuel: i64 = 0;
const CELL_FUEL: i64 = 10_000_000;
/** Steps that a cell may use in this call: fewer than CELL_FUEL while another request waits. */
let cellLimit: i64 = CELL_FUEL;
/** Set when a cell needs more than that; it stays pending for a call that allows more. */
export let isPutOff: bool = false;
export let totalFuel: i64 = 0;
/**
 * Work of remembered answers, in units of memory/work.ts: the cell pays for it, the call does not.
 */
let repeatedUnits: u64 = 0;

export function setTotalFuel(steps: i64): void {
  totalFuel = steps;
}

/** Sets the steps that each cell may use from now on, CELL_FUEL at most. */
export function setCellLimit(steps: i64): void {
  cellLimit = min(steps, CELL_FUEL);
  isPutOff = false;
}

export function hasCellLimit(): bool {
  return cellLimit < CELL_FUEL;
}

/** Counts one step, which is checked when others are burnt. */
export function countStep(): void {
  cellFuel--;
}

/**
 * Spends steps and the noted work; returns false when fuel or memory is used up, so that the result
 * is #NUM!.
 */
export function burn(steps: u32): bool {
  cellFuel -= takeSteps() + steps;
  if (cellFuel >= 0 && !isScratchSpent()) return true;
  cellFuel = min<i64>(cellFuel, -1);
  haltEvaluation();
  return false;
}

export function isFuelSpent(): bool {
  return cellFuel < 0;
}

/** Units of memory/work.ts that the cell has paid for or owes. */
export function workOfCell(): u64 {
  return <u64>((cellLimit - cellFuel) << STEP_BITS) + notedWork();
}

/** Charges the cell for work whose result is remembered, but not the call. */
export function repeatWork(units: u64): void {
  noteLargeWork(units);
  repeatedUnits += units;
}

/** Gives a cell its own fuel. */
export function fillFuel(): void {
  cellFuel = cellLimit;
  takeSteps();
  repeatedUnits = 0;
}

/** Charges the call for what the cell has used. */
export function closeCell(): void {
  cellFuel -= takeSteps();
  spendFuel(cellLimit - cellFuel - <i64>(repeatedUnits >> STEP_BITS));
}

export function spendFuel(steps: i64): void {
  totalFuel -= steps;
}

/** Stops the call before the cell has a value, if another call may give it more fuel. */
export function putOff(): bool {
  if (!hasCellLimit() || isScratchSpent()) return false;
  haltEvaluation();
  isPutOff = true;
  totalFuel = min(totalFuel, 0);
  return true;
}
