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
  /** `referenceFlags`: which ends carry `$`, whether whole columns or rows are meant, or one cell. */
  readonly flags: number;
}

/** Bits of the flags of a reference. */
export const referenceFlags = {
  absoluteRow0: 1,
  absoluteColumn0: 2,
  absoluteRow1: 4,
  absoluteColumn1: 8,
  wholeColumns: 16,
  wholeRows: 32,
  oneCell: 64,
} as const;

export type FormulaCheck =
  | { readonly ok: true }
  | { readonly ok: false; readonly message: string; readonly at: number };

/**
 * The origin of a formula: a person enters it, a file has it, or it was admitted before, like those
 * in the journal and those that a merge carries over.
 */
export type FormulaOrigin = 'person' | 'file' | 'journal';

/** The functions of the formula language that journal and state need; the kernel provides them. */
export interface FormulaService {
  /**
   * Checks that the text (with its `=`) is a formula which reads back from its stored form; if not,
   * the result says where and why. A person may enter less than a file may hold.
   */
  check(text: string, origin?: Exclude<FormulaOrigin, 'journal'>): FormulaCheck;
  /**
   * Returns the text with all references relative to the cell, as R1C1: equal for cells filled
   * down. References are in capitals, and a name that looks like one is quoted. A malformed text is
   * returned unchanged in either direction: it is a cell with #NAME?, and no reason to lose the
   * others.
   */
  toR1C1(text: string, row: number, column: number): string;
  fromR1C1(text: string, row: number, column: number): string;
  references(text: string): FormulaReference[];
}
