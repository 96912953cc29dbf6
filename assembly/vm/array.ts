import { KIND_BLANK, KIND_NUMBER } from '../abi';
import { at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { pay } from './fuel';
import { SMALLEST_NUMBER, setSlot } from './slot';

/** A rectangle of values in scratch memory, row by row. Its items are never arrays themselves. */
@unmanaged
export class Grid {
  rows: u32 = 0;
  columns: u32 = 0;
  /** Eight bytes of payload an item. */
  payloads: u32 = 0;
  /** One byte of kind an item. */
  kinds: u32 = 0;
  /** Addresses of the references that items are the first values of, four bytes each; or 0. */
  references: u32 = 0;
  /** The items of a column most of which are alike (vm/sparse.ts), or 0. */
  sparse: u32 = 0;
  /** The items of a column that was compared with a number (vm/split.ts), or 0. */
  split: u32 = 0;
}

/** Most items an array may have; more is #NUM! before anything is allocated. */
export const ITEM_LIMIT: u64 = 16_777_216;
/** Most items of an array that a function makes from numbers alone: a column's worth. */
export const MADE_LIMIT: f64 = 1_048_576;

/** An array of blanks. The caller has checked rows × columns against ITEM_LIMIT. */
export function newArray(rows: u32, columns: u32): usize {
  const count = rows * columns;
  const header = scratch(<u32>offsetof<Grid>());
  const array = at<Grid>(header);
  array.rows = rows;
  array.columns = columns;
  array.payloads = <u32>scratch(count << 3);
  array.kinds = <u32>scratch(count);
  array.references = 0;
  array.sparse = 0;
  array.split = 0;
  memory.fill(array.payloads, 0, (<usize>count) << 3);
  memory.fill(array.kinds, <u8>KIND_BLANK, count);
  pay(count << 2);
  return header;
}

export function rowsOf(array: usize): u32 {
  return at<Grid>(array).rows;
}

export function columnsOf(array: usize): u32 {
  return at<Grid>(array).columns;
}

export function itemKindOf(array: usize, index: u32): u32 {
  return load<u8>(<usize>at<Grid>(array).kinds + index);
}

export function itemPayloadOf(array: usize, index: u32): u64 {
  return load<u64>(<usize>at<Grid>(array).payloads + ((<usize>index) << 3));
}

export function setItemAt(array: usize, index: u32, kind: u32, payload: u64): void {
  const grid = at<Grid>(array);
  store<u64>(<usize>grid.payloads + ((<usize>index) << 3), payload);
  store<u8>(<usize>grid.kinds + index, <u8>kind);
}

/** A finite number; minus zero and denormals are zero, as in cells. */
export function setItemNumber(array: usize, index: u32, value: f64): void {
  const grid = at<Grid>(array);
  const settled = abs(value) < SMALLEST_NUMBER ? 0 : value;
  store<f64>(<usize>grid.payloads + ((<usize>index) << 3), settled);
  store<u8>(<usize>grid.kinds + index, KIND_NUMBER);
}

/** Copies a scalar slot into an item. */
export function setItemFrom(array: usize, index: u32, slot: usize): void {
  setItemAt(array, index, load<u32>(slot, 8), load<u64>(slot));
}

/** Keeps the reference that an item is the first value of. */
export function setItemReference(array: usize, index: u32, reference: usize): void {
  const grid = at<Grid>(array);
  if (!grid.references) {
    const byteCount = (grid.rows * grid.columns) << 2;
    grid.references = <u32>scratch(byteCount);
    memory.fill(grid.references, 0, byteCount);
  }
  store<u32>(<usize>grid.references + ((<usize>index) << 2), <u32>reference);
}

/** Returns where the references of an array's items are kept; 0 where it has none. */
export function referencesOf(array: usize): u32 {
  return at<Grid>(array).references;
}

export function loadItem(array: usize, index: u32, slot: usize): void {
  setSlot(slot, itemKindOf(array, index), itemPayloadOf(array, index));
}
