import {
  ERROR_DIVISION,
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_ERROR,
  KIND_NUMBER,
  KIND_OMITTED,
  KIND_STRING,
} from '../../abi';
import { suspended } from '../../grid/sheet';
import { addressOf, at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { TEXT_HEADER, equalTexts, lengthOf, newText, setUnit, unit } from '../../memory/text';
import { Criterion, meets, openCriterion } from '../../values/criteria';
import { hasWildcard } from '../../values/wildcard';
import { answer, answerError, answerNumber, argument, failed } from '../../vm/call';
import { fail, failure, slotText } from '../../vm/call';
import { pay } from '../../vm/fuel';
import { SLOT_BYTES, kindOf, numberOf, setSlot, wordOf } from '../../vm/slot';
import {
  View,
  itemKind,
  itemNumber,
  itemPayload,
  itemWord,
  openView,
  viewItem,
} from '../../vm/view';
import { itemText } from '../text/text-join';

/** Rows: name, fewest arguments, most, kinds, flags. The row number is the case of callDatabase. */
export const DATABASE: string = `
DSUM 3 3 rvr;
DAVERAGE 3 3 rvr;
DCOUNT 3 3 rvr;
DCOUNTA 3 3 rvr;
DMAX 3 3 rvr;
DMIN 3 3 rvr;
DGET 3 3 rvr;
DPRODUCT 3 3 rvr;
DSTDEV 3 3 rvr;
DSTDEVP 3 3 rvr;
DVAR 3 3 rvr;
DVARP 3 3 rvr;
`;

/** Column of a table by its header, compared as text; or -1. */
function columnNamed(table: View, name: usize): i32 {
  if (!lengthOf(name)) return -1;
  for (let column: u32 = 0; column < table.usedColumns; column++) {
    viewItem(table, 0, column);
    if (itemKind != KIND_ERROR && equalTexts(itemText(), name)) return <i32>column;
  }
  return -1;
}

/** The column the field argument names or counts; -1 when it is left out, failing otherwise. */
function fieldColumn(table: View, slot: usize): i32 {
  const kind = kindOf(slot);
  if (kind == KIND_OMITTED || kind == KIND_BLANK) return -1;
  if (kind == KIND_ERROR) {
    fail(wordOf(slot));
    return -1;
  }
  let column: i32 = -1;
  if (kind == KIND_STRING) column = columnNamed(table, slotText(slot));
  else if (kind == KIND_BOOLEAN) column = <i32>wordOf(slot) - 1;
  else if (kind == KIND_NUMBER && numberOf(slot) >= 1 && numberOf(slot) <= <f64>table.columns) {
    column = <i32>numberOf(slot) - 1;
  }
  if (column < 0) fail(ERROR_VALUE);
  return column;
}

/**
 * Criteria: for each row and column of the criteria range a criterion's address, 0 for none, or
 * IMPOSSIBLE under a header the table has not: there a computed TRUE lets every record through,
 * and anything else none.
 */
const IMPOSSIBLE: u32 = 1;

let criteria: usize = 0;
let criteriaColumns: usize = 0;
let criteriaRows: u32 = 0;
let criteriaWidth: u32 = 0;

/** A text criterion without operator means "begins with" here: a star is put behind it. */
function openDatabaseCriterion(slot: usize): Criterion {
  const text = kindOf(slot) == KIND_STRING ? <usize>wordOf(slot) : 0;
  if (text && lengthOf(text)) {
    const first = unit(text, 0);
    const criterion = openCriterion(slot);
    const plain = criterion.kind == KIND_STRING && first != 60 && first != 61 && first != 62;
    if (!plain || hasWildcard(text)) return criterion;
    const length = lengthOf(text);
    const pattern = newText(length + 1);
    memory.copy(pattern + TEXT_HEADER, text + TEXT_HEADER, (<usize>length) << 1);
    setUnit(pattern, length, 42);
    setSlot(slot, KIND_STRING, pattern);
  }
  return openCriterion(slot);
}

function itemIsTrue(): bool {
  if (itemKind == KIND_BOOLEAN) return itemWord() != 0;
  return itemKind == KIND_NUMBER && itemNumber() != 0;
}

function readCriteria(table: View, source: View): void {
  criteriaRows = source.usedRows > 0 ? source.rows - 1 : 0;
  criteriaWidth = source.usedColumns;
  const count = criteriaRows * criteriaWidth;
  criteria = scratch(count << 2);
  criteriaColumns = scratch(criteriaWidth << 2);
  const slot = scratch(<u32>SLOT_BYTES);
  for (let column: u32 = 0; column < criteriaWidth; column++) {
    viewItem(source, 0, column);
    const named = itemKind == KIND_ERROR ? -1 : columnNamed(table, itemText());
    store<i32>(criteriaColumns + ((<usize>column) << 2), named);
    for (let row: u32 = 0; row < criteriaRows; row++) {
      viewItem(source, row + 1, column);
      const place = criteria + ((<usize>(row * criteriaWidth + column)) << 2);
      if (itemKind == KIND_BLANK) store<u32>(place, 0);
      else if (named < 0) store<u32>(place, itemIsTrue() ? 0 : IMPOSSIBLE);
      else {
        setSlot(slot, itemKind, itemPayload);
        store<u32>(place, <u32>addressOf(openDatabaseCriterion(slot)));
      }
    }
  }
}

/** Returns whether a record meets all criteria of at least one criteria row. */
function isWanted(table: View, record: u32): bool {
  // A criteria range of headers alone asks for nothing.
  if (!criteriaRows) return true;
  for (let row: u32 = 0; row < criteriaRows && pay(4); row++) {
    let all: bool = true;
    for (let column: u32 = 0; column < criteriaWidth && all; column++) {
      const place = criteria + ((<usize>(row * criteriaWidth + column)) << 2);
      const criterion = load<u32>(place);
      if (!criterion) continue;
      if (criterion == IMPOSSIBLE) {
        all = false;
        break;
      }
      viewItem(table, record, load<u32>(criteriaColumns + ((<usize>column) << 2)));
      all = meets(at<Criterion>(criterion), itemKind, itemPayload);
    }
    if (all) return true;
  }
  return false;
}

/** Figures that a pass over the wanted records gathers. */
let wantedCount: u32 = 0;
let filledCount: u32 = 0;
let numberCount: u32 = 0;
let sum: f64 = 0;
let product: f64 = 1;
let least: f64 = 0;
let greatest: f64 = 0;
let mean: f64 = 0;
let squares: f64 = 0;
let lastKind: u32 = 0;
let lastPayload: u64 = 0;

function takeNumber(value: f64): void {
  least = numberCount ? min(least, value) : value;
  greatest = numberCount ? max(greatest, value) : value;
  numberCount++;
  sum += value;
  product *= value;
  // Welford's update, so that the variance does not cancel.
  const delta = value - mean;
  mean += delta / <f64>numberCount;
  squares += delta * (value - mean);
}

function resetTotals(): void {
  wantedCount = 0;
  filledCount = 0;
  numberCount = 0;
  sum = 0;
  product = 1;
  mean = 0;
  squares = 0;
}

/** Walks the records; an error in the field fails unless errors only count. */
function gather(table: View, field: i32, errorsCount: bool): void {
  resetTotals();
  for (let record: u32 = 1; record < table.usedRows && !suspended; record++) {
    if (!isWanted(table, record)) continue;
    wantedCount++;
    if (field < 0) continue;
    viewItem(table, record, field);
    lastKind = itemKind;
    lastPayload = itemPayload;
    if (itemKind != KIND_BLANK) filledCount++;
    if (itemKind == KIND_NUMBER) takeNumber(itemNumber());
    else if (itemKind == KIND_ERROR && !errorsCount) fail(itemWord());
    if (failure >= 0) return;
  }
}

function answerVariance(divisor: f64, isRoot: bool): void {
  if (divisor <= 0) return answerError(ERROR_DIVISION);
  const variance = squares / divisor;
  answerNumber(isRoot ? sqrt(variance) : variance);
}

export function callDatabase(index: u32): void {
  const table = openView(argument(0));
  const field = fieldColumn(table, argument(1));
  const isCount = index == 2 || index == 3;
  if ((field < 0 && !isCount) || table.rows < 2) fail(ERROR_VALUE);
  if (failed()) return;
  readCriteria(table, openView(argument(2)));
  gather(table, field, isCount || index == 6);
  if (failed()) return;
  answerTotal(index, field);
}

function answerTotal(index: u32, field: i32): void {
  const count = <f64>numberCount;
  switch (index) {
    case 0:
      return answerNumber(sum);
    case 1:
      return numberCount ? answerNumber(sum / count) : answerError(ERROR_DIVISION);
    case 2:
      return answerNumber(field < 0 ? wantedCount : numberCount);
    case 3:
      return answerNumber(field < 0 ? wantedCount : filledCount);
    case 4:
      return answerNumber(numberCount ? greatest : 0);
    case 5:
      return answerNumber(numberCount ? least : 0);
    case 6:
      if (wantedCount == 0) return answerError(ERROR_VALUE);
      if (wantedCount > 1) return answerError(ERROR_NUMBER);
      return setSlot(answer, lastKind, lastPayload);
    case 7:
      return answerNumber(numberCount ? product : 0);
    case 8:
      return answerVariance(count - 1, true);
    case 9:
      return answerVariance(count, true);
    case 10:
      return answerVariance(count - 1, false);
    default:
      return answerVariance(count, false);
  }
}
