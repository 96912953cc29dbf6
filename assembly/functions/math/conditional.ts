import {
  COLUMN_LIMIT,
  ERROR_DIVISION,
  ERROR_VALUE,
  KIND_BLANK,
  KIND_ERROR,
  KIND_NUMBER,
  ROW_LIMIT,
} from '../../abi';
import { cellPayload, columnAt, readCell, readColumn, suspended } from '../../grid/sheet';
import { indexOf } from '../../indexes/column-index';
import { keyHash, nextRow, openRows } from '../../indexes/key-rows';
import { SortedNumbers } from '../../indexes/sorted-numbers';
import { nextMarked } from '../../indexes/text-marks';
import { addressOf, at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { countBelow } from '../../memory/sort-doubles';
import {
  Criterion,
  isDifference,
  isEquality,
  isInclusive,
  isNumberOrder,
  isUpwardLimit,
  meets,
  openCriterion,
  turnToDifferent,
  turnToEqual,
} from '../../values/criteria';
import {
  answerError,
  answerNumber,
  areaArgument,
  argument,
  argumentCount,
  fail,
  failed,
  failure,
  given,
} from '../../vm/call';
import { noteDynamicRead } from '../../vm/context';
import { Area, setArea, usedAreaColumns, usedAreaRows } from '../../vm/reference';
import {
  addToTotals,
  openTotals,
  totalCount,
  totalGreatest,
  totalLeast,
  totalSum,
} from '../shared/column-totals';
import { sortedOf } from '../shared/sorted-argument';
import { CONDITION_BYTES, Condition, nextOrdered, opensMarked } from './condition';

/** SUMIF, COUNTIFS and their like: one walk over the rows all criteria meet. */

/** Rows from which an index pays. */
const INDEX_ROWS: u32 = 48;

let conditions: usize = 0;
let conditionCount: u32 = 0;
/** Rows of the matches; counted in f64 because blanks of whole columns count too. */
let matchCount: f64 = 0;
/** Area whose values are totalled, or 0 when only matches count. */
let valueArea: usize = 0;
let valueColumn: usize = 0;

function conditionAt(index: u32): Condition {
  return at<Condition>(conditions + <usize>index * CONDITION_BYTES);
}

/** Takes range and criterion pairs from argument `from` on; fails when sizes differ. */
function openConditions(from: u32, values: usize): void {
  conditionCount = (argumentCount - from) >> 1;
  conditions = scratch(conditionCount * <u32>CONDITION_BYTES);
  valueArea = values;
  if (((argumentCount - from) & 1) != 0) fail(ERROR_VALUE);
  let first = values;
  for (let index: u32 = 0; index < conditionCount && failure < 0; index++) {
    const area = areaArgument(from + index * 2);
    if (failure >= 0) return;
    const condition = conditionAt(index);
    condition.area = <u32>area;
    condition.criterion = <u32>addressOf(openCriterion(argument(from + index * 2 + 1)));
    if (!first) first = area;
    if (!sameSize(first, area)) fail(ERROR_VALUE);
  }
}

function sameSize(left: usize, right: usize): bool {
  const a = at<Area>(left);
  const b = at<Area>(right);
  return a.row1 - a.row0 == b.row1 - b.row0 && a.column1 - a.column0 == b.column1 - b.column0;
}

/** Walks all rows and takes the values of matching ones into the totals; fails with an error. */
function walk(): void {
  openTotals();
  matchCount = 0;
  const area = at<Area>(conditionAt(0).area);
  let rows = valueArea ? usedAreaRows(valueArea) : 0;
  let columns = valueArea ? usedAreaColumns(valueArea) : 0;
  for (let index: u32 = 0; index < conditionCount; index++) {
    rows = max(rows, usedAreaRows(conditionAt(index).area));
    columns = max(columns, usedAreaColumns(conditionAt(index).area));
  }
  const allRows = area.row1 - area.row0 + 1;
  const allColumns = area.column1 - area.column0 + 1;
  if (allColumns == 1) walkColumn(rows);
  else walkRectangle(rows, columns);
  const rest = <f64>allRows * allColumns - <f64>rows * columns;
  if (rest > 0 && allMeetBlank()) matchCount += rest;
}

function allMeetBlank(): bool {
  for (let index: u32 = 0; index < conditionCount; index++) {
    if (!meets(at<Criterion>(conditionAt(index).criterion), KIND_BLANK, 0)) return false;
  }
  return true;
}

function walkRectangle(rows: u32, columns: u32): void {
  for (let row: u32 = 0; row < rows; row++) {
    for (let column: u32 = 0; column < columns; column++) {
      if (!cellMeetsAll(row, column)) {
        if (suspended) return;
        continue;
      }
      matchCount++;
      if (!valueArea) continue;
      const area = at<Area>(valueArea);
      takeValue(readCell(area.sheet, area.row0 + row, area.column0 + column));
      if (suspended || failure >= 0) return;
    }
  }
}

function cellMeetsAll(row: u32, column: u32): bool {
  for (let index: u32 = 0; index < conditionCount; index++) {
    const condition = conditionAt(index);
    const area = at<Area>(condition.area);
    const kind = readCell(area.sheet, area.row0 + row, area.column0 + column);
    if (suspended) return false;
    const payload = kind == KIND_BLANK ? 0 : cellPayload;
    if (!meets(at<Criterion>(condition.criterion), kind, payload)) return false;
  }
  return true;
}

function takeValue(kind: u32): void {
  if (suspended) return;
  if (kind == KIND_NUMBER) addToTotals(reinterpret<f64>(cellPayload));
  else if (kind == KIND_ERROR) fail(<u32>cellPayload);
}

/** The single-column walk: through an index of one criteria column, or row by row. */
function walkColumn(rows: u32): void {
  for (let index: u32 = 0; index < conditionCount; index++) {
    const condition = conditionAt(index);
    const area = at<Area>(condition.area);
    condition.column = <u32>columnAt(area.sheet, area.column0);
  }
  if (valueArea) {
    valueColumn = columnAt(at<Area>(valueArea).sheet, at<Area>(valueArea).column0);
  }
  if (rows >= INDEX_ROWS && walkIndexed(rows)) return;
  const first = conditionAt(0);
  for (let row = nextOrdered(first, 0, rows); row < rows; row = nextOrdered(first, row + 1, rows)) {
    if (rowMeetsAll(row)) takeRow(row);
    if (suspended || failure >= 0) return;
  }
}

function walkIndexed(rows: u32): bool {
  return countSorted() || countOthers(rows) || walkFiled(rows) || walkMarked(rows);
}

/** Counts the rows that are not equal to something, as those which are equal leave them. */
function countOthers(rows: u32): bool {
  if (valueArea || conditionCount != 1 || !conditionAt(0).column) return false;
  const criterion = at<Criterion>(conditionAt(0).criterion);
  if (!isDifference(criterion) || !turnToEqual(criterion)) return false;
  const isWalked = walkFiled(rows) || walkMarked(rows);
  turnToDifferent(criterion);
  if (isWalked) matchCount = rows - matchCount;
  return isWalked;
}

/** Counts the matches of limits on one column by sorted numbers; returns false if none serve. */
function countSorted(): bool {
  if (valueArea) return false;
  const first = at<Area>(conditionAt(0).area);
  for (let number: u32 = 0; number < conditionCount; number++) {
    const condition = conditionAt(number);
    const area = at<Area>(condition.area);
    const isSame = condition.column == conditionAt(0).column && area.row0 == first.row0;
    if (!isSame || !isNumberOrder(at<Criterion>(condition.criterion))) return false;
  }
  const known = sortedOf(addressOf(first));
  if (!known) return false;
  const sorted = at<SortedNumbers>(known);
  let low: u32 = 0;
  let high = sorted.count;
  for (let number: u32 = 0; number < conditionCount; number++) {
    const criterion = at<Criterion>(conditionAt(number).criterion);
    const isUpward = isUpwardLimit(criterion);
    const isThrough = isUpward == isInclusive(criterion);
    const place = countBelow(sorted.start, sorted.count, criterion.number, isThrough);
    if (isUpward) high = min(high, place);
    else low = max(low, place);
  }
  matchCount = high > low ? high - low : 0;
  return true;
}

/**
 * Walks the rows filed under what one of the conditions wants; returns false when that cannot be
 * told.
 */
function walkFiled(rows: u32): bool {
  const chosen = conditionCount == 1 ? 0 : rarestCondition(rows);
  if (chosen < 0 || !openFiled(<u32>chosen, rows)) return false;
  const row0 = at<Area>(conditionAt(<u32>chosen).area).row0;
  for (let row = nextRow(); row >= 0; row = nextRow()) {
    if (rowMeetsAll(<u32>row - row0)) takeRow(<u32>row - row0);
    if (suspended || failure >= 0) return true;
  }
  return true;
}

/**
 * Walks the rows with the letters of a condition with wildcards; returns false if there is none.
 */
function walkMarked(rows: u32): bool {
  for (let number: u32 = 0; number < conditionCount; number++) {
    if (!opensMarked(conditionAt(number), rows)) continue;
    const row0 = at<Area>(conditionAt(number).area).row0;
    for (let row = nextMarked(); row >= 0; row = nextMarked()) {
      if (rowMeetsAll(<u32>row - row0)) takeRow(<u32>row - row0);
      if (suspended || failure >= 0) return true;
    }
    return true;
  }
  return false;
}

/** The condition with the fewest rows filed under what it wants, or -1. */
function rarestCondition(rows: u32): i32 {
  let rarest = -1;
  let fewest = rows + 1;
  for (let index: u32 = 0; index < conditionCount; index++) {
    if (!openFiled(index, rows)) continue;
    let count: u32 = 0;
    while (count < fewest && nextRow() >= 0) count++;
    if (count == fewest) continue;
    fewest = count;
    rarest = <i32>index;
  }
  return rarest;
}

/** Opens the rows that are filed under what a condition wants, if it wants one value. */
function openFiled(number: u32, rows: u32): bool {
  const condition = conditionAt(number);
  const criterion = at<Criterion>(condition.criterion);
  if (!condition.column || !isEquality(criterion)) return false;
  const isNumber = criterion.kind == KIND_NUMBER;
  const payload = isNumber ? reinterpret<u64>(criterion.number) : <u64>criterion.word;
  const row0 = at<Area>(condition.area).row0;
  return openRows(indexOf(condition.column), keyHash(criterion.kind, payload), row0, row0 + rows);
}

function takeRow(row: u32): void {
  matchCount++;
  if (valueArea && valueColumn) takeValue(readColumn(valueColumn, at<Area>(valueArea).row0 + row));
}

function rowMeetsAll(row: u32): bool {
  for (let index: u32 = 0; index < conditionCount; index++) {
    const condition = conditionAt(index);
    let kind: u32 = KIND_BLANK;
    if (condition.column) {
      kind = readColumn(condition.column, at<Area>(condition.area).row0 + row);
      if (suspended) return false;
    }
    const payload = kind == KIND_BLANK ? 0 : cellPayload;
    if (!meets(at<Criterion>(condition.criterion), kind, payload)) return false;
  }
  return true;
}

/** SUMIF's and AVERAGEIF's third argument: its corner, in the size of the criteria range. */
function openSingle(): void {
  const area = areaArgument(0);
  if (failure >= 0) return;
  let values = area;
  if (given(2)) {
    const corner = areaArgument(2);
    if (failure >= 0) return;
    values = scratch(offsetof<Area>());
    const shape = at<Area>(area);
    const start = at<Area>(corner);
    const row1 = min(start.row0 + (shape.row1 - shape.row0), ROW_LIMIT - 1);
    const column1 = min(start.column0 + (shape.column1 - shape.column0), COLUMN_LIMIT - 1);
    setArea(values, start.sheet, start.row0, start.column0, row1, column1);
    // Cells beyond the argument's own end are read though the formula does not name them.
    if (row1 > start.row1 || column1 > start.column1) noteDynamicRead();
  }
  conditionCount = 1;
  conditions = scratch(<u32>CONDITION_BYTES);
  valueArea = values;
  conditionAt(0).area = <u32>area;
  conditionAt(0).criterion = <u32>addressOf(openCriterion(argument(1)));
}

/** SUMIF(range, criterion, [sum range]) */
export function evaluateSumIf(): void {
  openSingle();
  if (failure < 0) walk();
  if (failed()) return;
  answerNumber(totalSum);
}

/** AVERAGEIF(range, criterion, [average range]) */
export function evaluateAverageIf(): void {
  openSingle();
  if (failure < 0) walk();
  if (failed()) return;
  if (totalCount == 0) answerError(ERROR_DIVISION);
  else answerNumber(totalSum / totalCount);
}

/** How many cells of an area meet the criterion in a slot; the call may have failed. */
export function countMeeting(area: usize, slot: usize): f64 {
  conditionCount = 1;
  conditions = scratch(<u32>CONDITION_BYTES);
  valueArea = 0;
  conditionAt(0).area = <u32>area;
  conditionAt(0).criterion = <u32>addressOf(openCriterion(slot));
  if (failure < 0) walk();
  return matchCount;
}

/** COUNTIF(range, criterion) */
export function evaluateCountIf(): void {
  openConditions(0, 0);
  if (failure < 0) walk();
  if (failed()) return;
  answerNumber(matchCount);
}

/** COUNTIFS(range, criterion, …) */
export function evaluateCountIfs(): void {
  evaluateCountIf();
}

/** The …IFS functions with values: all rows are walked, the caller answers from the totals. */
function walkMany(): bool {
  const values = areaArgument(0);
  if (failure < 0) openConditions(1, values);
  if (failure < 0) walk();
  return !failed();
}

/** SUMIFS(sum range, range, criterion, …) */
export function evaluateSumIfs(): void {
  if (walkMany()) answerNumber(totalSum);
}

export function evaluateAverageIfs(): void {
  if (!walkMany()) return;
  if (totalCount == 0) answerError(ERROR_DIVISION);
  else answerNumber(totalSum / totalCount);
}

/** MAXIFS: 0 when nothing matches. */
export function evaluateMaxIfs(): void {
  if (walkMany()) answerNumber(totalCount ? totalGreatest : 0);
}

export function evaluateMinIfs(): void {
  if (walkMany()) answerNumber(totalCount ? totalLeast : 0);
}
