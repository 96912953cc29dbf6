import { Drag } from './dragging.ts';
import type { Pixel, Pointed } from './pointer.ts';
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
  listenToLongPress(scroller, signal);
}

const longPressMs = 600;
/** Pixels that a resting finger may tremble. */
const restPx = 10;

/** Asks for the menu where a finger rests, in browsers that do not do so by themselves. */
function listenToLongPress(scroller: HTMLElement, signal: AbortSignal): void {
  let timer: number | undefined;
  let from: Pixel | undefined;
  const cancel = () => window.clearTimeout(timer);
  const press = ({ touches: [touch, second] }: TouchEvent) => {
    cancel();
    from = touch;
    if (!touch || second) return;
    const { clientX, clientY } = touch;
    timer = window.setTimeout(() => {
      const place = { clientX, clientY, bubbles: true, cancelable: true };
      scroller.dispatchEvent(new MouseEvent('contextmenu', place));
      // The finger that is lifted then does not tap.
      const lift = (event: TouchEvent) => event.preventDefault();
      scroller.addEventListener('touchend', lift, { once: true, passive: false, signal });
    }, longPressMs);
  };
  const move = ({ touches: [touch] }: TouchEvent) => {
    const by = touch && from ? [touch.clientX - from.clientX, touch.clientY - from.clientY] : [];
    if (Math.hypot(...by) > restPx) cancel();
  };
  scroller.addEventListener('touchstart', press, { signal, passive: true });
  scroller.addEventListener('touchmove', move, { signal, passive: true });
  for (const kind of ['touchend', 'touchcancel', 'contextmenu', 'scroll']) {
    scroller.addEventListener(kind, cancel, { signal });
  }
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
