/** A cell as a person types it: a text that starts with `=` is a formula. */
export type Cell = number | string | boolean | null;

export interface Sheet {
  readonly name: string;
  readonly rows: readonly (readonly Cell[])[];
}

/** New contents of a rectangle, passed to each engine in one call. */
export interface Edit {
  /** Index of the sheet in the book. */
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
  readonly rows: readonly (readonly Cell[])[];
}

export interface Scenario {
  readonly sheets: readonly Sheet[];
  /** Edit on which all formulas depend. `step` counts up, so that each edit changes something. */
  fullEdit(step: number): Edit;
  /** Edit as a person makes it: an input on which few formulas depend. */
  smallEdit(step: number): Edit;
}

/** A typical shape of spreadsheets, at any size. */
export interface Workload {
  readonly name: string;
  /** Content of the sheet, and the cells that `fullEdit` and `smallEdit` change. */
  readonly shape: string;
  /** Number of formulas above which hyperformula takes minutes or does not finish. */
  readonly formulaCountMost?: number;
  /** Settings with which hyperformula is fastest at this shape. */
  readonly hyperFormulaOptions?: Readonly<Record<string, boolean>>;
  make(formulaCount: number): Scenario;
}

/**
 * Returns a number that looks arbitrary, has one decimal, is never zero, and is the same in every
 * run.
 */
export function sample(index: number): number {
  return ((index * 7919) % 1000) / 10 + 1;
}

export function fillRows(rowCount: number, cells: (row: number) => Cell[]): Cell[][] {
  return Array.from({ length: rowCount }, (_, row) => cells(row));
}

export function countFormulas(sheets: readonly Sheet[]): number {
  let count = 0;
  for (const { rows } of sheets) {
    for (const row of rows) for (const cell of row) count += Number(isFormula(cell));
  }
  return count;
}

export function isFormula(cell: Cell): boolean {
  return typeof cell === 'string' && cell.startsWith('=');
}
