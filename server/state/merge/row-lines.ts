import type { LineId } from '../ids/order.ts';
import { sheetOfTable } from '../structure/tables.ts';
import type { AlignedSides, OperationParts } from './parts.ts';
import {
  fitRows,
  freshLines,
  relocate,
  tableIn,
  type Relocation,
  type TableLines,
} from './relocation.ts';

/** Puts rows of a table on other lines, and ends it where its last one is. */
export function* relocateRows(
  parts: OperationParts,
  rows: Omit<TableLines, 'axis'>,
  relocations: readonly Relocation[],
): Generator<void, void> {
  yield* relocate(parts, { ...rows, axis: 'row' }, relocations);
  yield* fitRows(parts, rows.tableId, relocations);
}

/** Lines that none of the sides has. */
export function unknownLines(sides: AlignedSides, tableId: string, count: number): LineId[] {
  const orders = [sides.base, sides.ours, sides.theirs].map(({ state }) => {
    return sheetOfTable(tableIn(state, tableId), state.structure).rows;
  });
  return freshLines(sides.ours.state, orders, count);
}
