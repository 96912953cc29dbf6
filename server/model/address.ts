/** The grid of every sheet: always this size, as in Excel. */
export const rowLimit = 1_048_576;
export const columnLimit = 16_384;

/** One cell of a sheet; row and column count from zero. */
export interface Address {
  readonly row: number;
  readonly column: number;
}

const codeOfA = 65;
const letterCount = 26;

/** `A` for column 0, `XFD` for column 16,383. */
export function columnName(column: number): string {
  let name = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / letterCount)) {
    name = String.fromCharCode(codeOfA + ((rest - 1) % letterCount)) + name;
  }
  return name;
}

/** The column of `A`…`XFD` in either case; undefined for anything else. */
export function parseColumn(name: string): number | undefined {
  if (name.length === 0 || name.length > 3) return undefined;
  let count = 0;
  for (let index = 0; index < name.length; index++) {
    const letter = name.charCodeAt(index) & ~32;
    if (letter < codeOfA || letter >= codeOfA + letterCount) return undefined;
    count = count * letterCount + (letter - codeOfA + 1);
  }
  return count <= columnLimit ? count - 1 : undefined;
}

/** The row (from zero) of `1`…`1048576`; undefined for anything else. */
export function parseRow(digits: string): number | undefined {
  if (digits.length === 0 || digits.length > 7) return undefined;
  let number = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return undefined;
    number = number * 10 + digit;
  }
  if (digits.charCodeAt(0) === 48 || number > rowLimit) return undefined;
  return number - 1;
}

export function cellName(row: number, column: number): string {
  return `${columnName(column)}${row + 1}`;
}

/** `B7`, `$b$7`; no sheet. Written without a regular expression: admission calls it for each cell. */
export function parseAddress(text: string): Address | undefined {
  let at = text.charCodeAt(0) === 36 ? 1 : 0;
  const lettersFrom = at;
  while (at < text.length && (text.charCodeAt(at) | 32) >= 97) at++;
  const column = parseColumn(text.slice(lettersFrom, at));
  if (column === undefined) return undefined;
  if (text.charCodeAt(at) === 36) at++;
  const row = parseRow(text.slice(at));
  return row === undefined ? undefined : { row, column };
}
