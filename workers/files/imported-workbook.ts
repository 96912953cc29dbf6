import type { TableStyle } from '../../server/model/payload-tables.ts';
import type { FileRecord } from './file-record.ts';
import type { KeptArchive } from './kept-archive.ts';
import type { SheetCells } from './sheet-cells.ts';
import type { SheetLook, WorkbookLook } from './sheet-look.ts';

/** Something of the file that the import does not keep. */
export interface Dropped {
  readonly what: string;
  /** A sheet, or a cell or range with its sheet. */
  readonly where?: string;
  readonly count: number;
  readonly why: string;
}

export interface ImportedSheet {
  readonly name: string;
  readonly content: SheetCells;
  readonly look: SheetLook;
  /** Merges, notes, rules and the like; none where a file cannot have them. */
  readonly records?: readonly FileRecord[];
}

export interface ImportedName {
  readonly name: string;
  /** A sheet's name; undefined for the whole workbook. */
  readonly scope: string | undefined;
  /** With its `=`. */
  readonly formula: string;
  readonly comment?: string;
}

export interface ImportedTable {
  readonly name: string;
  readonly sheet: string;
  /** A1 range, header and totals rows included. */
  readonly range: string;
  readonly columns: readonly string[];
  readonly headerRow: boolean;
  readonly totalsRow: boolean;
  /** By column: the formula of a calculated one, with its `=`. */
  readonly formulas?: readonly (string | undefined)[];
  /** By column, to be written: what stands in the totals row, as it was entered. */
  readonly totals?: readonly unknown[];
  readonly style?: TableStyle;
}

/** A file, read: cells by column, formulas, strings and styles shared. */
export interface ImportedWorkbook {
  readonly date1904: boolean;
  readonly sheets: readonly ImportedSheet[];
  readonly names: readonly ImportedName[];
  readonly tables: readonly ImportedTable[];
  readonly look: WorkbookLook;
  readonly dropped: readonly Dropped[];
  /** Parts that exports give back as they are; its name is in the settings. */
  readonly archive?: KeptArchive;
}

/** Counts what is not kept: one line for one thing in one place. */
export class DroppedList {
  readonly #lines = new Map<string, { what: string; where?: string; count: number; why: string }>();

  add(what: string, why: string, options: { where?: string; count?: number } = {}): void {
    const key = `${what}\0${options.where ?? ''}`;
    const line = this.#lines.get(key);
    const count = options.count ?? 1;
    if (line !== undefined) line.count += count;
    else if (options.where === undefined) this.#lines.set(key, { what, count, why });
    else this.#lines.set(key, { what, where: options.where, count, why });
  }

  lines(): Dropped[] {
    return [...this.#lines.values()];
  }
}
