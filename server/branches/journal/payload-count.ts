import { cellCount, parseSheetRange } from '../../model/range.ts';

/** Members of payloads that name one range, and lists of them. */
const rangeMembers = ['range', 'source', 'target'] as const;

/**
 * Counts what a payload names: cells that it lists or writes, and ranges. Merges, undos and rows of
 * tables name none by themselves; their parts are in the payload.
 */
export function countOf(payload: unknown): { readonly cells: number; readonly ranges: number } {
  if (typeof payload !== 'object' || payload === null) return { cells: 0, ranges: 0 };
  const members = payload as Readonly<Record<string, unknown>>;
  const { cells, ranges, inputs, rows, a1 } = members;
  const named = rangeMembers.map((name) => members[name]);
  const list = [...named, ...(Array.isArray(ranges) ? (ranges as unknown[]) : [])];
  const texts = list.filter((text) => typeof text === 'string');
  if (Array.isArray(cells)) return { cells: cells.length, ranges: texts.length };
  if (Array.isArray(inputs)) return { cells: entriesIn(inputs), ranges: texts.length };
  if (Array.isArray(rows)) return { cells: entriesIn(rows), ranges: texts.length };
  if (typeof a1 === 'string') return { cells: 1, ranges: texts.length };
  return { cells: texts.reduce((sum, text) => sum + sizeOf(text), 0), ranges: texts.length };
}

/** Entries of rows, which are lists or objects; null leaves a cell as it is. */
function entriesIn(rows: readonly unknown[]): number {
  let count = 0;
  for (const row of rows) {
    if (typeof row !== 'object' || row === null) continue;
    for (const value of Object.values(row)) if (value !== null) count++;
  }
  return count;
}

function sizeOf(text: string): number {
  const areas = parseSheetRange(text)?.areas ?? [];
  return areas.reduce((sum, area) => sum + cellCount(area), 0);
}
