import { columnLimit, rowLimit } from '../model/address.ts';
import type { Range } from '../model/range.ts';

/** A line of a reference as R1C1 spells it; `all` where it names no line of that axis. */
export interface ScannedLine {
  readonly kind: 'relative' | 'absolute' | 'all';
  /** Offset from the cell, or the line from zero. */
  readonly value: number;
}

interface ScannedCell {
  readonly row: ScannedLine;
  readonly column: ScannedLine;
}

/** A reference of an R1C1 text. Both ends are the same for a single cell. */
export interface ScannedReference {
  readonly rows: readonly [ScannedLine, ScannedLine];
  readonly columns: readonly [ScannedLine, ScannedLine];
  /** It names a sheet. */
  readonly isElsewhere: boolean;
}

const all: ScannedLine = { kind: 'all', value: 0 };
const here: ScannedLine = { kind: 'relative', value: 0 };

const quote = 34;
const apostrophe = 39;
const dot = 46;
const colon = 58;
const exclamation = 33;
const letterC = 67;
const letterR = 82;
const open = 91;
const close = 93;
const parenthesis = 40;

/**
 * The references of a formula in R1C1, found without parsing it: a few it names are none (a word in
 * brackets that looks like one), but none is missed. It tells the many formulas that an edit does
 * not concern from the few that the kernel has to be asked about.
 */
export function scanReferences(text: string): ScannedReference[] {
  const scanner = new Scanner(text);
  const found: ScannedReference[] = [];
  for (let next = scanner.next(); next; next = scanner.next()) found.push(next);
  return found;
}

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): ScannedReference | undefined {
    const text = this.#text;
    while (this.#at < text.length) {
      const code = text.charCodeAt(this.#at);
      if (code === quote || code === apostrophe) this.#skipQuoted(code);
      else if (code === open) this.#skipBrackets();
      else if (isWord(code)) {
        const isElsewhere = text.charCodeAt(this.#at - 1) === exclamation;
        const cell = this.#cell();
        if (cell) return this.#reference(cell, isElsewhere);
        this.#skipWord();
      } else this.#at++;
    }
    return undefined;
  }

  #reference(first: ScannedCell, isElsewhere: boolean): ScannedReference {
    const last = this.#rangeEnd() ?? first;
    const rows = [first.row, last.row] as const;
    return { rows, columns: [first.column, last.column], isElsewhere };
  }

  /** What stands behind a colon, which may have dots beside it. */
  #rangeEnd(): ScannedCell | undefined {
    const start = this.#at;
    if (this.#code() === dot) this.#at++;
    if (this.#code() === colon) {
      this.#at++;
      if (this.#code() === dot) this.#at++;
      const end = this.#cell();
      if (end) return end;
    }
    this.#at = start;
    return undefined;
  }

  /** `RC`, `R[-1]C2`, `R3`, `C[4]`; undefined, nothing consumed, for any other word. */
  #cell(): ScannedCell | undefined {
    const start = this.#at;
    const row = this.#line(letterR);
    const column = this.#line(letterC);
    const next = this.#code();
    const isWhole = (row ?? column) !== undefined && next !== parenthesis && next !== exclamation;
    if (isWhole && !isWord(next)) return { row: row ?? all, column: column ?? all };
    // A dot belongs to the word unless it leads to a colon.
    if (isWhole && next === dot && this.#text.charCodeAt(this.#at + 1) === colon) {
      return { row: row ?? all, column: column ?? all };
    }
    this.#at = start;
    return undefined;
  }

  #line(letter: number): ScannedLine | undefined {
    if (this.#code() !== letter) return undefined;
    const start = this.#at++;
    if (this.#code() !== open) {
      const value = this.#digits();
      return value === undefined ? here : { kind: 'absolute', value: value - 1 };
    }
    this.#at++;
    const isNegative = this.#text.charAt(this.#at) === '-';
    if (isNegative) this.#at++;
    const value = this.#digits();
    if (value === undefined || this.#code() !== close) {
      this.#at = start;
      return undefined;
    }
    this.#at++;
    return { kind: 'relative', value: isNegative ? -value : value };
  }

  #digits(): number | undefined {
    const start = this.#at;
    let value = 0;
    for (let digit = this.#code() - 48; digit >= 0 && digit <= 9; digit = this.#code() - 48) {
      value = value * 10 + digit;
      this.#at++;
    }
    return this.#at === start ? undefined : value;
  }

  #code(): number {
    return this.#text.charCodeAt(this.#at);
  }

  #skipWord(): void {
    while (isWord(this.#code())) this.#at++;
  }

  /** Doubled quotes are two quoted parts in a row, which comes to the same. */
  #skipQuoted(mark: number): void {
    const end = this.#text.indexOf(String.fromCharCode(mark), this.#at + 1);
    this.#at = end < 0 ? this.#text.length : end + 1;
  }

  /** Of a structured reference or an external one; an apostrophe in there spares the next sign. */
  #skipBrackets(): void {
    let depth = 0;
    do {
      const code = this.#code();
      if (code === apostrophe) this.#at++;
      else if (code === open) depth++;
      else if (code === close) depth--;
      this.#at++;
    } while (depth > 0 && this.#at < this.#text.length);
  }
}

/** Letters, digits and what else names are made of. */
function isWord(code: number): boolean {
  if (code >= 128 || code === 95 || code === 92 || code === 63 || code === dot) return true;
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

/** The lines that one end or the other of a reference takes while its cell goes from first to last. */
export function sweep(
  [start, end]: readonly [ScannedLine, ScannedLine],
  first: number,
  last: number,
): readonly [number, number] {
  const low = Math.min(lineAt(start, first, -Infinity), lineAt(end, first, -Infinity));
  return [low, Math.max(lineAt(start, last, Infinity), lineAt(end, last, Infinity))];
}

function lineAt({ kind, value }: ScannedLine, home: number, whole: number): number {
  if (kind === 'all') return whole;
  return kind === 'relative' ? home + value : value;
}

/** Whether no reference leaves the grid, wherever in the area its cell stands. */
export function staysOnGrid(references: readonly ScannedReference[], area: Range): boolean {
  return references.every(
    ({ rows, columns }) =>
      isWithin(sweep(rows, area.row0, area.row1), rowLimit) &&
      isWithin(sweep(columns, area.column0, area.column1), columnLimit),
  );
}

function isWithin([low, high]: readonly [number, number], limit: number): boolean {
  return (low >= 0 || low === -Infinity) && (high < limit || high === Infinity);
}

/** Whether some reference without a sheet, or any with one, may read of the rows and columns. */
export function mayRead({ rows, columns }: ScannedReference, homes: Range, wanted: Range): boolean {
  const [row0, row1] = sweep(rows, homes.row0, homes.row1);
  if (row0 > wanted.row1 || row1 < wanted.row0) return false;
  const [column0, column1] = sweep(columns, homes.column0, homes.column1);
  return column0 <= wanted.column1 && column1 >= wanted.column0;
}

/** Whether all it refers to stands in the row of the cell itself. */
export function isOwnRow({ rows, isElsewhere }: ScannedReference): boolean {
  return !isElsewhere && rows.every(({ kind, value }) => kind === 'relative' && value === 0);
}
