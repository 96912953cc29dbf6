import type { ModelView } from './model-view.ts';
import type { ModelSheet } from './sheet-list.ts';

/** Extents of sheets by key: to the last filled cell, including spilled arrays. */
export type Extents = ReadonlyMap<number, Pick<ModelSheet, 'rowCount' | 'columnCount'>>;

/** Reads the extents of all sheets; used for whole rows and columns only. */
export function readExtents({ kernel, sheets }: ModelView): Extents {
  return new Map(
    sheets.all.map(({ key, ...known }) => {
      const { rowCount, columnCount } = kernel.readExtent(key);
      const extent = {
        rowCount: Math.max(rowCount, known.rowCount),
        columnCount: Math.max(columnCount, known.columnCount),
      };
      return [key, extent];
    }),
  );
}
