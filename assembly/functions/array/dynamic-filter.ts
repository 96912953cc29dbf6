import {
  ERROR_CALCULATION,
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_ERROR,
  KIND_NUMBER,
} from '../../abi';
import { suspended } from '../../grid/sheet';
import { at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { ITEM_LIMIT, newArray, setItemAt } from '../../vm/array';
import {
  answerArray,
  answerError,
  answerSlot,
  argument,
  fail,
  failed,
  given,
  omitted,
} from '../../vm/call';
import { kindOf, wordOf } from '../../vm/slot';
import { Sparse, placeAt } from '../../vm/sparse';
import {
  View,
  itemKind,
  itemNumber,
  itemPayload,
  itemWord,
  openSought,
  openView,
  viewItem,
  viewPlace,
} from '../../vm/view';
import { chargedSparse, refusesRest } from '../shared/sparse-argument';

/** A list of row (or column) numbers in scratch, and how many there are. */
let pickCount: u32 = 0;

/**
 * An array of the picked rows (columns) of a view, in the order of the list. The call has failed
 * with #NUM! when there would be too many items.
 */
export function pickLines(view: View, list: usize, count: u32, byRow: bool): usize {
  const rows = byRow ? count : view.rows;
  const columns = byRow ? view.columns : count;
  if (<u64>rows * columns > ITEM_LIMIT) {
    fail(ERROR_NUMBER);
    return 0;
  }
  const array = newArray(rows, columns);
  const usedRows = byRow ? rows : min(rows, view.usedRows);
  const usedColumns = byRow ? min(columns, view.usedColumns) : columns;
  for (let column: u32 = 0; column < usedColumns; column++) {
    const from = byRow ? column : load<u32>(list + ((<usize>column) << 2));
    for (let row: u32 = 0; row < usedRows && !suspended; row++) {
      viewItem(view, byRow ? load<u32>(list + ((<usize>row) << 2)) : row, from);
      setItemAt(array, row * columns + column, itemKind, itemPayload);
    }
  }
  return array;
}

/** Fails with an argument that is an error instead of an array. */
export function openArrayArgument(index: u32): View {
  const slot = argument(index);
  if (kindOf(slot) == KIND_ERROR) fail(wordOf(slot));
  return openView(slot);
}

/** Returns whether the item just read lets its row through; fails with an error or a text. */
function itemIsTrue(): bool {
  if (itemKind == KIND_BOOLEAN) return itemWord() != 0;
  if (itemKind == KIND_NUMBER) return itemNumber() != 0;
  if (itemKind == KIND_BLANK) return false;
  fail(itemKind == KIND_ERROR ? itemWord() : ERROR_VALUE);
  return false;
}

/** The same as readInclude of a sparse column whose rest lets no row through. */
function readPlaces(sparse: Sparse): usize {
  const list = scratch(sparse.count << 2);
  pickCount = 0;
  for (let index: u32 = 0; index < sparse.count; index++) {
    viewPlace(sparse, index);
    if (!itemIsTrue()) continue;
    store<u32>(list + ((<usize>pickCount) << 2), placeAt(sparse, index));
    pickCount++;
  }
  return list;
}

/** Reads FILTER's second argument into a list of the lines it lets through. */
function readInclude(include: View, byRow: bool): usize {
  if (byRow && refusesRest(argument(1))) return readPlaces(at<Sparse>(chargedSparse(argument(1))));
  const count = byRow ? include.usedRows : include.usedColumns;
  const used = include.usedRows && include.usedColumns ? count : 0;
  const list = scratch(used << 2);
  pickCount = 0;
  for (let index: u32 = 0; index < used && !suspended; index++) {
    viewItem(include, byRow ? index : 0, byRow ? 0 : index);
    if (!itemIsTrue()) continue;
    store<u32>(list + ((<usize>pickCount) << 2), index);
    pickCount++;
  }
  return list;
}

/** FILTER(array, include, [if empty]) */
export function evaluateFilter(): void {
  const source = openArrayArgument(0);
  if (kindOf(argument(1)) == KIND_ERROR) fail(wordOf(argument(1)));
  const include = openSought(argument(1));
  const byRow = include.columns == 1 && include.rows == source.rows;
  if (!byRow && !(include.rows == 1 && include.columns == source.columns)) fail(ERROR_VALUE);
  if (failed()) return;
  const list = readInclude(include, byRow);
  if (failed()) return;
  if (!pickCount) {
    if (given(2) && !omitted(2)) return answerSlot(argument(2));
    return answerError(ERROR_CALCULATION);
  }
  const array = pickLines(source, list, pickCount, byRow);
  if (failed()) return;
  answerArray(array);
}
