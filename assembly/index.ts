import {
  STATISTIC_BATCHED,
  STATISTIC_BYTES_USED,
  STATISTIC_CELLS,
  STATISTIC_CIRCULAR,
  STATISTIC_EVALUATED,
  STATISTIC_FORMULA_CELLS,
  STATISTIC_MEMORY_BYTES,
  STATISTIC_PROBES,
  STATISTIC_RUNS,
  STATISTIC_STEPS,
  STATISTIC_TEMPLATES,
  STATISTIC_UNMARKED,
  NONCE_KEY_BYTES,
  STATUS_BAD_FORMULA,
  STATUS_BAD_SEGMENT,
  STATUS_OK,
} from './abi';
import { findChanges, setWatched } from './changes';
import { applyCommands } from './commands';
import { keepDigits, setEntryRules } from './formula/entry-rule';
import {
  NOTATION_A1,
  NOTATION_STORED,
  problem,
  problemAt as problemOffset,
  refuse,
} from './formula/lexer';
import { listTextReferences, listedCount } from './formula/list-references';
import { Template, dropConstants, keepConstants, openCompiler } from './formula/template';
import { openUnparser, unparse, unparsedLength, unparsedUnits } from './formula/unparse';
import { openRegistry } from './functions/registry';
import { countCircular } from './graph/circular';
import { APART_COLUMN, APART_ROW, evaluateApart } from './graph/evaluate-apart';
import { recalculate as recalculateModel } from './graph/recalculate';
import { Run } from './graph/run';
import { MODEL_CHANGED, MODEL_DIRTY, MODEL_VOLATILES, model, sheetByKey } from './grid/model';
import { operationCount, operationsRoot } from './hashes/operations-root';
import { compileInput, dropInput, readsBack } from './input-formula';
import { dotVectors } from './matching/dots';
import { addPostings as addRows, keepBest as keepRows } from './matching/postings';
import { allocate, release, resetArena, usedBytes } from './memory/arena';
import { openHash, probesSoFar } from './memory/keyed-hash';
import { at, unitsOf } from './memory/pointer';
import { closeParts } from './vm/fixed-part';
import { closeScratch, openScratch } from './memory/scratch';
import { openPool } from './memory/text';
import { item, lengthOfVector } from './memory/vector';
import {
  countValues,
  entriesOf,
  readCells,
  readPage,
  resultCount,
  resultStart,
  setResult,
} from './reads';
import { columnsOf, rowsOf } from './vm/array';

/** Exports of the kernel, which workers/kernel.ts calls. Addresses and lengths are unsigned. */
let isScratchOpen: bool = false;
/**
 * Template of the formula that was last evaluated off the grid, whose texts the result may show, or
 * 0.
 */
let evaluated: usize = 0;
let evaluatedLiterals: usize = 0;

/** Makes an empty model of a fresh memory. The words are the key of its hash tables. */
export function open(key0: u32, key1: u32, key2: u32, key3: u32): void {
  resetArena();
  openHash(((<u64>key0) << 32) | key1, ((<u64>key2) << 32) | key3);
  openPool();
  openRegistry();
  const root = model();
  root.isFresh = 1;
  root.iterationsMost = 100;
  root.iterationChangeLeast = 0.001;
}

/** Attaches to a model on which another instance of this module has worked. */
export function attach(): void {
  isScratchOpen = false;
  evaluated = 0;
}

function begin(): void {
  endRead();
  openScratch();
  isScratchOpen = true;
}

/** Frees the result of the last read, check, conversion or evaluation. */
export function endRead(): void {
  if (evaluated) {
    dropConstants(evaluatedLiterals, at<Template>(evaluated).constantCount);
    dropInput(evaluated);
    evaluated = 0;
  }
  closeParts();
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

/**
 * Applies the commands in the input buffer, without an evaluation. Dependents are marked in about
 * `markSteps` steps, and the rest by the next call.
 */
export function apply(byteCount: u32, markSteps: u32): u32 {
  begin();
  openCompiler();
  openUnparser();
  const status = applyCommands(model().input, byteCount, markSteps);
  endRead();
  return status;
}

/**
 * Evaluates pending cells in about `fuelSteps` steps at most, and no cell that takes more than
 * `cellSteps`. Clock (NOW as a serial number of the 1900 system, local time) and seed must stay the
 * same until STATUS_OK.
 */
export function recalculate(
  clock: f64,
  seedHigh: u32,
  seedLow: u32,
  fuelSteps: f64,
  cellSteps: f64,
): u32 {
  begin();
  const seed = ((<u64>seedHigh) << 32) | seedLow;
  const status = recalculateModel(clock, seed, <i64>fuelSteps, <i64>cellSteps);
  endRead();
  return status;
}

/** Cells that may be out of date: an upper bound. */
export function pendingCount(): f64 {
  const root = model();
  // Everything may be pending: all is calculated anew after any edit, or marking has not ended.
  if (root.isAnew || root.wantsAnew || lengthOfVector(MODEL_CHANGED)) return root.formulaCount;
  let count: f64 = 0;
  for (let index: u32 = 0; index < lengthOfVector(MODEL_DIRTY); index++) {
    const run = at<Run>(item(MODEL_DIRTY, index));
    if (run.dirty0 <= run.dirty1) count += run.dirty1 - run.dirty0 + 1;
  }
  if (!root.wasEdited) return count;
  for (let index: u32 = 0; index < lengthOfVector(MODEL_VOLATILES); index++) {
    const run = at<Run>(item(MODEL_VOLATILES, index));
    count += run.row1 - run.row0 + 1;
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
    case STATISTIC_PROBES:
      return probesSoFar();
    case STATISTIC_STEPS:
      return <f64>root.steps;
    case STATISTIC_UNMARKED:
      return lengthOfVector(MODEL_CHANGED);
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

export {
  readArea as readSpill,
  modeOf as formulaMode,
  readExtent,
  usedRowsOf as usedRows,
} from './reads';

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

export function valueCount(): f64 {
  return countValues();
}

export function readValues(offset: f64, limit: u32): u32 {
  begin();
  return readPage(offset, limit);
}

/**
 * Starts to keep the former values of changed cells (1), or stops it (0); former values are
 * dropped. No cell may be pending.
 */
export function watchChanges(isWatched: u32): void {
  setWatched(isWatched != 0);
}

/**
 * Turns batches, which compute rows of one formula together, on (1, the default) or off (0). Values
 * are the same either way.
 */
export function useBatches(isUsed: u32): void {
  model().isScalar = isUsed ? 0 : 1;
}

/** Returns the number of changes of a kind (CHANGES_*); the result has the first `limit`. */
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

/**
 * Returns a status: the text in the input room is a formula, and its stored text reads back as the
 * same formula. With `isTyped` it has to be one that a person may enter.
 */
export function check(unitCount: u32, isTyped: u32): u32 {
  begin();
  setEntryRules(isTyped != 0, isTyped != 0);
  const template = compileInput(unitCount, 0, 0, NOTATION_A1);
  setEntryRules(false, false);
  if (!template) return STATUS_BAD_FORMULA;
  const literals = keepConstants();
  const isRead = readsBack(template, literals, true) && readsBack(template, literals, false);
  dropConstants(literals, at<Template>(template).constantCount);
  dropInput(template);
  if (isRead) return STATUS_OK;
  refuse('a part of the formula cannot be stored', 0);
  return STATUS_BAD_FORMULA;
}

/** Writes the formula in the input room anew, from and to A1 or R1C1 notation. */
export function convert(unitCount: u32, row: u32, column: u32, fromR1C1: u32, toR1C1: u32): u32 {
  begin();
  keepDigits(toR1C1 != 0);
  const notation = fromR1C1 ? NOTATION_STORED : NOTATION_A1;
  const template = compileInput(unitCount, row, column, notation);
  keepDigits(false);
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
  begin();
  const template = compileInput(unitCount, 0, 0, NOTATION_A1);
  if (!template) return STATUS_BAD_FORMULA;
  setResult(listTextReferences(), listedCount);
  dropInput(template);
  return STATUS_OK;
}

/**
 * Evaluates the formula in the input buffer off the grid, as if it were in the last cell of a
 * sheet. No cell may be pending; clock and seed are those of the last recalculation. Returns the
 * rows of the result, 0 if the text is no formula; the result's length is the number of columns,
 * and it has at most `cellsMost` values.
 */
export function evaluateInput(unitCount: u32, sheetKey: u32, cellsMost: u32): u32 {
  begin();
  const sheet = sheetByKey(sheetKey);
  if (sheet) evaluated = compileInput(unitCount, APART_ROW, APART_COLUMN, NOTATION_A1);
  if (!evaluated) return 0;
  evaluatedLiterals = keepConstants();
  const array = evaluateApart(evaluated, evaluatedLiterals, sheet);
  const count = rowsOf(array) * columnsOf(array);
  setResult(count > cellsMost ? 0 : entriesOf(array), columnsOf(array));
  return rowsOf(array);
}

/**
 * Computes the root over the operations of a packed segment, which follows the key of the nonces in
 * the input buffer.
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

/** Computes products of vectors in a memory without a model, with the arguments at the address. */
export function dotProducts(order: usize): void {
  dotVectors(order);
}

/** Adds postings to sums of rows, in a room of a memory without a model. */
export function addPostings(place: usize, from: u32, to: u32, weight: f64): u32 {
  return addRows(place, from, to, weight);
}

export function keepBest(place: usize): u32 {
  return keepRows(place);
}
