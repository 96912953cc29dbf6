import { foldName } from '../model/names.ts';

/** A name that a formula has for a table or a column of one. */
export interface NamePlace {
  readonly kind: 'table' | 'column';
  /** The table as it is named before the brackets; undefined for the one around the formula. */
  readonly table: string | undefined;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Whether the name stands in brackets with nothing else, or behind an `@` without any. */
  readonly form: 'word' | 'bare' | 'at' | 'bracketed';
}

const word = /[\p{L}\p{N}_.\\?$]/u;
const simple = /^[\p{L}\p{N}_.]+$/u;

/**
 * Where a formula names tables and their columns: `Sales`, `Sales[Price]`, `[@Price]`,
 * `Sales[[#All],[First]:[Last]]`. Works on A1 and on R1C1 texts, in which a word stands before each
 * bracket of a reference.
 */
export function namesInFormula(text: string): NamePlace[] {
  const found: NamePlace[] = [];
  for (let at = 0; at < text.length;) {
    const character = text[at] ?? '';
    if (character === '"' || character === "'") at = quotedEnd(text, at);
    else if (character === '[') at = readBrackets(text, { at, table: undefined }, found);
    else if (word.test(character)) at = readWord(text, at, found);
    else at++;
  }
  return found;
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

function readWord(text: string, start: number, found: NamePlace[]): number {
  let end = start;
  while (end < text.length && word.test(text[end] ?? '')) end++;
  const name = text.slice(start, end);
  const next = text[end];
  const isOther = next === '(' || next === '!' || text[start - 1] === '!';
  if (!isOther) found.push({ kind: 'table', table: name, name, start, end, form: 'word' });
  return next === '[' ? readBrackets(text, { at: end, table: name }, found) : end;
}

interface Brackets {
  readonly at: number;
  readonly table: string | undefined;
}

function readBrackets(text: string, { at, table }: Brackets, found: NamePlace[]): number {
  const end = closing(text, at);
  const next = text[end] ?? '';
  // `[Book.xlsx]Sheet!A1` names another file.
  if (table === undefined && (word.test(next) || next === '!')) return end;
  readItems(text, { from: at + 1, to: end - 1, table }, found);
  return end;
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

/** What a name becomes; undefined leaves it. */
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

/** As the formula language writes it: `[@Price]`, but `[@[Unit price]]`. */
function spelled(name: string, { kind, form }: NamePlace): string {
  if (kind === 'table') return name;
  const escaped = name.replaceAll(/[[\]#'@]/gu, "'$&");
  return form === 'at' && !simple.test(name) ? `[${escaped}]` : escaped;
}

export function sameName(a: string, b: string): boolean {
  return a === b || foldName(a) === foldName(b);
}
