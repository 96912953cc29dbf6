import type { FormatStyle } from '../../server/model/payload-rules.ts';
import type { CellFormats } from './cell-formats.ts';
import type { DroppedList } from './imported-workbook.ts';
import type { SheetProperties } from '../../server/model/sheet-properties.ts';
import type { SheetCells } from './sheet-cells.ts';
import type { Relationship } from './xlsx-package.ts';

/** What all sheets of a workbook need to be read. */
export interface SheetContext {
  readonly date1904: boolean;
  readonly styles: CellFormats;
  /** Styles of conditional formats. */
  readonly formatStyles: readonly FormatStyle[];
  /** Values of `cm` that mean a dynamic array. */
  readonly dynamicMarks: ReadonlySet<number>;
  /** How many strings of the pool are the file's shared ones. */
  readonly sharedStringCount: number;
  readonly dropped: DroppedList;
  /** Whether the kernel can read a formula; what it cannot read keeps its cached value only. */
  readonly acceptsFormula: ((formula: string) => boolean) | undefined;
}

/** A worksheet part, and where its cells go. */
export interface SheetTarget {
  readonly part: string;
  readonly name: string;
  readonly content: SheetCells;
  /** As the workbook part says it. */
  readonly hidden: SheetProperties['hidden'];
  /** What the part refers to. */
  readonly links: readonly Relationship[];
}
