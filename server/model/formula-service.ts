/** One reference inside a formula's text; rows and columns count from zero. */
export interface FormulaReference {
  /** Offsets into the formula text, `=` included; the sheet prefix is inside. */
  readonly start: number;
  readonly end: number;
  /** Sheet name as written, without quotes; undefined for the formula's own sheet. */
  readonly sheet: string | undefined;
  readonly row0: number;
  readonly column0: number;
  readonly row1: number;
  readonly column1: number;
  /** Bits 0..3: row0, column0, row1, column1 carry `$`; 4: whole columns; 5: whole rows; 6: one cell. */
  readonly flags: number;
}

export type FormulaCheck =
  | { readonly ok: true }
  | { readonly ok: false; readonly message: string; readonly at: number };

/** What journal and state need of the formula language; the kernel provides it. */
export interface FormulaService {
  /** Whether the text (with its `=`) is a formula; otherwise where and why not. */
  check(text: string): FormulaCheck;
  /** The text with every reference relative to the cell, as R1C1: equal for cells filled down. */
  toR1C1(text: string, row: number, column: number): string;
  fromR1C1(text: string, row: number, column: number): string;
  references(text: string): FormulaReference[];
}
