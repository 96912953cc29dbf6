import type { WireInput } from '../../model/input.ts';

const pieceCharacters = 64 * 1024;
// Beginning of a text that a spreadsheet program would run as a formula, which an export escapes.
const dangerous = /^[=+\-@\t\r\n'\uFF1D\uFF0B\uFF0D\uFF20]/u;
const needsQuotes = /[",\r\n]|^\s|\s$/u;

/** Yields rows as CSV (RFC 4180) below a header, piece by piece. */
export async function* csvOf(
  names: readonly string[],
  rows: AsyncIterable<readonly (readonly WireInput[])[]>,
  isGuarded: boolean,
): AsyncGenerator<Uint8Array> {
  const field = (value: WireInput): string => quoted(textOf(value, isGuarded));
  let piece = `${names.map((name) => field(name)).join(',')}\r\n`;
  for await (const stretch of rows) {
    for (const row of stretch) piece += `${row.map(field).join(',')}\r\n`;
    if (piece.length < pieceCharacters) continue;
    yield Buffer.from(piece);
    piece = '';
  }
  yield Buffer.from(piece);
}

function textOf(value: WireInput, isGuarded: boolean): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'object') return value.error;
  if (typeof value === 'number') return String(value);
  return isGuarded && dangerous.test(value) ? `'${value}` : value;
}

function quoted(text: string): string {
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
