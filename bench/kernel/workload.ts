/** A cell as a person types it: a text that starts with `=` is a formula. */
export type Cell = number | string | boolean | null;

export interface Sheet {
  readonly name: string;
  readonly rows: readonly (readonly Cell[])[];
}

/** New contents for a rectangle, given to each engine in one call. */
export interface Edit {
  /** Index of the sheet in the book. */
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
  readonly rows: readonly (readonly Cell[])[];
}

export interface Scenario {
  readonly sheets: readonly Sheet[];
  /** Dirties every formula. `step` counts up, so that no edit repeats what is there already. */
  fullEdit(step: number): Edit;
  /** Edit as a person makes it: one input that few formulas depend on. */
  smallEdit(step: number): Edit;
}

/** One of the shapes that spreadsheets are made of, at any size. */
export interface Workload {
  readonly name: string;
  /** Content of the sheet, and the cells that `fullEdit` and `smallEdit` change. */
  readonly shape: string;
  /** Above this many formulas hyperformula takes minutes or does not come back. */
  readonly formulaCountMost?: number;
  /** Settings under which hyperformula does best on this shape. */
  readonly hyperFormulaOptions?: Readonly<Record<string, boolean>>;
  make(formulaCount: number): Scenario;
}

/** Looks arbitrary, has one decimal, is never zero and the same in every run. */
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
