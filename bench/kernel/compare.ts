import { cellName } from '../../server/model/address.ts';
import { widthOf, type Book, type PlainValue } from './engine.ts';
import type { Sheet } from './workload.ts';

const relativeDifferenceMost = 1e-9;

/** Throws at the first cell that the two books answer differently. */
export function compareBooks(
  sheets: readonly Sheet[],
  [first, second]: readonly [Book, Book],
): void {
  for (const [index, { name, rows }] of sheets.entries()) {
    const firstRows = first.values(index);
    const secondRows = second.values(index);
    const width = widthOf(rows);
    for (let row = 0; row < rows.length; row++) {
      const a = firstRows[row] ?? [];
      const b = secondRows[row] ?? [];
      const column = firstDifference(a, b, width);
      if (column < 0) continue;
      const place = `${name}!${cellName(row, column)} ${String(rows[row]?.[column])}`;
      throw new Error(`${place} is ${String(a[column])} and ${String(b[column])}`);
    }
  }
}

/** The first column, or -1. */
function firstDifference(
  a: readonly PlainValue[],
  b: readonly PlainValue[],
  width: number,
): number {
  for (let column = 0; column < width; column++) {
    if (!equal(a[column] ?? null, b[column] ?? null)) return column;
  }
  return -1;
}

function equal(a: PlainValue, b: PlainValue): boolean {
  if (typeof a !== 'number' || typeof b !== 'number') return a === b;
  const scale = Math.max(Math.abs(a), Math.abs(b));
  return Math.abs(a - b) <= relativeDifferenceMost * scale;
}
