import type { Range } from '../../../server/model/range.ts';
import { fontOf, widthOf } from './fonts.ts';
import { ScrollScale, type Axis } from './geometry.ts';
import { columnHeaderPx, rowHeaderPx } from './panes.ts';
import type { LineSpan } from './pointer.ts';
import { insetOf } from './placing.ts';
import type { GridSource } from './source.ts';

/** Pixels around the widest text of a fitting column. */
const marginPx = 12;

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

/** Returns widths for the visible texts of columns; of several columns, of those in view. */
export function fittingSizes(
  context: CanvasRenderingContext2D,
  source: Pick<GridSource, 'cellAt'>,
  { view, spans }: { readonly view: Range; readonly spans: readonly LineSpan[] },
) {
  const [first, second] = spans;
  const isOne = second === undefined && first?.first === first?.last;
  const columns = spans.flatMap((span) => {
    const from = isOne ? span.first : Math.max(span.first, view.column0);
    const to = isOne ? span.last : Math.min(span.last, view.column1);
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
  });
  return columns.map((column) => {
    const px = fittingPx(context, source, { ...view, column0: column });
    return { first: column, last: column, px };
  });
}

/** Returns the width for the visible texts of a column, from 24 to 600 pixels. */
function fittingPx(
  context: CanvasRenderingContext2D,
  source: Pick<GridSource, 'cellAt'>,
  { row0, row1, column0: column }: Range,
): number {
  let width = 24;
  for (let row = row0; row <= row1; row++) {
    const { text = '', style } = source.cellAt(row, column) ?? {};
    context.font = fontOf(style);
    const widest = Math.max(
      ...text
        .slice(0, 500)
        .split('\n')
        .map((line) => widthOf(context, line)),
    );
    width = Math.max(width, widest + marginPx + insetOf(style));
  }
  return Math.min(600, Math.ceil(width));
}

/** Returns the nearest number that is at most `high` and at least `low`; `low` wins. */
export function within(value: number, high: number, low: number): number {
  return Math.max(low, Math.min(value, high), 0);
}
