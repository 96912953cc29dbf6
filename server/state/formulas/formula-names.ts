import { parseColumn } from '../../model/address.ts';
import { foldName } from '../../model/names.ts';
import { LocalNames } from './formula-locals.ts';

/** A name in a formula: of a table, of a column, or defined. */
export interface NamePlace {
  /**
   * `word`: a table or a defined name, standing alone. `table`: in front of brackets. `name`: a
   * defined name, called or with a sheet. `column`: of a table.
   */
  readonly kind: 'word' | 'table' | 'name' | 'column';
  /** The table in front of the brackets; undefined for the table around the formula. */
  readonly table: string | undefined;
  readonly name: string;
  /** Offset of the name, behind that of a sheet. */
  readonly start: number;
  readonly end: number;
  /**
   * How the name is written: alone, alone in brackets (`bare`), behind `@` without brackets, or in
   * brackets with more.
   */
  readonly form: 'word' | 'bare' | 'at' | 'bracketed';
  /** The sheet in front of the name, without quotes, and its offset. */
  readonly sheet?: { readonly name: string; readonly start: number };
  readonly isCalled?: boolean;
}

/** Vowels and tones above and below letters are marks; a letter may be two surrogates. */
const word = /[\p{L}\p{M}\p{N}\p{Surrogate}_.\\?$]/u;
const simple = /^[\p{L}\p{N}_.]+$/u;
/** Prefixes of newer functions, local names and functions without a call in files. */
const filePrefix = /^(?:_xl(?:fn|ws|pm|eta)\.|_xll\.)+/iu;
const errorText = /#[A-Z][A-Z\d_]*(?:\/[A-Z\d]+)?[!?]?/iuy;

/**
 * Finds names in a formula, such as `Sales`, `Sales[Price]`, `[@Price]`,
 * `Sales[[#All],[First]:[Last]]`, `tax`, `Plan!tax`, `twice(3)`. Works on A1 and R1C1 texts. Names
 * declared by LET or LAMBDA and names in other files are left out.
 */
export function namesInFormula(text: string): NamePlace[] {
  return new NameReader(text).read();
}

/** Finds the names that LET and LAMBDA declare in a formula, except called ones. */
export function ownNamesInFormula(text: string): readonly TextSpan[] {
  const reader = new NameReader(text);
  reader.read();
  return reader.own;
}

interface TextSpan {
  readonly start: number;
  readonly end: number;
}

class NameReader {
  readonly #text: string;
  readonly #found: NamePlace[] = [];
  readonly own: TextSpan[] = [];
  readonly #locals = new LocalNames();

  constructor(text: string) {
    this.#text = text;
  }

  read(): NamePlace[] {
    for (let at = 0; at < this.#text.length;) at = this.#next(at);
    return this.#found;
  }

  /** Scans one token; returns the offset of the next. */
  #next(at: number): number {
    const character = this.#text[at] ?? '';
    switch (character) {
      case '"':
        return quotedEnd(this.#text, at);
      case "'":
        return this.#quoted(at);
      case '[':
        return this.#brackets(at);
      case '#':
        return this.#error(at);
      case '(':
      case '{':
        this.#locals.open();
        return at + 1;
      case ')':
      case '}':
        this.#locals.close();
        return at + 1;
      case ',':
        this.#locals.comma();
        return at + 1;
      default:
        return word.test(character) ? this.#word(at) : at + 1;
    }
  }

  /** Skips an error value such as `#N/A`. */
  #error(at: number): number {
    errorText.lastIndex = at;
    return errorText.test(this.#text) ? errorText.lastIndex : at + 1;
  }

  /** Reads a quoted sheet name, or a quoted local name that looks like a cell. */
  #quoted(start: number): number {
    const end = quotedEnd(this.#text, start);
    const name = this.#text.slice(start + 1, end - 1).replaceAll("''", "'");
    if (this.#text[end] === '!') return this.#onSheet({ name, start }, end + 1);
    if (this.#text[end] === '[') return this.#columns(end, name);
    if (isArgument(this.#text, start, end)) this.#locals.declare(name);
    return end;
  }

  #word(start: number): number {
    const text = this.#text;
    const end = wordEnd(text, start);
    const next = text[end];
    if (next === '!') return this.#onSheet({ name: text.slice(start, end), start }, end + 1);
    const spanned = next === ':' ? this.#span(start, end) : undefined;
    if (spanned !== undefined) return spanned;
    const from = start + (filePrefix.exec(text.slice(start, end))?.[0].length ?? 0);
    const name = text.slice(from, end);
    if (next === '(' || isScope(text, end, name)) return this.#call(name, from, end);
    if (this.#isOwn(name, start, end)) {
      if (next !== '[') this.own.push({ start: from, end });
    } else {
      const kind = next === '[' ? 'table' : 'word';
      this.#found.push({ kind, table: name, name, start: from, end, form: 'word' });
    }
    return next === '[' ? this.#columns(end, name) : end;
  }

  #call(name: string, start: number, end: number): number {
    if (!this.#locals.has(name)) {
      const place = { kind: 'name', table: undefined, name, start, end, form: 'word' } as const;
      this.#found.push({ ...place, isCalled: true });
    }
    this.#locals.open(name);
    return this.#text.indexOf('(', end) + 1;
  }

  /** Skips `A:C` or `First:Last!A1`; undefined for anything else. */
  #span(start: number, colon: number): number | undefined {
    const text = this.#text;
    const end = wordEnd(text, colon + 1);
    const [first, last] = [text.slice(start, colon), text.slice(colon + 1, end)];
    if (text[end] === '!') {
      return this.#onSheet({ name: text.slice(start, end), start }, end + 1);
    }
    const areColumns = text[end] !== '(' && isColumn(first) && isColumn(last);
    return areColumns ? end : undefined;
  }

  /** Reads cells or a name behind `!`; returns the offset behind them. */
  #onSheet(sheet: { readonly name: string; readonly start: number }, start: number): number {
    const text = this.#text;
    const end = wordEnd(text, start);
    const name = text.slice(start, end);
    if (text[end] === '[') return this.#columns(end, name);
    const columnsEnd = text[end] === ':' ? this.#span(start, end) : undefined;
    if (columnsEnd !== undefined) return columnsEnd;
    // On several sheets, or in another file.
    const isElsewhere = /[[:]/u.test(sheet.name);
    if (end > start && !isElsewhere) {
      const isCalled = text[end] === '(';
      const place = { kind: 'name', table: undefined, name, start, end, form: 'word' } as const;
      this.#found.push({ ...place, sheet, ...(isCalled && { isCalled }) });
    }
    return end;
  }

  #brackets(start: number): number {
    const text = this.#text;
    const end = closing(text, start);
    const next = text[end] ?? '';
    // `[Book.xlsx]Sheet!A1` names another file.
    if (word.test(next) || next === '!') {
      const sheetEnd = wordEnd(text, end);
      return text[sheetEnd] === '!' ? cellsEnd(text, sheetEnd + 1) : sheetEnd;
    }
    const name = text.slice(start + 1, end - 1);
    if (isArgument(text, start, end) && this.#locals.declareOptional(name)) return end;
    return this.#columns(start, undefined);
  }

  #columns(start: number, table: string | undefined): number {
    const end = closing(this.#text, start);
    readItems(this.#text, { from: start + 1, to: end - 1, table }, this.#found);
    return end;
  }

  /** Returns whether a name is declared by LET or LAMBDA, here or around it. */
  #isOwn(name: string, start: number, end: number): boolean {
    const isDeclared = isArgument(this.#text, start, end) && this.#locals.declare(name);
    return isDeclared || this.#locals.has(name);
  }
}

/** Returns the offset behind a quoted text; a quote inside is doubled. */
function quotedEnd(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] !== quote) continue;
    if (text[at + 1] !== quote) return at + 1;
    at++;
  }
  return text.length;
}

function wordEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && word.test(text[end] ?? '')) end++;
  return end;
}

function cellsEnd(text: string, start: number): number {
  const end = wordEnd(text, start);
  return text[end] === ':' ? wordEnd(text, end + 1) : end;
}

/** Returns whether a word is a column, perhaps with `$` or a dot. */
function isColumn(written: string): boolean {
  return parseColumn(written.replaceAll(/^\.?\$?|\.$/gu, '')) !== undefined;
}

/** Returns whether a word is a call of LET or LAMBDA; blanks may precede the parenthesis. */
function isScope(text: string, end: number, name: string): boolean {
  return /^(?:let|lambda)$/iu.test(name) && text[skipBlanks(text, end, text.length)] === '(';
}

/** Returns whether a word is a whole argument, and not the last. */
function isArgument(text: string, start: number, end: number): boolean {
  let before = start - 1;
  while (before >= 0 && (text[before] ?? '') <= ' ') before--;
  const isFirst = text[before] === '(' || text[before] === ',';
  return isFirst && text[skipBlanks(text, end, text.length)] === ',';
}

/** Returns the offset behind the matching closing bracket. */
function closing(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "'") at++;
    else if (text[at] === '[') depth++;
    else if (text[at] === ']' && --depth === 0) return at + 1;
  }
  return text.length;
}

function readItems(
  text: string,
  { from, to, table }: { from: number; to: number; table: string | undefined },
  found: NamePlace[],
): void {
  let at = skipBlanks(text, from, to);
  const isRow = text[at] === '@';
  if (isRow) at = skipBlanks(text, at + 1, to);
  if (at >= to) return;
  if (text[at] !== '[') {
    const form = isRow ? 'at' : 'bare';
    if (text[at] !== '#') found.push(column(text, { start: at, end: to, table, form }));
    return;
  }
  for (let open = at; open >= 0 && open < to; open = text.indexOf('[', open)) {
    const end = closing(text, open);
    const start = text[open + 1] === '@' ? open + 2 : open + 1;
    if (text[start] !== '#') {
      found.push(column(text, { start, end: end - 1, table, form: 'bracketed' }));
    }
    open = end;
  }
}

function column(
  text: string,
  place: { start: number; end: number; table: string | undefined; form: NamePlace['form'] },
): NamePlace {
  const name = text.slice(place.start, place.end).replaceAll(/'(.)/gsu, '$1');
  return { kind: 'column', name, ...place };
}

function skipBlanks(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && (text[at] ?? '') <= ' ') at++;
  return at;
}

/** Returns the new name for a place; undefined to keep the old one. */
export type Renaming = (place: NamePlace) => string | undefined;

/** Replaces names in a formula; undefined when nothing changes. */
export function renameInFormula(text: string, renaming: Renaming): string | undefined {
  let renamed = text;
  for (const place of namesInFormula(text).toReversed()) {
    const name = renaming(place);
    if (name === undefined) continue;
    renamed = renamed.slice(0, place.start) + spelled(name, place) + renamed.slice(place.end);
  }
  return renamed === text ? undefined : renamed;
}

/** Writes a name with the brackets that it needs: `[@Price]`, but `[@[Unit price]]`. */
function spelled(name: string, { kind, form }: Pick<NamePlace, 'kind' | 'form'>): string {
  if (kind !== 'column') return name;
  const escaped = name.replaceAll(/[[\]#'@]/gu, "'$&");
  return form === 'at' && !simple.test(name) ? `[${escaped}]` : escaped;
}

/** Returns the forms of a column in formulas: `[@Price]` for a row, `[Price]` for all rows. */
export function columnForms(name: string): { readonly ofRow: string; readonly whole: string } {
  const [ofRow, whole] = [
    spelled(name, { kind: 'column', form: 'at' }),
    spelled(name, { kind: 'column', form: 'bare' }),
  ];
  return { ofRow: `[@${ofRow}]`, whole: `[${whole}]` };
}

export function sameName(a: string, b: string): boolean {
  return a === b || foldName(a) === foldName(b);
}
