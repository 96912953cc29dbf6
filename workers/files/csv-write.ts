import { isFormulaInput, type Value } from '../../server/model/cell-value.ts';
import { isErrorCode } from '../../server/model/input.ts';
import type { ShowCell, SourceCell } from './sheet-cells.ts';
import type { SheetSource } from './workbook-source.ts';

export interface CsvWriteOptions {
  /**
   * `excel` (the default) puts an apostrophe before text that a spreadsheet program would run as a
   * formula; `none` writes texts unchanged, for programs.
   */
  readonly escape?: 'excel' | 'none';
  readonly delimiter?: string;
  /** True to begin with a byte order mark, by which Excel recognises UTF-8. */
  readonly byteOrderMark?: boolean;
  /** Returns the text to write instead of a value, as a person sees it. */
  readonly show?: ShowCell;
}

// Characters of OWASP's list for CSV injection: = + - @, tab, carriage return and the full-width
// forms.
const dangerous = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
/** Characters that a number format may add to digits without making them a formula. */
const harmlessNumber = /^[+-][\p{Sc}\s\d.,:%/()E+-]*$/u;
const pieceCharacters = 64 * 1024;

/** Writes the computed values of one sheet as RFC 4180, from A1 on, piece by piece. */
export function writeCsv(
  sheet: SheetSource,
  emit: (text: string) => void,
  options: CsvWriteOptions = {},
): void {
  const { delimiter = ',', byteOrderMark = false } = options;
  let piece = byteOrderMark ? '\uFEFF' : '';
  let row = 0;
  let column = 0;
  let hasCells = false;
  for (const cell of sheet.cells()) {
    const value = cell.value ?? constantOf(cell.input);
    if (value === null) continue;
    if (cell.row > row) {
      piece += '\r\n'.repeat(cell.row - row);
      row = cell.row;
      column = 0;
    }
    piece +=
      delimiter.repeat(cell.column - column) + quoted(fieldText(cell, value, options), delimiter);
    column = cell.column;
    hasCells = true;
    if (piece.length < pieceCharacters) continue;
    emit(piece);
    piece = '';
  }
  emit(hasCells ? `${piece}\r\n` : piece);
}

function constantOf(input: SourceCell['input']): Value {
  return isFormulaInput(input) ? null : input;
}

function fieldText(
  cell: SourceCell,
  value: Exclude<Value, null>,
  { escape = 'excel', show }: CsvWriteOptions,
): string {
  return show ? shownField(value, show(cell), escape) : plainField(value, escape);
}

function plainField(value: Exclude<Value, null>, escape: 'excel' | 'none'): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'object') return value.error;
  return escape === 'excel' && needsApostrophe(value) ? `'${value}` : value;
}

/**
 * Returns a shown text; that of a number is guarded too, because its format may spell a formula.
 */
function shownField(
  value: Exclude<Value, null>,
  shown: string | null,
  escape: 'excel' | 'none',
): string {
  if (shown === null || escape === 'none') return shown ?? '';
  const isText = typeof value === 'string';
  const isGuarded = isText
    ? needsApostrophe(shown)
    : dangerous.test(shown) && !harmlessNumber.test(shown);
  return isGuarded ? `'${shown}` : shown;
}

function quoted(text: string, delimiter: string): string {
  // Fields with other delimiters are quoted too, for readers that guess the delimiter.
  const isPlain = !/[",;|\t\r\n]/.test(text) && !text.includes(delimiter) && text.trim() === text;
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}

/**
 * Returns whether an apostrophe is put in front; a leading apostrophe is doubled, so that reading
 * gives the same text.
 */
function needsApostrophe(text: string): boolean {
  return dangerous.test(text) || text.startsWith("'") || isErrorCode(text);
}
