import { cellTag } from '../cells/block.ts';
import type { LaneColumn } from '../cells/lanes.ts';
import { formatsOf, type PlanContext } from './plan.ts';
import { formatBelow } from '../cells/sheet-formats.ts';
import type { SheetOutline } from '../structure/structure.ts';

// A cell that is moved or copied keeps its look, part of which may come from its row or column.
// Blank cells without a format of their own have no look to keep.

/** Copies the style of row and column into cells that show it. */
export function showLooks(
  lanes: readonly LaneColumn[],
  sheet: SheetOutline,
  context: PlanContext,
): void {
  if (!hasLineStyles(context)) return;
  const formats = formatsOf(context, sheet);
  for (const { row, column, tags, formats: own } of lanes) {
    const columnId = sheet.columns.idAt(column);
    for (const [index, tag] of tags.entries()) {
      if (tag === cellTag.blank || own[index] !== 0) continue;
      const below = formatBelow(formats, sheet.rows.idAt(row + index), columnId);
      own[index] = below || formats.styles.plainOverLine;
    }
  }
}

/** Removes from cells what their new row or column gives them anyway. */
export function settleLooks(
  lanes: readonly LaneColumn[],
  sheet: SheetOutline,
  context: PlanContext,
): void {
  if (!hasLineStyles(context)) return;
  const formats = formatsOf(context, sheet);
  for (const { row, column, formats: own } of lanes) {
    const columnId = sheet.columns.idAt(column);
    for (const [index, format] of own.entries()) {
      if (format === 0) continue;
      const below = formatBelow(formats, sheet.rows.idAt(row + index), columnId);
      if (format === (below || formats.styles.plainOverLine)) own[index] = 0;
    }
  }
}

function hasLineStyles(context: PlanContext): boolean {
  return context.head.sheets.some((sheet) => {
    const { rows, columns } = formatsOf(context, sheet);
    return rows.hasStyles || columns.hasStyles;
  });
}
