import type { Input } from './cell-value.ts';
import { isErrorCode } from './input.ts';
import { epochDays1904 } from './serial-date.ts';

/** The input that a typed text stands for, and the number format it asks for. */
export interface TypedInput {
  readonly input: Input;
  readonly format?: string;
}

/** The number format of texts: its cells keep what is typed into them. */
export const textPattern = '@';

/** Returns whether such a cell keeps a typed text that others read as this; formulas are read. */
export function staysText(input: Input): boolean {
  if (input === null || typeof input === 'string') return false;
  return typeof input !== 'object' || 'error' in input;
}

const plain = /^[+-]?(?:\d+\.?\d*|\.\d+)$/u;
const grouped = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/u;
const scientific = /^[+-]?(?:\d+\.?\d*|\.\d+)e[+-]?\d+$/iu;
const percentage = /^([+-]?[\d,.]+)\s*%$/u;
const currency = /^([+-]?)\$\s*([+-]?)([\d,.]+)$/u;
const bracketed = /^\((.+)\)$/u;
const isoDate = /^(\d{4})-(\d{1,2})-(\d{1,2})$/u;
const usDate = /^(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})$/u;
const namedDate = /^(\d{1,2})[- ]([a-z]{3,9})[- ](\d{4}|\d{2})$/iu;
const dayOfMonthNamed = /^(\d{1,2})[- ]([a-z]{3,9})$/iu;
const monthThenDay = /^([a-z]{3,9})[- ](\d{1,2})$/iu;
const monthThenYear = /^([a-z]{3,9})[- ](\d{4})$/iu;
const monthDayYear = /^([a-z]{3,9}) (\d{1,2}), ?(\d{4})$/iu;
const time = /^(\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,3})?)?(?:\s*([ap])m?)?$/iu;
const months =
  'january february march april may june july august september october november december'.split(
    ' ',
  );

/**
 * Reads a text as Excel does when a person types it (en-US): numbers, percentages, currency,
 * scientific notation, dates, times, booleans and errors; everything else is text. A leading `=`
 * makes a formula, a leading `'` keeps the rest as text.
 */
export function readTyped(text: string): TypedInput {
  if (text === '') return { input: null };
  if (text.startsWith('=') && text.length > 1) return { input: { formula: text } };
  if (text.startsWith("'")) return { input: text.slice(1) };
  const trimmed = text.trim();
  const upper = trimmed.toUpperCase();
  if (upper === 'TRUE' || upper === 'FALSE') return { input: upper === 'TRUE' };
  if (isErrorCode(upper)) return { input: { error: upper } };
  return readNumber(trimmed) ?? readMoment(trimmed) ?? { input: text };
}

/**
 * Reads a text as `readTyped` does, for input by a person: Excel takes 15 digits of a number, and
 * those behind them become zeros. Files keep all digits that they have. With the year in which it
 * is typed, `Dec 5`, `5-Dec`, `Dec 2026` and `Dec 5, 2026` are dates.
 */
export function readEntered(text: string, year?: number): TypedInput {
  const typed = readTyped(text);
  if (year !== undefined && typed.input === text) return readOpenDay(text, year) ?? typed;
  if (typeof typed.input !== 'number' || !oneNumber.test(text)) return typed;
  const taken = enteredDigits(text);
  return taken === text ? typed : readTyped(taken);
}

/** Returns whether a typed text is a day, whose number is another one where days count from 1904. */
export function isDay({ input, format = '' }: TypedInput): boolean {
  return typeof input === 'number' && /[dy]/u.test(format);
}

/** A day counts from 1904 there, and one before is a text; times are the same in both systems. */
export function daysSince1904(typed: TypedInput, text: string): TypedInput {
  if (typeof typed.input !== 'number' || !isDay(typed)) return typed;
  const serial = typed.input - epochDays1904;
  return serial < 0 ? { input: text } : { ...typed, input: serial };
}

const oneNumber = /^[\s+\-$(]*[\d,.]+(?:e[+-]?\d+)?[\s%)]*$/iu;
const digitsTaken = 15;

function enteredDigits(text: string): string {
  const [digits = '', ...exponent] = text.split(/(?=e)/iu);
  let count = 0;
  const taken = digits.replaceAll(/\d/gu, (digit) => {
    if (count > 0 || digit !== '0') count++;
    return count > digitsTaken ? '0' : digit;
  });
  return taken + exponent.join('');
}

function readNumber(text: string): TypedInput | undefined {
  if (plain.test(text)) return finite(Number(text));
  if (scientific.test(text)) return finite(Number(text), '0.00E+00');
  if (grouped.test(text)) return finite(ungrouped(text), text.includes('.') ? '#,##0.00' : '#,##0');
  return readPercentage(text) ?? readCurrency(text) ?? readBracketed(text);
}

function readPercentage(text: string): TypedInput | undefined {
  const digits = percentage.exec(text)?.[1];
  const value = digits === undefined ? undefined : magnitude(digits);
  if (value === undefined || digits === undefined) return undefined;
  // Dividing the digits' own number keeps 7% at 0.07; 7 * 0.01 would be 0.07000000000000001.
  return finite(value / 100, digits.includes('.') ? '0.00%' : '0%');
}

function readCurrency(text: string): TypedInput | undefined {
  const match = currency.exec(text);
  if (!match) return undefined;
  const [, before = '', after = '', digits = ''] = match;
  const value = before !== '' && after !== '' ? undefined : magnitude(digits);
  if (value === undefined) return undefined;
  const isNegative = before === '-' || after === '-';
  const pattern = digits.includes('.') ? '$#,##0.00' : '$#,##0';
  return finite(isNegative ? -value : value, pattern);
}

/** Accountants' minus: (12.50) is -12.5. */
function readBracketed(text: string): TypedInput | undefined {
  const inner = bracketed.exec(text)?.[1];
  if (inner === undefined || /^[+-]/u.test(inner)) return undefined;
  const read = plain.test(inner) || grouped.test(inner) ? readNumber(inner) : readCurrency(inner);
  return typeof read?.input === 'number' ? { ...read, input: -read.input } : undefined;
}

function readMoment(text: string): TypedInput | undefined {
  const clock = readTime(text);
  if (clock) return { input: clock.fraction, format: clock.format };
  const date = readDay(text);
  if (date) return { input: date.serial, format: date.format };
  const gap = text.search(/[ T]\d{1,2}:/u);
  if (gap < 0) return undefined;
  const before = readDay(text.slice(0, gap));
  const hours = readTime(text.slice(gap + 1));
  if (!before || !hours || hours.fraction >= 1) return undefined;
  return { input: before.serial + hours.fraction, format: `${before.format} h:mm` };
}

function readDay(text: string): { serial: number; format: string } | undefined {
  const iso = isoDate.exec(text);
  if (iso) return day(Number(iso[1]), Number(iso[2]), Number(iso[3]), 'yyyy-mm-dd');
  const us = usDate.exec(text);
  if (us) return day(fullYear(us[3] ?? ''), Number(us[1]), Number(us[2]), 'm/d/yyyy');
  const [, dayText, name, yearText] = namedDate.exec(text) ?? [];
  const month = monthOf(name);
  if (month === undefined) return undefined;
  return day(fullYear(yearText ?? ''), month, Number(dayText), 'd-mmm-yy');
}

/** Reads a day without its year, a month without its day, and the date with a comma. */
export function readOpenDay(given: string, year: number): TypedInput | undefined {
  const text = given.trim();
  const [, dayFirst, monthSecond] = dayOfMonthNamed.exec(text) ?? [];
  const [, monthFirst, daySecond] = monthThenDay.exec(text) ?? [];
  const month = monthOf(monthSecond ?? monthFirst);
  const [, monthAlone, yearAlone] = monthThenYear.exec(text) ?? [];
  const [, monthWhole, dayWhole, yearWhole] = monthDayYear.exec(text) ?? [];
  const found =
    dated(year, month, dayFirst ?? daySecond, 'd-mmm') ??
    // A number that is no day of the month is a year, as in Excel.
    dated(fullYear(daySecond ?? ''), monthOf(monthFirst), '1', 'mmm-yy') ??
    dated(Number(yearAlone), monthOf(monthAlone), '1', 'mmm-yy') ??
    dated(Number(yearWhole), monthOf(monthWhole), dayWhole, 'd-mmm-yy');
  return found && { input: found.serial, format: found.format };
}

function dated(
  year: number,
  month: number | undefined,
  dayText: string | undefined,
  format: string,
) {
  if (month === undefined || dayText === undefined) return undefined;
  return day(year, month, Number(dayText), format);
}

/** Returns the number of a month by its name, or by the first three or more letters of it. */
function monthOf(name: string | undefined): number | undefined {
  const at =
    name === undefined ? -1 : months.findIndex((one) => one.startsWith(name.toLowerCase()));
  return at < 0 ? undefined : at + 1;
}

function readTime(text: string): { fraction: number; format: string } | undefined {
  const match = time.exec(text);
  if (!match) return undefined;
  const [, hourText = '', minuteText = '', secondText, fractionText = '', half] = match;
  const hour = fullHour(Number(hourText), half);
  const minute = Number(minuteText);
  const second = Number(`${secondText ?? '0'}${fractionText}`);
  if (hour === undefined || minute > 59 || second >= 60) return undefined;
  const seconds = secondText === undefined ? '' : ':ss';
  const format =
    hour > 23 ? `[h]:mm${seconds}` : `h:mm${seconds}${half === undefined ? '' : ' AM/PM'}`;
  return { fraction: (hour * 3600 + minute * 60 + second) / 86_400, format };
}

/** `12 a` is 0 and `12 p` is 12; undefined where a clock of twelve hours has no such hour. */
function fullHour(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

/** Serial number of a day in the 1900 system, which counts a 29 February 1900 that never was. */
function day(
  year: number,
  month: number,
  dayOfMonth: number,
  format: string,
): { serial: number; format: string } | undefined {
  if (year < 1900 || year > 9999) return undefined;
  if (year === 1900 && month === 2 && dayOfMonth === 29) return { serial: 60, format };
  const moment = new Date(Date.UTC(year, month - 1, dayOfMonth));
  if (moment.getUTCMonth() !== month - 1 || moment.getUTCDate() !== dayOfMonth) return undefined;
  const days = Math.round((moment.getTime() - Date.UTC(1899, 11, 31)) / 86_400_000);
  return { serial: days >= 60 ? days + 1 : days, format };
}

function fullYear(text: string): number {
  const year = Number(text);
  if (text.length === 4) return year;
  return year < 30 ? 2000 + year : 1900 + year;
}

function magnitude(digits: string): number | undefined {
  if (plain.test(digits) || grouped.test(digits)) return ungrouped(digits);
  return undefined;
}

function ungrouped(text: string): number {
  return Number(text.replaceAll(',', ''));
}

/** A number too large for f64 stays text, as in Excel. */
function finite(value: number, format?: string): TypedInput | undefined {
  if (!Number.isFinite(value)) return undefined;
  const input = value === 0 ? 0 : value;
  return format === undefined ? { input } : { input, format };
}
