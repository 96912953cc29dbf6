import { CHUNK_ROWS, KIND_ARRAY } from '../abi';
import { Chunk, chunkAt } from '../grid/sheet';
import { addressOf, at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { compareNumbers } from '../values/compare';
import { Grid, newArray } from './array';
import { SLOT_BYTES, copySlot, kindOf, payloadOf, wordOf } from './slot';

/**
 * A column of numbers compared with a number, as `B1:B9>x`: an array of two items, one where the
 * comparison holds and one elsewhere, of which nobody has asked yet which row has which. Where only
 * their numbers matter, the sorted numbers of the column tell them (vm/split-operation.ts).
 */
@unmanaged
export class Split {
  /** Address of the column record, and the row where the array begins. */
  column: u32 = 0;
  row0: u32 = 0;
  /** Rows that hold numbers; those behind are blank. */
  used: u32 = 0;
  /** Flags: the comparison holds below the limit, at it, above it. */
  holdsBelow: u32 = 0;
  holdsAt: u32 = 0;
  holdsAbove: u32 = 0;
  limit: f64 = 0;
  /** Slots of the two items. */
  truth: u32 = 0;
  falsehood: u32 = 0;
}

/** Returns a split column of so many rows that is like another one; its items are its own. */
export function newSplit(rows: u32, from: Split): usize {
  const header = scratch(<u32>offsetof<Grid>());
  const grid = at<Grid>(header);
  grid.rows = rows;
  grid.columns = 1;
  grid.payloads = grid.kinds = grid.references = grid.sparse = 0;
  const address = scratch(offsetof<Split>());
  const items = scratch(2 * <u32>SLOT_BYTES);
  const split = at<Split>(address);
  memory.copy(address, addressOf(from), offsetof<Split>());
  copySlot(items, from.truth);
  copySlot(items + SLOT_BYTES, from.falsehood);
  split.truth = <u32>items;
  split.falsehood = <u32>(items + SLOT_BYTES);
  grid.split = <u32>address;
  return header;
}

/** The split column in a slot, or 0; one that was laid out counts too. */
export function splitIn(slot: usize): usize {
  return kindOf(slot) == KIND_ARRAY ? <usize>at<Grid>(wordOf(slot)).split : 0;
}

/** Returns whether the comparison holds for a number. */
export function holdsFor(split: Split, value: f64): bool {
  const order = compareNumbers(value, split.limit);
  return (order < 0 ? split.holdsBelow : order > 0 ? split.holdsAbove : split.holdsAt) != 0;
}

/** Share of the limit within which numbers are compared digit by digit. */
const BAND: f64 = 2e-14;

/** Lays out the items of an array that is a split column. */
export function layOutSplit(array: usize): void {
  const grid = at<Grid>(array);
  const split = at<Split>(grid.split);
  const full = at<Grid>(newArray(grid.rows, 1));
  grid.payloads = full.payloads;
  grid.kinds = full.kinds;
  for (let row: u32 = 0; row < split.used;) {
    const offset = (split.row0 + row) & (CHUNK_ROWS - 1);
    const count = min(split.used - row, CHUNK_ROWS - offset);
    const chunk = at<Chunk>(chunkAt(split.column, (split.row0 + row) >> 10));
    layOutRows(grid, row, count, <usize>chunk.values + ((<usize>offset) << 3));
    row += count;
  }
  const rest = holdsFor(split, 0) ? split.truth : split.falsehood;
  memory.fill(<usize>grid.kinds + split.used, <u8>kindOf(rest), grid.rows - split.used);
  for (let row = split.used; row < grid.rows; row++) {
    store<u64>(<usize>grid.payloads + ((<usize>row) << 3), payloadOf(rest));
  }
}

/** Lays out rows of one chunk, whose numbers begin at `values`. */
function layOutRows(grid: Grid, row: u32, count: u32, values: usize): void {
  const split = at<Split>(grid.split);
  const band = abs(split.limit) * BAND;
  const low = split.limit - band;
  const high = split.limit + band;
  const kinds = <usize>grid.kinds + row;
  const payloads = <usize>grid.payloads + ((<usize>row) << 3);
  const trueKind = kindOf(split.truth);
  const falseKind = kindOf(split.falsehood);
  const truePayload = payloadOf(split.truth);
  const falsePayload = payloadOf(split.falsehood);
  const below = split.holdsBelow != 0;
  const above = split.holdsAbove != 0;
  for (let index: usize = 0; index < count; index++) {
    const value = load<f64>(values + (index << 3));
    let holds = select<bool>(below, above, value < low);
    if (value >= low && value <= high) holds = holdsFor(split, value);
    store<u8>(kinds + index, <u8>select<u32>(trueKind, falseKind, holds));
    store<u64>(payloads + (index << 3), select<u64>(truePayload, falsePayload, holds));
  }
}
