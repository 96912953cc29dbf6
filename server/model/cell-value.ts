/** The error values of the formula language, in the order of Excel's ERROR.TYPE where it has one. */
export const errorCodes = [
  '#NULL!',
  '#DIV/0!',
  '#VALUE!',
  '#REF!',
  '#NAME?',
  '#NUM!',
  '#N/A',
  '#GETTING_DATA',
  '#SPILL!',
  '#CALC!',
  '#FIELD!',
  '#BLOCKED!',
  '#CIRC!',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** A computed value as it goes over the wire; null is a blank cell. */
export type Value = number | string | boolean | null | { readonly error: ErrorCode };

/**
 * A formula as entered. `text` starts with `=`. Without flags it is dynamic (its array spills);
 * `array` names the fixed A1 range of a legacy array formula; `legacy` is a legacy scalar formula,
 * which intersects ranges implicitly, as .xlsx stores formulas without the dynamic-array flag.
 */
export interface FormulaInput {
  readonly formula: string;
  readonly array?: string;
  readonly legacy?: true;
}

/** The content of a cell as entered; null is blank. */
export type Input = number | string | boolean | null | { readonly error: ErrorCode } | FormulaInput;

export function isFormulaInput(input: Input | undefined): input is FormulaInput {
  return typeof input === 'object' && input !== null && 'formula' in input;
}
