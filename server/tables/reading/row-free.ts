import { foldName } from '../../model/names.ts';
import { namesInFormula, type NamePlace } from '../../state/formulas/formula-names.ts';

/** A call in a question with the same value for all rows, such as `AVERAGE([Price])`. */
export interface RowFreeCall {
  readonly start: number;
  readonly end: number;
  /** True if its value decides for a row, where an array would be no answer. */
  readonly isDeciding: boolean;
}

interface Call {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Functions whose result depends on the place of a cell, not on its value. */
export const placing =
  /\b(?:ROWS?|COLUMNS?|AREAS|ISREF|ISFORMULA|FORMULATEXT|SHEETS?|ADDRESS)\s*\(/iu;
/** Change of depth by characters around an argument that may contain commas. */
export const depths: Readonly<Record<string, number>> = { '(': 1, '{': 1, ')': -1, '}': -1 };
/** Functions of conditions. */
const deciding = new Set('AND OR XOR NOT IF IFS IFERROR IFNA'.split(' '));
/** Functions whose result may be a reference, which other functions treat unlike values. */
const referring = new Set([...deciding, ...'INDEX CHOOSE SWITCH XLOOKUP LET LAMBDA'.split(' ')]);

/**
 * Finds the outermost calls that read whole columns and nothing of the row, and none of the defined
 * `names`, whose meaning is unknown here.
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

/** Finds a whole column in a condition on the row, where `[@Price]` is meant. */
export function columnAsCondition(formula: string): NamePlace | undefined {
  const calls = callsIn(formula);
  return namesInFormula(formula).find(({ kind, form, start }) => {
    const isWhole = kind === 'column' && form === 'bare';
    return isWhole && !/@[^[\](),]*\[$/u.test(formula.slice(0, start)) && isDeciding(calls, start);
  });
}

/** Returns whether an array at this place would become the answer or a condition. */
function isDeciding(calls: readonly Call[], at: number): boolean {
  return calls.every(({ name, start, end }) => at <= start || at >= end || deciding.has(name));
}

function isRowFree(formula: string, { name, start, end }: Call, defined: Set<string>): boolean {
  const text = formula.slice(start, end);
  // A prefix such as that of files makes it a part of a longer name.
  const isWhole = formula[start - 1] !== '.' && end <= formula.length;
  if (!isWhole || referring.has(name) || /[@#]/u.test(text) || placing.test(text)) return false;
  const places = namesInFormula(`=${text}`);
  return (
    places.some(({ kind }) => kind === 'column') &&
    places.every((place) => place.kind === 'column' || !defined.has(foldName(place.name)))
  );
}

/** Finds the calls in order of their beginnings. */
function callsIn(formula: string): Call[] {
  const called = namesInFormula(formula).filter(({ isCalled }) => isCalled === true);
  return called.map(({ name, start, end }) => {
    return { name: name.toUpperCase(), start, end: callEnd(formula, formula.indexOf('(', end)) };
  });
}

/** Returns the place after the bracket that closes the one at `open`. */
function callEnd(formula: string, open: number): number {
  let depth = 0;
  for (let at = open; at < formula.length; at++) {
    depth += depths[formula[at] ?? ''] ?? 0;
    if (depth === 0) return at + 1;
    at = textEnd(formula, at);
  }
  return formula.length;
}

/** Returns the last place of a text, a quoted name or brackets that begin here; else the place. */
export function textEnd(formula: string, at: number): number {
  const character = formula[at] ?? '';
  if (character === '[') return bracketsEnd(formula, at);
  if (character !== '"' && character !== "'") return at;
  const end = formula.indexOf(character, at + 1);
  return end < 0 ? formula.length : end;
}

/**
 * Finds the closing bracket of a column reference, in which an apostrophe escapes the next
 * character.
 */
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
