import type { Input } from './cell-value.ts';
import { inputsEqual, isWireInput, readInput, type WireInput } from './input.ts';
import { epochDays1904, isoText } from './serial-date.ts';
import { readTyped } from './typed-input.ts';

/** Types of values that a column of a table may hold. */
export const columnTypes = [
  'any',
  'text',
  'number',
  'integer',
  'boolean',
  'date',
  'datetime',
] as const;

export type ColumnType = (typeof columnTypes)[number];

/** A column by its schema; missing members set nothing. */
export interface ColumnDefinition {
  readonly name: string;
  /** Any when left out. */
  readonly type?: ColumnType | undefined;
  /** True when left out. */
  readonly nullable?: boolean | undefined;
  readonly default?: WireInput | undefined;
  readonly enum?: readonly WireInput[] | undefined;
  /** Makes a calculated column: every row has it. */
  readonly formula?: string | undefined;
}

/** Rules for reading values: texts as they are, and the year that day numbers count from. */
export interface ValueReading {
  readonly raw: boolean;
  readonly date1904: boolean;
}

export interface ColumnValue {
  readonly input: Input;
  /** The number format that shows it as what it is. */
  readonly format?: string;
}

const isoDay = /^\d{4}-\d{2}-\d{2}$/u;
const isoMoment = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)Z?$/u;
const plainNumber = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/iu;

export const keyTypes: readonly ColumnType[] = ['any', 'text', 'number', 'integer', 'date'];

export function typeOf(column: ColumnDefinition): ColumnType {
  return column.type ?? 'any';
}

/** Orders the members and drops those that say nothing: equal columns are written alike. */
export function plainColumn(column: ColumnDefinition): ColumnDefinition {
  const { name, type, nullable, default: value, enum: allowed, formula } = column;
  const fallback = value === '' ? null : value;
  return {
    name,
    ...(type !== undefined && type !== 'any' && { type }),
    ...(nullable === false && { nullable }),
    ...(fallback !== undefined && fallback !== null && { default: fallback }),
    ...(allowed && { enum: allowed }),
    ...(formula !== undefined && { formula }),
  };
}

/**
 * Reads the value sent for a cell of a column; returns a text with the reason if it is not allowed.
 */
export function readColumnValue(
  wire: WireInput,
  column: ColumnDefinition,
  reading: ValueReading,
): ColumnValue | string {
  const input = readInput(wire, reading);
  if (input === null) {
    return column.nullable === false ? 'a value is needed here' : { input };
  }
  const read = readTypedValue(input, typeOf(column), reading);
  if (typeof read === 'string' || column.enum === undefined) return read;
  const isAllowed = column.enum.some((allowed) => {
    const option = readTypedValue(readInput(allowed, reading), typeOf(column), reading);
    return typeof option !== 'string' && inputsEqual(option.input, read.input);
  });
  return isAllowed ? read : `not one of ${listed(column.enum)}`;
}

function listed(allowed: readonly WireInput[]): string {
  const shown = allowed.slice(0, 10).map((value) => JSON.stringify(value));
  return allowed.length > shown.length ? `${shown.join(', ')}, …` : shown.join(', ');
}

function readTypedValue(
  input: Input,
  type: ColumnType,
  { date1904 }: ValueReading,
): ColumnValue | string {
  if (type === 'any') return { input };
  if (typeof input === 'object' && input !== null) {
    return 'formula' in input
      ? `a formula cannot stand in a column of type ${type}${type === 'text' ? '; an apostrophe before the = keeps it as text' : ''}`
      : `an error cannot stand in a column of type ${type}`;
  }
  if (type === 'date' || type === 'datetime') return readMoment(input, type, date1904);
  return fits(input, type) ? { input } : `not ${article(type)} ${type}`;
}

function article(type: ColumnType): string {
  return type === 'integer' ? 'an' : 'a';
}

function fits(input: Input, type: ColumnType): boolean {
  switch (type) {
    case 'text':
      return typeof input === 'string';
    case 'boolean':
      return typeof input === 'boolean';
    case 'integer':
      return Number.isSafeInteger(input);
    case 'date':
      return typeof input === 'number' && input >= 0 && Number.isInteger(input);
    case 'datetime':
      return typeof input === 'number' && input >= 0;
    case 'number':
      return typeof input === 'number';
    case 'any':
      return true;
  }
}

/** A day number, or a day as ISO 8601 writes it. */
function readMoment(input: Input, type: 'date' | 'datetime', date1904: boolean) {
  const format = formatOf(type);
  if (typeof input !== 'string') {
    return fits(input, type) ? { input, ...(format && { format }) } : momentFault(type);
  }
  const serial = serialOf(input, type);
  const moved = serial === undefined || !date1904 ? serial : serial - epochDays1904;
  return moved === undefined || moved < 0
    ? momentFault(type)
    : { input: moved, ...(format && { format }) };
}

function momentFault(type: 'date' | 'datetime'): string {
  return type === 'date'
    ? 'not a date: write 2026-01-31, or its day number'
    : 'not a moment: write 2026-01-31T14:30:00, or its day number';
}

function serialOf(text: string, type: 'date' | 'datetime'): number | undefined {
  const isDay = isoDay.test(text);
  const moment = type === 'datetime' ? isoMoment.exec(text) : null;
  if (!isDay && !moment) return undefined;
  const { input } = readTyped(moment ? `${moment[1] ?? ''} ${moment[2] ?? ''}` : text);
  return typeof input === 'number' ? input : undefined;
}

/** The number format that a column's values need to be seen as what they are. */
export function formatOf(type: ColumnType): string | undefined {
  if (type === 'date') return 'yyyy-mm-dd';
  return type === 'datetime' ? 'yyyy-mm-dd hh:mm:ss' : undefined;
}

/**
 * A value that is there already, for a column that changes its type: as it is, or turned into the
 * one value of that type that says the same. Undefined when there is none.
 */
export function convertValue(
  input: Input,
  { from, to }: { readonly from: ColumnType; readonly to: ColumnDefinition },
  date1904: boolean,
): ColumnValue | undefined {
  const reading = { raw: false, date1904 };
  const spelled = typeOf(to) === 'text' ? textOf(input, from, date1904) : input;
  if (!isWireInput(spelled)) return typeOf(to) === 'any' ? { input } : undefined;
  const direct = readColumnValue(asText(spelled), to, reading);
  if (typeof direct !== 'string') return direct;
  const other = otherSpelling(spelled, typeOf(to));
  const read = other === undefined ? undefined : readColumnValue(other, to, reading);
  return typeof read === 'string' ? undefined : read;
}

/**
 * Returns whether the content of a cell may stand in the column; the result of a formula is not
 * known, so it may.
 */
export function fitsColumn(input: Input, column: ColumnDefinition, date1904: boolean): boolean {
  if (!isWireInput(input)) return true;
  const read = readColumnValue(asText(input), column, { raw: false, date1904 });
  return typeof read !== 'string' && inputsEqual(read.input, input);
}

/** Spells an existing text so that nothing in it is read as a formula. */
function asText(input: WireInput): WireInput {
  return typeof input === 'string' ? `'${input}` : input;
}

function textOf(input: Input, from: ColumnType, date1904: boolean): Input {
  if (typeof input === 'boolean') return String(input).toUpperCase();
  if (typeof input !== 'number') return input;
  if (from === 'date') return isoText(input, date1904).slice(0, 10);
  return from === 'datetime' ? isoText(input, date1904) : String(input);
}

function otherSpelling(input: WireInput, type: ColumnType): WireInput | undefined {
  if (typeof input !== 'string') return undefined;
  if (type === 'boolean') {
    return /^(?:true|false)$/iu.test(input) ? input.toLowerCase() === 'true' : undefined;
  }
  const value = plainNumber.test(input) ? Number(input) : undefined;
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}
