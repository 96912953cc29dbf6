import type { FileRecord } from './file-record.ts';
import type { ImportedName, ImportedTable } from './imported-workbook.ts';
import type { KeptSource } from './kept-source.ts';
import type { SheetLook, WorkbookLook } from './sheet-look.ts';
import type { SourceCell } from './sheet-cells.ts';

/** One sheet as a writer asks for it. */
export interface SheetSource {
  readonly name: string;
  readonly look?: SheetLook;
  /** Non-blank and formatted cells, row by row, each row from left to right. Called once. */
  cells(): Iterable<SourceCell>;
  /** Merges, notes, rules and the like. */
  readonly records?: readonly FileRecord[];
}

/** A workbook as a writer asks for it: cells are pulled one by one, never held together. */
export interface WorkbookSource {
  readonly date1904: boolean;
  readonly sheets: readonly SheetSource[];
  readonly names: readonly ImportedName[];
  readonly tables: readonly ImportedTable[];
  readonly look?: WorkbookLook;
  /** Charts and pictures of the file it came from. */
  readonly kept?: KeptSource;
}
