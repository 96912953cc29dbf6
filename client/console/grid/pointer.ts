import { Drag } from './dragging.ts';
import { filledTo, type Spot } from './hit.ts';
import type { LineGroup } from './outline.ts';
import { rangeOfSelection, rangesOf, selectionOfRange, type Selection } from './selection.ts';
import type { Address } from '../../../server/model/address.ts';
import { holdsCell, type Range } from '../../../server/model/range.ts';

/** A place in the window. */
export type Pixel = Pick<MouseEvent, 'clientX' | 'clientY'>;

/** Selects whole lines, in addition to other selected ranges. */
export type LineSelect = (
  lines: 'rows' | 'columns',
  first: number,
  last: number,
  also?: readonly Range[],
) => void;

/** Consecutive lines, from the first through the last. */
export interface LineSpan {
  readonly first: number;
  readonly last: number;
}

/** Gives lines sizes in pixels, in one step. */
export type LineResize = (
  lines: 'rows' | 'columns',
  sizes: readonly (LineSpan & { readonly px: number })[],
) => void;

/** The part of a grid that mouse, pen and finger use. */
export interface Pointed {
  readonly spotAt: (at: Pixel) => Spot;
  /** Returns the corner of the selection that a finger can drag there. */
  readonly cornerAt: (at: Pixel) => 'first' | 'last' | undefined;
  readonly selection: () => Selection;
  /** Returns the cell under the pointer, or the next one beyond the edge. */
  readonly cellNear: (at: Pixel) => Address;
  readonly isBeyond: (at: Pixel) => boolean;
  /** Returns whether a place is on a scrollbar. */
  readonly isOnBar: (at: Pixel) => boolean;
  /** Returns a place in pixels of the grid. */
  readonly placeOf: (at: Pixel) => { readonly x: number; readonly y: number };
  readonly reveal: (cell: Partial<Address>) => void;
  readonly select: (selection: Selection) => void;
  readonly selectLines: LineSelect;
  readonly selectAll: () => void;
  /** Returns the selection of whole lines, from the first through the last. */
  readonly linesOf: (lines: 'rows' | 'columns', ends: readonly [number, number]) => Selection;
  readonly sizeOf: (lines: 'rows' | 'columns', index: number) => number;
  /** The last line of the sheet. */
  readonly lastOf: (lines: 'rows' | 'columns') => number;
  readonly begin: () => void;
  readonly end: () => void;
  /** Called when the pointer rests over a cell, or over none. */
  readonly hover: (cell: Address | undefined) => void;
  readonly edit: () => void;
  readonly fillDown: () => void;
  readonly fitColumns: (spans: readonly LineSpan[]) => void;
  /** True when pressed cells are inserted into the formula that is being typed. */
  readonly isPointing: () => boolean;
  readonly point: (selection: Selection) => void;
  readonly events: {
    readonly onResize?: LineResize;
    readonly onContext?: (at: { readonly x: number; readonly y: number }) => void;
    readonly onFill?: (source: Range, target: Range) => void;
    readonly onFilter?: () => void;
    readonly onFold?: (lines: 'rows' | 'columns', group: LineGroup) => void;
  };
}

/**
 * Listens to the pointer: mouse and pen select, resize and fill by dragging; a finger scrolls, and
 * selects by a tap.
 */
export function listenToPointer(scroller: HTMLElement, grid: Pointed, signal: AbortSignal): void {
  const press = (event: PointerEvent) => {
    if (event.button !== 0 || grid.isOnBar(event) || event.pointerType === 'touch') return;
    event.preventDefault();
    if (grid.isPointing()) {
      startPointing(grid, event);
      return;
    }
    grid.begin();
    pressed(grid, event);
    grid.end();
  };
  const tap = (event: MouseEvent) => {
    const isTouch = event instanceof PointerEvent && event.pointerType === 'touch';
    const spot = grid.spotAt(event);
    if (!isTouch || spot.kind === 'fill') return;
    if (spot.kind !== 'cell') {
      tapped(grid, spot);
      return;
    }
    if (grid.isPointing()) {
      grid.point({ active: spot, other: spot });
      return;
    }
    grid.begin();
    grid.select({ active: spot, other: spot });
    grid.end();
  };
  const twice = (event: MouseEvent) => {
    const spot = grid.spotAt(event);
    if (spot.kind === 'cell' && !grid.isPointing()) grid.edit();
    else if (spot.kind === 'fill') grid.fillDown();
    else if (spot.kind === 'columns' && spot.isEdge) {
      grid.fitColumns(linesWith(grid, 'columns', spot.index));
    }
  };
  const menu = (event: MouseEvent) => {
    if (!grid.events.onContext) return;
    event.preventDefault();
    const spot = grid.spotAt(event);
    const isWithin =
      spot.kind === 'cell' && rangesOf(grid.selection()).some((range) => holdsCell(range, spot));
    if (!isWithin && spot.kind === 'cell') grid.select({ active: spot, other: spot });
    const isLine = spot.kind === 'rows' || spot.kind === 'columns';
    if (isLine && !coversLine(grid, spot)) grid.selectLines(spot.kind, spot.index, spot.index);
    grid.events.onContext({ x: event.clientX, y: event.clientY });
  };
  const shape = (event: PointerEvent) => {
    const spot = grid.spotAt(event);
    scroller.style.cursor = cursorOf(spot);
    grid.hover(spot.kind === 'cell' ? spot : undefined);
  };
  scroller.addEventListener('pointerdown', press, { signal });
  scroller.addEventListener('pointermove', shape, { signal });
  scroller.addEventListener('pointerleave', () => grid.hover(undefined), { signal });
  scroller.addEventListener('click', tap, { signal });
  scroller.addEventListener('dblclick', twice, { signal });
  scroller.addEventListener('contextmenu', menu, { signal });
}

/** Handles a tap on a filter button or a header. */
function tapped(grid: Pointed, spot: Exclude<Spot, { kind: 'cell' | 'fill' }>): void {
  if (spot.kind === 'filter') askFilter(grid, spot);
  else if (spot.kind === 'group') grid.events.onFold?.(spot.lines, spot.group);
  else if (spot.kind !== 'all' && grid.isPointing()) {
    grid.point(grid.linesOf(spot.kind, [spot.index, spot.index]));
  } else {
    grid.begin();
    if (spot.kind === 'all') grid.selectAll();
    else grid.selectLines(spot.kind, spot.index, spot.index);
    grid.end();
  }
}

/** Returns whether the selection is of whole lines, with this one among them. */
function coversLine(grid: Pointed, { kind, index }: Extract<Spot, { isEdge: boolean }>): boolean {
  const last = grid.lastOf(kind === 'rows' ? 'columns' : 'rows');
  const [span] = wholeSpans([rangeOfSelection(grid.selection())], kind, last);
  return span !== undefined && index >= span.first && index <= span.last;
}

function cursorOf(spot: Spot): string {
  if (spot.kind === 'fill') return 'crosshair';
  if (spot.kind === 'filter' || spot.kind === 'group') return 'pointer';
  if (spot.kind !== 'rows' && spot.kind !== 'columns') return 'cell';
  if (!spot.isEdge) return 'default';
  return spot.kind === 'rows' ? 'row-resize' : 'col-resize';
}

function pressed(grid: Pointed, event: PointerEvent): void {
  const spot = grid.spotAt(event);
  const { active } = grid.selection();
  const also = keptBeside(grid.selection(), event);
  if (spot.kind === 'all') grid.selectAll();
  else if (spot.kind === 'fill') startFill(grid);
  else if (spot.kind === 'filter') askFilter(grid, spot);
  else if (spot.kind === 'group') grid.events.onFold?.(spot.lines, spot.group);
  else if (spot.kind === 'cell') {
    grid.select({ active: event.shiftKey ? active : spot, other: spot, also });
    follow(grid, (move) => {
      grid.select({ active: grid.selection().active, other: grid.cellNear(move), also });
    });
  } else if (spot.isEdge && grid.events.onResize) startResize(grid, spot, event);
  else {
    const first = event.shiftKey ? firstLine(grid.selection(), spot.kind) : spot.index;
    const { kind } = spot;
    grid.selectLines(kind, first, spot.index, also);
    followLines(grid, kind, (last) => grid.selectLines(kind, first, last, also));
  }
}

/** Returns the line from which Shift extends a selection of lines. */
function firstLine({ active, anchor = active }: Selection, lines: 'rows' | 'columns'): number {
  return lines === 'rows' ? anchor.row : anchor.column;
}

function askFilter(grid: Pointed, { row, column }: Address): void {
  const cell = { row, column };
  grid.select({ active: cell, other: cell });
  grid.events.onFilter?.();
}

/** Returns the ranges that stay selected: Ctrl adds a range, Shift extends the last one. */
function keptBeside(selection: Selection, { ctrlKey, metaKey, shiftKey }: PointerEvent) {
  if (ctrlKey || metaKey) return rangesOf(selection);
  return shiftKey ? (selection.also ?? []) : [];
}

/** Inserts the cells or lines that are pressed or dragged over into the formula. */
function startPointing(grid: Pointed, event: PointerEvent): void {
  const spot = grid.spotAt(event);
  if (spot.kind === 'rows' || spot.kind === 'columns') {
    const { kind, index } = spot;
    const to = (last: number) => grid.point(grid.linesOf(kind, [index, last]));
    to(index);
    followLines(grid, kind, to);
    return;
  }
  if (spot.kind !== 'cell') return;
  grid.point({ active: spot, other: spot });
  follow(grid, (move) => grid.point({ active: spot, other: grid.cellNear(move) }));
}

/** Follows the pointer from line to line, and keeps that under it in view. */
function followLines(grid: Pointed, lines: 'rows' | 'columns', to: (line: number) => void): void {
  follow(grid, (move) => {
    const { row, column } = grid.cellNear(move);
    to(lines === 'rows' ? row : column);
    grid.reveal(lines === 'rows' ? { row } : { column });
  });
}

/** Returns the lines that get a size together: all selected ones if the line is among them. */
function linesWith(grid: Pointed, kind: 'rows' | 'columns', index: number): readonly LineSpan[] {
  const last = grid.lastOf(kind === 'rows' ? 'columns' : 'rows');
  const spans = wholeSpans(rangesOf(grid.selection()), kind, last);
  const isSelected = spans.some((span) => index >= span.first && index <= span.last);
  return isSelected ? spans : [{ first: index, last: index }];
}

/** Returns the whole lines among ranges; `last` is the last line of the other kind. */
function wholeSpans(
  ranges: readonly Range[],
  kind: 'rows' | 'columns',
  last: number,
): readonly LineSpan[] {
  return ranges.flatMap(({ row0, row1, column0, column1 }) => {
    const isWhole =
      kind === 'rows' ? column0 === 0 && column1 === last : row0 === 0 && row1 === last;
    if (!isWhole) return [];
    return [kind === 'rows' ? { first: row0, last: row1 } : { first: column0, last: column1 }];
  });
}

function startResize(
  grid: Pointed,
  { kind, index }: Extract<Spot, { readonly isEdge: boolean }>,
  from: PointerEvent,
): void {
  const size = grid.sizeOf(kind, index);
  const begun = grid.placeOf(from);
  let px = size;
  follow(
    { isBeyond: () => false },
    (move) => {
      const { x, y } = grid.placeOf(move);
      const by = kind === 'rows' ? y - begun.y : x - begun.x;
      px = Math.max(4, Math.round(size + by));
    },
    () => {
      if (px === size) return;
      const sizes = linesWith(grid, kind, index).map((span) => ({ ...span, px }));
      grid.events.onResize?.(kind, sizes);
    },
  );
}

function startFill(grid: Pointed): void {
  const source = rangeOfSelection(grid.selection());
  let target = source;
  follow(
    grid,
    (move) => {
      const at = grid.cellNear(move);
      target = filledTo(source, at);
      grid.select(selectionOfRange(target));
      grid.reveal(at);
    },
    () => {
      if (target !== source) grid.events.onFill?.(source, target);
    },
  );
}

/** Follows the pointer until it is let go; cells scroll while it rests beyond their edge. */
function follow(
  { isBeyond }: Pick<Pointed, 'isBeyond'>,
  onMove: (event: PointerEvent) => void,
  onEnd?: () => void,
): void {
  const ends = new AbortController();
  const { signal } = ends;
  const drag = new Drag({ onMove, isBeyond });
  const end = () => {
    ends.abort();
    drag.end();
    onEnd?.();
  };
  window.addEventListener('pointermove', (event) => drag.move(event), { signal });
  window.addEventListener('pointerup', end, { signal });
  window.addEventListener('pointercancel', end, { signal });
}
