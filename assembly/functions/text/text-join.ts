import {
  ERROR_VALUE,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_ERROR,
  KIND_NUMBER,
  KIND_STRING,
} from '../../abi';
import { scratch } from '../../memory/scratch';
import { emptyText, lengthOf, textOf } from '../../memory/text';
import { numberToText } from '../../values/number-text';
import { appendText, builderOverflow, closeBuilder, openBuilder } from '../../values/text-builder';
import {
  answerError,
  answerText,
  argument,
  argumentCount,
  booleanArgument,
  failed,
  omitted,
  slotText,
} from '../../vm/call';
import { View, itemKind, itemNumber, itemWord, nextItem, openScan, openView } from '../../vm/view';
import { viewItem, viewPlace } from '../../vm/view';
import { Sparse, sparseIn } from '../../vm/sparse';
import { chargedSparse } from '../shared/sparse-argument';
import { at } from '../../memory/pointer';
import { suspended } from '../../grid/sheet';
import { kindOf, wordOf } from '../../vm/slot';
import { KIND_REFERENCE } from '../../abi';
import { areaCountOf, areaOf } from '../../vm/reference';
import { openAreaView } from '../../vm/view';

/** The text of the item that was read last; the caller has looked at errors. */
export function itemText(): usize {
  if (itemKind == KIND_STRING) return itemWord();
  if (itemKind == KIND_NUMBER) return numberToText(itemNumber());
  if (itemKind == KIND_BOOLEAN) return textOf(itemWord() ? 'TRUE' : 'FALSE');
  return emptyText();
}

function answerBuilt(): void {
  const text = closeBuilder();
  if (builderOverflow) answerError(ERROR_VALUE);
  else answerText(text);
}

/** CONCATENATE(text, …): scalars only. */
export function evaluateConcatenate(): void {
  openBuilder();
  for (let index: u32 = 0; index < argumentCount; index++) {
    appendText(slotText(argument(index)));
    if (failed()) return;
  }
  answerBuilt();
}

/** CONCAT(text or range, …): row by row. */
export function evaluateConcat(): void {
  openBuilder();
  for (let index: u32 = 0; index < argumentCount; index++) {
    const scan = openScan(argument(index));
    while (!builderOverflow && nextItem(scan)) {
      if (itemKind == KIND_ERROR) return answerError(itemWord());
      appendText(itemText());
    }
  }
  answerBuilt();
}

/** Delimiters of TEXTJOIN: a list of texts, used in turn. */
let delimiters: usize = 0;
let delimiterCount: u32 = 0;
let joinedCount: u32 = 0;

function readDelimiters(slot: usize): i32 {
  const array = openView(slot);
  delimiterCount = array.usedRows * array.usedColumns;
  delimiters = scratch(delimiterCount << 2);
  for (let row: u32 = 0; row < array.usedRows; row++) {
    for (let column: u32 = 0; column < array.usedColumns; column++) {
      viewItem(array, row, column);
      if (itemKind == KIND_ERROR) return <i32>itemWord();
      store<u32>(delimiters + ((<usize>(row * array.usedColumns + column)) << 2), <u32>itemText());
    }
  }
  return -1;
}

function appendJoined(text: usize): void {
  if (joinedCount && delimiterCount) {
    const turn = (joinedCount - 1) % delimiterCount;
    appendText(load<u32>(delimiters + ((<usize>turn) << 2)));
  }
  appendText(text);
  joinedCount++;
}

/** Joins one area; returns the error met, or -1. Blanks count only when they are not skipped. */
function joinView(view: View, skipEmpty: bool): i32 {
  const rows = skipEmpty ? view.usedRows : view.rows;
  const columns = skipEmpty ? view.usedColumns : view.columns;
  for (let row: u32 = 0; row < rows; row++) {
    for (let column: u32 = 0; column < columns; column++) {
      viewItem(view, row, column);
      if (suspended || builderOverflow) return -1;
      if (itemKind == KIND_ERROR) return <i32>itemWord();
      if (skipEmpty && itemKind == KIND_BLANK) continue;
      const text = itemText();
      if (!skipEmpty || lengthOf(text)) appendJoined(text);
    }
  }
  return -1;
}

/** Returns whether a slot is a sparse column whose rest is blank or the empty text. */
function hasEmptyRest(slot: usize): bool {
  if (!sparseIn(slot)) return false;
  const sparse = at<Sparse>(sparseIn(slot));
  if (sparse.restKind == KIND_STRING) return lengthOf(<usize>sparse.restPayload) == 0;
  return sparse.restKind == KIND_BLANK;
}

/** Joins the items of a sparse column that are not like the empty rest; see joinView. */
function joinPlaces(slot: usize): i32 {
  const sparse = at<Sparse>(chargedSparse(slot));
  for (let index: u32 = 0; index < sparse.count && !builderOverflow; index++) {
    viewPlace(sparse, index);
    if (itemKind == KIND_ERROR) return <i32>itemWord();
    if (itemKind == KIND_BLANK) continue;
    const text = itemText();
    if (lengthOf(text)) appendJoined(text);
  }
  return -1;
}

/** TEXTJOIN(delimiter, skip empty, text or range, …) */
export function evaluateTextJoin(): void {
  let problem = readDelimiters(argument(0));
  if (problem >= 0) return answerError(problem);
  const skipEmpty = omitted(1) ? true : booleanArgument(1);
  if (failed()) return;
  openBuilder();
  joinedCount = 0;
  for (let index: u32 = 2; index < argumentCount && problem < 0; index++) {
    const slot = argument(index);
    if (kindOf(slot) == KIND_REFERENCE) {
      const reference = <usize>wordOf(slot);
      for (let area: u32 = 0; area < areaCountOf(reference) && problem < 0; area++) {
        problem = joinView(openAreaView(areaOf(reference, area)), skipEmpty);
      }
    } else if (skipEmpty && hasEmptyRest(slot)) problem = joinPlaces(slot);
    else problem = joinView(openView(slot), skipEmpty);
  }
  if (problem >= 0) return answerError(problem);
  answerBuilt();
}
