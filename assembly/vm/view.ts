import { KIND_ARRAY, KIND_BLANK, KIND_OMITTED, KIND_REFERENCE } from '../abi';
import { cellPayload, columnAt, readCell, readColumn, suspended } from '../grid/sheet';
import { addressOf, at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { Grid, newArray, setItemAt } from './array';
import { pay } from './fuel';
import { Area, areaCountOf, areaOf, usedAreaColumns, usedAreaRows } from './reference';
import { kindOf, payloadOf, wordOf } from './slot';
import { Sparse, placeAt, placeFrom, sparseIn, spread } from './sparse';

/** Cost of reading one item and using it, in units of memory/work.ts. */
const VIEW_UNITS: u32 = 6;

/** The item that viewItem or nextItem answered last. */
export let itemKind: u32 = 0;
export let itemPayload: u64 = 0;

/** Takes the item as a double (only meaningful for numbers and booleans' 0 and 1 see itemWord). */
export function itemNumber(): f64 {
  return reinterpret<f64>(itemPayload);
}

/** Takes the item as address, boolean or error number. */
export function itemWord(): u32 {
  return <u32>itemPayload;
}

/** A rectangle to read by row and column, whatever it is: one value, an array or a reference. */
@unmanaged
export class View {
  rows: u32 = 0;
  columns: u32 = 0;
  /** Rows and columns beyond these are blank; loops end here. */
  usedRows: u32 = 0;
  usedColumns: u32 = 0;
  /** Address of the array, or 0. */
  array: u32 = 0;
  /** The area's sheet and corner when it is a reference. */
  sheet: u32 = 0;
  row0: u32 = 0;
  column0: u32 = 0;
  /** Value of a view that is neither an array nor a reference. */
  kind: u32 = 0;
  payload: u64 = 0;
  /** Address of a sparse column that is read as it is, or 0. */
  sparse: u32 = 0;
}

/** A view of a slot; of a union, its first area. */
export function openView(slot: usize): View {
  const view = at<View>(scratch(offsetof<View>()));
  const kind = kindOf(slot);
  view.array = 0;
  view.sheet = 0;
  view.sparse = 0;
  if (kind == KIND_REFERENCE) {
    openArea(view, areaOf(wordOf(slot), 0));
  } else if (kind == KIND_ARRAY) {
    const grid = at<Grid>(wordOf(slot));
    spread(addressOf(grid));
    view.array = wordOf(slot);
    view.rows = view.usedRows = grid.rows;
    view.columns = view.usedColumns = grid.columns;
  } else {
    view.rows = view.columns = view.usedRows = view.usedColumns = 1;
    view.kind = kind == KIND_OMITTED ? KIND_BLANK : kind;
    view.payload = payloadOf(slot);
  }
  return view;
}

/** The same for who mostly looks for items: a sparse column is not laid out. */
export function openSought(slot: usize): View {
  const sparse = sparseIn(slot);
  if (!sparse) return openView(slot);
  const view = at<View>(scratch(offsetof<View>()));
  view.array = view.sheet = 0;
  view.sparse = <u32>sparse;
  view.rows = view.usedRows = at<Grid>(wordOf(slot)).rows;
  view.columns = view.usedColumns = 1;
  return view;
}

/** A view of one area of a reference. */
export function openAreaView(area: usize): View {
  const view = at<View>(scratch(offsetof<View>()));
  view.array = 0;
  view.sparse = 0;
  openArea(view, area);
  return view;
}

function openArea(view: View, area: usize): void {
  const record = at<Area>(area);
  view.rows = record.row1 - record.row0 + 1;
  view.columns = record.column1 - record.column0 + 1;
  view.usedRows = usedAreaRows(area);
  view.usedColumns = usedAreaColumns(area);
  view.sheet = record.sheet;
  view.row0 = record.row0;
  view.column0 = record.column0;
}

/** Reads one item into itemKind and itemPayload; positions count from zero. */
export function viewItem(view: View, row: u32, column: u32): void {
  pay(VIEW_UNITS);
  if (view.sheet) {
    itemKind = readCell(view.sheet, view.row0 + row, view.column0 + column);
    itemPayload = itemKind == KIND_BLANK ? 0 : cellPayload;
  } else if (view.array) {
    const grid = at<Grid>(view.array);
    const index = row * grid.columns + column;
    itemKind = load<u8>(<usize>grid.kinds + index);
    itemPayload = load<u64>(<usize>grid.payloads + ((<usize>index) << 3));
  } else if (view.sparse) {
    viewSparse(at<Sparse>(view.sparse), row);
  } else {
    itemKind = view.kind;
    itemPayload = view.payload;
  }
}

function viewSparse(sparse: Sparse, row: u32): void {
  const index = placeFrom(sparse, row);
  if (placeAt(sparse, index) == row) viewPlace(sparse, index);
  else viewRest(sparse);
}

/** Takes the item of a place of a sparse column. */
export function viewPlace(sparse: Sparse, index: u32): void {
  itemKind = load<u8>(<usize>sparse.kinds + index);
  itemPayload = load<u64>(<usize>sparse.payloads + ((<usize>index) << 3));
}

/** Takes the item that a sparse column has in all other rows. */
export function viewRest(sparse: Sparse): void {
  itemKind = sparse.restKind;
  itemPayload = sparse.restPayload;
}

/** A walk over every item of an argument that is not blank, row by row, area by area. */
@unmanaged
export class Scan {
  /** The reference (all its areas are walked), or 0 when `view` is all there is. */
  reference: u32 = 0;
  area: u32 = 0;
  view: u32 = 0;
  row: u32 = 0;
  column: u32 = 0;
  /** True for a value given directly, which many functions convert where they skip it in ranges. */
  direct: bool = false;
}

export function openScan(slot: usize): Scan {
  const scan = at<Scan>(scratch(offsetof<Scan>()));
  const kind = kindOf(slot);
  const view = openView(slot);
  scan.reference = kind == KIND_REFERENCE ? wordOf(slot) : 0;
  scan.area = 0;
  scan.view = <u32>addressOf(view);
  scan.row = 0;
  scan.column = 0;
  scan.direct = kind != KIND_REFERENCE && kind != KIND_ARRAY;
  return scan;
}

/**
 * Moves to the next item that is not blank; returns false at the end (or when a cell is out of
 * date).
 */
export function nextItem(scan: Scan): bool {
  while (!suspended) {
    const view = at<View>(scan.view);
    if (scan.row >= view.usedRows || view.usedColumns == 0) {
      if (!scan.reference || ++scan.area >= areaCountOf(scan.reference)) return false;
      scan.view = <u32>addressOf(openAreaView(areaOf(scan.reference, scan.area)));
      scan.row = 0;
      continue;
    }
    if (view.sheet && view.usedColumns == 1) {
      if (nextInColumn(scan, view)) return true;
      continue;
    }
    viewItem(view, scan.row, scan.column);
    if (++scan.column >= view.usedColumns) {
      scan.column = 0;
      scan.row++;
    }
    if (itemKind != KIND_BLANK) return true;
  }
  return false;
}

function nextInColumn(scan: Scan, view: View): bool {
  const column = columnAt(view.sheet, view.column0);
  if (!column) {
    scan.row = view.usedRows;
    return false;
  }
  while (scan.row < view.usedRows) {
    if (!pay(0)) return false;
    itemKind = readColumn(column, view.row0 + scan.row++);
    if (itemKind != KIND_BLANK) {
      itemPayload = cellPayload;
      return true;
    }
  }
  return false;
}

/** The value of a slot as an array in scratch; references are read, single values are 1 × 1. */
export function toArray(slot: usize): usize {
  if (kindOf(slot) == KIND_ARRAY) {
    spread(wordOf(slot));
    return wordOf(slot);
  }
  const view = openView(slot);
  const array = newArray(view.rows, view.columns);
  for (let row: u32 = 0; row < view.usedRows && !suspended; row++) {
    for (let column: u32 = 0; column < view.usedColumns; column++) {
      viewItem(view, row, column);
      setItemAt(array, row * view.columns + column, itemKind, itemPayload);
    }
  }
  return array;
}
