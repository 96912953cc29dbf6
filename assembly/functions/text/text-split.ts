import {
  ERROR_CALCULATION,
  ERROR_NOT_AVAILABLE,
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_BLANK,
  KIND_ERROR,
  KIND_OMITTED,
  KIND_STRING,
} from '../../abi';
import { scratch } from '../../memory/scratch';
import { TEXT_HEADER, lengthOf, lowerUnit, textFrom, unit } from '../../memory/text';
import { ITEM_LIMIT, newArray, setItemAt, setItemFrom } from '../../vm/array';
import {
  answerArray,
  answerError,
  answerSlot,
  answerText,
  argument,
  booleanOr,
  fail,
  failed,
  given,
  integerOr,
  numberArgument,
  omitted,
  textArgument,
} from '../../vm/call';
import { kindOf } from '../../vm/slot';
import { itemKind, itemWord, openView, viewItem } from '../../vm/view';
import { itemText } from './text-join';

/** A list of delimiters: a count, then addresses of texts. */
function readDelimiters(slot: usize): usize {
  const view = openView(slot);
  const count = view.usedRows * view.usedColumns;
  const list = scratch(4 + (count << 2));
  store<u32>(list, count);
  for (let index: u32 = 0; index < count; index++) {
    viewItem(view, index / view.usedColumns, index % view.usedColumns);
    if (itemKind == KIND_ERROR) fail(itemWord());
    store<u32>(list + 4 + ((<usize>index) << 2), <u32>itemText());
  }
  return list;
}

/** True when case does not matter in the call under way. */
let foldCase: bool = false;

function standsAt(text: usize, place: u32, part: usize): bool {
  const length = lengthOf(part);
  if (place + length > lengthOf(text)) return false;
  for (let index: u32 = 0; index < length; index++) {
    const left = unit(text, place + index);
    const right = unit(part, index);
    if (left == right) continue;
    if (!foldCase || lowerUnit(left) != lowerUnit(right)) return false;
  }
  return true;
}

/** Where the delimiter that was found last begins and ends. */
let foundStart: u32 = 0;
let foundEnd: u32 = 0;

/** Finds the first delimiter in the units from `from` to before `end`. */
function findForward(text: usize, from: u32, end: u32, list: usize): bool {
  const count = load<u32>(list);
  for (let place = from; place <= end; place++) {
    for (let index: u32 = 0; index < count; index++) {
      const delimiter = <usize>load<u32>(list + 4 + ((<usize>index) << 2));
      if (place + lengthOf(delimiter) > end) continue;
      if (!standsAt(text, place, delimiter)) continue;
      foundStart = place;
      foundEnd = place + lengthOf(delimiter);
      return true;
    }
  }
  return false;
}

/** Finds the last delimiter that ends at or before `end`. */
function findBackward(text: usize, end: u32, list: usize): bool {
  const count = load<u32>(list);
  for (let place = <i32>end; place >= 0; place--) {
    for (let index: u32 = 0; index < count; index++) {
      const delimiter = <usize>load<u32>(list + 4 + ((<usize>index) << 2));
      if (<u32>place + lengthOf(delimiter) > end) continue;
      if (!standsAt(text, place, delimiter)) continue;
      foundStart = place;
      foundEnd = <u32>place + lengthOf(delimiter);
      return true;
    }
  }
  return false;
}

/** Finds the n-th delimiter, from the end when n is negative; the text's end may count as one. */
function findInstance(text: usize, list: usize, instance: f64, matchEnd: bool): bool {
  const length = lengthOf(text);
  const backward = instance < 0;
  let place: u32 = backward ? length : 0;
  for (let left = abs(instance); left >= 1; left--) {
    const found = backward
      ? findBackward(text, place, list)
      : findForward(text, place, length, list);
    if (!found) {
      foundStart = foundEnd = backward ? 0 : length;
      return matchEnd && left == 1;
    }
    place = backward ? foundStart : foundEnd;
  }
  return true;
}

/** Units of the shortest delimiter. */
function shortestOf(list: usize): u32 {
  let shortest = u32.MAX_VALUE;
  for (let index: u32 = 0; index < load<u32>(list); index++) {
    shortest = min(shortest, lengthOf(load<u32>(list + 4 + ((<usize>index) << 2))));
  }
  return shortest == u32.MAX_VALUE ? 0 : shortest;
}

function partAt(after: bool): void {
  const text = textArgument(0);
  const list = readDelimiters(argument(1));
  const isCounted = given(2) && !omitted(2);
  // Rounded down, not cut: -1.2 is the second from the end.
  const instance = isCounted ? floor(numberArgument(2)) : 1;
  const mode = integerOr(3, 0);
  const matchEnd = booleanOr(4, false);
  const length = lengthOf(text);
  // An instance for which the text has no room is refused, where one was asked for.
  const most = <f64>length - <f64>shortestOf(list) + 1;
  if (instance == 0 || (isCounted && abs(instance) > most)) fail(ERROR_VALUE);
  if (mode != 0 && mode != 1) fail(ERROR_VALUE);
  if (failed()) return;
  foldCase = mode == 1;
  if (!findInstance(text, list, instance, matchEnd)) {
    if (given(5) && !omitted(5)) return answerSlot(argument(5));
    return answerError(ERROR_NOT_AVAILABLE);
  }
  const start = after ? foundEnd : 0;
  const end = after ? length : foundStart;
  answerText(textFrom(text + TEXT_HEADER + ((<usize>start) << 1), end - start));
}

/** TEXTBEFORE(text, delimiters, [instance], [match mode], [match end], [if not found]) */
export function evaluateTextBefore(): void {
  partAt(false);
}

/** TEXTAFTER(text, delimiters, [instance], [match mode], [match end], [if not found]) */
export function evaluateTextAfter(): void {
  partAt(true);
}

/** State of a walk of TEXTSPLIT: what it splits, and the rows and columns that it has found. */
let splitText: usize = 0;
let columnList: usize = 0;
let rowList: usize = 0;
let ignoreEmpty: bool = false;
let splitRows: u32 = 0;
let splitColumns: u32 = 0;

/** Splits the units of one row; returns how many columns it has. Fills `array` if there is one. */
function splitRow(from: u32, end: u32, array: usize): u32 {
  let column: u32 = 0;
  let start = from;
  while (true) {
    const found = columnList && findForward(splitText, start, end, columnList);
    const stop = found ? foundStart : end;
    if (stop > start || !ignoreEmpty) {
      if (array) {
        const piece = textFrom(splitText + TEXT_HEADER + ((<usize>start) << 1), stop - start);
        setItemAt(array, splitRows * splitColumns + column, KIND_STRING, piece);
      }
      column++;
    }
    if (!found) return column;
    start = foundEnd;
  }
}

/** Splits the text; without an array it only counts rows and the widest row. */
function walkRows(array: usize): void {
  const length = lengthOf(splitText);
  let start: u32 = 0;
  splitRows = 0;
  while (true) {
    const found = rowList && findForward(splitText, start, length, rowList);
    const stop = found ? foundStart : length;
    const next = foundEnd;
    if (stop > start || !ignoreEmpty) {
      const columns = splitRow(start, stop, array);
      if (!array) splitColumns = max(splitColumns, columns);
      if (columns) splitRows++;
    }
    if (!found) return;
    start = next;
  }
}

/** The delimiters of an argument, or 0 when there are none; an empty one is #VALUE!. */
function splitList(index: u32): usize {
  if (!given(index)) return 0;
  const kind = kindOf(argument(index));
  if (kind == KIND_OMITTED || kind == KIND_BLANK) return 0;
  const list = readDelimiters(argument(index));
  for (let place: u32 = 0; place < load<u32>(list); place++) {
    if (!lengthOf(load<u32>(list + 4 + ((<usize>place) << 2)))) fail(ERROR_VALUE);
  }
  return list;
}

/** TEXTSPLIT(text, column delimiters, [row delimiters], [ignore empty], [match mode], [pad]) */
export function evaluateTextSplit(): void {
  splitText = textArgument(0);
  columnList = splitList(1);
  rowList = splitList(2);
  ignoreEmpty = booleanOr(3, false);
  const mode = integerOr(4, 0);
  if (mode != 0 && mode != 1) fail(ERROR_VALUE);
  if (!columnList && !rowList) fail(ERROR_VALUE);
  if (failed()) return;
  foldCase = mode == 1;
  splitColumns = 0;
  walkRows(0);
  const rows = splitRows;
  if (!rows || !splitColumns) return answerError(ERROR_CALCULATION);
  if (<u64>rows * splitColumns > ITEM_LIMIT) return answerError(ERROR_NUMBER);
  const array = newArray(rows, splitColumns);
  const count = rows * splitColumns;
  for (let index: u32 = 0; index < count; index++) {
    if (given(5) && !omitted(5)) setItemFrom(array, index, argument(5));
    else setItemAt(array, index, KIND_ERROR, ERROR_NOT_AVAILABLE);
  }
  walkRows(array);
  answerArray(array);
}
