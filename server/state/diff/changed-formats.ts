import type { Range } from '../../model/range.ts';
import { rectanglesOf, type Segment } from '../compare/rectangles.ts';
import { placeOfRange } from './changed-cells.ts';
import type { RestyledRun } from './changed-runs.ts';

/** Cells whose style changed. Styles are indexes in the list of styles of the workbook. */
export interface ChangedFormat {
  readonly range: Range;
  readonly was: number;
  readonly is: number;
}

interface Styles {
  readonly was: number;
  readonly is: number;
}

/** Joins runs to rectangles, sorted by row and column. */
export function* gatherFormats(runs: readonly RestyledRun[]): Generator<void, ChangedFormat[]> {
  const keys = new Map<string, Styles>();
  const segments: (Segment<Styles> & { count: number })[] = [];
  const sorted = runs.toSorted((a, b) => a.block.toColumn - b.block.toColumn || a.row - b.row);
  for (const { block, row, count, was, is } of sorted) {
    const text = `${was} ${is}`;
    const key = keys.get(text) ?? { was, is };
    keys.set(text, key);
    const last = segments.at(-1);
    const column = block.toColumn;
    const isBelow = last?.column === column && last.row + last.count === row && last.key === key;
    if (isBelow) last.count += count;
    else segments.push({ column, row, count, key });
  }
  const rectangles = yield* rectanglesOf(segments);
  const areas = rectangles.map(({ range, key }) => ({ range, ...key }));
  return areas.sort((a, b) => placeOfRange(a.range) - placeOfRange(b.range));
}
