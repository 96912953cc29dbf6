import type { Value } from '../../server/model/cell-value.ts';
import { isErrorCode } from '../../server/model/input.ts';
import type { SheetSource } from './workbook-source.ts';

export interface CsvWriteOptions {
  /**
   * `excel` (the default) puts an apostrophe before text that a spreadsheet program would run as a
   * formula; `none` writes text as it is, for machines.
   */
  readonly escape?: 'excel' | 'none';
  readonly delimiter?: string;
  /** Begin with a byte order mark, by which Excel knows UTF-8. */
  readonly byteOrderMark?: boolean;
}

// OWASP's list for CSV injection: = + - @, tab, carriage return, and the full-width forms.
const dangerous = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
const pieceCharacters = 64 * 1024;

/** Writes the computed values of one sheet as RFC 4180, from A1 on, piece by piece. */
export function writeCsv(
  sheet: SheetSource,
  emit: (text: string) => void,
  options: CsvWriteOptions = {},
): void {
  const { escape = 'excel', delimiter = ',', byteOrderMark = false } = options;
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
    piece += delimiter.repeat(cell.column - column) + field(value, escape, delimiter);
    column = cell.column;
    hasCells = true;
    if (piece.length < pieceCharacters) continue;
    emit(piece);
    piece = '';
  }
  emit(hasCells ? `${piece}\r\n` : piece);
}

function constantOf(input: Value | { readonly formula: string }): Value {
  return typeof input === 'object' && input !== null && 'formula' in input ? null : input;
}

function field(value: Exclude<Value, null>, escape: 'excel' | 'none', delimiter: string): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'object') return value.error;
  const text = escape === 'excel' && needsApostrophe(value) ? `'${value}` : value;
  // Other delimiters are quoted as well, so that a reader that guesses is not led astray.
  const isPlain = !/[",;|\t\r\n]/.test(text) && !text.includes(delimiter) && text.trim() === text;
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}

/** A leading apostrophe is doubled, so that reading the file gives the same text again. */
function needsApostrophe(text: string): boolean {
  return dangerous.test(text) || text.startsWith("'") || isErrorCode(text);
}
