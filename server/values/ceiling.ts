import { boundedTo } from '../model/cache-bounds.ts';
import { LRUCache } from 'lru-cache';

/** Limits above which values are computed in the background; null is no limit. */
export interface Ceiling {
  /** Filled cells of the workbook. */
  readonly cells: number | null;
  /** Cells of the bounding rectangles of its sheets. */
  readonly grid: number | null;
}

const movedMost = 10_000;

/** The evaluation ceiling: one for all workbooks, except those changed in development. */
export class Ceilings {
  readonly #standard: Ceiling;
  readonly #moved = new LRUCache<string, Ceiling>(boundedTo(movedMost));

  constructor(standard: Ceiling) {
    this.#standard = standard;
  }

  of(workbookId: string): Ceiling {
    return this.#moved.get(workbookId) ?? this.#standard;
  }

  isMoved(workbookId: string): boolean {
    return this.#moved.has(workbookId);
  }

  move(workbookId: string, ceiling: Ceiling): void {
    this.#moved.set(workbookId, ceiling);
  }
}

export function isAbove(
  ceiling: Ceiling,
  { cells, grid }: { cells: number; grid: number },
): boolean {
  return cells > (ceiling.cells ?? Infinity) || grid > (ceiling.grid ?? Infinity);
}
