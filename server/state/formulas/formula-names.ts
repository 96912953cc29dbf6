import { parseColumn } from '../../model/address.ts';
import { foldName } from '../../model/names.ts';
import { LocalNames } from './formula-locals.ts';

/** A name that a formula has for a table, a column of one, or something defined. */
export interface NamePlace {
  /**
   * A word that stands alone may be a table or a defined name. Before brackets it is a table, and a
   * defined name when it is called, or asked for on a sheet.
   */
  readonly kind: 'word' | 'table' | 'name' | 'column';
  /** The table as it is named before the brackets; undefined for the one around the formula. */
  readonly table: string | undefined;
  readonly name: string;
  /** Behind the name of a sheet. */
  readonly start: number;
  readonly end: number;
  /**
   * The way the name is written: alone, in brackets with nothing else ('bare'), behind an `@`
   * without brackets, or in brackets with more.
   */
  readonly form: 'word' | 'bare' | 'at' | 'bracketed';
  /** The sheet it is asked for on, without quotes, and where that begins. */
  readonly sheet?: { readonly name: string; readonly start: number };
  readonly isCalled?: boolean;
}

const word = /[\p{L}\p{N}_.\\?$]/u;
const simple = /^[\p{L}\p{N}_.]+$/u;
/** Prefixes that files put before the names of newer functions and of local names. */
const filePrefix = /^(?:_xl(?:fn|ws|pm)\.|_xll\.)+/iu;
const errorText = /#[A-Z][A-Z\d_]*(?:\/[A-Z\d]+)?[!?]?/iuy;

/**
 * Finds names in a formula that are not cells: `Sales`, `Sales[Price]`, `[@Price]`,
 * `Sales[[#All],[First]:[Last]]`, `tax`, `Plan!tax`, `twice(3)`. Works on A1 and on R1C1 texts, in
 * which a word stands before each bracket of a reference. Left out are names that the formula gives
 * itself, and other files.
 */
export function namesInFormula(text: string): NamePlace[] {
  return new NameReader(text).read();
}

/** Finds the names that a formula gives itself, by LET and LAMBDA, without those it calls. */
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

  /** Answers where to go on. */
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

  /** `#N/A` is no name, and no operator either. */
  #error(at: number): number {
    errorText.lastIndex = at;
    return errorText.test(this.#text) ? errorText.lastIndex : at + 1;
  }

  /** The name of a sheet, or what a stored text quotes because it looks like a cell. */
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

  /** `A:C` are columns, and `First:Last!A1` is on sheets; undefined for anything else. */
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

  /** Reads cells or a name behind the `!`; returns the place after them. */
  #onSheet(sheet: { readonly name: string; readonly start: number }, start: number): number {
    const text = this.#text;
    const end = wordEnd(text, start);
    const name = text.slice(start, end);
    if (text[end] === '[') return this.#columns(end, name);
    const columnsEnd = text[end] === ':' ? this.#span(start, end) : undefined;
    if (columnsEnd !== undefined) return columnsEnd;
    // A reference to several sheets, or to another file.
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

  /** Returns whether the formula gives the name to a value of its own, here or around it. */
  #isOwn(name: string, start: number, end: number): boolean {
    const isDeclared = isArgument(this.#text, start, end) && this.#locals.declare(name);
    return isDeclared || this.#locals.has(name);
  }
}

/** The place after a text or a quoted sheet name; a quote within it stands twice. */
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

/** With a dollar sign, or the dot that leaves blanks out. */
function isColumn(written: string): boolean {
  return parseColumn(written.replaceAll(/^\.?\$?|\.$/gu, '')) !== undefined;
}

/** `LET (` is a call though there is a blank. */
function isScope(text: string, end: number, name: string): boolean {
  return /^(?:let|lambda)$/iu.test(name) && text[skipBlanks(text, end, text.length)] === '(';
}

/** Returns whether the text is an argument by itself, of several, and not the last. */
function isArgument(text: string, start: number, end: number): boolean {
  let before = start - 1;
  while (before >= 0 && (text[before] ?? '') <= ' ') before--;
  const isFirst = text[before] === '(' || text[before] === ',';
  return isFirst && text[skipBlanks(text, end, text.length)] === ',';
}

/** The place after the bracket that closes the one at `start`. */
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

/** Returns the new name at a place; undefined leaves the old one. */
export type Renaming = (place: NamePlace) => string | undefined;

/** The formula with other names in it; undefined when it has none of them. */
export function renameInFormula(text: string, renaming: Renaming): string | undefined {
  let renamed = text;
  for (const place of namesInFormula(text).toReversed()) {
    const name = renaming(place);
    if (name === undefined) continue;
    renamed = renamed.slice(0, place.start) + spelled(name, place) + renamed.slice(place.end);
  }
  return renamed === text ? undefined : renamed;
}

/** Spells a name as the formula language writes it: `[@Price]`, but `[@[Unit price]]`. */
function spelled(name: string, { kind, form }: Pick<NamePlace, 'kind' | 'form'>): string {
  if (kind !== 'column') return name;
  const escaped = name.replaceAll(/[[\]#'@]/gu, "'$&");
  return form === 'at' && !simple.test(name) ? `[${escaped}]` : escaped;
}

/** Returns the column of a row, `[@Price]`, and all of the column, `[Price]`, as formulas say them. */
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
