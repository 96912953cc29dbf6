import { parseRange } from '../model/range.ts';

/** Returns whether two A1 ranges overlap; returns false for a text that is no range. */
export function cellsMeet(first: string, second: string): boolean {
  const a = parseRange(first);
  const b = parseRange(second);
  if (!a || !b) return false;
  const isApart =
    a.row1 < b.row0 || b.row1 < a.row0 || a.column1 < b.column0 || b.column1 < a.column0;
  return !isApart;
}
