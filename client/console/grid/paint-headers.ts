import { columnName } from '../../../server/model/address.ts';
import { isReadable } from './colours.ts';
import type { Axis } from './geometry.ts';
import {
  clipped,
  columnHeaderPx,
  family,
  rowHeaderPx,
  type Box,
  type Frame,
  type Pane,
} from './panes.ts';
import { paintOutline } from './paint-outline.ts';
import { rangesOf } from './selection.ts';
import { write } from './writing.ts';

/** Names that are too wide for one line are written so small, one above the other. */
const smallPx = 10;
const gapPx = 4;
/** Size of the mark where lines are hidden. */
const hiddenPx = 3;

/** Draws the headers of all lines in view, and the corner between them. */
export function paintHeaders(
  context: CanvasRenderingContext2D,
  frame: Frame,
  panes: readonly Pane[],
): void {
  const { palette, width, height, rows, columns, selection, source } = frame;
  const ranges = rangesOf(selection);
  const isRow = (at: number) => ranges.some(({ row0, row1 }) => at >= row0 && at <= row1);
  const isColumn = (at: number) =>
    ranges.some(({ column0, column1 }) => at >= column0 && at <= column1);
  const rowNames = (at: number) => source.names?.row(at) ?? [String(at + 1)];
  const columnNames = (at: number) => source.names?.column(at) ?? [columnName(at)];
  context.font = `12px ${family}`;
  context.textBaseline = 'middle';
  for (const pane of panes) {
    clipped(context, { x: pane.left, y: 0, width: pane.width, height: columnHeaderPx }, () => {
      for (let { column0: at } = pane.range; at <= pane.range.column1; at++) {
        const across = columns.sizeOf(at);
        const x = columns.startOf(at) + pane.dx;
        const box = { x, y: 0, width: across, height: columnHeaderPx };
        if (across === 0) continue;
        paintHeader(context, frame, { box, of: columnNames(at), isOn: isColumn(at) });
        paintOutline(context, frame, { lines: 'columns', at, box });
        if (isAfterHidden(columns, at)) paintGap(context, frame, { ...box, width: hiddenPx });
      }
    });
    clipped(context, { x: 0, y: pane.top, width: rowHeaderPx, height: pane.height }, () => {
      for (let { row0: at } = pane.range; at <= pane.range.row1; at++) {
        const down = rows.sizeOf(at);
        const y = rows.startOf(at) + pane.dy;
        const box = { x: 0, y, width: rowHeaderPx, height: down };
        if (down === 0) continue;
        paintHeader(context, frame, { box, of: rowNames(at), isOn: isRow(at) });
        paintOutline(context, frame, { lines: 'rows', at, box });
        if (isAfterHidden(rows, at)) paintGap(context, frame, { ...box, height: hiddenPx });
      }
    });
  }
  context.fillStyle = palette.soft;
  context.fillRect(0, 0, rowHeaderPx, columnHeaderPx);
  context.strokeStyle = palette.line;
  context.strokeRect(-0.5, -0.5, rowHeaderPx, columnHeaderPx);
  context.strokeRect(-0.5, -0.5, width, height);
}

/** Returns whether lines before a line are hidden. */
function isAfterHidden(axis: Axis, index: number): boolean {
  return index > 0 && axis.sizeOf(index - 1) === 0;
}

/** Marks the place of hidden lines. */
function paintGap(context: CanvasRenderingContext2D, { palette }: Frame, box: Box): void {
  context.fillStyle = palette.quiet;
  context.fillRect(box.x, box.y, box.width, box.height);
}

interface Header {
  readonly box: Box;
  /** One name, or one for each of two sheets. */
  readonly of: readonly string[];
  readonly isOn: boolean;
}

function paintHeader(
  context: CanvasRenderingContext2D,
  frame: Frame,
  { box, of: names, isOn }: Header,
): void {
  const { palette } = frame;
  context.fillStyle = isOn ? palette.line : palette.soft;
  context.fillRect(box.x, box.y, box.width, box.height);
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.strokeRect(box.x - 0.5, box.y - 0.5, box.width, box.height);
  const isDark = isOn && !isReadable(palette.ink, palette.line);
  context.fillStyle = isDark ? palette.paper : palette.ink;
  const middle = box.y + box.height / 2;
  const put = (text: string, x: number, line: { readonly y: number; readonly width: number }) =>
    write(context, frame, { text, x, ...line });
  const [first = '', second] = names;
  const width = context.measureText(first).width;
  if (second === undefined) {
    put(first, box.x + (box.width - width) / 2, { y: middle, width });
    return;
  }
  const other = context.measureText(second).width;
  if (width + other + 3 * gapPx <= box.width) {
    put(first, box.x + gapPx, { y: middle, width });
    put(second, box.x + box.width - gapPx - other, { y: middle, width: other });
    return;
  }
  context.font = `${smallPx}px ${family}`;
  const smallFirst = context.measureText(first).width;
  put(first, box.x + gapPx, { y: middle - smallPx / 2, width: smallFirst });
  const small = context.measureText(second).width;
  put(second, box.x + box.width - gapPx - small, { y: middle + smallPx / 2, width: small });
  context.font = `12px ${family}`;
}
