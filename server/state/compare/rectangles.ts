import type { Range } from '../../model/range.ts';

/** Contiguous cells of one column with the same key. */
export interface Segment<Key> {
  readonly column: number;
  readonly row: number;
  readonly count: number;
  readonly key: Key;
}

export interface Rectangle<Key> {
  readonly range: Range;
  readonly key: Key;
}

/** Segments between two pauses. */
const segmentsBetweenPauses = 1_024;

/**
 * Joins neighbouring segments with equal rows and keys to rectangles; keys are compared by
 * identity.
 */
export function* rectanglesOf<Key>(
  segments: readonly Segment<Key>[],
): Generator<void, Rectangle<Key>[]> {
  const found: OpenRectangle<Key>[] = [];
  /** Rectangles that reach the previous column, and this one, by their first row. */
  let before = new Map<number, OpenRectangle<Key>>();
  let own = new Map<number, OpenRectangle<Key>>();
  let last: number | undefined;
  let pauseCount = 0;
  for (const { column, row, count, key } of byColumn(segments)) {
    if (++pauseCount % segmentsBetweenPauses === 0) yield;
    if (column !== last) {
      before = last === column - 1 ? own : new Map<number, OpenRectangle<Key>>();
      own = new Map();
      last = column;
    }
    const beside = before.get(row);
    if (beside?.key === key && beside.range.row1 === row + count - 1) {
      beside.range = { ...beside.range, column1: column };
      own.set(row, beside);
      continue;
    }
    const range = { row0: row, row1: row + count - 1, column0: column, column1: column };
    const made = { range, key };
    own.set(row, made);
    found.push(made);
  }
  return found;
}

interface OpenRectangle<Key> {
  range: Range;
  readonly key: Key;
}

/** Most come in their order already. */
function byColumn<Key>(segments: readonly Segment<Key>[]): readonly Segment<Key>[] {
  const isSorted = segments.every(
    ({ column }, index) => index === 0 || (segments[index - 1]?.column ?? 0) <= column,
  );
  return isSorted ? segments : segments.toSorted((a, b) => a.column - b.column);
}

/** Returns the segments of one column: cells below one another with the same key form one. */
export function segmentsOf<Key>(column: number, cells: ReadonlyMap<number, Key>): Segment<Key>[] {
  const segments: Segment<Key>[] = [];
  let open: { column: number; row: number; count: number; key: Key } | undefined;
  for (const [row, key] of inOrder(cells)) {
    if (open?.key === key && open.row + open.count === row) {
      open.count++;
    } else {
      open = { column, row, count: 1, key };
      segments.push(open);
    }
  }
  return segments;
}

/** Most come in their order already. */
function inOrder<Key>(cells: ReadonlyMap<number, Key>): Iterable<readonly [number, Key]> {
  let previous = -1;
  for (const row of cells.keys()) {
    if (row < previous) return [...cells].sort(([a], [b]) => a - b);
    previous = row;
  }
  return cells;
}
