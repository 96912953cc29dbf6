import type { ShownCell } from '../store/block-store.ts';
import { fillOf } from './colours.ts';
import type { Box, Frame, Pane } from './panes.ts';

type PaintText = (
  context: CanvasRenderingContext2D,
  frame: Frame,
  cell: ShownCell,
  at: { readonly box: Box },
) => void;

/** Merged cells as one, with the text and the fill of the first. */
export function paintMerged(
  context: CanvasRenderingContext2D,
  frame: Frame,
  pane: Pane,
  paintText: PaintText,
): void {
  const { rows, columns, source, palette } = frame;
  for (const area of source.records?.merged ?? []) {
    const [x, y] = [columns.startOf(area.column0) + pane.dx, rows.startOf(area.row0) + pane.dy];
    const width = columns.startOf(area.column1 + 1) + pane.dx - x;
    const height = rows.startOf(area.row1 + 1) + pane.dy - y;
    const isOut =
      x > pane.left + pane.width || y > pane.top + pane.height || x + width < 0 || y + height < 0;
    if (isOut) continue;
    const cell = source.cellAt(area.row0, area.column0);
    context.fillStyle = fillOf(cell?.style, source.themeColors, palette) ?? palette.paper;
    context.fillRect(x, y, width - 1, height - 1);
    if (cell && cell.text !== '') paintText(context, frame, cell, { box: { x, y, width, height } });
  }
}
