import type { Pixel } from './pointer.ts';
import type { Viewport } from './viewport.ts';

/** Wheel pixels that enlarge cells by half. */
const wheelPx = 300;
const linePx = 24;

/** Zoom of a grid: that of the sheet, until somebody changes it. */
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

  /** Takes the zoom of a sheet; returns the effective one. */
  follow(zoom = 1): number {
    if (!this.#isChosen && zoom !== this.#viewport.zoom) this.#viewport.zoomTo(zoom);
    return this.#viewport.zoom;
  }

  /** Sets the zoom; a place of the window keeps its content. */
  to(zoom: number, at?: Pixel): void {
    this.#isChosen = true;
    this.#viewport.zoomTo(zoom, at);
    this.#onZoom();
  }

  listen(signal: AbortSignal): void {
    listenToZoom(this.#viewport, (zoom, at) => this.to(zoom, at), signal);
  }
}

/** Listens to Ctrl with the wheel, and to pinching. */
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

/** Returns the distance between two fingers, and their middle. */
function fingersOf({ touches: [one, other, third] }: TouchEvent) {
  if (!one || !other || third) return undefined;
  const middle = {
    clientX: (one.clientX + other.clientX) / 2,
    clientY: (one.clientY + other.clientY) / 2,
  };
  const apart = Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
  return { apart: Math.max(1, apart), middle };
}
