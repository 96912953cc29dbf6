import { parseRange, type Range } from '../../server/model/range.ts';
import type { ImportedTable } from './imported-workbook.ts';

/** Areas of the tables of a sheet, with header and totals. */
export class TableAreas {
  readonly #areas: readonly { readonly name: string; readonly area: Range }[];

  constructor(tables: readonly ImportedTable[]) {
    this.#areas = tables.flatMap(({ name, range }) => {
      const area = parseRange(range);
      return area ? [{ name, area }] : [];
    });
  }

  /** Returns the table around a cell, which a bare `[@Column]` means. */
  around({ row, column }: { readonly row: number; readonly column: number }): string | undefined {
    for (const { name, area } of this.#areas) {
      const isInRows = row >= area.row0 && row <= area.row1;
      if (isInRows && column >= area.column0 && column <= area.column1) return name;
    }
    return undefined;
  }
}
