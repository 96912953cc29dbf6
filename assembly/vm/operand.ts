import { CELL_PENDING, CHUNK_ROWS, ERROR_NOT_AVAILABLE, KIND_MASK, KIND_REFERENCE } from '../abi';
import { Chunk, chunkAt, columnAt, readColumn, suspended } from '../grid/sheet';
import { at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { Grid, ITEM_LIMIT, newArray, setItemAt } from './array';
import { setError, setSlot } from './slot';
import { View, itemKind, itemPayload, openView, viewItem } from './view';

/**
 * Operand of an elementwise computation: any value as a rectangle whose used part is in flat
 * memory. A single row or column repeats; positions beyond the rectangle are #N/A; positions within
 * it but after the used part (of a whole column, say) are blank.
 */
@unmanaged
export class Operand {
  rows: u32 = 0;
  columns: u32 = 0;
  /** Rows and columns that lie in memory, at least one each. */
  heldRows: u32 = 0;
  heldColumns: u32 = 0;
  payloads: u32 = 0;
  kinds: u32 = 0;
  /** References of its items, where they are wanted instead of the values; or 0. */
  references: u32 = 0;
}

/** Size of the result of all operands since startShape. */
export let shapeRows: u32 = 0;
export let shapeColumns: u32 = 0;

export function startShape(): void {
  shapeRows = 1;
  shapeColumns = 1;
}

/** Opens a slot as an operand and widens the shape by it. */
export function openOperand(slot: usize): Operand {
  const operand = at<Operand>(scratch(<u32>offsetof<Operand>()));
  const view = openView(slot);
  // An operand that is too large makes the shape too large, which is noticed before anything is
  // read.
  const isTooLarge = <u64>view.rows * view.columns > ITEM_LIMIT;
  const held = view.array ? <usize>view.array : isTooLarge ? newArray(1, 1) : heldPart(view);
  const grid = at<Grid>(held);
  operand.rows = view.rows;
  operand.columns = view.columns;
  operand.heldRows = grid.rows;
  operand.heldColumns = grid.columns;
  operand.payloads = grid.payloads;
  operand.kinds = grid.kinds;
  operand.references = 0;
  shapeRows = max(shapeRows, view.rows);
  shapeColumns = max(shapeColumns, view.columns);
  return operand;
}

/** Copies the used part of a reference, or the one value, into an array. */
function heldPart(view: View): usize {
  const columns = max(view.usedColumns, 1);
  const array = newArray(max(view.usedRows, 1), columns);
  if (!view.sheet) {
    setItemAt(array, 0, view.kind, view.payload);
    return array;
  }
  if (columns == 1) {
    const column = columnAt(view.sheet, view.column0);
    if (column) readRows(column, view.row0, view.usedRows, array);
    return array;
  }
  for (let row: u32 = 0; row < view.usedRows && !suspended; row++) {
    for (let column: u32 = 0; column < view.usedColumns; column++) {
      viewItem(view, row, column);
      setItemAt(array, row * columns + column, itemKind, itemPayload);
    }
  }
  return array;
}

/** Copies a column's rows into an array of one column, chunk by chunk. */
function readRows(column: usize, from: u32, count: u32, array: usize): void {
  const grid = at<Grid>(array);
  let done: u32 = 0;
  while (done < count && !suspended) {
    const row = from + done;
    const offset = row & (CHUNK_ROWS - 1);
    const part = min(count - done, CHUNK_ROWS - offset);
    const address = chunkAt(column, row >> 10);
    const capacity: u32 = address ? at<Chunk>(address).capacity : 0;
    if (offset < capacity) {
      const chunk = at<Chunk>(address);
      const length = min(part, capacity - offset);
      const kinds = <usize>grid.kinds + done;
      const tags = <usize>chunk.tags + offset;
      for (let index: u32 = 0; index < length; index++) {
        const tag = <u32>load<u8>(tags + index);
        // Reading it the usual way suspends the evaluation for the cell.
        if (tag & CELL_PENDING) readColumn(column, row + index);
        store<u8>(kinds + index, <u8>(tag & KIND_MASK));
      }
      const values = <usize>chunk.values + ((<usize>offset) << 3);
      memory.copy(<usize>grid.payloads + ((<usize>done) << 3), values, (<usize>length) << 3);
    }
    done += part;
  }
}

/** Puts the operand's item for a position of the result into a slot. */
export function loadOperand(operand: Operand, row: u32, column: u32, slot: usize): void {
  const across: u32 = operand.columns == 1 ? 0 : column;
  const down: u32 = operand.rows == 1 ? 0 : row;
  if (down >= operand.rows || across >= operand.columns) {
    return setError(slot, ERROR_NOT_AVAILABLE);
  }
  if (down >= operand.heldRows || across >= operand.heldColumns) return setSlot(slot, 0, 0);
  const index = down * operand.heldColumns + across;
  const kind = load<u8>(<usize>operand.kinds + index);
  setSlot(slot, kind, load<u64>(<usize>operand.payloads + ((<usize>index) << 3)));
}

/** The same with the reference of the item, where the operand has one for it. */
export function loadReferenced(operand: Operand, row: u32, column: u32, slot: usize): void {
  loadOperand(operand, row, column, slot);
  const across: u32 = operand.columns == 1 ? 0 : column;
  const down: u32 = operand.rows == 1 ? 0 : row;
  if (!operand.references || down >= operand.heldRows || across >= operand.heldColumns) return;
  const index = down * operand.heldColumns + across;
  const reference = load<u32>(<usize>operand.references + ((<usize>index) << 2));
  if (reference) setSlot(slot, KIND_REFERENCE, reference);
}

/** One past the last row of the result in which this operand's items may differ between rows. */
export function varyingRows(operand: Operand): u32 {
  if (operand.rows == 1) return 0;
  return operand.rows < shapeRows ? operand.rows : operand.heldRows;
}

/** Repeats a row of an array down to its end. */
export function repeatRow(array: usize, row: u32): void {
  const grid = at<Grid>(array);
  const width = <usize>grid.columns;
  const start = <usize>row * width;
  const kinds = <usize>grid.kinds + start;
  const payloads = <usize>grid.payloads + (start << 3);
  for (let next = row + 1; next < grid.rows; next++) {
    const offset = <usize>(next - row) * width;
    memory.copy(kinds + offset, kinds, width);
    memory.copy(payloads + (offset << 3), payloads, width << 3);
  }
}
