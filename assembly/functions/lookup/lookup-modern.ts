import { ERROR_NOT_AVAILABLE, ERROR_VALUE, KIND_ERROR, KIND_REFERENCE } from '../../abi';
import { at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { openPattern } from '../../regex/match';
import { hasWildcard } from '../../values/wildcard';
import { newArray, setItemAt } from '../../vm/array';
import {
  answer,
  answerArray,
  answerError,
  answerNumber,
  answerSlot,
  argument,
  fail,
  failed,
  given,
  integerOr,
  omitted,
} from '../../vm/call';
import { Area, areaOf, setArea, setReference } from '../../vm/reference';
import { kindOf, wordOf } from '../../vm/slot';
import { View, itemKind, itemPayload, openSought, openView, viewItem } from '../../vm/view';
import {
  findFirst,
  findLast,
  findPattern,
  findRegex,
  keyIsBlank,
  keyIsText,
  keyText,
  openKey,
  openVector,
} from './lookup-key';
import { answerItem } from './lookup-match';
import { findNearest, findSorted } from './lookup-near';

/** Reads match and search mode from two arguments; anything Excel does not know fails. */
let matchMode: i32 = 0;
let searchMode: i32 = 1;

function readModes(first: u32): void {
  const match = integerOr(first, 0);
  const search = omitted(first + 1) ? 1 : integerOr(first + 1, 1);
  if (!(match >= -1 && match <= 3)) fail(ERROR_VALUE);
  if (!(search >= -2 && search <= 2) || search == 0) fail(ERROR_VALUE);
  if (match >= 2 && abs(search) == 2) fail(ERROR_VALUE);
  if (match == 3 && keyIsText() && !openPattern(keyText(), false)) fail(ERROR_VALUE);
  matchMode = <i32>match;
  searchMode = <i32>search;
}

/** Searches the open vector for the open key. */
function find(): i32 {
  if (keyIsBlank()) return searchMode == -1 ? findLast() : findFirst();
  if (searchMode == 2 || searchMode == -2) return findSorted(searchMode < 0, matchMode);
  const backwards = searchMode < 0;
  if (matchMode == 3) return keyIsText() ? findRegex(backwards) : -1;
  if (matchMode == 2 && keyIsText() && hasWildcard(keyText())) return findPattern(backwards);
  if (matchMode == 1 || matchMode == -1) return findNearest(matchMode, backwards);
  return backwards ? findLast() : findFirst();
}

function openLookupVector(slot: usize): View {
  if (kindOf(slot) == KIND_ERROR) fail(wordOf(slot));
  const source = openSought(slot);
  if (source.rows > 1 && source.columns > 1) fail(ERROR_VALUE);
  openVector(source, source.columns == 1);
  return source;
}

/** XMATCH(value, vector, [match mode], [search mode]) */
export function evaluateXmatch(): void {
  openKey(argument(0), false);
  openLookupVector(argument(1));
  readModes(2);
  if (failed()) return;
  const found = find();
  if (found < 0) answerError(ERROR_NOT_AVAILABLE);
  else answerNumber(found + 1);
}

/** Answers a row (or column) of the results: a reference if they are one. */
function answerLine(results: View, index: u32, downwards: bool): void {
  const slot = argument(2);
  if (kindOf(slot) == KIND_REFERENCE) {
    const from = at<Area>(areaOf(wordOf(slot), 0));
    const area = scratch(<u32>offsetof<Area>());
    const row = from.row0 + index;
    const column = from.column0 + index;
    if (downwards) setArea(area, from.sheet, row, from.column0, row, from.column1);
    else setArea(area, from.sheet, from.row0, column, from.row1, column);
    return setReference(answer, area);
  }
  const count = downwards ? results.columns : results.rows;
  if (count == 1) return answerItem(results, downwards ? index : 0, downwards ? 0 : index);
  const array = newArray(downwards ? 1 : count, downwards ? count : 1);
  for (let place: u32 = 0; place < count; place++) {
    viewItem(results, downwards ? index : place, downwards ? place : index);
    setItemAt(array, place, itemKind, itemPayload);
  }
  answerArray(array);
}

/** XLOOKUP(value, vector, results, [if not found], [match mode], [search mode]) */
export function evaluateXlookup(): void {
  openKey(argument(0), false);
  const source = openLookupVector(argument(1));
  if (kindOf(argument(2)) == KIND_ERROR) fail(wordOf(argument(2)));
  const results = openView(argument(2));
  readModes(4);
  // A single cell has no direction of its own; the results then decide.
  let downwards = source.columns == 1;
  if (source.rows == 1 && source.columns == 1) downwards = results.rows == 1;
  const lines = downwards ? results.rows : results.columns;
  if (lines != (downwards ? source.rows : source.columns)) fail(ERROR_VALUE);
  if (failed()) return;
  const found = find();
  if (found >= 0) return answerLine(results, found, downwards);
  if (!given(3) || omitted(3)) return answerError(ERROR_NOT_AVAILABLE);
  answerSlot(argument(3));
}
