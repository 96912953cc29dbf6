import type { Range } from '../../../server/model/range.ts';
import { cssColour, fillOf } from './colours.ts';
import { paintHeaders } from './paint-headers.ts';
import { paintMarks, paintNames, paintPeers, paintSelection } from './paint-over.ts';
import { boxOf, panesOf, type Frame, type Pane } from './panes.ts';
import { paintBorders } from './paint-borders.ts';
import { paintIcon } from './paint-icons.ts';
import { areaAt } from './merged.ts';
import { paintMerged } from './paint-merged.ts';
import { neededPx, paintText } from './paint-text.ts';
import { paddingPx } from './placing.ts';
import type { Mark } from './source.ts';
import { mirror } from './writing.ts';

/** Draws a whole frame; returns the visible cells of the scrolling part. */
export function paint(context: CanvasRenderingContext2D, frame: Frame): Range {
  const { palette, width, height } = frame;
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, width, height);
  if (frame.isMirrored === true) mirror(context, width);
  const panes = panesOf(frame);
  for (const pane of panes) paintPane(context, frame, pane);
  for (const pane of panes) paintNames(context, frame, pane);
  paintHeaders(context, frame, panes);
  return panes[0]?.range ?? { row0: 0, row1: 0, column0: 0, column1: 0 };
}

function paintPane(context: CanvasRenderingContext2D, frame: Frame, pane: Pane): void {
  context.save();
  context.beginPath();
  context.rect(pane.left, pane.top, pane.width, pane.height);
  context.clip();
  context.fillStyle = frame.palette.paper;
  context.fillRect(pane.left, pane.top, pane.width, pane.height);
  paintFills(context, frame, pane);
  if (frame.hasGridlines) paintLines(context, frame, pane);
  paintTexts(context, frame, pane);
  paintBorders(context, frame, pane);
  paintMerged(context, frame, pane, paintText);
  paintMarks(context, frame, pane);
  paintSelection(context, frame, pane);
  paintPeers(context, frame, pane);
  context.restore();
}

function* visibleCells({ rows, columns }: Frame, { range }: Pane): Generator<[number, number]> {
  for (let { row0: row } = range; row <= range.row1; row++) {
    if (rows.sizeOf(row) === 0) continue;
    for (let { column0: column } = range; column <= range.column1; column++) {
      if (columns.sizeOf(column) > 0) yield [row, column];
    }
  }
}

const markAlpha = 0.22;

function paintFills(context: CanvasRenderingContext2D, frame: Frame, pane: Pane): void {
  const { source, palette } = frame;
  const markColours: Record<Mark, string> = {
    added: palette.plus,
    removed: palette.minus,
    changed: palette.move,
    moved: palette.move,
    waiting: palette.quiet,
  };
  for (const [row, column] of visibleCells(frame, pane)) {
    const cell = source.cellAt(row, column);
    const colour = fillOf(cell?.style, source.themeColors, palette);
    const mark = source.markAt(row, column);
    if (colour === undefined && mark === undefined && !cell?.bar) continue;
    const { x, y, width, height } = boxOf(frame, pane, row, column);
    if (colour !== undefined) {
      context.fillStyle = colour;
      context.fillRect(x, y, width, height);
    }
    if (cell?.bar) {
      context.fillStyle = cssColour(cell.bar.color, source.themeColors) ?? palette.accent;
      context.fillRect(x + 1, y + 2, (width - 3) * cell.bar.share, height - 5);
    }
    if (mark !== undefined) {
      context.globalAlpha = markAlpha;
      context.fillStyle = markColours[mark];
      context.fillRect(x, y, width, height);
      context.globalAlpha = 1;
    }
  }
}

function paintLines(context: CanvasRenderingContext2D, frame: Frame, pane: Pane): void {
  const { rows, columns, palette } = frame;
  const { range, left, top, width, height, dx, dy } = pane;
  const [right, bottom] = [
    Math.min(left + width, columns.total + dx),
    Math.min(top + height, rows.total + dy),
  ];
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.beginPath();
  for (let row = range.row0; row <= range.row1 + 1; row++) {
    const y = Math.round(rows.startOf(row) + dy) - 0.5;
    context.moveTo(left, y);
    context.lineTo(right, y);
  }
  for (let column = range.column0; column <= range.column1 + 1; column++) {
    const x = Math.round(columns.startOf(column) + dx) - 0.5;
    context.moveTo(x, top);
    context.lineTo(x, bottom);
  }
  context.stroke();
}

/** Draws the texts of cells, and bars for texts that are not loaded. */
function paintTexts(context: CanvasRenderingContext2D, frame: Frame, pane: Pane): void {
  const { source, palette } = frame;
  context.textBaseline = 'middle';
  for (const [row, column] of visibleCells(frame, pane)) {
    const cell = source.cellAt(row, column);
    if (!cell) {
      const { x, y, height } = boxOf(frame, pane, row, column);
      context.fillStyle = palette.soft;
      context.fillRect(x + paddingPx, y + height / 2 - 3, 24, 6);
      continue;
    }
    const isShown = cell.text !== '' && !areaAt(source.records?.merged, { row, column });
    const box = boxOf(frame, pane, row, column);
    frame.onNeed(row, column, isShown ? neededPx(context, cell, box) : undefined);
    if (isShown) paintText(context, frame, cell, { box, cell: [row, column] });
    if (cell.icon) paintIcon(context, palette, { icon: cell.icon, box });
  }
  for (const at of cellsBeside(frame, pane)) {
    const cell = source.cellAt(...at);
    if (!cell || areaAt(source.records?.merged, { row: at[0], column: at[1] })) continue;
    paintText(context, frame, cell, { box: boxOf(frame, pane, ...at), cell: at });
  }
}

/** Columns beside a pane in which a text may begin that runs into it. */
const besideMost = 12;

/** Yields for each row the nearest text on both sides of a pane, which may run into it. */
function* cellsBeside(
  { rows, columns, source }: Frame,
  { range }: Pane,
): Generator<[number, number]> {
  for (let { row0: row } = range; row <= range.row1; row++) {
    if (rows.sizeOf(row) === 0) continue;
    for (const [edge, step] of [
      [range.column0, -1],
      [range.column1, 1],
    ] as const) {
      let column = edge;
      const isBlank = () => source.cellAt(row, column)?.kind === 'blank';
      const last = Math.max(0, Math.min(columns.count - 1, edge + step * besideMost));
      while (column !== last && isBlank()) column += step;
      if (column !== edge && source.cellAt(row, column)?.kind === 'text') yield [row, column];
    }
  }
}
