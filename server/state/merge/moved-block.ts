import type { Input } from '../../model/cell-value.ts';
import type { Range } from '../../model/range.ts';
import type { BranchState } from '../branch-state.ts';
import type { FlatSpans, ResolvedArea } from '../plan/resolved.ts';
import { orderOf, type Axis, type SheetOutline } from '../structure/structure.ts';
import type { LineId } from '../ids/order.ts';
import { missingFrom } from './line-merging.ts';
import { readSpans } from './restoration.ts';

/** A rectangle of cells, by identity. */
export interface Block extends ResolvedArea {
  readonly sheetId: string;
}

/** A rectangle that was cut and pasted. */
export interface MovedBlock {
  readonly from: Block;
  readonly to: Block;
}

/** Returns whether all rows and columns of a block exist, in any order. */
export function hasLines({ structure }: BranchState, { sheetId, rows, columns }: Block): boolean {
  const sheet = structure.withId(sheetId);
  if (!sheet) return false;
  const missing = [
    ...missingFrom(readSpans(rows), sheet.rows),
    ...missingFrom(readSpans(columns), sheet.columns),
  ];
  return missing.length === 0;
}

/** Returns the inputs of a block row by row; undefined when it is not contiguous in this state. */
export function inputsOf(state: BranchState, block: Block): Input[] | undefined {
  const sheet = state.structure.withId(block.sheetId);
  const range = sheet && rangeOf(block, state);
  if (!range) return undefined;
  const inputs: Input[] = [];
  for (let { row0: row } = range; row <= range.row1; row++) {
    for (let { column0: column } = range; column <= range.column1; column++) {
      inputs.push(state.inputAt(sheet, row, column));
    }
  }
  return inputs;
}

/**
 * Returns the inputs of a block row by row, wherever its lines stand; cells of lines that are gone
 * are blank.
 */
export function inputsLeft(state: BranchState, { sheetId, ...block }: Block): Input[] {
  const sheet = state.structure.withId(sheetId);
  const positions = (axis: Axis, flat: FlatSpans) =>
    linesOf(flat).map(({ branch, sequence, offset }) =>
      sheet ? orderOf(sheet, axis).positionOf(branch, sequence, offset) : undefined,
    );
  const columns = positions('column', block.columns);
  return positions('row', block.rows).flatMap((row) =>
    columns.map((column) =>
      sheet && row !== undefined && column !== undefined ? state.inputAt(sheet, row, column) : null,
    ),
  );
}

function linesOf(flat: FlatSpans): LineId[] {
  return readSpans(flat).flatMap(({ length, ...first }) =>
    Array.from({ length }, (_, at) => ({ ...first, offset: first.offset + at })),
  );
}

/** Returns the range of a block; undefined when it is not contiguous in this state. */
export function rangeOf({ sheetId, rows, columns }: Block, state: BranchState): Range | undefined {
  const sheet = state.structure.withId(sheetId);
  const down = sheet && spanOf(sheet, 'row', rows);
  const across = sheet && spanOf(sheet, 'column', columns);
  if (!down || !across) return undefined;
  return { row0: down[0], column0: across[0], row1: down[1], column1: across[1] };
}

/** Returns the first and last position of lines; undefined when they are not contiguous. */
function spanOf(sheet: SheetOutline, axis: Axis, flat: FlatSpans): [number, number] | undefined {
  const order = orderOf(sheet, axis);
  let [first, next]: (number | undefined)[] = [];
  for (const span of readSpans(flat)) {
    const pieces = [...order.piecesOf(span)].sort((a, b) => a.skipped - b.skipped);
    if (pieces.reduce((sum, { length }) => sum + length, 0) !== span.length) return undefined;
    for (const { position, length } of pieces) {
      if (position !== (next ?? position)) return undefined;
      first ??= position;
      next = position + length;
    }
  }
  return first === undefined || next === undefined ? undefined : [first, next - 1];
}
