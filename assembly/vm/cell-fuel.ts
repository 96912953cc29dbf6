import { haltEvaluation } from '../grid/sheet';
import { isScratchSpent } from '../memory/scratch';
import { STEP_BITS, noteLargeWork, notedWork, takeSteps } from '../memory/work';

/** Steps left for the cell, and for the whole call. */
let cellFuel: i64 = 0;
const CELL_FUEL: i64 = 10_000_000;
/** Steps that a cell may use in this call: fewer than CELL_FUEL while another request waits. */
let cellLimit: i64 = CELL_FUEL;
/** Set when a cell wants more than that; it stays out of date, for a call that gives it more. */
export let isPutOff: bool = false;
export let totalFuel: i64 = 0;
/**
 * Work taken over from elsewhere, in units of memory/work.ts: the cell pays for it, the call does
 * not.
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

/** One step, which is looked at when others are burnt. */
export function countStep(): void {
  cellFuel--;
}

/** Spends steps and what was noted of finer work. Memory runs out as fuel does: with #NUM!. */
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

/** Has the cell pay for work whose result is taken over from elsewhere, but not the whole call. */
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

/** The whole call pays for what the cell has used. */
export function closeCell(): void {
  cellFuel -= takeSteps();
  spendFuel(cellLimit - cellFuel - <i64>(repeatedUnits >> STEP_BITS));
}

export function spendFuel(steps: i64): void {
  totalFuel -= steps;
}

/** Stops the whole call before the cell has a value, where another call may give it more fuel. */
export function putOff(): bool {
  if (!hasCellLimit() || isScratchSpent()) return false;
  haltEvaluation();
  isPutOff = true;
  totalFuel = min(totalFuel, 0);
  return true;
}
