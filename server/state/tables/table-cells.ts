import type { Input } from '../../model/cell-value.ts';
import { overlaps, rowCount, type Range } from '../../model/range.ts';
import { cellTag } from '../cells/block.ts';
import type { CodedCell } from '../cells/cell-coding.ts';
import type { LineId } from '../ids/order.ts';
import type { PlanContext } from '../plan/plan.ts';
import type { SheetCells } from '../cells/sheet-cells.ts';
import type { SheetOutline } from '../structure/structure.ts';
import type { StoredTable } from '../structure/tables.ts';
import { rangeOf } from '../structure/tables.ts';

/** Contents of some rows in one column, from top to bottom. */
export interface ColumnCells {
  readonly tags: Uint8Array;
  readonly numbers: Float64Array;
  readonly formats: Uint16Array;
}

export function readColumn(
  cells: SheetCells,
  sheet: SheetOutline,
  { column, range }: { column: LineId; range: Range },
): ColumnCells {
  const count = rowCount(range);
  const read = {
    tags: new Uint8Array(count),
    numbers: new Float64Array(count),
    formats: new Uint16Array(count),
  };
  const rows = sheet.rows.spansAt(range.row0, count);
  for (const { block, from, to, skipped } of cells.stretches(rows, column)) {
    for (let lane = from; lane < to; lane++) {
      const at = skipped + lane - from;
      read.tags[at] = block.tagAt(lane);
      read.numbers[at] = block.numberAt(lane);
      read.formats[at] = block.formatAt(lane);
    }
  }
  return read;
}

const rowsAtOnce = 8_192;

/** Does as `readColumn`, with pauses. */
export function* readColumnInTurns(
  cells: SheetCells,
  sheet: SheetOutline,
  { column, range }: { column: LineId; range: Range },
): Generator<void, ColumnCells> {
  const count = rowCount(range);
  const whole = {
    tags: new Uint8Array(count),
    numbers: new Float64Array(count),
    formats: new Uint16Array(count),
  };
  for (let row0 = range.row0; row0 <= range.row1; row0 += rowsAtOnce) {
    const row1 = Math.min(range.row1, row0 + rowsAtOnce - 1);
    const part = readColumn(cells, sheet, { column, range: { ...range, row0, row1 } });
    whole.tags.set(part.tags, row0 - range.row0);
    whole.numbers.set(part.numbers, row0 - range.row0);
    whole.formats.set(part.formats, row0 - range.row0);
    yield;
  }
  return whole;
}

export function cellOf({ tags, numbers }: ColumnCells, index: number): CodedCell {
  return { tag: tags[index] ?? cellTag.blank, number: numbers[index] ?? 0 };
}

/** Returns the input of a cell without a formula. */
export function plainInput(cell: CodedCell, { coding, head }: PlanContext): Input {
  // The place matters only for formulas.
  const nowhere = { branch: 0, sequence: 0, offset: 0 };
  return coding.decode(cell, { sheetId: '', row: nowhere, column: nowhere }, head);
}

/** Returns whether all cells of a range are blank; formats do not count. */
export function isBlankArea(sheet: SheetOutline, range: Range, cells: SheetCells): boolean {
  const rows = sheet.rows.spansAt(range.row0, rowCount(range));
  for (const id of cells.columnIds()) {
    const position = sheet.columns.positionOf(id.branch, id.sequence, id.offset);
    if (position === undefined || position < range.column0 || position > range.column1) continue;
    for (const { block, from, to } of cells.stretches(rows, id)) {
      if (!block.isBlank(from, to)) return false;
    }
  }
  return true;
}

/** Returns whether a table may grow into an area: it has no content, table or merged cells. */
export function isFreeArea(sheet: SheetOutline, area: Range, context: PlanContext): boolean {
  if (tableMeeting(sheet, area, context)) return false;
  if (context.records.meeting('cellmerge', sheet, area).length > 0) return false;
  return isBlankArea(sheet, area, context.cellsOf(sheet));
}

/** Returns the other tables of a sheet with their ranges. */
export function neighbours(
  table: Pick<StoredTable, 'id' | 'sheetId'>,
  { head }: PlanContext,
): { readonly table: StoredTable; readonly range: Range }[] {
  return head.tables
    .onSheet(table.sheetId)
    .filter(({ id }) => id !== table.id)
    .map((other) => ({ table: other, range: rangeOf(other, head) }));
}

/** Returns a table that overlaps a range; undefined for none. */
export function tableMeeting(
  sheet: SheetOutline,
  range: Range,
  context: PlanContext,
): { readonly table: StoredTable; readonly range: Range } | undefined {
  const { head } = context;
  for (const table of head.tables.onSheet(sheet.id)) {
    const own = rangeOf(table, head);
    if (overlaps(own, range)) return { table, range: own };
  }
  return undefined;
}
