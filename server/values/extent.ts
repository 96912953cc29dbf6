import type { Pace } from '../branches/pace.ts';
import type { ModelView } from './model.ts';
import type { ModelSheet } from './sheet-list.ts';

const pageCells = 8192;

/** Extents of sheets by key: to the last filled cell, including spilled arrays. */
export type Extents = ReadonlyMap<number, Pick<ModelSheet, 'rowCount' | 'columnCount'>>;

/** Reads extents by walking all cells; used for whole rows and columns only. */
export async function readExtents({ kernel, sheets }: ModelView, pace: Pace): Promise<Extents> {
  const extents = new Map<number, { rowCount: number; columnCount: number }>();
  for (const { key, rowCount, columnCount } of sheets.all) {
    extents.set(key, { rowCount, columnCount });
  }
  for (let offset = 0, count = pageCells; count > 0; offset += count) {
    count = kernel.readValues(offset, pageCells, ({ sheet, row, column }) => {
      const extent = extents.get(sheet);
      if (extent === undefined) return;
      if (row >= extent.rowCount) extent.rowCount = row + 1;
      if (column >= extent.columnCount) extent.columnCount = column + 1;
    });
    if (pace.isDue) await pace.rest();
  }
  return extents;
}
