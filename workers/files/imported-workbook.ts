import type { TableStyle } from '../../server/model/payload-tables.ts';
import type { FileRecord } from './file-record.ts';
import type { KeptArchive } from './kept-archive.ts';
import type { SheetCells } from './sheet-cells.ts';
import type { SheetLook, WorkbookLook } from './sheet-look.ts';

/** Something in the file that the import does not keep. */
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
  /** Merged cells, notes, rules and so on; undefined if the format has none. */
  readonly records?: readonly FileRecord[];
}

export interface ImportedName {
  readonly name: string;
  /** Name of a sheet; undefined for the whole workbook. */
  readonly scope: string | undefined;
  /** Formula with its `=`. */
  readonly formula: string;
  readonly comment?: string;
}

export interface ImportedTable {
  readonly name: string;
  readonly sheet: string;
  /** A1 range with header and totals rows. */
  readonly range: string;
  readonly columns: readonly string[];
  readonly headerRow: boolean;
  readonly totalsRow: boolean;
  /** Formulas of calculated columns with their `=`, by column. */
  readonly formulas?: readonly (string | undefined)[];
  /** Contents of the totals row as entered, by column; only for writing. */
  readonly totals?: readonly unknown[];
  readonly style?: TableStyle;
}

/** A file's content: cells by column, and shared formulas, strings and styles. */
export interface ImportedWorkbook {
  readonly date1904: boolean;
  readonly sheets: readonly ImportedSheet[];
  readonly names: readonly ImportedName[];
  readonly tables: readonly ImportedTable[];
  readonly look: WorkbookLook;
  readonly dropped: readonly Dropped[];
  /** Parts that exports write back unchanged; the settings hold its name. */
  readonly archive?: KeptArchive;
}

/** Counts what is not kept, with one line for each kind of thing and place. */
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
