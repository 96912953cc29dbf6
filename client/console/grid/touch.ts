import { Drag } from './dragging.ts';
import type { Pointed } from './pointer.ts';
import { rangeOfSelection } from './selection.ts';

/** Returns whether the pointing device is a finger, so that handles are shown. */
export function isByFinger(): boolean {
  return window.matchMedia('(pointer: coarse)').matches;
}

/**
 * Listens to touch: a finger drags the corners of the selection, and elsewhere scrolls natively.
 */
export function listenToTouch(scroller: HTMLElement, grid: Pointed, signal: AbortSignal): void {
  const press = (event: TouchEvent) => {
    const [touch] = event.touches;
    const corner = touch && event.touches.length === 1 ? grid.cornerAt(touch) : undefined;
    if (!touch || corner === undefined || grid.isPointing()) return;
    event.preventDefault();
    grid.begin();
    const { row0, row1, column0, column1 } = rangeOfSelection(grid.selection());
    const isLast = corner === 'last';
    const kept = { row: isLast ? row0 : row1, column: isLast ? column0 : column1 };
    followTouch(
      grid,
      (moved) => grid.select({ active: kept, other: grid.cellNear(moved) }),
      (hasMoved) => {
        // A tap on a handle counts for the cell below it.
        const at = grid.spotAt(touch);
        if (!hasMoved && at.kind === 'cell') grid.select({ active: at, other: at });
        grid.end();
      },
    );
  };
  scroller.addEventListener('touchstart', press, { signal, passive: false });
}

function followTouch(
  { isBeyond }: Pointed,
  onMove: (touch: Touch) => void,
  onEnd: (hasMoved: boolean) => void,
): void {
  const drag = new Drag({ onMove, isBeyond });
  const ends = new AbortController();
  const { signal } = ends;
  let hasMoved = false;
  const move = ({ touches: [touch] }: TouchEvent) => {
    hasMoved = true;
    if (touch) drag.move(touch);
  };
  const end = () => {
    ends.abort();
    drag.end();
    onEnd(hasMoved);
  };
  window.addEventListener('touchmove', move, { signal });
  window.addEventListener('touchend', end, { signal });
  window.addEventListener('touchcancel', end, { signal });
}
