import { allocateZeroed, release, ROOT } from '../memory/arena';
import { at } from '../memory/pointer';
import { dropText, equalTexts, internText } from '../memory/text';
import { item, lengthOfVector, push, removeItems, insertItem } from '../memory/vector';
import { Sheet } from './sheet';

/** Root record of a model, from which all else is reached. It has a fixed address. */
@unmanaged
export class Model {
  /** The text pool's own words (memory/text.ts). */
  pool0: u32 = 0;
  pool1: u32 = 0;
  pool2: u32 = 0;
  pool3: u32 = 0;
  /** Key of all hash tables, and a counter of look-ups (memory/keyed-hash.ts). */
  hashKey0: u64 = 0;
  hashKey1: u64 = 0;
  hashProbes: u64 = 0;
  /** Vector of sheets in tab order. */
  sheets: u32 = 0;
  sheetsLength: u32 = 0;
  sheetsCapacity: u32 = 0;
  /** Vector of sheets that formulas name but that do not exist. */
  missing: u32 = 0;
  missingLength: u32 = 0;
  missingCapacity: u32 = 0;
  /** Vector of names (grid/name.ts). */
  names: u32 = 0;
  namesLength: u32 = 0;
  namesCapacity: u32 = 0;
  /** Vector of tables (grid/name.ts). */
  tables: u32 = 0;
  tablesLength: u32 = 0;
  tablesCapacity: u32 = 0;
  /** Vector of runs whose dirty cells wait (graph/dirty.ts). */
  dirty: u32 = 0;
  dirtyLength: u32 = 0;
  dirtyCapacity: u32 = 0;
  /** Vector of runs with a volatile formula. */
  volatiles: u32 = 0;
  volatilesLength: u32 = 0;
  volatilesCapacity: u32 = 0;
  /** Vector of runs not listed in the watch lists yet. */
  unlisted: u32 = 0;
  unlistedLength: u32 = 0;
  unlistedCapacity: u32 = 0;
  /** Vector of changed intervals, four words each (graph/dirty.ts). */
  changed: u32 = 0;
  changedLength: u32 = 0;
  changedCapacity: u32 = 0;
  /** Vector of columns and rows of the cells that waited when a recalculation ran out of fuel. */
  waiting: u32 = 0;
  waitingLength: u32 = 0;
  waitingCapacity: u32 = 0;
  /** Vector of columns and rows of the cells of cycles that are iterated (graph/iterate.ts). */
  iterated: u32 = 0;
  iteratedLength: u32 = 0;
  iteratedCapacity: u32 = 0;
  /** Vector of column indexes (indexes/index-record.ts); their bytes; number of queries so far. */
  indexes: u32 = 0;
  indexesLength: u32 = 0;
  indexesCapacity: u32 = 0;
  indexBytes: u32 = 0;
  /** Year and date system under which texts were read for the indexes. */
  indexReading: u32 = 0;
  indexQuestions: u64 = 0;
  /** Hash table of templates (formula/template.ts). */
  templateBuckets: u32 = 0;
  templateBucketCount: u32 = 0;
  templateCount: u32 = 0;
  runCount: u32 = 0;
  /** Cells that hold a formula. */
  formulaCount: u32 = 0;
  /** Figures of the last recalculation, for eval-stats. */
  evaluatedCount: u32 = 0;
  batchedCount: u32 = 0;
  /** Steps that the last recalculation took, or the marking of the last edit. */
  steps: i64 = 0;
  /** 1 if all cells are computed one by one. */
  isScalar: u32 = 0;
  date1904: u32 = 0;
  /** Machine stack, kept between evaluations. */
  stack: u32 = 0;
  /** Function name table (functions/registry.ts). */
  functionTable: u32 = 0;
  /** A cycle was found at some time. */
  hadCircular: u32 = 0;
  /**
   * 1 if nothing was ever evaluated, so every formula cell is pending and nothing has to be marked.
   */
  isFresh: u32 = 0;
  /** 1 if a cycle goes through cells that an array fills, so that all is to be calculated anew. */
  wantsAnew: u32 = 0;
  /** 1 if all is being calculated anew in one order, now and after each edit (graph/anew.ts). */
  isAnew: u32 = 0;
  /** 1 if an array was circular since the calculation anew began. */
  hasCircularArray: u32 = 0;
  /** Position of the calculation anew: key of the sheet, column and row. */
  sweepKey: u32 = 0;
  sweepColumn: u32 = 0;
  sweepRow: u32 = 0;
  /**
   * Iterative calculation of cycles: on or off, rounds at most, and the change below which they
   * end.
   */
  iterates: u32 = 0;
  iterationsMost: u32 = 0;
  iterationChangeLeast: f64 = 0;
  /** Position of the iteration: phase, round and cell; and the largest change so far. */
  iterationPhase: u32 = 0;
  iterationRound: u32 = 0;
  iterationPlace: u32 = 0;
  iterationStarts: u32 = 0;
  iterationChange: f64 = 0;
  /** 1 if a cell of a cycle reads one of an array that depends on the cycle. */
  iterationMeetsArrays: u32 = 0;
  /** Number of cells when the rounds ended. */
  iteratedSettled: u32 = 0;
  /** Clock and seed of the last recalculation; other ones make volatile cells pending. */
  clock: f64 = 0;
  seed: u64 = 0;
  /** 1 if commands were applied since volatile cells were marked. */
  wasEdited: u32 = 0;
  /** Number of the present recalculation. */
  recalculation: u32 = 0;
  /** 1 if the last call of the recalculation ran out of fuel. */
  isUnfinished: u32 = 0;
  /** Cells rewritten after they may have been read, in the present recalculation. */
  overwrites: u32 = 0;
  /**
   * Number of overwrites that formulas with computed references have seen, and number of rounds for
   * them.
   */
  settledOverwrites: u32 = 0;
  settlings: u32 = 0;
  /** Hash table of names (grid/name.ts), and the number of walks through them. */
  nameBuckets: u32 = 0;
  nameBucketCount: u32 = 0;
  nameWalks: u32 = 0;
  /** 1 if former values of changed cells are kept (changes.ts). */
  isWatched: u32 = 0;
  /** Buffer for input of the host (index.ts). */
  input: u32 = 0;
  inputBytes: u32 = 0;
}

export const MODEL_SHEETS: usize = ROOT + offsetof<Model>('sheets');
const MODEL_MISSING: usize = ROOT + offsetof<Model>('missing');
export const MODEL_NAMES: usize = ROOT + offsetof<Model>('names');
export const MODEL_TABLES: usize = ROOT + offsetof<Model>('tables');
export const MODEL_DIRTY: usize = ROOT + offsetof<Model>('dirty');
export const MODEL_WAITING: usize = ROOT + offsetof<Model>('waiting');
export const MODEL_VOLATILES: usize = ROOT + offsetof<Model>('volatiles');
export const MODEL_UNLISTED: usize = ROOT + offsetof<Model>('unlisted');
export const MODEL_ITERATED: usize = ROOT + offsetof<Model>('iterated');
export const MODEL_INDEXES: usize = ROOT + offsetof<Model>('indexes');
export const MODEL_CHANGED: usize = ROOT + offsetof<Model>('changed');

export function model(): Model {
  return at<Model>(ROOT);
}

export const SHEET_THERE: u32 = 1;
export const SHEET_DELETED: u32 = 2;

export function sheetByKey(key: u32): usize {
  const count = lengthOfVector(MODEL_SHEETS);
  for (let index: u32 = 0; index < count; index++) {
    const sheet = item(MODEL_SHEETS, index);
    if (at<Sheet>(sheet).key == key) return sheet;
  }
  return 0;
}

/** The sheet with this name (without regard to case), or 0. */
export function sheetByName(name: usize): usize {
  const found = namedSheet(MODEL_SHEETS, name);
  return found;
}

function namedSheet(vector: usize, name: usize): usize {
  const count = lengthOfVector(vector);
  for (let index: u32 = 0; index < count; index++) {
    const sheet = item(vector, index);
    if (equalTexts(at<Sheet>(sheet).name, name)) return sheet;
  }
  return 0;
}

/**
 * Returns the sheet that a formula means: an existing one, or a record that waits for it to be
 * added.
 */
export function sheetForFormula(name: usize): usize {
  let sheet = namedSheet(MODEL_SHEETS, name);
  if (sheet) return sheet;
  sheet = namedSheet(MODEL_MISSING, name);
  if (sheet) return sheet;
  sheet = allocateZeroed(offsetof<Sheet>());
  at<Sheet>(sheet).name = <u32>internText(name);
  push(MODEL_MISSING, <u32>sheet);
  return sheet;
}

/** Returns the record in which formulas wait for a sheet of this name, or 0. */
export function missingSheet(name: usize): usize {
  return namedSheet(MODEL_MISSING, name);
}

/** Returns the number of named but missing sheets, for `forgetMissing`. */
export function missingCount(): u32 {
  return lengthOfVector(MODEL_MISSING);
}

/** Drops the latest records of missing sheets until `count` are left; nothing refers to them. */
export function forgetMissing(count: u32): void {
  while (lengthOfVector(MODEL_MISSING) > count) {
    const last = lengthOfVector(MODEL_MISSING) - 1;
    const sheet = item(MODEL_MISSING, last);
    removeItems(MODEL_MISSING, last, 1);
    dropText(at<Sheet>(sheet).name);
    release(sheet, offsetof<Sheet>());
  }
}

/** Makes a sheet, or revives the record in which formulas wait for it; returns its address. */
export function addSheet(key: u32, name: usize, index: u32): usize {
  let sheet = namedSheet(MODEL_MISSING, name);
  if (sheet) {
    removeItems(MODEL_MISSING, indexOfSheet(MODEL_MISSING, sheet), 1);
    dropText(at<Sheet>(sheet).name);
  } else {
    sheet = allocateZeroed(offsetof<Sheet>());
  }
  at<Sheet>(sheet).key = key;
  at<Sheet>(sheet).name = <u32>internText(name);
  at<Sheet>(sheet).state = SHEET_THERE;
  at<Sheet>(sheet).isWatched = model().isWatched;
  insertItem(MODEL_SHEETS, min(index, lengthOfVector(MODEL_SHEETS)), <u32>sheet);
  return sheet;
}

export function indexOfSheet(vector: usize, sheet: usize): u32 {
  const count = lengthOfVector(vector);
  for (let index: u32 = 0; index < count; index++) {
    if (item(vector, index) == <u32>sheet) return index;
  }
  return count;
}
