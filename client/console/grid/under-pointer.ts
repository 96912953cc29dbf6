import type { Address } from '../../../server/model/address.ts';
import { cellNear, cornerAt, spotAt, type HitFrame, type Spot } from './hit.ts';
import { columnHeaderPx, rowHeaderPx } from './panes.ts';
import type { Pixel } from './pointer.ts';
import type { Viewport } from './viewport.ts';

type HitLines = Omit<HitFrame, 'scrollX' | 'scrollY'>;

/** Finds what is at a place of the window. */
export class UnderPointer {
  readonly #viewport: Viewport;
  readonly #lines: () => HitLines;

  constructor(viewport: Viewport, lines: () => HitLines) {
    this.#viewport = viewport;
    this.#lines = lines;
  }

  readonly spotAt = (at: Pixel): Spot => this.#find(at, spotAt);

  /** Returns the corner of the selection that a finger can drag there. */
  readonly cornerAt = (at: Pixel) => this.#find(at, cornerAt);

  readonly cellNear = (at: Pixel): Address => this.#find(at, cellNear);

  /** All that can be found at a place of the window. */
  get finders() {
    return {
      spotAt: this.spotAt,
      cornerAt: this.cornerAt,
      cellNear: this.cellNear,
      isBeyond: this.isBeyond,
      isOnBar: this.isOnBar,
      placeOf: this.placeOf,
    };
  }

  /** Returns whether a place is outside of the cells. */
  readonly isBeyond = (at: Pixel): boolean => {
    const { x, y } = this.placeOf(at);
    return x < rowHeaderPx || y < columnHeaderPx || this.isOnBar(at);
  };

  /** Returns whether a place is on a scrollbar, or beyond it. */
  readonly isOnBar = (at: Pixel): boolean => {
    const { clientWidth, clientHeight } = this.#viewport.scroller;
    const { x, y } = this.placeOf(at);
    return x > clientWidth || y > clientHeight;
  };

  readonly placeOf = (at: Pixel) => this.#viewport.placeOf(at);

  #find<Found>(at: Pixel, find: (frame: HitFrame, x: number, y: number) => Found): Found {
    const { x: scrollX, y: scrollY } = this.#viewport;
    const { x, y } = this.placeOf(at);
    return find({ ...this.#lines(), scrollX, scrollY }, x, y);
  }
}
