import type { Range } from '../../model/range.ts';

/** Cells below one another that are to be the same. */
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

/** Segments of equal rows and keys beside one another become one; keys are compared by themselves. */
export function rectanglesOf<Key>(segments: readonly Segment<Key>[]): Rectangle<Key>[] {
  const open = new Map<string, Map<Key, { range: Range; key: Key }>>();
  const found: { range: Range; key: Key }[] = [];
  for (const { column, row, count, key } of segments.toSorted((a, b) => a.column - b.column)) {
    const rows = `${row}+${count}`;
    const own = open.get(rows) ?? new Map<Key, { range: Range; key: Key }>();
    open.set(rows, own);
    const beside = own.get(key);
    if (beside?.range.column1 === column - 1) {
      beside.range = { ...beside.range, column1: column };
      continue;
    }
    const range = { row0: row, row1: row + count - 1, column0: column, column1: column };
    const made = { range, key };
    own.set(key, made);
    found.push(made);
  }
  return found;
}

/** Of cells in one column: those below one another with the same key, together. */
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
