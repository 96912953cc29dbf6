import { CELL_FORMULA, CELL_PENDING, CELL_SPILLED, KIND_MASK, KIND_NUMBER } from '../abi';
import { forgetAnswers } from '../vm/answer-cache';
import { MODEL_ITERATED, MODEL_SHEETS, indexOfSheet, model } from '../grid/model';
import {
  Column,
  cellPayload,
  columnAt,
  readColumn,
  setFlags,
  tagAt,
  wantedColumn,
  wantedRow,
  wantedSheet,
  writeCell,
} from '../grid/sheet';
import { noteChanged } from '../indexes/column-index';
import { at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { sortWords } from '../memory/sort';
import { clearVector, item, lengthOfVector, push, setItem } from '../memory/vector';
import { isPutOff, totalFuel } from '../vm/cell-fuel';
import { propagate, touch } from './dirty';
import { iterateCell, probeCell } from './evaluate';
import { runAt } from './run';
import { isFixed } from './spill';
import { fillsCells, forgetSpill } from './spill-write';
import { computeWanted } from './waiting';

/**
 * Iterates cycles as the workbook's settings say (ECMA-376 part 1, 18.2.2, `iterate`,
 * `iterateCount`, `iterateDelta`). Values must only depend on the content of the workbook, so
 * cycles start from 0 at each calculation; Excel starts from their old values. Everything is
 * calculated anew in one order (anew.ts). When a cycle is found, its cells are set to 0 and listed.
 * When all else is computed, cells between cycles are found and listed too. The listed cells are
 * then computed once in each round, as in Excel: sheet by sheet, row by row, left to right, each
 * with the current values of the others. Cells that depend on them come last.
 */

const PHASE_SWEEP: u32 = 0;
const PHASE_GATHER: u32 = 1;
const PHASE_ROUNDS: u32 = 2;

/**
 * Most times that rounds may start, because cells that choose what they read can join again and
 * again; beyond it they are circular.
 */
const STARTS_MOST: u32 = 16;

/** Empties the list of cycle cells. */
export function forgetIterated(): void {
  const root = model();
  clearVector(MODEL_ITERATED);
  root.iterationPhase = PHASE_SWEEP;
  root.iterationStarts = 0;
  root.iteratedSettled = 0;
}

/** Returns whether cycles are iterated in this calculation instead of being errors. */
export function isIterating(): bool {
  return model().iterates != 0 && model().iterationStarts < STARTS_MOST;
}

function iteratedCount(): u32 {
  return lengthOfVector(MODEL_ITERATED) >> 1;
}

function columnOf(index: u32): usize {
  return item(MODEL_ITERATED, index << 1);
}

function rowOf(index: u32): u32 {
  return item(MODEL_ITERATED, (index << 1) + 1);
}

/** Lists a cell of a cycle and sets it to 0. */
export function joinIterated(column: usize, row: u32): void {
  push(MODEL_ITERATED, <u32>column);
  push(MODEL_ITERATED, row);
  forgetSpill(column, row);
  reset(column, row);
}

function reset(column: usize, row: u32): void {
  writeCell(column, row, KIND_NUMBER | CELL_FORMULA, 0);
  noteChanged(column, row, row);
}

/**
 * Starts all rounds again, because formulas that find their references by themselves have to look
 * again.
 */
export function iterateAgain(): void {
  calm();
  model().iteratedSettled = 0;
}

/** Returns whether rounds have started and not ended, for example because the fuel was used up. */
export function isMakingRounds(): bool {
  return model().iterationPhase != PHASE_SWEEP;
}

/** Returns whether rounds are under way, or listed cells had no rounds yet. */
export function hasRounds(): bool {
  return isMakingRounds() || iteratedCount() != model().iteratedSettled;
}

/** Does the rounds, after all else is computed; returns false if the fuel is used up. */
export function iterate(): bool {
  const root = model();
  if (root.iterationPhase == PHASE_SWEEP) beginGathering();
  if (root.iterationPhase == PHASE_GATHER) {
    if (!gather()) return false;
    sortIterated();
    for (let index: u32 = 0; index < iteratedCount(); index++) reset(columnOf(index), rowOf(index));
    forgetAnswers();
    root.iterationPhase = PHASE_ROUNDS;
    root.iterationRound = root.iterationPlace = 0;
    root.iterationChange = 0;
  }
  if (!makeRounds()) return false;
  root.iterationPhase = PHASE_SWEEP;
  root.iteratedSettled = iteratedCount();
  return true;
}

function beginGathering(): void {
  const root = model();
  root.iterationStarts++;
  root.iterationMeetsArrays = 0;
  sortIterated();
  markReaders();
  root.iterationPhase = PHASE_GATHER;
  root.iterationPlace = 0;
}

/** Marks the cells that depend on listed ones as pending; they wait until the rounds are over. */
function markReaders(): void {
  for (let index: u32 = 0; index < iteratedCount(); index++) {
    const column = at<Column>(columnOf(index));
    touch(column.sheet, column.number, rowOf(index), rowOf(index));
  }
  propagate();
  calm();
}

/** Marks the listed cells as up to date: they are never pending themselves. */
function calm(): void {
  for (let index: u32 = 0; index < iteratedCount(); index++) {
    setFlags(columnOf(index), rowOf(index), ~CELL_PENDING, 0);
  }
}

/** Lists cells that listed ones read and that wait for listed ones. */
function gather(): bool {
  const root = model();
  while (root.iterationPlace < iteratedCount()) {
    if (totalFuel <= 0) return false;
    const column = columnOf(root.iterationPlace);
    const run = runAt(column, rowOf(root.iterationPlace));
    if (!run || probeCell(run, rowOf(root.iterationPlace))) root.iterationPlace++;
    else if (!listWanted()) return false;
  }
  return true;
}

/** Lists the cell that an evaluation needs, or computes it if an array fills it. */
function listWanted(): bool {
  if (isPutOff) return false;
  const column = columnAt(wantedSheet, wantedColumn);
  const isOfArray = tagAt(wantedSheet, wantedRow, wantedColumn) & CELL_SPILLED;
  if (isOfArray || fillsCells(column, wantedRow) || isFixed(wantedSheet, wantedRow, wantedColumn)) {
    model().iterationMeetsArrays = 1;
    computeWanted();
    return totalFuel > 0;
  }
  joinIterated(column, wantedRow);
  return true;
}

/**
 * Computes the listed cells round by round, until their changes are small or the rounds are over.
 */
function makeRounds(): bool {
  const root = model();
  while (root.iterationRound < root.iterationsMost) {
    if (!makeRound()) return false;
    const isStill = root.iterationChange < root.iterationChangeLeast || root.iterationChange == 0;
    root.iterationRound++;
    root.iterationPlace = 0;
    root.iterationChange = 0;
    if (isStill) return true;
    sortIterated();
    if (root.iterationMeetsArrays) markReaders();
  }
  return true;
}

function makeRound(): bool {
  const root = model();
  while (root.iterationPlace < iteratedCount()) {
    if (totalFuel <= 0) return false;
    const column = columnOf(root.iterationPlace);
    const row = rowOf(root.iterationPlace);
    const run = runAt(column, row);
    const before = readColumn(column, row) & KIND_MASK;
    const payload = before ? cellPayload : 0;
    if (run && !iterateCell(run, row)) {
      if (!listWanted()) return false;
      continue;
    }
    noteRound(column, row, before, payload);
    root.iterationPlace++;
  }
  return true;
}

/**
 * Notes the change of a cell in this round; a change from or to something that is no number is
 * large.
 */
function noteRound(column: usize, row: u32, kind: u32, payload: u64): void {
  const now = readColumn(column, row) & KIND_MASK;
  if (now == kind && cellPayload == payload) return;
  noteChanged(column, row, row);
  forgetAnswers();
  const isNumber = now == KIND_NUMBER && kind == KIND_NUMBER;
  const change = isNumber
    ? abs(reinterpret<f64>(cellPayload) - reinterpret<f64>(payload))
    : Infinity;
  model().iterationChange = max(model().iterationChange, change);
}

// Columns and rows during sorting, two words for each cell.
let pairs: usize = 0;

function compareCells(left: u32, right: u32): i32 {
  const a = pairs + ((<usize>left) << 3);
  const b = pairs + ((<usize>right) << 3);
  const column = at<Column>(load<u32>(a));
  const other = at<Column>(load<u32>(b));
  if (column.sheet != other.sheet) {
    const index = <i32>indexOfSheet(MODEL_SHEETS, column.sheet);
    return index - <i32>indexOfSheet(MODEL_SHEETS, other.sheet);
  }
  const rows = <i32>load<u32>(a, 4) - <i32>load<u32>(b, 4);
  return rows ? rows : <i32>column.number - <i32>other.number;
}

/** Sorts the list by sheets, rows and columns, without duplicates. */
function sortIterated(): void {
  const count = iteratedCount();
  if (!count) return;
  pairs = scratch(count << 3);
  memory.copy(pairs, model().iterated, (<usize>count) << 3);
  const order = scratch(count << 2);
  for (let index: u32 = 0; index < count; index++) {
    store<u32>(order + ((<usize>index) << 2), index);
  }
  sortWords(order, scratch(count << 2), count, compareCells);
  let kept: u32 = 0;
  for (let index: u32 = 0; index < count; index++) {
    const pair = pairs + ((<usize>load<u32>(order + ((<usize>index) << 2))) << 3);
    const isAgain =
      kept > 0 && columnOf(kept - 1) == load<u32>(pair) && rowOf(kept - 1) == load<u32>(pair, 4);
    if (isAgain) continue;
    setItem(MODEL_ITERATED, kept << 1, load<u32>(pair));
    setItem(MODEL_ITERATED, (kept << 1) + 1, load<u32>(pair, 4));
    kept++;
  }
  model().iteratedLength = kept << 1;
}
