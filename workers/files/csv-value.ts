import type { ErrorCode } from '../../server/model/cell-value.ts';
import { momentFormat } from '../../server/model/moment-format.ts';
import { readOpenDay, readTyped, type TypedInput } from '../../server/model/typed-input.ts';
import { fileLimits } from './file-limits.ts';

/** Reason why a field that looks like a number or a date stays text. */
export type LeftAsText = 'digits' | 'number' | 'date';

/**
 * A spelling that other countries read otherwise: the comma of `1,234`, the order of `1/2/2026`.
 */
export type Doubt = 'comma' | 'order';

/** A field as it is imported. */
export interface TypedValue {
  readonly value: number | string | boolean | { readonly error: ErrorCode };
  /** True when `value` is the text of a formula. */
  readonly isFormula?: boolean;
  /** Number format that the spelling implies. */
  readonly format?: string;
  readonly left?: LeftAsText;
  /** The value is right unless another field of the column is `foreign` in this way. */
  readonly doubt?: Doubt;
  readonly foreign?: Doubt;
}

const digitsMost = 15;
const hasDigit = /\d/u;

/** Sign, currency or opening bracket before the first digit. */
const lead = String.raw`^[\s+\-(\p{Sc}]*`;
const leadingZeros = new RegExp(String.raw`${lead}0(?:\d|,\d{3})`, 'u');
const phoneNumber = /^\+\d{7,}$/u;
/** `2E10` may be a part number or a power; a sign or a point makes it a power. */
const partNumber = /^\d+e\d+$/iu;

const numberLike = new RegExp(
  String.raw`${lead}(?:\d{1,3}(?:[.,'\s]\d{3})+|\d+)(?:[.,]\d+)?[\s%)\p{Sc}]*(?:CHF|EUR|GBP|JPY|USD)?$`,
  'u',
);
const decimalComma = /\d,(?:\d{1,2}|\d{4,})(?![\d,])|\d\.\d{3},\d/u;
const commaGroup = /\d,\d{3}/u;
/**
 * A number such as `1.234`, in which the point separates thousands if the comma is the decimal
 * sign.
 */
const pointGroup = /^\D*\d{1,3}\.\d{3}$/u;
const slashDate = /^(\d{1,2})\/\d{1,2}\/(?:\d{4}|\d{2})(?!\d)/u;
/** `Mar-1` may be the first of March, March 2001 or the name of a gene. */
const monthFirst = /^\p{L}+-/u;
const dateLike =
  /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](?:\d{4}|\d{2}))(?![\d./-])|^\d{1,2}[-. ]+\p{L}{3,9}[-., ]+(?:\d{4}|\d{2})$|^\p{L}{3,9}\.? \d{1,2}, \d{4}$/u;

/**
 * Reads a field as `parse: true` of an operation reads a text (en-US), except for what would lose
 * something: leading zeros, digits past the fifteenth, telephone and part numbers stay text. `year`
 * completes dates such as `Dec 5`.
 */
export function readField(field: string, year?: number): TypedValue {
  const text = field.trim();
  if (text.startsWith('=') && text.length > 1 && text.length <= fileLimits.formulaCharacters) {
    const format = momentFormat(text);
    return { value: text, isFormula: true, ...(format !== undefined && { format }) };
  }
  if (field.startsWith("'")) return { value: field.slice(1) };
  const typed = readTyped(field);
  if (!hasDigit.test(text)) return valueOf(typed, field);
  if (typeof typed.input !== 'number') return otherField(field, year);
  const isMoment = dateLike.test(text) || text.includes(':');
  if (!isMoment && losesDigits(text)) return { value: field, left: 'digits' };
  const doubt = doubtOf(text);
  return { ...valueOf(typed, field), ...(doubt !== undefined && { doubt }) };
}

/** Returns a field as text, because its column contradicts the value. */
export function leftInDoubt(field: string, doubt: Doubt): TypedValue {
  return { value: field, left: doubt === 'comma' ? 'number' : 'date' };
}

/** Reads a date without a year, a month without a day, or a text. */
function otherField(field: string, year: number | undefined): TypedValue {
  const text = field.trim();
  const isDay = year !== undefined && !monthFirst.test(text);
  const day = isDay ? readOpenDay(text, year) : undefined;
  return day ? valueOf(day, field) : leftField(field, text);
}

function valueOf({ input, format }: TypedInput, field: string): TypedValue {
  const isValue = input !== null && !(typeof input === 'object' && 'formula' in input);
  const value = isValue ? input : field;
  return format === undefined ? { value } : { value, format };
}

/** Returns a text that a reader may take for a number or a date. */
function leftField(field: string, text: string): TypedValue {
  if (dateLike.test(text)) {
    const isDayFirst = Number(slashDate.exec(text)?.[1] ?? 0) > 12;
    return { value: field, left: 'date', ...(isDayFirst && { foreign: 'order' }) };
  }
  if (!numberLike.test(text)) return { value: field };
  return { value: field, left: 'number', ...(decimalComma.test(text) && { foreign: 'comma' }) };
}

function doubtOf(text: string): Doubt | undefined {
  if (slashDate.test(text)) return 'order';
  return commaGroup.test(text) || pointGroup.test(text) ? 'comma' : undefined;
}

/**
 * Returns whether a number would lose digits: card numbers have more than a double, identifiers
 * begin with zeros.
 */
function losesDigits(text: string): boolean {
  if (leadingZeros.test(text) || phoneNumber.test(text) || partNumber.test(text)) return true;
  // The last digits of a fraction are noise, and a power states its precision.
  const whole = text.replace(/[.e].*$/iu, '').replaceAll(/\D/gu, '');
  return whole.length > digitsMost;
}
