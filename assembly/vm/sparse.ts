import { KIND_ARRAY } from '../abi';
import { at, addressOf } from '../memory/pointer';
import { repeatScratch, scratch } from '../memory/scratch';
import { Grid, newArray, setItemAt } from './array';
import { repeatWork } from './cell-fuel';
import { kindOf, payloadOf, setSlot, wordOf } from './slot';
import { layOutSplit } from './split';

/**
 * A column of which few rows differ from one value, as `A1:A9=x` mostly is: the rows that do, from
 * the top down, with their items, and the item of all the rest. To the machine it is an array,
 * whose items are laid out when somebody wants them all (`spread`).
 */
@unmanaged
export class Sparse {
  count: u32 = 0;
  /** Numbers of the rows, four bytes each, then their items as in a Grid. */
  places: u32 = 0;
  payloads: u32 = 0;
  kinds: u32 = 0;
  restKind: u32 = 0;
  restPayload: u64 = 0;
}

/** Row number that comes behind all others. */
export const NO_ROW: u32 = u32.MAX_VALUE;

/** Returns an array of so many rows that are all like the slot; `room` of them may come to differ. */
export function newSparse(rows: u32, room: u32, rest: usize): usize {
  const header = scratch(<u32>offsetof<Grid>());
  const grid = at<Grid>(header);
  grid.rows = rows;
  grid.columns = 1;
  grid.payloads = grid.kinds = grid.references = grid.split = 0;
  const sparse = at<Sparse>(scratch(<u32>offsetof<Sparse>()));
  grid.sparse = <u32>addressOf(sparse);
  sparse.count = 0;
  sparse.places = <u32>scratch(room << 2);
  sparse.payloads = <u32>scratch(room << 3);
  sparse.kinds = <u32>scratch(room);
  sparse.restKind = kindOf(rest);
  sparse.restPayload = payloadOf(rest);
  return header;
}

/** The sparse column in a slot, or 0; one that was spread counts too. */
export function sparseIn(slot: usize): usize {
  return kindOf(slot) == KIND_ARRAY ? <usize>at<Grid>(wordOf(slot)).sparse : 0;
}

/** Adds a row below those that are there, unless its item is like the rest. */
export function addPlace(sparse: Sparse, row: u32, item: usize): void {
  if (kindOf(item) == sparse.restKind && payloadOf(item) == sparse.restPayload) return;
  const index = <usize>sparse.count;
  sparse.count++;
  store<u32>(<usize>sparse.places + (index << 2), row);
  store<u64>(<usize>sparse.payloads + (index << 3), payloadOf(item));
  store<u8>(<usize>sparse.kinds + index, <u8>kindOf(item));
}

/** The row of a place; NO_ROW behind the last one. */
export function placeAt(sparse: Sparse, index: u32): u32 {
  return index < sparse.count ? load<u32>(<usize>sparse.places + ((<usize>index) << 2)) : NO_ROW;
}

export function loadPlace(sparse: Sparse, index: u32, slot: usize): void {
  const payload = load<u64>(<usize>sparse.payloads + ((<usize>index) << 3));
  setSlot(slot, load<u8>(<usize>sparse.kinds + index), payload);
}

export function loadRest(sparse: Sparse, slot: usize): void {
  setSlot(slot, sparse.restKind, sparse.restPayload);
}

/** Index of the first place that is not above a row. */
export function placeFrom(sparse: Sparse, row: u32): u32 {
  let low: u32 = 0;
  let high = sparse.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (placeAt(sparse, middle) < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Lays out the items of an array that is a sparse or split column; others stay as they are. */
export function spread(array: usize): void {
  const grid = at<Grid>(array);
  if (grid.kinds) return;
  if (grid.split) return layOutSplit(array);
  if (!grid.sparse) return;
  const sparse = at<Sparse>(grid.sparse);
  const full = at<Grid>(newArray(grid.rows, 1));
  memory.fill(full.kinds, <u8>sparse.restKind, grid.rows);
  for (let row: u32 = 0; row < grid.rows; row++) {
    store<u64>(<usize>full.payloads + ((<usize>row) << 3), sparse.restPayload);
  }
  for (let index: u32 = 0; index < sparse.count; index++) {
    const payload = load<u64>(<usize>sparse.payloads + ((<usize>index) << 3));
    const kind = load<u8>(<usize>sparse.kinds + index);
    setItemAt(addressOf(full), placeAt(sparse, index), kind, payload);
  }
  grid.payloads = full.payloads;
  grid.kinds = full.kinds;
}

/** Units of work that an operator takes for a row, and for one that it does not copy. */
const ROW_UNITS: u32 = 12;
const COMPUTED_UNITS: u32 = 68;
/** Bytes of scratch for an item of a column laid out. */
const ITEM_BYTES: u32 = 9;

/**
 * Charges the cell for an operator over a whole column: whether an index could serve must not show
 * in what a cell comes to.
 */
export function chargeColumn(rows: u32, computed: u32): void {
  repeatWork(<u64>rows * ROW_UNITS + <u64>computed * COMPUTED_UNITS);
  repeatScratch((rows + computed) * ITEM_BYTES);
}
