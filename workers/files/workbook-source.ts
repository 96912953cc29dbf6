import type { FileRecord } from './file-record.ts';
import type { ImportedName, ImportedTable } from './imported-workbook.ts';
import type { KeptSource } from './kept-source.ts';
import type { SheetLook, WorkbookLook } from './sheet-look.ts';
import type { SourceCell } from './sheet-cells.ts';

/** A sheet for a writer. */
export interface SheetSource {
  readonly name: string;
  readonly look?: SheetLook;
  /** Yields non-blank and formatted cells row by row, from left to right. Called once. */
  cells(): Iterable<SourceCell>;
  /** Merged cells, notes, rules and so on. */
  readonly records?: readonly FileRecord[];
}

/** A workbook for a writer: cells are read one by one and never held together. */
export interface WorkbookSource {
  readonly date1904: boolean;
  readonly sheets: readonly SheetSource[];
  readonly names: readonly ImportedName[];
  readonly tables: readonly ImportedTable[];
  readonly look?: WorkbookLook;
  /** Charts and pictures of the imported file. */
  readonly kept?: KeptSource;
}
