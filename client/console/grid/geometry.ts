import { lastIndexWhere, lastWhere } from './last-where.ts';

/** Consecutive lines of one size; 0 pixels are hidden lines. */
export interface SizeRun {
  readonly from: number;
  readonly count: number;
  readonly px: number;
}

interface Segment extends SizeRun {
  readonly start: number;
}

/**
 * Rows or columns of a sheet as pixels. Sizes are kept as runs, never as a list of lines: a sheet
 * has up to 1,048,576 rows. Positions are pixels from the first line.
 */
export class Axis {
  readonly count: number;
  readonly total: number;
  readonly #segments: readonly Segment[];

  /** Runs may come in any order but must not overlap; other lines have the default size. */
  constructor(count: number, defaultPx: number, runs: readonly SizeRun[] = []) {
    this.count = count;
    const segments: Segment[] = [];
    let [next, start] = [0, 0];
    const push = (from: number, length: number, px: number) => {
      if (length <= 0) return;
      segments.push({ from, count: length, px, start });
      start += length * px;
      next = from + length;
    };
    for (const run of runs.toSorted((a, b) => a.from - b.from)) {
      if (run.from >= count) break;
      push(next, run.from - next, defaultPx);
      push(run.from, Math.min(run.count, count - run.from), run.px);
    }
    push(next, count - next, defaultPx);
    this.#segments = segments;
    this.total = start;
  }

  /** Returns the pixel at which a line begins; that behind the last one for `count` and beyond. */
  startOf(index: number): number {
    if (index >= this.count) return this.total;
    const segment = lastWhere(this.#segments, (one) => one.from <= index);
    return segment ? segment.start + (index - segment.from) * segment.px : 0;
  }

  sizeOf(index: number): number {
    return lastWhere(this.#segments, (one) => one.from <= index)?.px ?? 0;
  }

  /** Returns the sizes of some lines that follow each other. */
  runsWithin(first: number, count: number): SizeRun[] {
    const runs: SizeRun[] = [];
    const at = lastIndexWhere(this.#segments, (one) => one.from <= first);
    for (let [index, from] = [at, first]; from < first + count; index++) {
      const segment = this.#segments[index];
      if (!segment) break;
      const end = Math.min(first + count, segment.from + segment.count);
      runs.push({ from, count: end - from, px: segment.px });
      from = end;
    }
    return runs;
  }

  /** Returns the line at a pixel, never a hidden one; the nearest where there is none. */
  indexAt(px: number): number {
    if (px >= this.total) return this.nextVisible(this.count - 1, -1);
    const segment = lastWhere(this.#segments, (one) => one.start <= Math.max(0, px));
    if (!segment || segment.px === 0) return this.nextVisible(segment?.from ?? 0, 1);
    const offset = Math.floor((Math.max(0, px) - segment.start) / segment.px);
    return segment.from + Math.min(segment.count - 1, offset);
  }

  /** Returns the line itself, or the next one in that direction that is not hidden. */
  nextVisible(index: number, direction: 1 | -1): number {
    const forward = this.#visibleFrom(index, direction);
    return forward ?? this.#visibleFrom(index, direction === 1 ? -1 : 1) ?? index;
  }

  #visibleFrom(index: number, direction: 1 | -1): number | undefined {
    let at = index;
    while (at >= 0 && at < this.count) {
      const line = at;
      const segment = lastWhere(this.#segments, (one) => one.from <= line);
      if (!segment) return undefined;
      if (segment.px > 0) return at;
      at = direction === 1 ? segment.from + segment.count : segment.from - 1;
    }
    return undefined;
  }
}

/** Pixels that a scroller may have: Firefox ends at 17.9 million, Chrome at 33.5 million. */
export const spacerMostPx = 8_000_000;

/** Converts between positions of the sheet and of the scrollbar, which may be shorter. */
export class ScrollScale {
  readonly spacerPx: number;
  readonly #ratio: number;

  constructor(totalPx: number, viewPx: number) {
    this.spacerPx = Math.min(totalPx, spacerMostPx);
    const [range, barRange] = [Math.max(0, totalPx - viewPx), Math.max(1, this.spacerPx - viewPx)];
    this.#ratio = totalPx > spacerMostPx ? range / barRange : 1;
  }

  positionOf(barPx: number): number {
    return barPx * this.#ratio;
  }

  barOf(positionPx: number): number {
    return positionPx / this.#ratio;
  }
}
