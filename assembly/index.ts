import {
  STATISTIC_BATCHED,
  STATISTIC_BYTES_USED,
  STATISTIC_CELLS,
  STATISTIC_CIRCULAR,
  STATISTIC_EVALUATED,
  STATISTIC_FORMULA_CELLS,
  STATISTIC_MEMORY_BYTES,
  STATISTIC_RUNS,
  STATISTIC_TEMPLATES,
  NONCE_KEY_BYTES,
  STATUS_BAD_FORMULA,
  STATUS_BAD_SEGMENT,
  STATUS_OK,
} from './abi';
import { findChanges, setWatched } from './changes';
import { applyCommands } from './commands';
import { problem, problemAt as problemOffset, setHome, setNotation } from './formula/lexer';
import { listTextReferences, listedCount } from './formula/list-references';
import { setStrictCounts } from './formula/parser-call';
import {
  MODE_DYNAMIC,
  Template,
  compile,
  dropTemplate,
  holdTemplate,
  keepConstants,
  dropConstants,
  openCompiler,
} from './formula/template';
import { openUnparser, unparse, unparsedLength, unparsedUnits } from './formula/unparse';
import { openRegistry } from './functions/registry';
import { countCircular } from './graph/circular';
import { recalculate as recalculateModel } from './graph/recalculate';
import { Run } from './graph/run';
import { MODEL_DIRTY, MODEL_NAMES, forgetMissing, missingCount, model } from './grid/model';
import { forgetNames } from './grid/name';
import { operationCount, operationsRoot } from './hashes/operations-root';
import { allocate, release, resetArena, usedBytes } from './memory/arena';
import { at, unitsOf } from './memory/pointer';
import { closeScratch, openScratch } from './memory/scratch';
import { openPool } from './memory/text';
import { item, lengthOfVector } from './memory/vector';
import {
  countValues,
  modeOf,
  readArea,
  readCells,
  readPage,
  resultCount,
  resultStart,
  setResult,
} from './reads';

/** The kernel's door: what workers/kernel.ts calls. Addresses and lengths are unsigned. */
let isScratchOpen: bool = false;

/** Makes an empty model of a fresh memory. */
export function open(): void {
  resetArena();
  openPool();
  openRegistry();
  model().isFresh = 1;
}

/** Takes up a model that another instance of this module worked on before. */
export function attach(): void {
  isScratchOpen = false;
}

function begin(): void {
  endRead();
  openScratch();
  isScratchOpen = true;
}

/** Frees what the last read, check or conversion left. */
export function endRead(): void {
  if (isScratchOpen) closeScratch();
  isScratchOpen = false;
}

/** Room for what the host writes: a buffer of commands or a text. */
export function input(byteCount: u32): usize {
  const root = model();
  if (byteCount > root.inputBytes) {
    release(root.input, root.inputBytes);
    root.inputBytes = max(byteCount, 4096);
    root.input = <u32>allocate(root.inputBytes);
  }
  return root.input;
}

/** Applies the commands in the input room; nothing is evaluated. */
export function apply(byteCount: u32): u32 {
  begin();
  openCompiler();
  openUnparser();
  const status = applyCommands(model().input, byteCount);
  endRead();
  return status;
}

/**
 * Evaluates what is out of date, at most about `fuelSteps` steps of it. Clock (NOW as a serial number
 * of the 1900 system, local time) and seed must be the same until STATUS_OK.
 */
export function recalculate(clock: f64, seedHigh: u32, seedLow: u32, fuelSteps: f64): u32 {
  begin();
  const seed = ((<u64>seedHigh) << 32) | seedLow;
  const status = recalculateModel(clock, seed, <i64>fuelSteps);
  endRead();
  return status;
}

/** Cells that may be out of date: an upper bound. */
export function pendingCount(): f64 {
  let count: f64 = 0;
  for (let index: u32 = 0; index < lengthOfVector(MODEL_DIRTY); index++) {
    const run = at<Run>(item(MODEL_DIRTY, index));
    if (run.dirty0 <= run.dirty1) count += run.dirty1 - run.dirty0 + 1;
  }
  return count;
}

export function statistic(index: u32): f64 {
  const root = model();
  switch (index) {
    case STATISTIC_FORMULA_CELLS:
      return root.formulaCount;
    case STATISTIC_CELLS:
      return countValues();
    case STATISTIC_TEMPLATES:
      return root.templateCount;
    case STATISTIC_RUNS:
      return root.runCount;
    case STATISTIC_BYTES_USED:
      return usedBytes();
    case STATISTIC_EVALUATED:
      return root.evaluatedCount;
    case STATISTIC_CIRCULAR:
      return countCircular();
    case STATISTIC_BATCHED:
      return root.batchedCount;
    case STATISTIC_MEMORY_BYTES:
      return <f64>((<u64>memory.size()) << 16);
    default:
      return 0;
  }
}

export function resultAddress(): usize {
  return resultStart;
}

export function resultLength(): u32 {
  return resultCount;
}

export function readRange(
  sheetKey: u32,
  row0: u32,
  column0: u32,
  row1: u32,
  column1: u32,
  lens: u32,
): u32 {
  begin();
  return readCells(sheetKey, row0, column0, row1, column1, lens);
}

export function readSpill(sheetKey: u32, row: u32, column: u32): i32 {
  return readArea(sheetKey, row, column);
}

export function formulaMode(sheetKey: u32, row: u32, column: u32): i32 {
  return modeOf(sheetKey, row, column);
}

export function valueCount(): f64 {
  return countValues();
}

export function readValues(offset: f64, limit: u32): u32 {
  begin();
  return readPage(offset, limit);
}

/**
 * From now on what cells were before they change is kept (1), or nothing is (0); what was kept is
 * forgotten. To be begun when nothing is pending.
 */
export function watchChanges(isWatched: u32): void {
  setWatched(isWatched != 0);
}

/**
 * Whether rows of one formula are computed at once where that can be done (1, as at first), or all
 * cells one by one (0): values are the same.
 */
export function useBatches(isUsed: u32): void {
  model().isScalar = isUsed ? 0 : 1;
}

/** How many changes there are of the sort (CHANGES_*); the result has the first `limit`. */
export function readChanges(which: u32, limit: u32): f64 {
  begin();
  return findChanges(which, limit);
}

/** Why a text is no formula: UTF-16 units of the message. */
export function problemAddress(): usize {
  const message = problem;
  return message == null ? 0 : unitsOf(message);
}

export function problemLength(): u32 {
  const message = problem;
  return message == null ? 0 : message.length;
}

/** Offset in the text, `=` included. */
export function problemAt(): u32 {
  return problemOffset + 1;
}

// What there was before a text was looked at, which leaves nothing behind.
let namesBefore: u32 = 0;
let missingBefore: u32 = 0;

/** The template of the text in the input room, or 0; `dropInput` ends its use. */
function compileInput(unitCount: u32, row: u32, column: u32, fromR1C1: bool): usize {
  begin();
  namesBefore = lengthOfVector(MODEL_NAMES);
  missingBefore = missingCount();
  openCompiler();
  openUnparser();
  setNotation(fromR1C1);
  setHome(row, column);
  const template = unitCount ? compile(<usize>model().input + 2, unitCount - 1, MODE_DYNAMIC) : 0;
  setNotation(false);
  if (template) holdTemplate(template);
  else forgetInput();
  return template;
}

function dropInput(template: usize): void {
  dropTemplate(template);
  forgetInput();
}

/** Words that nobody has defined are known as names while a formula says them. */
function forgetInput(): void {
  forgetNames(namesBefore);
  forgetMissing(missingBefore);
}

/** Whether the text in the input room is a formula that may be entered. */
export function check(unitCount: u32): u32 {
  setStrictCounts(true);
  const template = compileInput(unitCount, 0, 0, false);
  setStrictCounts(false);
  if (!template) return STATUS_BAD_FORMULA;
  dropInput(template);
  return STATUS_OK;
}

/** Writes the formula in the input room anew, from and to A1 or R1C1 notation. */
export function convert(unitCount: u32, row: u32, column: u32, fromR1C1: u32, toR1C1: u32): u32 {
  const template = compileInput(unitCount, row, column, fromR1C1 != 0);
  if (!template) return STATUS_BAD_FORMULA;
  const literals = keepConstants();
  unparse(at<Template>(template), literals, row, column, toR1C1 != 0);
  setResult(unparsedUnits(), unparsedLength());
  dropConstants(literals, at<Template>(template).constantCount);
  dropInput(template);
  return STATUS_OK;
}

/** The references in the formula in the input room, 40 bytes each. */
export function listReferences(unitCount: u32): u32 {
  const template = compileInput(unitCount, 0, 0, false);
  if (!template) return STATUS_BAD_FORMULA;
  setResult(listTextReferences(), listedCount);
  dropInput(template);
  return STATUS_OK;
}

/**
 * The Merkle root over the operations of a packed segment: in the input room are the key of the
 * nonces and the segment. The result is the address of 32 bytes, its length how many there are.
 */
export function hashOperations(byteCount: u32, firstHigh: u32, firstLow: u32): u32 {
  begin();
  const key = model().input;
  const segmentBytes = byteCount - NONCE_KEY_BYTES;
  const firstSeq = ((<u64>firstHigh) << 32) | firstLow;
  const root = operationsRoot(key, key + NONCE_KEY_BYTES, segmentBytes, firstSeq);
  setResult(root, operationCount);
  return root ? STATUS_OK : STATUS_BAD_SEGMENT;
}
