import type { Address } from '../../../server/model/address.ts';
import { cellNear, cornerAt, spotAt, type HitFrame, type Spot } from './hit.ts';
import { columnHeaderPx, rowHeaderPx } from './panes.ts';
import type { Pixel } from './pointer.ts';
import type { Viewport } from './viewport.ts';

type HitLines = Omit<HitFrame, 'scrollX' | 'scrollY'>;

/** Tells what of a grid is at a place of the window. */
export class UnderPointer {
  readonly #host: HTMLElement;
  readonly #viewport: Viewport;
  readonly #lines: () => HitLines;

  constructor(host: HTMLElement, viewport: Viewport, lines: () => HitLines) {
    this.#host = host;
    this.#viewport = viewport;
    this.#lines = lines;
  }

  readonly spotAt = (at: Pixel): Spot => this.#find(at, spotAt);

  /** Returns the corner of the selection that a finger can drag there. */
  readonly cornerAt = (at: Pixel) => this.#find(at, cornerAt);

  readonly cellNear = (at: Pixel): Address => this.#find(at, cellNear);

  /** Answers whether a place is outside of the cells. */
  readonly isBeyond = ({ clientX: x, clientY: y }: Pixel): boolean => {
    const { left, top } = this.#host.getBoundingClientRect();
    const { clientWidth, clientHeight } = this.#viewport.scroller;
    const across = this.#viewport.acrossOf(x - left);
    const isAside = across < rowHeaderPx || across > clientWidth;
    return isAside || y < top + columnHeaderPx || y > top + clientHeight;
  };

  #find<Found>(at: Pixel, find: (frame: HitFrame, x: number, y: number) => Found): Found {
    const { left, top } = this.#host.getBoundingClientRect();
    const { x: scrollX, y: scrollY } = this.#viewport;
    const across = this.#viewport.acrossOf(at.clientX - left);
    return find({ ...this.#lines(), scrollX, scrollY }, across, at.clientY - top);
  }
}
