import {
  errorCodes,
  isFormulaInput,
  type ErrorCode,
  type FormulaInput,
  type Input,
} from './cell-value.ts';

/** An input as it travels: strings are still to be read as text or formula. */
export type WireInput = number | string | boolean | null | { readonly error: ErrorCode };

const errorSet: ReadonlySet<unknown> = new Set(errorCodes);

export function isErrorCode(code: unknown): code is ErrorCode {
  return errorSet.has(code);
}

export function isWireInput(value: unknown): value is WireInput {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value);
    case 'string':
    case 'boolean':
      return true;
    case 'object':
      return value === null || isErrorObject(value);
    default:
      return false;
  }
}

function isErrorObject(value: object): boolean {
  return 'error' in value && isErrorCode(value.error) && Object.keys(value).length === 1;
}

export interface ReadingOptions {
  /** Strings are text, whatever they start with. */
  readonly raw?: boolean | undefined;
  /** Formulas intersect ranges implicitly. */
  readonly legacy?: boolean | undefined;
}

const equals = 61;
const apostrophe = 39;

/**
 * Reads a wire input: `=` makes a formula, a leading `'` keeps the rest as text, `""` blanks. So
 * `"'"` is the empty text, which is a value: COUNTA counts it.
 */
export function readInput(input: WireInput, options: ReadingOptions): Input {
  if (typeof input === 'number') return input === 0 ? 0 : input;
  if (typeof input !== 'string') return input;
  if (input === '') return null;
  if (options.raw === true) return input;
  const first = input.charCodeAt(0);
  if (first === equals) {
    return options.legacy === true ? { formula: input, legacy: true } : { formula: input };
  }
  return first === apostrophe ? input.slice(1) : input;
}

/** Returns the formula of an input; undefined where it is none. */
export function formulaOf(input: Input): FormulaInput | undefined {
  return isFormulaInput(input) ? input : undefined;
}

/** Returns the text of a formula that is for its own cell alone; undefined for all else. */
export function plainFormula(input: Input): string | undefined {
  const formula = formulaOf(input);
  return formula?.array === undefined && formula?.legacy !== true ? formula?.formula : undefined;
}

/** The wire input that reads back as this input. */
export function writeInput(input: Input): WireInput {
  if (typeof input === 'string') {
    if (input === '') return "'";
    const first = input.charCodeAt(0);
    return first === equals || first === apostrophe ? `'${input}` : input;
  }
  return isFormulaInput(input) ? input.formula : input;
}

export function inputsEqual(a: Input, b: Input): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if ('error' in a) return 'error' in b && a.error === b.error;
  if (!('formula' in b)) return false;
  return a.formula === b.formula && a.array === b.array && a.legacy === b.legacy;
}
