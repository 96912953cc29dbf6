import { filledTo, type Spot } from './hit.ts';
import { rangeOfSelection, selectionOfRange, type Selection } from './selection.ts';
import type { Range } from '../../../server/model/range.ts';

/** Pointers on a grid: mouse, pen and finger. */
export interface Pointed {
  readonly spotAt: (event: MouseEvent) => Spot;
  readonly selection: () => Selection;
  readonly select: (selection: Selection) => void;
  readonly selectLines: (lines: 'rows' | 'columns', first: number, last: number) => void;
  readonly selectAll: () => void;
  readonly sizeOf: (lines: 'rows' | 'columns', index: number) => number;
  readonly begin: () => void;
  readonly end: () => void;
  readonly edit: () => void;
  readonly fitColumn: (column: number) => void;
  readonly events: {
    readonly onResize?: (lines: 'rows' | 'columns', index: number, px: number) => void;
    readonly onFill?: (source: Range, target: Range) => void;
  };
}

/** Mouse and pen select, resize and fill by dragging; a finger scrolls, and selects by a tap. */
export function listenToPointer(scroller: HTMLElement, grid: Pointed, signal: AbortSignal): void {
  const press = (event: PointerEvent) => {
    const { clientWidth, clientHeight, scrollLeft, scrollTop } = scroller;
    const isOnBar =
      event.offsetX - scrollLeft > clientWidth || event.offsetY - scrollTop > clientHeight;
    if (event.button !== 0 || isOnBar || event.pointerType === 'touch') return;
    event.preventDefault();
    grid.begin();
    pressed(grid, event);
    grid.end();
  };
  const tap = (event: MouseEvent) => {
    const isTouch = event instanceof PointerEvent && event.pointerType === 'touch';
    const spot = grid.spotAt(event);
    if (!isTouch || spot.kind !== 'cell') return;
    grid.begin();
    grid.select({ active: spot, other: spot });
    grid.end();
  };
  const twice = (event: MouseEvent) => {
    const spot = grid.spotAt(event);
    if (spot.kind === 'cell') grid.edit();
    else if (spot.kind === 'columns' && spot.isEdge) grid.fitColumn(spot.index);
  };
  const shape = (event: PointerEvent) => {
    scroller.style.cursor = cursorOf(grid.spotAt(event));
  };
  scroller.addEventListener('pointerdown', press, { signal });
  scroller.addEventListener('pointermove', shape, { signal });
  scroller.addEventListener('click', tap, { signal });
  scroller.addEventListener('dblclick', twice, { signal });
}

function cursorOf(spot: Spot): string {
  if (spot.kind === 'fill') return 'crosshair';
  if (spot.kind !== 'rows' && spot.kind !== 'columns') return 'cell';
  if (!spot.isEdge) return 'default';
  return spot.kind === 'rows' ? 'row-resize' : 'col-resize';
}

function pressed(grid: Pointed, event: PointerEvent): void {
  const spot = grid.spotAt(event);
  const { active } = grid.selection();
  if (spot.kind === 'all') grid.selectAll();
  else if (spot.kind === 'fill') startFill(grid);
  else if (spot.kind === 'cell') {
    grid.select({ active: event.shiftKey ? active : spot, other: spot });
    follow((move) => {
      const at = grid.spotAt(move);
      if (at.kind === 'cell') grid.select({ active: grid.selection().active, other: at });
    });
  } else if (spot.isEdge && grid.events.onResize) startResize(grid, spot, event);
  else {
    grid.selectLines(spot.kind, spot.index, spot.index);
    follow((move) => {
      const at = grid.spotAt(move);
      if (at.kind === spot.kind) grid.selectLines(spot.kind, spot.index, at.index);
    });
  }
}

function startResize(
  grid: Pointed,
  { kind, index }: Extract<Spot, { readonly isEdge: boolean }>,
  from: PointerEvent,
): void {
  const size = grid.sizeOf(kind, index);
  let px = size;
  follow(
    (move) => {
      const by = kind === 'rows' ? move.clientY - from.clientY : move.clientX - from.clientX;
      px = Math.max(4, Math.round(size + by));
    },
    () => {
      if (px !== size) grid.events.onResize?.(kind, index, px);
    },
  );
}

function startFill(grid: Pointed): void {
  const source = rangeOfSelection(grid.selection());
  let target = source;
  follow(
    (move) => {
      const at = grid.spotAt(move);
      if (at.kind !== 'cell') return;
      target = filledTo(source, at);
      grid.select(selectionOfRange(target));
    },
    () => {
      if (target !== source) grid.events.onFill?.(source, target);
    },
  );
}

/** Follows the pointer until it is let go. */
function follow(onMove: (event: PointerEvent) => void, onEnd?: () => void): void {
  const ends = new AbortController();
  const { signal } = ends;
  const end = () => {
    ends.abort();
    onEnd?.();
  };
  window.addEventListener('pointermove', onMove, { signal });
  window.addEventListener('pointerup', end, { signal });
  window.addEventListener('pointercancel', end, { signal });
}
