import type { CellStyle } from '../store/block-store.ts';
import { cssColour } from './colours.ts';
import { boxOf, type Frame, type Pane } from './panes.ts';

const widths: Readonly<Record<string, number>> = {
  medium: 2,
  mediumDashed: 2,
  mediumDashDot: 2,
  mediumDashDotDot: 2,
  slantDashDot: 2,
  thick: 3,
};
/** Dashes and gaps in pixels. */
const dashes: Readonly<Record<string, readonly number[]>> = {
  hair: [1, 1],
  dotted: [2, 2],
  dashed: [4, 2],
  dashDot: [6, 2, 2, 2],
  dashDotDot: [6, 2, 2, 2, 2, 2],
  mediumDashed: [7, 3],
  mediumDashDot: [7, 3, 3, 3],
  mediumDashDotDot: [7, 3, 3, 3, 3, 3],
  slantDashDot: [7, 3, 3, 3],
};

type Side = 'top' | 'bottom' | 'left' | 'right' | 'diagonalUp' | 'diagonalDown';

const ends: Readonly<Record<Side, readonly [number, number, number, number]>> = {
  top: [0, 0, 1, 0],
  bottom: [0, 1, 1, 1],
  left: [0, 0, 0, 1],
  right: [1, 0, 1, 1],
  diagonalUp: [0, 1, 1, 0],
  diagonalDown: [0, 0, 1, 1],
};

/** Lines around cells, in their widths and colours. */
export function paintBorders(context: CanvasRenderingContext2D, frame: Frame, pane: Pane): void {
  const { source, rows, columns } = frame;
  const { range } = pane;
  for (let { row0: row } = range; row <= range.row1; row++) {
    if (rows.sizeOf(row) === 0) continue;
    for (let { column0: column } = range; column <= range.column1; column++) {
      const border = source.cellAt(row, column)?.style?.border;
      if (border && columns.sizeOf(column) > 0)
        paintSides(context, { frame, pane, border }, [row, column]);
    }
  }
}

interface Bordered {
  readonly frame: Frame;
  readonly pane: Pane;
  readonly border: NonNullable<CellStyle['border']>;
}

function paintSides(
  context: CanvasRenderingContext2D,
  { frame, pane, border }: Bordered,
  [row, column]: readonly [number, number],
): void {
  const { x, y, width, height } = boxOf(frame, pane, row, column);
  for (const side of Object.keys(ends) as Side[]) {
    const line = border[side];
    if (!line) continue;
    const [x0, y0, x1, y1] = ends[side];
    context.strokeStyle = cssColour(line.color, frame.source.themeColors) ?? frame.palette.ink;
    context.lineWidth = widths[line.style] ?? 1;
    context.setLineDash([...(dashes[line.style] ?? [])]);
    // A double line is one on each side of the edge.
    for (const off of line.style === 'double' ? [-1, 1] : [0]) {
      const [right, down] = x0 === x1 ? [off, 0] : [0, off];
      context.beginPath();
      context.moveTo(x + x0 * width - 0.5 + right, y + y0 * height - 0.5 + down);
      context.lineTo(x + x1 * width - 0.5 + right, y + y1 * height - 0.5 + down);
      context.stroke();
    }
  }
  context.setLineDash([]);
}
