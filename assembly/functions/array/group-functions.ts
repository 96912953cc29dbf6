import {
  ERROR_CALCULATION,
  ERROR_VALUE,
  KIND_ARRAY,
  KIND_ERROR,
  KIND_LAMBDA,
  KIND_REFERENCE,
  KIND_STRING,
} from '../../abi';
import { suspended } from '../../grid/sheet';
import { at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { appendConstant, appendWhole, closeBuilder, openBuilder } from '../../values/text-builder';
import { newArray, setItemAt } from '../../vm/array';
import { argument, fail } from '../../vm/call';
import { functionName, invokeLambda } from '../../vm/lambda';
import { SLOT_BYTES, copySlot, kindOf, setError, setSlot, wordOf } from '../../vm/slot';
import { View, itemKind, itemPayload, itemWord, openView, viewItem } from '../../vm/view';
import { Grouping } from './group-record';

/** The functions of GROUPBY and PIVOTBY, one or a vector of them. Lives in scratch. */
@unmanaged
export class FunctionList {
  count: u32 = 0;
  /** 1 when each group has a row for each function, 0 when it has columns for them. */
  isVertical: u32 = 0;
  /** 1 when the functions' names are shown. */
  isNamed: u32 = 0;
  /** Addresses of the lambdas and of the texts that name them. */
  lambdas: u32 = 0;
  names: u32 = 0;
}

export function functionAt(list: FunctionList, index: u32): u32 {
  return load<u32>(<usize>list.lambdas + ((<usize>index) << 2));
}

export function nameAt(list: FunctionList, index: u32): usize {
  return load<u32>(<usize>list.names + ((<usize>index) << 2));
}

export function functionsOf(grouping: Grouping): FunctionList {
  return at<FunctionList>(grouping.functions);
}

/**
 * A function, or a row or column of functions; a second row or column of texts names them. Anything
 * else fails.
 */
export function functionsArgument(index: u32): FunctionList {
  const slot = argument(index);
  const list = at<FunctionList>(scratch(offsetof<FunctionList>()));
  const view = openView(slot);
  const isAlone = kindOf(slot) == KIND_LAMBDA;
  const isNamedDown = !isAlone && view.rows == 2 && kindAt(view, 1, 0) == KIND_STRING;
  const isNamedAcross = !isAlone && view.columns == 2 && kindAt(view, 0, 1) == KIND_STRING;
  list.isVertical = !isAlone && !isNamedDown && (isNamedAcross || view.rows > 1) ? 1 : 0;
  list.count = isAlone ? 1 : list.isVertical ? view.rows : view.columns;
  list.isNamed = list.count > 1 || isNamedDown || isNamedAcross || list.isVertical ? 1 : 0;
  const lines = list.isVertical ? view.columns : view.rows;
  const linesMost: u32 = isNamedDown || isNamedAcross ? 2 : 1;
  list.lambdas = <u32>scratch(list.count << 2);
  list.names = <u32>scratch(list.count << 2);
  if (kindOf(slot) == KIND_ERROR) fail(wordOf(slot));
  else if (!isAlone && lines > linesMost) fail(ERROR_VALUE);
  else readFunctions(list, slot, isNamedDown || isNamedAcross);
  return list;
}

function kindAt(view: View, row: u32, column: u32): u32 {
  viewItem(view, row, column);
  return itemKind;
}

function readFunctions(list: FunctionList, slot: usize, hasNames: bool): void {
  const isAlone = kindOf(slot) == KIND_LAMBDA;
  const view = openView(slot);
  let customCount: u32 = 0;
  for (let index: u32 = 0; index < list.count; index++) {
    const row: u32 = list.isVertical ? index : 0;
    const column: u32 = list.isVertical ? 0 : index;
    if (!isAlone && kindAt(view, row, column) != KIND_LAMBDA) {
      return fail(itemKind == KIND_ERROR ? itemWord() : ERROR_VALUE);
    }
    const lambda = isAlone ? wordOf(slot) : itemWord();
    let name: usize = functionName(lambda);
    if (hasNames) {
      viewItem(view, list.isVertical ? index : 1, list.isVertical ? 1 : index);
      name = itemKind == KIND_STRING ? <usize>itemPayload : name;
    }
    if (!name) customCount++;
    const offset = (<usize>index) << 2;
    store<u32>(<usize>list.lambdas + offset, lambda);
    store<u32>(<usize>list.names + offset, <u32>name);
  }
  if (customCount) nameCustom(list, customCount > 1);
}

/** Lambdas are CUSTOM, or CUSTOM1, CUSTOM2 and so on where there are several. */
function nameCustom(list: FunctionList, isNumbered: bool): void {
  let number: u32 = 0;
  for (let index: u32 = 0; index < list.count; index++) {
    if (nameAt(list, index)) continue;
    openBuilder();
    appendConstant('CUSTOM');
    if (isNumbered) appendWhole(++number);
    store<u32>(<usize>list.names + ((<usize>index) << 2), <u32>closeBuilder());
  }
}

/** The values of a list of lines as one column. */
function columnOf(values: View, lines: usize, count: u32, column: u32): usize {
  const array = newArray(count, 1);
  for (let index: u32 = 0; index < count; index++) {
    viewItem(values, load<u32>(lines + ((<usize>index) << 2)), column);
    setItemAt(array, index, itemKind, itemPayload);
  }
  return array;
}

/** Lines that a function of two arguments compares its own with. */
let totalLines: usize = 0;
let totalCount: u32 = 0;

export function setTotalLines(lines: usize, count: u32): void {
  totalLines = lines;
  totalCount = count;
}

/** Calls a function for lines of one column of values; the result is one value. */
export function aggregateLines(
  grouping: Grouping,
  lines: usize,
  count: u32,
  item: u32,
  slot: usize,
): void {
  const values = at<View>(grouping.values);
  const lambda = functionAt(functionsOf(grouping), item / values.columns);
  const column = item % values.columns;
  const all = totalLines;
  const allCount = totalCount;
  const slots = scratch(2 * <u32>SLOT_BYTES);
  setSlot(slots, KIND_ARRAY, columnOf(values, lines, count, column));
  invokeLambda(lambda, slots, 1, slot);
  if (kindOf(slot) == KIND_ERROR && wordOf(slot) == ERROR_VALUE && !suspended) {
    // A function of two arguments refuses one: PERCENTOF wants the whole as well.
    setSlot(slots, KIND_ARRAY, columnOf(values, lines, count, column));
    setSlot(slots + SLOT_BYTES, KIND_ARRAY, columnOf(values, all, allCount, column));
    const second = scratch(<u32>SLOT_BYTES);
    invokeLambda(lambda, slots, 2, second);
    if (kindOf(second) != KIND_ERROR) copySlot(slot, second);
  }
  setTotalLines(all, allCount);
  const kind = kindOf(slot);
  if (kind == KIND_LAMBDA) return setError(slot, ERROR_CALCULATION);
  if (kind != KIND_ARRAY && kind != KIND_REFERENCE) return;
  const view = openView(slot);
  if (view.rows != 1 || view.columns != 1) return setError(slot, ERROR_CALCULATION);
  viewItem(view, 0, 0);
  setSlot(slot, itemKind, itemPayload);
}
