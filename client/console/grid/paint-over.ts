import type { Address } from '../../../server/model/address.ts';
import { holdsCell, type Range } from '../../../server/model/range.ts';
import {
  boxOf,
  columnHeaderPx,
  family,
  rowHeaderPx,
  shownBoxOf,
  type Box,
  type Frame,
  type Pane,
} from './panes.ts';
import { rangesOf } from './selection.ts';
import { write } from './writing.ts';

/** The width and the height of the button of a filter. */
export const filterButtonPx = 20;
/** The square at the end of the selection, in pixels. */
export const handlePx = 8;
/** Height of the name of a peer. */
const tagPx = 14;
/** Size of the dot to which the name of a peer folds. */
const foldedPx = 4;
/** Size of the handles for a finger. */
const roundPx = 8;

interface Corners {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export function paintSelection(context: CanvasRenderingContext2D, frame: Frame, pane: Pane): void {
  const { selection, palette } = frame;
  const [range, ...also] = rangesOf(selection);
  for (const one of also) paintRange(context, frame, { ...pane, of: one });
  const { left, top, right, bottom } = paintRange(context, frame, { ...pane, of: range });
  const active = mergedBoxOf(frame, pane, selection.active);
  context.lineWidth = 2;
  context.strokeRect(active.x, active.y, active.width - 1, active.height - 1);
  if (frame.hasHandles) {
    paintHandle(context, frame, [left, top]);
    paintHandle(context, frame, [right, bottom]);
    return;
  }
  if (!frame.isFillable) return;
  context.fillStyle = palette.paper;
  context.fillRect(right - handlePx / 2 - 1, bottom - handlePx / 2 - 1, handlePx, handlePx);
  context.fillStyle = palette.accent;
  context.fillRect(right - handlePx / 2, bottom - handlePx / 2, handlePx - 2, handlePx - 2);
}

function mergedBoxOf(frame: Frame, pane: Pane, cell: Address): Box {
  return shownBoxOf(frame, { ...pane, merged: frame.source.records?.merged }, cell);
}

/** A round handle for a finger at a corner of the selection. */
function paintHandle(
  context: CanvasRenderingContext2D,
  { palette }: Frame,
  [x, y]: readonly [number, number],
): void {
  context.beginPath();
  context.arc(x, y, roundPx, 0, 2 * Math.PI);
  context.fillStyle = palette.accent;
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = palette.paper;
  context.stroke();
}

/** Tints a selected range and frames it; returns its corners. */
function paintRange(
  context: CanvasRenderingContext2D,
  { rows, columns, palette }: Frame,
  { of: range, ...pane }: Pick<Pane, 'dx' | 'dy'> & { readonly of: Range },
): Corners {
  const [x, y] = [columns.startOf(range.column0) + pane.dx, rows.startOf(range.row0) + pane.dy];
  const width = columns.startOf(range.column1 + 1) + pane.dx - x;
  const height = rows.startOf(range.row1 + 1) + pane.dy - y;
  context.globalAlpha = 0.1;
  context.fillStyle = palette.accent;
  context.fillRect(x, y, width, height);
  context.globalAlpha = 1;
  context.strokeStyle = palette.accent;
  context.lineWidth = 1;
  context.strokeRect(x - 0.5, y - 0.5, width, height);
  return { left: x, top: y, right: x + width, bottom: y + height };
}

/** Draws the filter buttons of header cells; a full funnel means that the column hides rows. */
function paintFilters(context: CanvasRenderingContext2D, frame: Frame, pane: Pane): void {
  const { source, palette } = frame;
  const { range } = pane;
  for (const { row, column, isOn } of source.records?.filters ?? []) {
    if (!holdsCell(range, { row, column })) continue;
    const box = boxOf(frame, pane, row, column);
    const [x, y] = [box.x + box.width - filterButtonPx, box.y + box.height - filterButtonPx];
    context.fillStyle = isOn ? palette.accent : palette.paper;
    context.fillRect(x + 1, y + 1, filterButtonPx - 3, filterButtonPx - 3);
    context.strokeStyle = palette.accent;
    context.lineWidth = 1;
    context.strokeRect(x + 1.5, y + 1.5, filterButtonPx - 4, filterButtonPx - 4);
    context.fillStyle = isOn ? palette.paper : palette.accent;
    context.beginPath();
    for (const [right, down] of funnel) context.lineTo(x + right, y + down);
    context.fill();
  }
}

/** Corners of a funnel on its button, in pixels. */
const funnel = [
  [5, 6],
  [14, 6],
  [10.5, 10],
  [10.5, 14],
  [8.5, 14],
  [8.5, 10],
] as const;

function paintCorners(
  context: CanvasRenderingContext2D,
  frame: Frame,
  {
    of,
    colour,
    ...pane
  }: Pane & { readonly of: readonly Address[] | undefined; readonly colour: string },
): void {
  const { range } = pane;
  context.fillStyle = colour;
  for (const { row, column } of of ?? []) {
    if (!holdsCell(range, { row, column })) continue;
    const { x, y, width } = mergedBoxOf(frame, pane, { row, column });
    context.beginPath();
    context.moveTo(x + width - 7, y);
    context.lineTo(x + width, y);
    context.lineTo(x + width, y + 7);
    context.fill();
  }
}

/** Draws corners on cells with a note or comments, and frames around references of a formula. */
export function paintMarks(context: CanvasRenderingContext2D, frame: Frame, pane: Pane): void {
  const { source, palette, rows, columns } = frame;
  paintCorners(context, frame, { ...pane, of: source.records?.notes, colour: palette.move });
  paintCorners(context, frame, { ...pane, of: source.records?.commented, colour: palette.accent });
  paintFilters(context, frame, pane);
  for (const of of source.copied ?? []) paintCopied(context, frame, { ...pane, of });
  for (const { range: named, colour } of source.named ?? []) {
    const x = columns.startOf(named.column0) + pane.dx;
    const y = rows.startOf(named.row0) + pane.dy;
    const width = columns.startOf(named.column1 + 1) + pane.dx - x;
    const height = rows.startOf(named.row1 + 1) + pane.dy - y;
    context.strokeStyle = palette.peers[colour % palette.peers.length] ?? palette.accent;
    context.lineWidth = 2;
    context.strokeRect(x + 1, y + 1, width - 2, height - 2);
    context.globalAlpha = 0.08;
    context.fillStyle = context.strokeStyle;
    context.fillRect(x + 1, y + 1, width - 2, height - 2);
    context.globalAlpha = 1;
  }
}

/** Draws a broken line around the copied cells. */
function paintCopied(
  context: CanvasRenderingContext2D,
  { rows, columns, palette }: Frame,
  { of, dx, dy }: Pick<Pane, 'dx' | 'dy'> & { readonly of: Range },
): void {
  const [x, y] = [columns.startOf(of.column0) + dx, rows.startOf(of.row0) + dy];
  const width = columns.startOf(of.column1 + 1) + dx - x;
  const height = rows.startOf(of.row1 + 1) + dy - y;
  context.strokeStyle = palette.accent;
  context.lineWidth = 2;
  context.setLineDash([5, 4]);
  context.strokeRect(x, y, width - 1, height - 1);
  context.setLineDash([]);
}

/** Returns the box of a name: above its cell, or below where it would be over the headers. */
function tagOf(cell: Box, frame: Frame, width: number): Box {
  const isOut = cell.y - tagPx < columnHeaderPx;
  return {
    x: Math.min(cell.x, Math.max(rowHeaderPx, frame.width - width)),
    y: isOut ? cell.y + cell.height : cell.y - tagPx,
    width,
    height: tagPx,
  };
}

export function paintPeers(context: CanvasRenderingContext2D, frame: Frame, pane: Pane): void {
  for (const { row, column, colour, isNamed } of frame.peers) {
    const { range } = pane;
    if (!holdsCell(range, { row, column })) continue;
    const box = mergedBoxOf(frame, pane, { row, column });
    const ink = frame.palette.peers[colour % frame.palette.peers.length] ?? frame.palette.accent;
    context.strokeStyle = ink;
    context.lineWidth = 2;
    context.strokeRect(box.x, box.y, box.width - 1, box.height - 1);
    if (isNamed) continue;
    context.fillStyle = ink;
    context.beginPath();
    context.arc(box.x, box.y, foldedPx, 0, 2 * Math.PI);
    context.fill();
  }
}

/** Draws the names of peers, which may lie over the edge of a pane. */
export function paintNames(context: CanvasRenderingContext2D, frame: Frame, pane: Pane): void {
  context.font = `11px ${family}`;
  for (const { row, column, colour, name, isNamed } of frame.peers) {
    if (!isNamed || !holdsCell(pane.range, { row, column })) continue;
    const box = mergedBoxOf(frame, pane, { row, column });
    const ink = frame.palette.peers[colour % frame.palette.peers.length] ?? frame.palette.accent;
    const width = context.measureText(name).width;
    const tag = tagOf(box, frame, width + 8);
    context.fillStyle = ink;
    context.fillRect(tag.x, tag.y, tag.width, tag.height);
    context.fillStyle = frame.palette.paper;
    context.textBaseline = 'middle';
    write(context, frame, { text: name, x: tag.x + 4, y: tag.y + tagPx / 2, width });
  }
}
