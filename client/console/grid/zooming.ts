import type { Pixel } from './pointer.ts';
import type { Viewport } from './viewport.ts';

/** Pixels of a wheel by which cells become half as large again. */
const wheelPx = 300;
const linePx = 24;

/** How large the cells of a grid are: as the sheet says, until somebody makes them otherwise. */
export class Zooming {
  readonly #viewport: Viewport;
  readonly #onZoom: () => void;
  #isChosen = false;

  constructor(viewport: Viewport, onZoom: () => void) {
    this.#viewport = viewport;
    this.#onZoom = onZoom;
  }

  /** The size of cells in parts of their usual one. */
  get zoom(): number {
    return this.#viewport.zoom;
  }

  /** Takes the size that a sheet has, in parts of the usual one; returns the one that is shown. */
  follow(zoom = 1): number {
    if (!this.#isChosen && zoom !== this.#viewport.zoom) this.#viewport.zoomTo(zoom);
    return this.#viewport.zoom;
  }

  /** Makes cells so large; what lies at a place of the window stays there. */
  to(zoom: number, at?: Pixel): void {
    this.#isChosen = true;
    this.#viewport.zoomTo(zoom, at);
    this.#onZoom();
  }

  listen(signal: AbortSignal): void {
    listenToZoom(this.#viewport, (zoom, at) => this.to(zoom, at), signal);
  }
}

/** Ctrl and the wheel, and two fingers that part or meet, make cells larger or smaller. */
function listenToZoom(
  viewport: Viewport,
  zoomTo: (zoom: number, at: Pixel) => void,
  signal: AbortSignal,
): void {
  const { scroller } = viewport;
  const wheel = (event: WheelEvent) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? linePx : 1;
    zoomTo(viewport.zoom * 1.5 ** ((-event.deltaY * unit) / wheelPx), event);
  };
  let pinched: { readonly apart: number; readonly zoom: number } | undefined;
  const press = (event: TouchEvent) => {
    const fingers = fingersOf(event);
    pinched = fingers && { apart: fingers.apart, zoom: viewport.zoom };
    if (fingers) event.preventDefault();
  };
  const move = (event: TouchEvent) => {
    const fingers = fingersOf(event);
    if (!pinched || !fingers) return;
    event.preventDefault();
    zoomTo((pinched.zoom * fingers.apart) / pinched.apart, fingers.middle);
  };
  const end = (event: TouchEvent) => {
    if (event.touches.length < 2) pinched = undefined;
  };
  const isOurs = { signal, passive: false };
  scroller.addEventListener('wheel', wheel, isOurs);
  scroller.addEventListener('touchstart', press, isOurs);
  scroller.addEventListener('touchmove', move, isOurs);
  scroller.addEventListener('touchend', end, { signal });
  scroller.addEventListener('touchcancel', end, { signal });
}

/** Returns how far two fingers are apart, and the place between them. */
function fingersOf({ touches: [one, other, third] }: TouchEvent) {
  if (!one || !other || third) return undefined;
  const middle = {
    clientX: (one.clientX + other.clientX) / 2,
    clientY: (one.clientY + other.clientY) / 2,
  };
  const apart = Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
  return { apart: Math.max(1, apart), middle };
}
