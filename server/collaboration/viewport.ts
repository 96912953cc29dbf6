import { overlaps, parseRange } from '../model/range.ts';

/** Returns whether two A1 ranges overlap; returns false for a text that is no range. */
export function cellsMeet(first: string, second: string): boolean {
  const a = parseRange(first);
  const b = parseRange(second);
  return a !== undefined && b !== undefined && overlaps(a, b);
}
