import type { CellStyle } from '../../server/model/cell-style.ts';
import type { SheetProperties } from '../../server/model/sheet-properties.ts';
import type { NamedStyle } from '../../server/state/structure/looks.ts';
import type { LineValue } from '../../server/state/structure/line-value.ts';

/** Consecutive rows or columns with the same properties; both ends count from zero. */
export interface LineRun {
  readonly from: number;
  readonly to: number;
  readonly value: LineValue;
}

/** Appearance of a sheet apart from its cells; runs are in order and do not overlap. */
export interface SheetLook {
  readonly rows: readonly LineRun[];
  readonly columns: readonly LineRun[];
  readonly properties: SheetProperties;
}

export const plainLook: SheetLook = { rows: [], columns: [], properties: {} };

/**
 * Settings of a workbook that a file has, by their names in Quire; absent ones have their default.
 */
export type WorkbookSettings = Readonly<
  Record<string, string | number | boolean | readonly string[]>
>;

export interface WorkbookLook {
  readonly styles: readonly NamedStyle[];
  readonly settings: WorkbookSettings;
}

export const plainWorkbook: WorkbookLook = { styles: [], settings: {} };

/** Walks the runs of one axis in ascending order. */
export class RunCursor {
  readonly #runs: readonly LineRun[];
  #at = 0;

  constructor(runs: readonly LineRun[]) {
    this.#runs = runs;
  }

  /** Returns the run of a line, or else the next run; undefined behind the last. */
  seek(line: number): LineRun | undefined {
    while ((this.#runs[this.#at]?.to ?? Infinity) < line) this.#at++;
    return this.#runs[this.#at];
  }

  valueAt(line: number): LineValue | undefined {
    const run = this.seek(line);
    return run && run.from <= line ? run.value : undefined;
  }
}

/** Styles of whole rows and columns, for cells without a style. */
export class LineStyles {
  readonly #rows: RunCursor;
  readonly #columns: readonly (CellStyle | undefined)[];
  readonly #rowsHaveStyles: boolean;

  constructor({ rows, columns }: SheetLook) {
    const styled: (CellStyle | undefined)[] = [];
    for (const { from, to, value } of columns) {
      if (value.style) for (let at = from; at <= to; at++) styled[at] = value.style;
    }
    this.#columns = styled;
    this.#rows = new RunCursor(rows);
    this.#rowsHaveStyles = rows.some(({ value }) => value.style !== undefined);
  }

  get isEmpty(): boolean {
    return !this.#rowsHaveStyles && this.#columns.length === 0;
  }

  /**
   * Returns the style of a cell's row, or else of its column. Rows have to come in ascending order.
   */
  below(row: number, column: number): CellStyle | undefined {
    const ofRow = this.#rowsHaveStyles ? this.#rows.valueAt(row)?.style : undefined;
    return ofRow ?? this.#columns[column];
  }
}
