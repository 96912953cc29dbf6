import {
  CELL_FORMULA,
  ERROR_CALCULATION,
  ERROR_CIRCULAR,
  ERROR_SPILL,
  ERROR_VALUE,
  KIND_ARRAY,
  KIND_BLANK,
  KIND_ERROR,
  KIND_LAMBDA,
  KIND_MASK,
  KIND_NUMBER,
  KIND_OMITTED,
  KIND_REFERENCE,
  KIND_STRING,
} from '../abi';
import { MODE_LEGACY, Template } from '../formula/template';
import { model } from '../grid/model';
import {
  Chunk,
  Column,
  Sheet,
  chunkAt,
  clearSuspension,
  keepFormer,
  suspended,
  writeCell,
} from '../grid/sheet';
import { at } from '../memory/pointer';
import { resetScratch, scratch } from '../memory/scratch';
import { internText } from '../memory/text';
import { ITEM_LIMIT, columnsOf, loadItem, newArray, rowsOf, setItemAt } from '../vm/array';
import { clearDynamicReads, readsDynamically, setFormulaArea, setFormulaCell } from '../vm/context';
import { evaluate } from '../vm/machine';
import { areaCountOf } from '../vm/reference';
import { SLOT_BYTES, kindOf, payloadOf, setError, setSlot, wordOf } from '../vm/slot';
import { itemKind, itemPayload, openView, toArray, viewItem } from '../vm/view';
import { Run, constantsAt, makeVolatile } from './run';
import { isFixed } from './spill';
import { blockSpill, forgetSpill, isCircular, storeArray } from './spill-write';

/**
 * Computes one cell of a run and stores its value. Returns false, without storing anything, if it
 * needs a pending cell, which is then in `wantedSheet`, `wantedRow` and `wantedColumn` of
 * grid/sheet.ts.
 */
export function evaluateCell(address: usize, row: u32): bool {
  const run = at<Run>(address);
  const column = at<Column>(run.column);
  if (at<Sheet>(column.sheet).spillsLength && isCircular(run.column, row)) {
    storeCircular(run.column, row);
    return true;
  }
  const template = at<Template>(run.template);
  setFormulaCell(column.sheet, row, column.number);
  if (run.areaRows) setFormulaArea(run.areaRows, run.areaColumns);
  const slot = evaluate(template, constantsAt(run, row));
  if (run.areaRows) setFormulaArea(1, 1);
  if (!suspended) settleResult(slot, template.mode, run.areaRows != 0);
  if (readsDynamically) {
    makeVolatile(address);
    clearDynamicReads();
  }
  if (suspended) {
    clearSuspension();
    resetScratch();
    return false;
  }
  storeResult(run.column, row, slot);
  resetScratch();
  model().evaluatedCount++;
  return true;
}

/** Returns whether a cell can be computed without a pending cell. It keeps its value. */
export function probeCell(address: usize, row: u32): bool {
  return computeOne(address, row, false);
}

/**
 * Computes a cell of a cycle again, which keeps a value meanwhile; returns false as evaluateCell
 * does.
 */
export function iterateCell(address: usize, row: u32): bool {
  return computeOne(address, row, true);
}

function computeOne(address: usize, row: u32, isStored: bool): bool {
  const run = at<Run>(address);
  const column = at<Column>(run.column);
  const template = at<Template>(run.template);
  setFormulaCell(column.sheet, row, column.number);
  const slot = evaluate(template, constantsAt(run, row));
  if (!suspended) settleResult(slot, template.mode, run.areaRows != 0);
  if (readsDynamically) {
    makeVolatile(address);
    clearDynamicReads();
  }
  const isDone = !suspended;
  // If arrays were part of a cycle, the cells that they fill would be one round behind or ahead.
  if (isDone && kindOf(slot) == KIND_ARRAY) setError(slot, ERROR_CIRCULAR);
  if (isDone && isStored) {
    storeResult(run.column, row, slot);
    model().evaluatedCount++;
  }
  clearSuspension();
  resetScratch();
  return isDone;
}

/** Turns a result into what a cell can hold: a scalar, or an array of more than one value. */
export function settleResult(slot: usize, mode: u32, fillsArea: bool): void {
  const kind = kindOf(slot);
  if (kind == KIND_NUMBER || kind == KIND_STRING) return;
  if (kind == KIND_BLANK || kind == KIND_OMITTED) return setSlot(slot, KIND_NUMBER, 0);
  if (kind == KIND_LAMBDA) return setError(slot, ERROR_CALCULATION);
  if (kind == KIND_REFERENCE) {
    if (areaCountOf(wordOf(slot)) != 1) return setError(slot, ERROR_VALUE);
    readReference(slot);
  }
  if (kindOf(slot) != KIND_ARRAY) return;
  const array = toArray(slot);
  const isOne = rowsOf(array) * columnsOf(array) == 1;
  if (fillsArea) return;
  if (isOne || mode == MODE_LEGACY) {
    loadItem(array, 0, slot);
    if (kindOf(slot) == KIND_LAMBDA) setError(slot, ERROR_CALCULATION);
    else if (!kindOf(slot) || kindOf(slot) > <u32>KIND_ERROR) setSlot(slot, KIND_NUMBER, 0);
  }
}

function readReference(slot: usize): void {
  const view = openView(slot);
  if (view.rows == 1 && view.columns == 1) {
    viewItem(view, 0, 0);
    setSlot(slot, itemKind, itemPayload);
    if (itemKind == KIND_BLANK) setSlot(slot, KIND_NUMBER, 0);
    return;
  }
  if (<u64>view.rows * view.columns > ITEM_LIMIT) return setError(slot, ERROR_SPILL);
  setSlot(slot, KIND_ARRAY, toArray(slot));
}

function storeResult(column: usize, row: u32, slot: usize): void {
  const kind = kindOf(slot);
  const chunk = at<Chunk>(chunkAt(column, row >> 10));
  const place = <usize>chunk.tags + (row & 1023);
  const record = at<Column>(column);
  const spills = at<Sheet>(record.sheet).spillsLength;
  const old = <u32>load<u8>(place);
  if (kind == KIND_NUMBER && !spills && (old & KIND_MASK) != KIND_STRING) {
    // The common case, without counting texts; the cell was counted when it was entered.
    const valuePlace = <usize>chunk.values + ((<usize>(row & 1023)) << 3);
    if (record.former) keepFormer(column, row, old, load<u64>(valuePlace));
    store<u8>(place, KIND_NUMBER | CELL_FORMULA);
    store<u64>(valuePlace, payloadOf(slot));
    return;
  }
  if (kind == KIND_ARRAY) return storeArray(column, row, wordOf(slot));
  if (spills && fillsFixedArea(column, row, slot)) return;
  if (spills) forgetSpill(column, row);
  let payload = payloadOf(slot);
  if (kind == KIND_STRING) payload = internText(<usize>payload);
  writeCell(column, row, kind | CELL_FORMULA, payload);
}

/** Fills the area of a legacy array formula with its one value. */
function fillsFixedArea(column: usize, row: u32, slot: usize): bool {
  const record = at<Column>(column);
  if (!isFixed(record.sheet, row, record.number)) return false;
  const array = newArray(1, 1);
  setItemAt(array, 0, kindOf(slot), payloadOf(slot));
  storeArray(column, row, array);
  return true;
}

/** Stores the circular error in a formula cell without evaluating it. */
export function storeCircular(column: usize, row: u32): void {
  if (at<Sheet>(at<Column>(column).sheet).spillsLength) {
    const slot = scratch(<u32>SLOT_BYTES);
    setError(slot, ERROR_CIRCULAR);
    if (fillsFixedArea(column, row, slot)) return;
    blockSpill(column, row);
  }
  model().hadCircular = 1;
  writeCell(column, row, KIND_ERROR | CELL_FORMULA, ERROR_CIRCULAR);
}
