import { CHUNK_ROWS } from '../abi';
import { TEMPLATE_NAMES, TEMPLATE_SUBTOTAL, Template } from '../formula/template';
import { MODEL_SHEETS, model } from '../grid/model';
import {
  areShown,
  ensureHiddenChunk,
  freeHiddenChunks,
  hiddenEnd,
  hidesRows,
  setVisibility,
} from '../grid/row-visibility';
import { COLUMN_RUNS, SHEET_HIDDEN, Sheet, columnAt } from '../grid/sheet';
import { at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { Vector, item, lengthOfVector } from '../memory/vector';
import { markRows } from './dirty';
import { firstMoved, lineMapPieces, pieceEnd, pieceFrom, pieceTo } from './line-map';
import { Run } from './run';

/** Hides and shows rows, and computes what depends on that. */

/**
 * True when rows were hidden or shown since `settleVisibility`, which follows in the same call of
 * the host.
 */
let hasChanged: bool = false;

export function hideRows(sheet: usize, from: u32, count: u32, visibility: u32): void {
  if (setVisibility(sheet, from, count, visibility)) hasChanged = true;
}

/** Moves the states of rows by the line map of rows. */
export function moveVisibility(sheet: usize): void {
  const end = hiddenEnd(sheet);
  if (end <= firstMoved) return;
  const vector = sheet + SHEET_HIDDEN;
  const old = scratch(<u32>offsetof<Vector>());
  memory.copy(old, vector, offsetof<Vector>());
  memory.fill(vector, 0, offsetof<Vector>());
  const chunks = <usize>at<Vector>(old).items;
  for (let index: u32 = 0; index < lineMapPieces(); index++) {
    const from = pieceFrom(index);
    const last = min(pieceEnd(index), end);
    for (let row = from; row < last;) {
      const stop = min(last, (row | (CHUNK_ROWS - 1)) + 1);
      const chunk = <usize>load<u32>(chunks + ((<usize>(row >> 10)) << 2));
      const place = chunk + (row & (CHUNK_ROWS - 1));
      if (chunk) placeRows(sheet, place, row - from + pieceTo(index), stop - row);
      row = stop;
    }
  }
  freeHiddenChunks(old, at<Vector>(old).length);
  hasChanged = true;
}

/** Copies rows of a chunk to where they are now, which may be in two. */
function placeRows(sheet: usize, place: usize, target: u32, count: u32): void {
  let done: u32 = 0;
  while (done < count) {
    const row = target + done;
    const length = min(count - done, CHUNK_ROWS - (row & (CHUNK_ROWS - 1)));
    if (!areShown(place + done, length)) {
      const chunk = ensureHiddenChunk(sheet, row >> 10);
      memory.copy(chunk + (row & (CHUNK_ROWS - 1)), place + done, length);
    }
    done += length;
  }
}

/** Frees the chunks of a sheet that is deleted. */
export function forgetVisibility(sheet: usize): void {
  if (hidesRows(sheet)) freeHiddenChunks(sheet + SHEET_HIDDEN, hiddenEnd(sheet) >> 10);
}

/**
 * Computes the formulas again that may leave hidden rows out: those that call such a function, and
 * those with names, which may contain one.
 */
export function settleVisibility(): void {
  if (!hasChanged) return;
  hasChanged = false;
  if (model().isFresh) return;
  for (let index: u32 = 0; index < lengthOfVector(MODEL_SHEETS); index++) {
    const sheet = item(MODEL_SHEETS, index);
    for (let number: u32 = 0; number < at<Sheet>(sheet).columnsLength; number++) {
      const column = columnAt(sheet, number);
      if (column) markColumn(column + COLUMN_RUNS);
    }
  }
}

function markColumn(runs: usize): void {
  for (let index: u32 = 0; index < lengthOfVector(runs); index++) {
    const address = item(runs, index);
    const run = at<Run>(address);
    const flags = at<Template>(run.template).flags;
    if (flags & (TEMPLATE_SUBTOTAL | TEMPLATE_NAMES)) markRows(address, run.row0, run.row1);
  }
}
