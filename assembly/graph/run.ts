import { KIND_STRING } from '../abi';
import { Template, dropConstants, dropTemplate, holdTemplate } from '../formula/template';
import { Column, COLUMN_RUNS } from '../grid/sheet';
import { MODEL_DIRTY, MODEL_UNLISTED, MODEL_VOLATILES, model } from '../grid/model';
import { allocate, allocateZeroed, release } from '../memory/arena';
import { at } from '../memory/pointer';
import { dropText, internText } from '../memory/text';
import { insertItem, item, lengthOfVector, push, removeItems, setItem } from '../memory/vector';

/**
 * A run: neighbouring cells of one column that share a template. The graph knows runs, not cells,
 * so a column filled down costs one record however long it is.
 */
@unmanaged
export class Run {
  template: u32 = 0;
  /** Address of its column, which knows sheet and number. */
  column: u32 = 0;
  row0: u32 = 0;
  /** Last row, included. */
  row1: u32 = 0;
  /**
   * Slots of its literals: one set for all rows, or one for each row if `constantRows` is not 0.
   */
  constants: u32 = 0;
  constantRows: u32 = 0;
  /** RUN_* bits. */
  flags: u32 = 0;
  /**
   * Number of entries in lists of the model that name it; a dead run is freed when none is left.
   */
  holders: u32 = 0;
  /** First and last row that may be pending; none if dirty0 > dirty1. */
  dirty0: u32 = 0;
  dirty1: u32 = 0;
  /** Size of a legacy array formula's fixed area, or 0. */
  areaRows: u32 = 0;
  areaColumns: u32 = 0;
}

/** Its precedents are in the watch lists, so its extent must not change any more. */
export const RUN_LISTED: u32 = 1;
/** The run is dead; only watch lists still name it. */
export const RUN_DEAD: u32 = 2;
/** The run is in the model's list of dirty runs. */
const RUN_QUEUED: u32 = 4;
/** The run reads cells above, or below, in its own column and rows. */
export const RUN_READS_ABOVE: u32 = 8;
export const RUN_READS_BELOW: u32 = 16;
/** The run is in the list of volatile runs. */
const RUN_VOLATILE: u32 = 32;
/** Rows of it wait for others that batches compute (batch/evaluate.ts). */
export const RUN_COMPUTED: u32 = 64;

/** Longest run that gets one set of literals for each row when another literal joins it. */
const SPREAD_LIMIT: u32 = 64;

function newRun(column: usize, template: usize, row0: u32, row1: u32): usize {
  const address = allocateZeroed(offsetof<Run>());
  const run = at<Run>(address);
  run.template = <u32>template;
  run.column = <u32>column;
  run.row0 = row0;
  run.row1 = row1;
  run.dirty0 = u32.MAX_VALUE;
  holdTemplate(template);
  model().runCount++;
  model().formulaCount += row1 - row0 + 1;
  hold(address, MODEL_UNLISTED);
  return address;
}

/** Adds a run to one of the model's lists. */
function hold(address: usize, vector: usize): void {
  at<Run>(address).holders++;
  push(vector, <u32>address);
}

/** Notes that one list no longer names the run; the last one frees a dead run. */
export function letGo(address: usize): void {
  const run = at<Run>(address);
  if (--run.holders == 0 && run.flags & RUN_DEAD) release(address, offsetof<Run>());
}

/** Makes a run computed in every recalculation. */
export function makeVolatile(address: usize): void {
  const run = at<Run>(address);
  if (run.flags & RUN_VOLATILE) return;
  run.flags |= RUN_VOLATILE;
  hold(address, MODEL_VOLATILES);
}

/** Notes that rows of a run are pending. */
export function queueRows(address: usize, row0: u32, row1: u32): void {
  const run = at<Run>(address);
  run.dirty0 = min(run.dirty0, row0);
  run.dirty1 = max(run.dirty1, row1);
  if (run.flags & RUN_QUEUED) return;
  run.flags |= RUN_QUEUED;
  hold(address, MODEL_DIRTY);
}

/** Notes that no row of a run is pending any more. */
export function unqueueRows(run: Run): void {
  run.flags &= ~RUN_QUEUED;
  run.dirty0 = u32.MAX_VALUE;
  run.dirty1 = 0;
}

/** Marks a run as dead; lists that name it notice when they look. */
export function killRun(address: usize): void {
  const run = at<Run>(address);
  run.flags |= RUN_DEAD;
  dropLiterals(run);
  dropTemplate(run.template);
  model().runCount--;
  model().formulaCount -= run.row1 - run.row0 + 1;
  if (!run.holders) release(address, offsetof<Run>());
}

function literalCount(run: Run): u32 {
  return at<Template>(run.template).constantCount;
}

function dropLiterals(run: Run): void {
  const count = literalCount(run);
  if (!run.constants || !count) return;
  if (!run.constantRows) return dropConstants(run.constants, count);
  const used = (run.row1 - run.row0 + 1) * count;
  for (let index: u32 = 0; index < used; index++) {
    const slot = <usize>run.constants + ((<usize>index) << 4);
    if (load<u32>(slot, 8) == KIND_STRING) dropText(load<u32>(slot));
  }
  release(run.constants, run.constantRows * count * 16);
}

/** The literals of one row. */
export function constantsAt(run: Run, row: u32): usize {
  if (!run.constantRows) return run.constants;
  return <usize>run.constants + ((<usize>((row - run.row0) * literalCount(run))) << 4);
}

function copyLiterals(from: usize, to: usize, count: u32): void {
  for (let index: u32 = 0; index < count; index++) {
    const source = from + ((<usize>index) << 4);
    const target = to + ((<usize>index) << 4);
    const kind = load<u32>(source, 8);
    const payload = load<u64>(source);
    store<u64>(target, kind == KIND_STRING ? <u64>internText(<usize>payload) : payload);
    store<u32>(target, kind, 8);
  }
}

function sameLiterals(left: usize, right: usize, count: u32): bool {
  for (let index: u32 = 0; index < count; index++) {
    const a = left + ((<usize>index) << 4);
    const b = right + ((<usize>index) << 4);
    if (load<u32>(a, 8) != load<u32>(b, 8) || load<u64>(a) != load<u64>(b)) return false;
  }
  return true;
}

/** Gives a new run its literals: a copy of `count` slots for all of its rows. */
function setLiterals(address: usize, from: usize): void {
  const run = at<Run>(address);
  const count = literalCount(run);
  if (!count) return;
  run.constants = <u32>allocate(count << 4);
  copyLiterals(from, run.constants, count);
}

/** Makes a run of some rows of another one. */
function partOf(address: usize, row0: u32, row1: u32): usize {
  return movedPart(address, row0, row1, at<Run>(address).template, row0);
}

/**
 * Makes a run of some rows of another one, with their literals, that begins at `newRow0` and
 * follows `template`. Pending rows stay pending.
 */
export function movedPart(
  address: usize,
  row0: u32,
  row1: u32,
  template: usize,
  newRow0: u32,
): usize {
  const whole = at<Run>(address);
  const part = newRun(whole.column, template, newRow0, newRow0 + row1 - row0);
  const run = at<Run>(part);
  const count = literalCount(whole);
  if (count && whole.constantRows) {
    const rows = row1 - row0 + 1;
    run.constantRows = rows;
    run.constants = <u32>allocate(rows * count * 16);
    copyLiterals(constantsAt(whole, row0), run.constants, rows * count);
  } else if (count) setLiterals(part, whole.constants);
  run.areaRows = whole.areaRows;
  run.areaColumns = whole.areaColumns;
  if (whole.flags & RUN_VOLATILE) makeVolatile(part);
  const dirty0 = max(whole.dirty0, row0);
  const dirty1 = min(whole.dirty1, row1);
  if (dirty0 <= dirty1) queueRows(part, newRow0 + dirty0 - row0, newRow0 + dirty1 - row0);
  return part;
}

/** Returns the index of the last run that begins at or before a row, or -1. */
function runBefore(column: usize, row: u32): i32 {
  const record = at<Column>(column);
  let low: i32 = 0;
  let high = <i32>record.runsLength;
  while (low < high) {
    const middle = (low + high) >> 1;
    const run = load<u32>(<usize>record.runs + ((<usize>middle) << 2));
    if (at<Run>(run).row0 <= row) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The run that holds a row, or 0. */
export function runAt(column: usize, row: u32): usize {
  const index = runBefore(column, row);
  if (index < 0) return 0;
  const run = item(column + COLUMN_RUNS, <u32>index);
  return at<Run>(run).row1 >= row ? <usize>run : 0;
}

/** Returns the index of the first run that reaches a row or lies below it. */
export function firstRunFrom(column: usize, row: u32): u32 {
  const index = runBefore(column, row);
  if (index < 0) return 0;
  const run = at<Run>(item(column + COLUMN_RUNS, <u32>index));
  return <u32>(run.row1 >= row ? index : index + 1);
}

/** Removes rows from all runs of a column; the remains of a run are runs of their own. */
export function cutRuns(column: usize, row0: u32, row1: u32): void {
  const runs = column + COLUMN_RUNS;
  let index = firstRunFrom(column, row0);
  while (index < lengthOfVector(runs)) {
    const address = item(runs, index);
    const run = at<Run>(address);
    if (run.row0 > row1) return;
    removeItems(runs, index, 1);
    if (run.row0 < row0) {
      insertItem(runs, index++, <u32>partOf(address, run.row0, row0 - 1));
    }
    if (run.row1 > row1) {
      insertItem(runs, index++, <u32>partOf(address, row1 + 1, run.row1));
    }
    killRun(address);
  }
}

/**
 * Makes rows of a column follow a template with these literals; the rows must be free of runs.
 * Returns the run that holds them now.
 */
export function placeRun(
  column: usize,
  row0: u32,
  row1: u32,
  template: usize,
  literals: usize,
): usize {
  const runs = column + COLUMN_RUNS;
  const before = runBefore(column, row0);
  if (before >= 0) {
    const joined = join(item(runs, <u32>before), row0, row1, template, literals);
    if (joined) {
      setItem(runs, <u32>before, <u32>joined);
      return joined;
    }
  }
  const address = newRun(column, template, row0, row1);
  setLiterals(address, literals);
  insertItem(runs, <u32>(before + 1), <u32>address);
  return address;
}

/** Extends the run above by these rows if template and literals allow it; else returns 0. */
function join(above: usize, row0: u32, row1: u32, template: usize, literals: usize): usize {
  const run = at<Run>(above);
  if (run.row1 + 1 != row0 || run.template != <u32>template || run.areaRows) return 0;
  const count = literalCount(run);
  if (count && !run.constantRows && !sameLiterals(run.constants, literals, count)) {
    if (run.row1 - run.row0 >= SPREAD_LIMIT || row1 != row0) return 0;
    const longer = run.flags & RUN_LISTED ? replace(above) : above;
    spread(at<Run>(longer), count);
    return append(longer, row1, literals, count);
  }
  if (run.constantRows && row1 - row0 >= SPREAD_LIMIT) return 0;
  const longer = run.flags & RUN_LISTED ? replace(above) : above;
  return append(longer, row1, literals, count);
}

/** Replaces a run by a copy that is in no watch list yet, so that it may grow. */
function replace(address: usize): usize {
  const run = at<Run>(address);
  const copy = partOf(address, run.row0, run.row1);
  killRun(address);
  return copy;
}

/** Turns one set of literals for all rows into one for each row. */
function spread(run: Run, count: u32): void {
  const rows = run.row1 - run.row0 + 1;
  const capacity = max(8, rows << 1);
  const constants = allocate(capacity * count * 16);
  for (let row: u32 = 0; row < rows; row++) {
    copyLiterals(run.constants, constants + <usize>row * count * 16, count);
  }
  dropConstants(run.constants, count);
  run.constants = <u32>constants;
  run.constantRows = capacity;
}

function append(address: usize, row1: u32, literals: usize, count: u32): usize {
  const run = at<Run>(address);
  if (run.constantRows) {
    const rows = row1 - run.row0 + 1;
    if (rows > run.constantRows) growLiterals(run, count, rows);
    for (let row = run.row1 + 1; row <= row1; row++) {
      const place = <usize>run.constants + <usize>(row - run.row0) * count * 16;
      copyLiterals(literals, place, count);
    }
  }
  model().formulaCount += row1 - run.row1;
  run.row1 = row1;
  return address;
}

function growLiterals(run: Run, count: u32, rows: u32): void {
  const capacity = max(rows, run.constantRows << 1);
  const constants = allocate(capacity * count * 16);
  const used = (run.row1 - run.row0 + 1) * count * 16;
  memory.copy(constants, run.constants, used);
  release(run.constants, run.constantRows * count * 16);
  run.constants = <u32>constants;
  run.constantRows = capacity;
}
