import type { Range } from '../../../server/model/range.ts';
import { ScrollScale, type Axis } from './geometry.ts';
import { columnHeaderPx, rowHeaderPx } from './panes.ts';
import type { GridSource } from './source.ts';

interface Lines {
  readonly rows: Axis;
  readonly columns: Axis;
  readonly frozenRows: number;
  readonly frozenColumns: number;
}

type View = Pick<HTMLElement, 'clientWidth' | 'clientHeight'>;

/** Returns the size of the scrolling part in pixels, without headers and frozen lines. */
export function bodySize(
  { clientWidth, clientHeight }: View,
  { rows, columns, frozenRows, frozenColumns }: Lines,
): [width: number, height: number] {
  return [
    Math.max(1, clientWidth - rowHeaderPx - columns.startOf(frozenColumns)),
    Math.max(1, clientHeight - columnHeaderPx - rows.startOf(frozenRows)),
  ];
}

export function scalesOf(
  { clientWidth, clientHeight }: View,
  { rows, columns }: Lines,
): { readonly across: ScrollScale; readonly down: ScrollScale } {
  return {
    across: new ScrollScale(columns.total + rowHeaderPx, clientWidth),
    down: new ScrollScale(rows.total + columnHeaderPx, clientHeight),
  };
}

/** Returns the width for the visible texts of a column, from 24 to 600 pixels. */
export function fittingPx(
  context: CanvasRenderingContext2D,
  source: Pick<GridSource, 'cellAt'>,
  { row0, row1, column0: column }: Range,
): number {
  let width = 24;
  context.font = '600 13px system-ui, sans-serif';
  for (let row = row0; row <= row1; row++) {
    const text = source.cellAt(row, column)?.text.slice(0, 500) ?? '';
    width = Math.max(width, context.measureText(text).width + 12);
  }
  return Math.min(600, Math.ceil(width));
}

/** Returns the nearest number that is at most `high` and at least `low`; `low` wins. */
export function within(value: number, high: number, low: number): number {
  return Math.max(low, Math.min(value, high), 0);
}
