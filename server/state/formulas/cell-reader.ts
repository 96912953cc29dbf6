/** Ways to spell a line of a reference: by its distance, by its number, or not at all. */
export const relative = 0;
export const absolute = 1;
export const all = 2;

const dot = 46;
const colon = 58;
const exclamation = 33;
const letterC = 67;
const letterR = 82;
const open = 91;
const close = 93;
const minus = 45;
const parenthesis = 40;
const apostrophe = 39;
const quote = 34;

/** Reads a stored formula, in R1C1, from left to right: its cells, and what is skipped. No garbage. */
export class CellReader {
  text = '';
  at = 0;
  /** Kinds and values of the cell that was read last. */
  rowKind = all;
  row = 0;
  columnKind = all;
  column = 0;

  /** Begins with another text. */
  begin(text: string): void {
    this.text = text;
    this.at = 0;
  }

  code(): number {
    return this.text.charCodeAt(this.at);
  }

  /** Reads `RC`, `R[-1]C2`, `R3`, `C[4]`; reads nothing of any other word. */
  readCell(): boolean {
    const start = this.at;
    const hasRow = this.#readLine(letterR);
    const hasColumn = this.#readLine(letterC);
    if ((hasRow || hasColumn) && this.#isWordEnd()) return true;
    this.at = start;
    return false;
  }

  /** Reads a cell behind a colon, which may have dots beside it. */
  readRangeEnd(): boolean {
    if (this.code() === dot) this.at++;
    if (this.code() !== colon) return false;
    this.at++;
    if (this.code() === dot) this.at++;
    return this.readCell();
  }

  /** Skips letters, digits and what else names are made of. */
  skipWord(): void {
    while (isWord(this.code())) this.at++;
  }

  /** Doubled quotes are two quoted parts in a row, which comes to the same. */
  skipQuoted(mark: number): void {
    const end = this.text.indexOf(mark === quote ? '"' : "'", this.at + 1);
    this.at = end < 0 ? this.text.length : end + 1;
  }

  /**
   * Skips the brackets of a structured reference or an external one; an apostrophe in there escapes
   * the next sign.
   */
  skipBrackets(): void {
    let depth = 0;
    do {
      const code = this.code();
      if (code === apostrophe) this.at++;
      else if (code === open) depth++;
      else if (code === close) depth--;
      this.at++;
    } while (depth > 0 && this.at < this.text.length);
  }

  #isWordEnd(): boolean {
    const next = this.code();
    if (next === parenthesis || next === exclamation) return false;
    if (next === open) return false;
    // A dot belongs to the word unless it leads to a colon.
    return !isWord(next) || (next === dot && this.text.charCodeAt(this.at + 1) === colon);
  }

  #readLine(letter: number): boolean {
    let [kind, value] = [all, 0];
    const isThere = this.code() === letter;
    if (isThere) {
      this.at++;
      const isRelative = this.code() === open;
      if (isRelative) this.at++;
      const isNegative = this.code() === minus;
      if (isNegative) this.at++;
      const start = this.at;
      value = this.#digits();
      kind = isRelative || this.at === start ? relative : absolute;
      if (isNegative) value = -value;
      if (kind === absolute) value--;
      if (this.code() === close) this.at++;
    }
    if (letter === letterR) {
      this.rowKind = kind;
      this.row = value;
    } else {
      this.columnKind = kind;
      this.column = value;
    }
    return isThere;
  }

  #digits(): number {
    let value = 0;
    for (let digit = this.code() - 48; digit >= 0 && digit <= 9; digit = this.code() - 48) {
      value = value * 10 + digit;
      this.at++;
    }
    return value;
  }
}

/** Returns whether a sign is a letter, a digit or what else names are made of. */
export function isWord(code: number): boolean {
  if (code >= 128 || code === 95 || code === 92 || code === 63 || code === dot) return true;
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}
