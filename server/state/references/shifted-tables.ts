import { holdsRange, rowCount, type Range } from '../../model/range.ts';
import type { FormulaRun } from '../cells/formula-runs.ts';
import { withSpan, type Shift } from '../formulas/reference-map.ts';
import type { PlanContext } from '../plan/plan.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';
import { dataRange, hasRows, rangeOf, type StoredTable } from '../structure/tables.ts';
import { inTheWay, shiftTables } from './table-carry.ts';

// Shifts of cells up or down through a table, which keeps at least one row and fills new rows with
// the formulas of its columns.

/** A shift, and the row that it leaves blank because it is the last of a table. */
export interface KeptShift {
  readonly shift: Shift;
  readonly blank: Range | undefined;
}

/** Reduces a deletion so that the first row remains when a table would lose all of its rows. */
export function keptShift(shift: Shift, sheet: SheetOutline, context: PlanContext): KeptShift {
  const { area, axis, type } = shift;
  if (!context.keepsTables || type === 'insert' || axis === 'column') {
    return { shift, blank: undefined };
  }
  const emptied = emptiedBy(shift, sheet, context.head);
  if (emptied.length === 0) return { shift, blank: undefined };
  const { row0, row1 } = area.range;
  for (const table of emptied) {
    const range = rangeOf(table, context.head);
    // The remaining row must be the first data row of each such table.
    if (dataRange(table, range).row0 !== row0) throw inTheWay(table.name, range);
  }
  return {
    shift: { ...shift, area: { ...area, range: withSpan(area.range, 'row', [row0 + 1, row1]) } },
    blank: withSpan(area.range, 'row', [row0, row0]),
  };
}

function emptiedBy(shift: Shift, sheet: SheetOutline, head: Structure): StoredTable[] {
  if (head.tables.onSheet(sheet.id).length === 0) return [];
  const after = shiftTables(head, shift, sheet);
  return head.tables.onSheet(sheet.id).filter((table) => {
    const now = after.tables.withId(table.id);
    return now && hasRows(table, head) && !hasRows(now, after);
  });
}

/** Returns the formulas of calculated columns for the new rows of tables in an area. */
export function calculatedRuns(
  area: Range | undefined,
  { sheet, structure }: { sheet: SheetOutline; structure: Structure },
  { coding, head, keepsTables }: PlanContext,
): FormulaRun[] {
  if (!area || !keepsTables) return [];
  const { row0: row } = area;
  return structure.tables.onSheet(sheet.id).flatMap((table) => {
    const range = rangeOf(table, structure);
    const data = dataRange(table, range);
    const isWithin = holdsRange({ ...area, row0: data.row0, row1: data.row1 }, area);
    if (!isWithin || data.column0 < area.column0 || data.column1 > area.column1) return [];
    return table.columns.flatMap(({ formula }, index) => {
      if (formula === undefined) return [];
      const column = range.column0 + index;
      const { number } = coding.encode({ formula }, { row, column }, head);
      return { sheet, row, column, count: rowCount(area), index: number };
    });
  });
}
