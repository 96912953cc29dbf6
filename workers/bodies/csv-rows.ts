import { parse } from 'csv-parse/sync';

import { Failure } from '../../server/model/failure.ts';
import type { WireInput } from '../../server/model/input.ts';
import { foldName } from '../../server/model/names.ts';
import {
  rowsPart,
  type KeyBatch,
  type NamedType,
  type RowBatch,
} from '../../server/model/row-writes.ts';
import { sniffDelimiter } from '../files/csv-dialect.ts';
import { readField } from '../files/csv-value.ts';
import type { CsvText } from './csv-texts.ts';

interface CsvTable {
  /** Types of the columns; a column without one gets the type of the table. */
  readonly columns: readonly NamedType[];
  readonly delimiter: string | undefined;
}

type FieldReader = (field: string) => WireInput;

const plainNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/iu;
const stretchCharacters = 256 * 1024;
const recordCharactersMost = 64 * 1024 * 1024;

/** Yields rows of a CSV whose first record has the column names; texts are never formulas. */
export function* csvParts(
  { pieces, declaredDelimiter }: CsvText,
  { columns: known, delimiter }: CsvTable,
) {
  const sign = delimiter ?? declaredDelimiter;
  const types = new Map(known.map(({ name, type }) => [foldName(name), type]));
  let columns: string[] | undefined;
  let readers: FieldReader[] = [];
  let part: { rows: WireInput[][]; values: number; characters: number } = emptyPart();
  let index = 0;
  for (const records of stretches(pieces, sign)) {
    for (const record of records) {
      if (!columns) {
        columns = record.map((name) => name.trim());
        readers = columns.map((name) => readerOf(types.get(foldName(name)) ?? 'any'));
        continue;
      }
      if (record.length === 1 && record[0] === '') continue;
      const row = record.map((field, at) => (field === '' ? null : (readers[at] ?? asText)(field)));
      const characters = record.reduce((sum, field) => sum + field.length, 0);
      if (isFull(part, row.length, characters)) {
        yield { index, columns, rows: part.rows } satisfies RowBatch;
        index += part.rows.length;
        part = emptyPart();
      }
      part.rows.push(row);
      part.values += row.length;
      part.characters += characters;
    }
  }
  if (columns && part.rows.length > 0) {
    yield { index, columns, rows: part.rows } satisfies RowBatch;
  }
}

/** Yields the keys in one column of a CSV. */
export function* keyParts(
  parts: ReturnType<typeof csvParts>,
  keyColumn: string,
): Generator<KeyBatch> {
  const folded = foldName(keyColumn);
  for (const { index, columns, rows: records } of parts) {
    const at = columns.findIndex((name) => foldName(name) === folded);
    if (at < 0) throw noKeys(keyColumn);
    yield { index, keys: records.map((record) => keyIn(record[at])) };
  }
}

/** Returns a key; a blank one finds no row and is reported like any other key without a row. */
function keyIn(value: WireInput | undefined): string | number {
  return typeof value === 'number' || typeof value === 'string' ? value : '';
}

function noKeys(keyColumn: string): Failure {
  return new Failure('invalidFile', {
    detail: `The CSV has no column ${keyColumn}, which has the keys of the table.`,
    hint: `Name the columns in the first line, ${keyColumn} among them; others are passed over.`,
  });
}

function emptyPart(): { rows: WireInput[][]; values: number; characters: number } {
  return { rows: [], values: 0, characters: 0 };
}

function isFull(
  part: { rows: readonly unknown[]; values: number; characters: number },
  values: number,
  characters: number,
): boolean {
  if (part.rows.length === 0) return false;
  const isLong = part.characters + characters > rowsPart.characters;
  return part.rows.length === rowsPart.rows || part.values + values > rowsPart.values || isLong;
}

/**
 * Yields records some at a time, because all of a file's records would take many times its size.
 */
function* stretches(pieces: Iterable<string>, sign: string | undefined): Generator<string[][]> {
  let delimiter = sign;
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text === '') continue;
    delimiter ??= sniffDelimiter(text);
    let start = 0;
    while (text.length - start > stretchCharacters) {
      const end = recordEnd(text, start, start + stretchCharacters);
      if (end === undefined) break;
      yield parsed(text.slice(start, end), delimiter);
      start = end;
    }
    text = text.slice(start);
    if (text.length > recordCharactersMost) throw longRecord();
  }
  if (text !== '') yield parsed(text, delimiter ?? ',');
}

/** Returns the position after the first line break from `least` on that is not in quotes. */
function recordEnd(text: string, start: number, least: number): number | undefined {
  let isQuoted = false;
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) isQuoted = !isQuoted;
    else if (unit === 0x0a && !isQuoted && at >= least) return at + 1;
  }
  return undefined;
}

function longRecord(): Failure {
  return new Failure('invalidFile', {
    detail: `A record of the CSV has more than ${recordCharactersMost} characters.`,
    hint: 'Close every opened quote, and double the quotes that stand inside a field.',
  });
}

function parsed(text: string, delimiter: string): string[][] {
  try {
    return parse(text, { delimiter, relax_column_count: true, relax_quotes: true });
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : 'it cannot be read';
    throw new Failure('invalidFile', {
      detail: `The CSV is damaged: ${detail}.`,
      hint: 'Close every opened quote, and double the quotes that stand inside a field.',
      cause,
    });
  }
}

const asText: FieldReader = (field) => field;

/**
 * Returns the reader of a column type; a text that does not fit is kept for the schema to refuse.
 */
function readerOf(type: string): FieldReader {
  switch (type) {
    case 'text':
      return asText;
    case 'number':
    case 'integer':
    case 'date':
    case 'datetime':
      return (field) => numberOf(field.trim()) ?? field.trim();
    case 'boolean':
      return (field) => booleanOf(field.trim()) ?? field;
    default:
      return anyOf;
  }
}

function numberOf(text: string): number | undefined {
  const value = plainNumber.test(text) ? Number(text) : undefined;
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

function booleanOf(text: string): boolean | undefined {
  return /^(?:true|false)$/iu.test(text) ? text.toLowerCase() === 'true' : undefined;
}

function anyOf(field: string): WireInput {
  const { value, isFormula } = readField(field);
  return isFormula === true ? field : value;
}
