import type { ErrorCode } from '../../server/model/cell-value.ts';
import type { FormatStyle } from '../../server/model/payload-rules.ts';
import type { CellFormats } from './cell-formats.ts';
import type { ExternalNames } from './external-names.ts';
import type { DroppedList, ImportedTable } from './imported-workbook.ts';
import type { SheetProperties } from '../../server/model/sheet-properties.ts';
import type { SheetCells } from './sheet-cells.ts';
import type { Relationship } from './xlsx-package.ts';

/** Knowledge about the workbook that reading each of its sheets needs. */
export interface SheetContext {
  readonly date1904: boolean;
  readonly styles: CellFormats;
  /** Styles of conditional formats. */
  readonly formatStyles: readonly FormatStyle[];
  /** Values of `cm` that mean a dynamic array. */
  readonly dynamicMarks: ReadonlySet<number>;
  /** Errors by the values of `vm` that stand for them. */
  readonly richErrors: ReadonlyMap<number, ErrorCode>;
  /** How many strings of the pool are the file's shared ones. */
  readonly sharedStringCount: number;
  /** Defined names that are not kept. */
  readonly externalNames: ExternalNames;
  readonly dropped: DroppedList;
  /**
   * Tells whether the kernel can read a formula; a cell with any other keeps its cached value only.
   */
  readonly acceptsFormula: ((formula: string) => boolean) | undefined;
}

/** A worksheet part, and where its cells go. */
export interface SheetTarget {
  readonly part: string;
  readonly name: string;
  readonly content: SheetCells;
  /** As the workbook part says it. */
  readonly hidden: SheetProperties['hidden'];
  readonly tables: readonly ImportedTable[];
  /** Relationships of the part. */
  readonly links: readonly Relationship[];
}
