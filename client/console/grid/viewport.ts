import type { Address } from '../../../server/model/address.ts';
import { holdsRange, overlaps, type Range } from '../../../server/model/range.ts';
import { element } from './element.ts';
import type { Pixel } from './pointer.ts';
import type { GridShape } from './grid-events.ts';
import { columnHeaderPx, rowHeaderPx } from './panes.ts';
import { bodySize, scalesOf, within } from './scrolling.ts';

const linePx = 24;
/** The smallest and the largest size of cells, in parts of their usual one. */
const zoomEnds = { least: 0.5, most: 2 };
/** Difference from the usual zoom that counts as none. */
const nearlyUsual = 0.03;

/** Scroller of a grid, and the part of the sheet that it shows, in pixels of the sheet. */
export class Viewport {
  readonly scroller: HTMLElement;
  x = 0;
  y = 0;
  /** Zoom factor. */
  zoom = 1;
  readonly #spacer: HTMLElement;
  #shape: GridShape;

  constructor(shape: GridShape) {
    this.#shape = shape;
    this.scroller = element('div', 'grid-scroller');
    this.#spacer = element('div', 'grid-spacer');
    this.scroller.append(this.#spacer);
    this.scroller.tabIndex = -1;
  }

  /** Listens to scrollbars and wheel. */
  listen(onScroll: () => void, signal: AbortSignal): void {
    const scroll = () => {
      this.readBars();
      onScroll();
    };
    const wheel = (event: WheelEvent) => {
      if (event.ctrlKey) return;
      event.preventDefault();
      this.takeWheel(event);
      onScroll();
    };
    this.scroller.addEventListener('scroll', scroll, { signal, passive: true });
    this.scroller.addEventListener('wheel', wheel, { signal, passive: false });
  }

  /** Sets the scrollbars to the length of a sheet. */
  fit(shape: GridShape): void {
    const isTurned = shape.isMirrored !== this.#shape.isMirrored;
    this.#shape = shape;
    const { across, down } = scalesOf(this.scroller, shape);
    this.#spacer.style.width = `${across.spacerPx}px`;
    this.#spacer.style.height = `${down.spacerPx}px`;
    if (isTurned) this.#syncBars();
  }

  /** Returns a place of the window in pixels of the grid, from the side where columns begin. */
  placeOf({ clientX, clientY }: Pixel): { readonly x: number; readonly y: number } {
    const { left, top } = this.scroller.getBoundingClientRect();
    const [x, y] = [(clientX - left) / this.zoom, (clientY - top) / this.zoom];
    return { x: this.#shape.isMirrored === true ? this.scroller.offsetWidth - x : x, y };
  }

  /** Sets the zoom; a place of the window keeps its content, by default the first visible cell. */
  zoomTo(zoom: number, at?: Pixel): void {
    const before = at && this.placeOf(at);
    const isUsual = Math.abs(zoom - 1) < nearlyUsual;
    this.zoom = isUsual ? 1 : Math.max(zoomEnds.least, Math.min(zoomEnds.most, zoom));
    const { parentElement: host } = this.scroller;
    if (host) host.style.zoom = String(this.zoom);
    this.fit(this.#shape);
    const after = at && this.placeOf(at);
    if (before && after) this.moveBy(before.x - after.x, before.y - after.y);
    else this.moveBy(0, 0);
  }

  /**
   * Direction of the horizontal scroll position, which runs from 0 downwards if columns run from
   * right to left.
   */
  get #onward(): 1 | -1 {
    return this.#shape.isMirrored === true ? -1 : 1;
  }

  /** Scrolls as little as needed to show a cell, but not along an omitted axis. */
  reveal({ row, column }: Partial<Address>): void {
    const { rows, columns, frozenRows, frozenColumns } = this.#shape;
    const [width, height] = bodySize(this.scroller, this.#shape);
    if (column !== undefined && column >= frozenColumns) {
      const start = columns.startOf(column) - columns.startOf(frozenColumns);
      this.x = within(this.x, start, start + columns.sizeOf(column) - width);
    }
    if (row !== undefined && row >= frozenRows) {
      const start = rows.startOf(row) - rows.startOf(frozenRows);
      this.y = within(this.y, start, start + rows.sizeOf(row) - height);
    }
    this.#syncBars();
  }

  /** Reads the scrollbars, unless they are where this class has set them. */
  readBars(): void {
    const { across, down } = scalesOf(this.scroller, this.#shape);
    const { scrollTop } = this.scroller;
    const scrolled = this.#onward * this.scroller.scrollLeft;
    if (Math.abs(across.barOf(this.x) - scrolled) > 1) this.x = across.positionOf(scrolled);
    if (Math.abs(down.barOf(this.y) - scrollTop) > 1) this.y = down.positionOf(scrollTop);
  }

  /**
   * Scrolls by the wheel in pixels of the sheet, even if the scrollbar is shorter than the sheet.
   */
  takeWheel(event: WheelEvent): void {
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? linePx : 1;
    const aside = this.#onward * event.deltaX;
    const [x, y] = event.shiftKey ? [event.deltaY, aside] : [aside, event.deltaY];
    this.moveBy((x * unit) / this.zoom, (y * unit) / this.zoom);
  }

  moveBy(x: number, y: number): void {
    const { rows, columns } = this.#shape;
    const { clientWidth, clientHeight } = this.scroller;
    const mostX = columns.total + rowHeaderPx - clientWidth;
    const mostY = rows.total + columnHeaderPx - clientHeight;
    this.x = within(this.x + x, Math.max(0, mostX), 0);
    this.y = within(this.y + y, Math.max(0, mostY), 0);
    this.#syncBars();
  }

  #syncBars(): void {
    const { across, down } = scalesOf(this.scroller, this.#shape);
    this.scroller.scrollLeft = this.#onward * across.barOf(this.x);
    this.scroller.scrollTop = down.barOf(this.y);
  }
}

/** Returns the visible ranges with the frozen lines, and the cells that merged areas show there. */
export function seenRanges(
  view: Range,
  { frozenRows, frozenColumns, merged = [] }: GridShape,
): readonly Range[] {
  const [rows, columns] = [
    { row0: 0, row1: frozenRows - 1 },
    { column0: 0, column1: frozenColumns - 1 },
  ];
  const seen = [
    view,
    ...(frozenRows > 0 ? [{ ...view, ...rows }] : []),
    ...(frozenColumns > 0 ? [{ ...view, ...columns }] : []),
    ...(frozenRows > 0 && frozenColumns > 0 ? [{ ...rows, ...columns }] : []),
  ];
  // A merged area shows its first cell, which may be far above.
  const firsts = merged
    .filter((area) => seen.some((range) => overlaps(area, range) && !holdsRange(range, area)))
    .map(({ row0, column0 }) => ({ row0, row1: row0, column0, column1: column0 }));
  return [...seen, ...firsts];
}
