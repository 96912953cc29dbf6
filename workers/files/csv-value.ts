import { isErrorCode } from '../../server/model/input.ts';
import type { ErrorCode } from '../../server/model/cell-value.ts';
import { fileLimits } from './file-limits.ts';

/** What a field means. */
export interface TypedValue {
  readonly value: number | string | boolean | { readonly error: ErrorCode };
  /** `value` is the text of a formula. */
  readonly isFormula?: boolean;
  /** The number format that the spelling implies. */
  readonly format?: string;
}

const plainNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/;
const longDigits = 15;

/** Reads a field as a person would type it into a cell. */
export function readTyped(field: string): TypedValue {
  const text = field.trim();
  if (text.startsWith('=') && text.length > 1 && text.length <= fileLimits.formulaCharacters) {
    return { value: text, isFormula: true };
  }
  if (field.startsWith("'")) return { value: field.slice(1) };
  if (plainNumber.test(text) && !losesDigits(text)) return { value: Number(text) };
  const upper = text.toUpperCase();
  if (upper === 'TRUE' || upper === 'FALSE') return { value: upper === 'TRUE' };
  return isErrorCode(upper) ? { value: { error: upper } } : { value: field };
}

/** Card and account numbers have more digits than a double, and identifiers start with zeros. */
function losesDigits(text: string): boolean {
  const digits = text.replace(/[eE].*$/, '').replaceAll(/[^\d]/g, '');
  const isIdentifier = /^[+-]?0\d/.test(text);
  const isPrecise = digits.replace(/^0+/, '').length <= longDigits;
  return isIdentifier || !Number.isFinite(Number(text)) || (!isPrecise && !/[.eE]/.test(text));
}
