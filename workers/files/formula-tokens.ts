export type TokenKind =
  | 'space'
  | 'string'
  | 'error'
  | 'number'
  /** One cell: `B7`, `$B$7`. */
  | 'cell'
  /** Whole columns: `A:C`, with trim dots `A.:.C`. */
  | 'columns'
  | 'rows'
  /** A sheet before a reference, with its `!`. */
  | 'sheet'
  /** A function, a defined name, a table, a parameter or TRUE. */
  | 'name'
  /** A structured reference or the number of another workbook, with its brackets. */
  | 'bracket'
  | 'mark';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const space = /[ \t\r\n]+/y;
const string = /"(?:[^"]|"")*"/y;
const quotedSheet = /'(?:[^']|'')*'!?/y;
const error =
  /#(?:NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A|GETTING_DATA|SPILL!|CALC!|FIELD!|BLOCKED!|CIRC!|[A-Z]+!)/iy;
const columns = /\$?[A-Za-z]{1,3}\.?:\.?\$?[A-Za-z]{1,3}(?!\.?[\p{L}\p{N}_]|[($![\\?])/uy;
const rows = /\$?[1-9]\d{0,6}\.?:\.?\$?[1-9]\d{0,6}(?!\.?[\p{L}\p{N}_]|[($![\\?])/uy;
const cell = /\$?[A-Za-z]{1,3}\$?[1-9]\d{0,6}(?!\.?[\p{L}\p{N}_]|[(![\\?])/uy;
const name = /[\p{L}_\\][\p{L}\p{N}\p{M}_.\\?]*!?/uy;
const number = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;

type Shape = readonly [TokenKind, RegExp];
const letterShapes: readonly Shape[] = [
  ['columns', columns],
  ['cell', cell],
  ['name', name],
];
const dollarShapes: readonly Shape[] = [
  ['columns', columns],
  ['rows', rows],
  ['cell', cell],
];
const digitShapes: readonly Shape[] = [
  ['rows', rows],
  ['number', number],
];
const shapesByMark: Readonly<Record<string, readonly Shape[]>> = {
  ' ': [['space', space]],
  '\t': [['space', space]],
  '\r': [['space', space]],
  '\n': [['space', space]],
  '"': [['string', string]],
  "'": [['sheet', quotedSheet]],
  '#': [['error', error]],
  '.': [['number', number]],
  $: dollarShapes,
};
const singleMarks = new Set('+-*/^&=<>(),;:{}%@!|~`]');

/**
 * Splits a formula into tokens, which joined give the text again. This is no parser (the kernel has
 * it): a file's formula is only respelled and shifted, for which strings, names, brackets and
 * references are enough. It never fails; unknown characters are a `mark`.
 */
export function formulaTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const token = tokenAt(text, at);
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function tokenAt(text: string, at: number): Token {
  const first = text.charAt(at);
  if (first === '[') return { kind: 'bracket', text: bracketAt(text, at) };
  if (!singleMarks.has(first)) {
    for (const [kind, shape] of shapesFor(first)) {
      shape.lastIndex = at;
      const found = shape.exec(text)?.[0];
      if (found !== undefined && found !== '') return { kind: sheetOr(kind, found), text: found };
    }
  }
  const wide = text.codePointAt(at) ?? 0;
  return { kind: 'mark', text: String.fromCodePoint(wide) };
}

function shapesFor(first: string): readonly Shape[] {
  if (first >= '0' && first <= '9') return digitShapes;
  return shapesByMark[first] ?? letterShapes;
}

function sheetOr(kind: TokenKind, text: string): TokenKind {
  return kind === 'name' && text.endsWith('!') ? 'sheet' : kind;
}

/** Returns a bracket up to its partner; an apostrophe escapes the next character. */
function bracketAt(text: string, start: number): string {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const mark = text[at];
    if (mark === "'") at++;
    else if (mark === '[') depth++;
    else if (mark === ']') depth--;
    if (depth === 0) return text.slice(start, at + 1);
  }
  return text.slice(start);
}

/** Returns the index of the `)` for the `(` at `open`; undefined if there is none. */
export function closingParenthesis(tokens: readonly Token[], open: number): number | undefined {
  if (tokens[open]?.text !== '(') return undefined;
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    const token = tokens[at];
    if (token?.kind !== 'mark') continue;
    if (token.text === '(') depth++;
    if (token.text === ')') depth--;
    if (depth === 0) return at;
  }
  return undefined;
}

/**
 * Returns whether the formula refers to another workbook: `[1]Sheet!A1`, `'[1]My sheet'!A1`. The
 * number 0 is this workbook.
 */
export function isExternal(text: string): boolean {
  if (!text.includes('[')) return false;
  const tokens = formulaTokens(text);
  return tokens.some(({ kind, text: spelled }, index) => {
    if (kind === 'sheet') return spelled.includes('[') && !spelled.startsWith("'[0]");
    if (kind !== 'bracket' || !/^\[[1-9]\d*\]$/.test(spelled)) return false;
    return tokens[index - 1]?.kind !== 'name';
  });
}

/** Returns whether the formula asks a pivot table, of which an import only keeps the cells. */
export function asksPivotTable(text: string): boolean {
  if (!/GETPIVOTDATA/iu.test(text)) return false;
  const tokens = formulaTokens(text);
  return tokens.some(({ kind, text: word }, at) => {
    const isCalled = tokens[at + 1]?.text === '(';
    return kind === 'name' && isCalled && word.toUpperCase() === 'GETPIVOTDATA';
  });
}

const otherPrograms = /^(?:_xlfn\.)?(?:ORG\.LIBREOFFICE|ORG\.OPENOFFICE|COM\.SUN\.STAR)\./iu;

/** Returns whether the formula calls a function that Excel has not, as LibreOffice writes its own. */
export function asksOtherProgram(text: string): boolean {
  if (!/ORG\.|COM\.SUN/iu.test(text)) return false;
  const tokens = formulaTokens(text);
  return tokens.some(({ kind, text: word }, at) => {
    return kind === 'name' && tokens[at + 1]?.text === '(' && otherPrograms.test(word);
  });
}
