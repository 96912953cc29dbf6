import { foldName } from '../../model/names.ts';
import { namesInFormula, type NamePlace } from '../../state/formulas/formula-names.ts';

/** A call in a question that is the same for all rows, such as `AVERAGE([Price])`. */
export interface RowFreeCall {
  readonly start: number;
  readonly end: number;
  /** It decides for a row by itself: an array of it is no answer. */
  readonly isDeciding: boolean;
}

interface Call {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Functions whose answer is of the place of a cell, and not of its value. */
export const placing =
  /\b(?:ROWS?|COLUMNS?|AREAS|ISREF|ISFORMULA|FORMULATEXT|SHEETS?|ADDRESS)\s*\(/iu;
/** Characters that open and close an argument with commas of its own. */
export const depths: Readonly<Record<string, number>> = { '(': 1, '{': 1, ')': -1, '}': -1 };
/** Functions that ask conditions of a row, or choose what decides. */
const deciding = new Set('AND OR XOR NOT IF IFS IFERROR IFNA'.split(' '));
/** Functions whose answer may be cells, which others read in another way than values. */
const referring = new Set([...deciding, ...'INDEX CHOOSE SWITCH XLOOKUP LET LAMBDA'.split(' ')]);

/**
 * Finds the outermost calls that read whole columns and nothing of the row; `names` are those that
 * the workbook defines, which may do what they like.
 */
export function rowFreeCalls(formula: string, names: readonly string[]): RowFreeCall[] {
  if (/\b(?:LET|LAMBDA)\s*\(/iu.test(formula)) return [];
  const defined = new Set(names.map(foldName));
  const calls = callsIn(formula);
  const found: RowFreeCall[] = [];
  for (const call of calls) {
    const { start, end } = call;
    if (start < (found.at(-1)?.end ?? 0) || !isRowFree(formula, call, defined)) continue;
    found.push({ start, end, isDeciding: isDeciding(calls, start) });
  }
  return found;
}

/** Finds a whole column that stands in a condition on the row where `[@Price]` is meant. */
export function columnAsCondition(formula: string): NamePlace | undefined {
  const calls = callsIn(formula);
  return namesInFormula(formula).find(({ kind, form, start }) => {
    const isWhole = kind === 'column' && form === 'bare';
    return isWhole && !/@[^[\](),]*\[$/u.test(formula.slice(0, start)) && isDeciding(calls, start);
  });
}

/** Returns whether an array at this place would go on to be the answer, or to be a condition. */
function isDeciding(calls: readonly Call[], at: number): boolean {
  return calls.every(({ name, start, end }) => at <= start || at >= end || deciding.has(name));
}

function isRowFree(formula: string, { name, start, end }: Call, defined: Set<string>): boolean {
  const text = formula.slice(start, end);
  // With a prefix of files before it, it is not the whole call.
  const isWhole = formula[start - 1] !== '.' && end <= formula.length;
  if (!isWhole || referring.has(name) || /[@#]/u.test(text) || placing.test(text)) return false;
  const places = namesInFormula(`=${text}`);
  return (
    places.some(({ kind }) => kind === 'column') &&
    places.every((place) => place.kind === 'column' || !defined.has(foldName(place.name)))
  );
}

/** In the order in which they begin. */
function callsIn(formula: string): Call[] {
  const called = namesInFormula(formula).filter(({ isCalled }) => isCalled === true);
  return called.map(({ name, start, end }) => {
    return { name: name.toUpperCase(), start, end: callEnd(formula, formula.indexOf('(', end)) };
  });
}

/** The place after the bracket that closes the one at `open`. */
function callEnd(formula: string, open: number): number {
  let depth = 0;
  for (let at = open; at < formula.length; at++) {
    depth += depths[formula[at] ?? ''] ?? 0;
    if (depth === 0) return at + 1;
    at = textEnd(formula, at);
  }
  return formula.length;
}

/** The last place of a text, a quoted name or brackets that begin here; else the place itself. */
export function textEnd(formula: string, at: number): number {
  const character = formula[at] ?? '';
  if (character === '[') return bracketsEnd(formula, at);
  if (character !== '"' && character !== "'") return at;
  const end = formula.indexOf(character, at + 1);
  return end < 0 ? formula.length : end;
}

/** The bracket that ends a reference to a column; an apostrophe there takes the next one as it is. */
function bracketsEnd(formula: string, start: number): number {
  let depth = 0;
  for (let at = start; at < formula.length; at++) {
    const character = formula[at];
    if (character === "'") at++;
    else if (character === '[') depth++;
    else if (character === ']' && --depth === 0) return at;
  }
  return formula.length;
}
