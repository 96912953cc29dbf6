import type { Pixel } from './pointer.ts';

const scrollEveryMs = 50;

interface Dragged<Moved extends Pixel> {
  readonly onMove: (moved: Moved) => void;
  readonly isBeyond: (at: Pixel) => boolean;
}

/** A drag; while the pointer rests beyond the edge of the cells, its move is repeated. */
export class Drag<Moved extends Pixel> {
  readonly #dragged: Dragged<Moved>;
  #timer: number | undefined;
  #last: Moved | undefined;

  constructor(dragged: Dragged<Moved>) {
    this.#dragged = dragged;
  }

  move(moved: Moved): void {
    const { onMove, isBeyond } = this.#dragged;
    this.#last = moved;
    onMove(moved);
    if (!isBeyond(moved)) this.end();
    else this.#timer ??= window.setInterval(() => this.#again(), scrollEveryMs);
  }

  end(): void {
    window.clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #again(): void {
    if (this.#last) this.#dragged.onMove(this.#last);
  }
}
