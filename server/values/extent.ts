import type { Pace } from '../branches/pace.ts';
import type { ModelView } from './model.ts';
import type { ModelSheet } from './sheet-list.ts';

const pageCells = 8192;

/** How far each sheet reaches, by key: what was entered, and where arrays spill beyond it. */
export type Extents = ReadonlyMap<number, Pick<ModelSheet, 'rowCount' | 'columnCount'>>;

/** Walks all cells, so it is only for reads of whole rows or columns. */
export async function readExtents({ kernel, sheets }: ModelView, pace: Pace): Promise<Extents> {
  const extents = new Map<number, { rowCount: number; columnCount: number }>();
  for (const { key, rowCount, columnCount } of sheets.all) {
    extents.set(key, { rowCount, columnCount });
  }
  for (let offset = 0, count = pageCells; count === pageCells; offset += count) {
    count = 0;
    kernel.readValues(offset, pageCells, ({ sheet, row, column }) => {
      count++;
      const extent = extents.get(sheet);
      if (extent === undefined) return;
      if (row >= extent.rowCount) extent.rowCount = row + 1;
      if (column >= extent.columnCount) extent.columnCount = column + 1;
    });
    if (pace.isDue) await pace.rest();
  }
  return extents;
}
