import type { ErrorCode } from '../../server/model/cell-value.ts';
import type { FormatStyle } from '../../server/model/payload-rules.ts';
import type { CellFormats } from './cell-formats.ts';
import type { ExternalNames } from './external-names.ts';
import type { DroppedList, ImportedTable } from './imported-workbook.ts';
import type { SheetProperties } from '../../server/model/sheet-properties.ts';
import type { SheetCells } from './sheet-cells.ts';
import type { SheetRenames } from './sheet-renames.ts';
import type { Relationship } from './xlsx-package.ts';

/** Facts about the workbook that reading a sheet needs. */
export interface SheetContext {
  readonly date1904: boolean;
  readonly styles: CellFormats;
  /** Styles of conditional formats. */
  readonly formatStyles: readonly FormatStyle[];
  /** Values of `cm` that mean a dynamic array. */
  readonly dynamicMarks: ReadonlySet<number>;
  /** Errors, by the value of `vm`. */
  readonly richErrors: ReadonlyMap<number, ErrorCode>;
  /** Sheets that are called otherwise in the formulas of the file. */
  readonly renames: SheetRenames;
  /** Number of strings in the pool that are the file's shared ones. */
  readonly sharedStringCount: number;
  /** Defined names that are not kept. */
  readonly externalNames: ExternalNames;
  readonly dropped: DroppedList;
  /**
   * Returns whether the kernel can read a formula; of a cell with any other only the cached value
   * is kept.
   */
  readonly acceptsFormula: ((formula: string) => boolean) | undefined;
}

/** A worksheet part, and the sheet that gets its cells. */
export interface SheetTarget {
  readonly part: string;
  readonly name: string;
  readonly content: SheetCells;
  /** Visibility that the workbook part states. */
  readonly hidden: SheetProperties['hidden'];
  readonly tables: readonly ImportedTable[];
  /** Relationships of the part. */
  readonly links: readonly Relationship[];
}
