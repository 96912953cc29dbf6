import {
  errorCodes,
  type ErrorCode,
  type Input,
  type Value,
} from '../../server/model/cell-value.ts';
import { plainStyle, styleText, type CellStyle } from '../../server/model/cell-style.ts';
import { fileLimits } from './file-limits.ts';
import { tooLargeFile } from './file-problem.ts';
import type { FormulaTable } from './formula-table.ts';

/** Meaning of a stored number, by kind of cell. */
export const cellKind = {
  number: 0,
  /** Index into the strings of the workbook. */
  text: 1,
  boolean: 2,
  /** Index into errorCodes. */
  error: 3,
  /** Index into the formula table: scalar or spilling. */
  formula: 4,
  /** Index into the arrays of the sheet. */
  array: 5,
} as const;

export type CellKind = (typeof cellKind)[keyof typeof cellKind];

/** A legacy array formula: its template and the fixed A1 range that it fills. */
export interface SheetArray {
  readonly formula: number;
  readonly range: string;
}

/** A cell as writers and tests get it. */
export interface SourceCell {
  readonly row: number;
  readonly column: number;
  readonly input: Input;
  readonly value?: Value;
  readonly numberFormat?: string;
  /** Style of the cell itself; undefined if that of its row or column counts. */
  readonly style?: CellStyle;
  /** Rows that a dynamic formula spills to, if it is more than its own cell. */
  readonly spillRows?: number;
  readonly spillColumns?: number;
}

/** Returns the text of a cell as a person sees it; null for a blank one. */
export type ShowCell = (cell: SourceCell) => string | null;

/** Strings, styles and formulas that all sheets share; a cell only stores an index. */
export class WorkbookPool {
  readonly strings: string[] = [];
  /** Styles of cells; index 0 is the style of unformatted cells. */
  readonly styles: CellStyle[] = [plainStyle];
  readonly #styleIndex = new Map<string, number>([['', 0]]);
  readonly formulas: FormulaTable;
  /** Number of cells of all sheets, for the limit. */
  cellCount = 0;

  constructor(formulas: FormulaTable) {
    this.formulas = formulas;
  }

  addString(text: string): number {
    return this.strings.push(text) - 1;
  }

  /** Returns the index of the style with this number format and nothing else. */
  formatOf(code: string): number {
    return this.styleOf(code === 'General' ? plainStyle : { numberFormat: code });
  }

  styleOf(style: CellStyle): number {
    const text = styleText(style);
    const known = this.#styleIndex.get(text);
    if (known !== undefined) return known;
    const index = this.styles.push(style) - 1;
    this.#styleIndex.set(text, index);
    return index;
  }
}

/** Consecutive rows of a column with one style. */
export interface FormatRun {
  readonly row0: number;
  row1: number;
  readonly format: number;
}

/**
 * Cells of one column in three flat arrays of 13 bytes a cell, because a million formulas must not
 * become a million objects.
 */
export class ColumnCells {
  readonly column: number;
  count = 0;
  rows = new Uint32Array(16);
  kinds = new Uint8Array(16);
  data = new Float64Array(16);
  readonly formats: FormatRun[] = [];
  #isOrdered = true;

  constructor(column: number) {
    this.column = column;
  }

  push(row: number, kind: CellKind, data: number): void {
    if (this.count === this.rows.length) this.#grow();
    if (this.count > 0 && row <= (this.rows[this.count - 1] ?? 0)) this.#isOrdered = false;
    this.rows[this.count] = row;
    this.kinds[this.count] = kind;
    this.data[this.count] = data;
    this.count++;
  }

  pushFormat(row: number, format: number): void {
    const last = this.formats.at(-1);
    if (last !== undefined && last.row1 === row - 1 && last.format === format) last.row1 = row;
    else this.formats.push({ row0: row, row1: row, format });
  }

  /** Sorts the rows and drops all but the last cell of each row. */
  settle(): void {
    this.formats.sort((left, right) => left.row0 - right.row0);
    if (this.#isOrdered) return;
    const order = Array.from({ length: this.count }, (_, index) => index);
    order.sort((left, right) => (this.rows[left] ?? 0) - (this.rows[right] ?? 0) || left - right);
    const { rows, kinds, data } = this;
    this.count = 0;
    this.#isOrdered = true;
    this.rows = new Uint32Array(rows.length);
    this.kinds = new Uint8Array(rows.length);
    this.data = new Float64Array(rows.length);
    for (const index of order) {
      const row = rows[index] ?? 0;
      if (this.count > 0 && this.rows[this.count - 1] === row) this.count--;
      this.rows[this.count] = row;
      this.kinds[this.count] = kinds[index] ?? 0;
      this.data[this.count] = data[index] ?? 0;
      this.count++;
    }
  }

  #grow(): void {
    const size = this.rows.length * 2;
    const rows = new Uint32Array(size);
    const kinds = new Uint8Array(size);
    const data = new Float64Array(size);
    rows.set(this.rows);
    kinds.set(this.kinds);
    data.set(this.data);
    this.rows = rows;
    this.kinds = kinds;
    this.data = data;
  }
}

/** Content of one sheet, by column. */
export class SheetCells {
  readonly pool: WorkbookPool;
  readonly arrays: SheetArray[] = [];
  /** Values that the file has for formulas, by row * columns + column; only kept on request. */
  readonly cachedValues: Map<number, Value> | undefined;
  readonly #columns = new Map<number, ColumnCells>();

  constructor(pool: WorkbookPool, keepValues = false) {
    this.pool = pool;
    this.cachedValues = keepValues ? new Map() : undefined;
  }

  /** Columns from left to right. */
  columns(): ColumnCells[] {
    return [...this.#columns.values()].sort((left, right) => left.column - right.column);
  }

  add(row: number, column: number, cell: { kind: CellKind; data: number }): void {
    this.pool.cellCount++;
    if (this.pool.cellCount > fileLimits.cellCount) {
      throw tooLargeFile(`more than ${fileLimits.cellCount} cells`);
    }
    this.#column(column).push(row, cell.kind, cell.data);
  }

  addText(row: number, column: number, text: string): void {
    this.add(row, column, { kind: cellKind.text, data: this.pool.addString(text) });
  }

  addError(row: number, column: number, code: ErrorCode): void {
    this.add(row, column, { kind: cellKind.error, data: errorCodes.indexOf(code) });
  }

  addFormat(row: number, column: number, format: number): void {
    this.#column(column).pushFormat(row, format);
  }

  addArray(row: number, column: number, array: SheetArray): void {
    this.add(row, column, { kind: cellKind.array, data: this.arrays.push(array) - 1 });
  }

  settle(): void {
    for (const column of this.#columns.values()) column.settle();
  }

  /** Returns the input of the cell with this index in a column. */
  inputOf(column: ColumnCells, index: number): Input {
    const data = column.data[index] ?? 0;
    const row = column.rows[index] ?? 0;
    switch (column.kinds[index]) {
      case cellKind.text:
        return this.pool.strings[data] ?? '';
      case cellKind.boolean:
        return data === 1;
      case cellKind.error:
        return { error: errorCodes[data] ?? '#VALUE!' };
      case cellKind.formula:
        return this.pool.formulas.inputAt(data, row, column.column);
      case cellKind.array:
        return this.#arrayInput(data, row, column.column);
      default:
        return data;
    }
  }

  #arrayInput(index: number, row: number, column: number): Input {
    const array = this.arrays[index];
    if (array === undefined) return null;
    return { formula: this.pool.formulas.textAt(array.formula, row, column), array: array.range };
  }

  /** Yields cells row by row, and blank ones that have a style. */
  *cells(): Generator<SourceCell> {
    const cursors = this.columns().map((column) => new ColumnCursor(this, column));
    for (;;) {
      let row = Infinity;
      for (const cursor of cursors) row = Math.min(row, cursor.row);
      if (row === Infinity) return;
      for (const cursor of cursors) if (cursor.row === row) yield cursor.take();
    }
  }

  #column(column: number): ColumnCells {
    let cells = this.#columns.get(column);
    if (cells === undefined) {
      cells = new ColumnCells(column);
      this.#columns.set(column, cells);
    }
    return cells;
  }
}

/** Walks the cells and the formatted blanks of one column together. */
class ColumnCursor {
  /** Row of the next cell; Infinity at the end. */
  row = 0;
  readonly #sheet: SheetCells;
  readonly #cells: ColumnCells;
  #index = 0;
  #run = 0;

  constructor(sheet: SheetCells, cells: ColumnCells) {
    this.#sheet = sheet;
    this.#cells = cells;
    this.#find(0);
  }

  take(): SourceCell {
    const { row } = this;
    const { column } = this.#cells;
    const format = this.#formatAt(row);
    const value = this.#sheet.cachedValues?.get(row * fileLimits.columnCount + column);
    let input: Input = null;
    if (this.#cells.rows[this.#index] === row && this.#index < this.#cells.count) {
      input = this.#sheet.inputOf(this.#cells, this.#index);
      this.#index++;
    }
    this.#find(row + 1);
    const style = format === 0 ? undefined : this.#sheet.pool.styles[format];
    return {
      row,
      column,
      input,
      ...(value === undefined ? {} : { value }),
      ...(style?.numberFormat === undefined ? {} : { numberFormat: style.numberFormat }),
      ...(style === undefined ? {} : { style }),
    };
  }

  #formatAt(row: number): number {
    const run = this.#cells.formats[this.#run];
    return run !== undefined && run.row0 <= row && row <= run.row1 ? run.format : 0;
  }

  #find(from: number): void {
    const { formats, rows, count } = this.#cells;
    while ((formats[this.#run]?.row1 ?? Infinity) < from) this.#run++;
    const run = formats[this.#run];
    const formatted = run === undefined ? Infinity : Math.max(run.row0, from);
    const filled = this.#index < count ? (rows[this.#index] ?? Infinity) : Infinity;
    this.row = Math.min(formatted, filled);
  }
}
