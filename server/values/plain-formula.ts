import type { FormulaReference } from '../model/formula-service.ts';
import type { CellCoding } from '../state/cells/cell-coding.ts';
import type { Dictionary } from '../state/cells/dictionary.ts';

/** Functions of single values. */
const scalars = new Set(
  (
    'ABS AND CEILING CONCATENATE DATE DAY DEGREES EXACT EXP FIND FLOOR IF IFERROR IFNA INT ' +
    'ISBLANK ISERROR ISNUMBER ISTEXT LEFT LEN LN LOG LOG10 LOWER MID MOD MONTH NOT OR PI POWER ' +
    'PROPER RADIANS REPLACE REPT RIGHT ROUND ROUNDDOWN ROUNDUP SIGN SQRT SUBSTITUTE TEXT TRIM ' +
    'TRUNC UPPER VALUE WEEKDAY XOR YEAR'
  ).split(' '),
);
/** Functions that reduce any number of values to one. */
const reducers = new Set('AVERAGE COUNT COUNTA MAX MEDIAN MIN PRODUCT SUM'.split(' '));

const oneCellFlag = 64;
const token = /"(?:[^"]|"")*"|([A-Za-z_\\][\w.\\?]*)|([()])|[\d.]+(?:[eE][+-]?\d+)?|\u0000|./gu;
/** Characters of arrays, other places, or anything unknown here. */
const strange = /[{}[\]#@:;!'|\u0080-\uffff]/u;

/**
 * Returns whether a formula certainly depends only on cells in its text and has one value: known
 * functions, no names or arrays, and ranges only in functions that reduce them.
 */
export function isPlainFormula(text: string, references: readonly FormulaReference[]): boolean {
  const open: (string | undefined)[] = [];
  let before: string | undefined;
  const rest = withoutReferences(text, references);
  for (const { 0: found, 1: word, 2: bracket } of rest.matchAll(token)) {
    if (bracket === '(') open.push(before);
    else if (bracket === ')') open.pop();
    else if (before !== undefined) return false;
    before = undefined;
    if (word !== undefined) before = isBoolean.test(word) ? undefined : word.toUpperCase();
    else if (bracket === undefined && !isHarmless(found, open)) return false;
    if (before !== undefined && !scalars.has(before) && !reducers.has(before)) return false;
  }
  return before === undefined;
}

const isBoolean = /^(?:TRUE|FALSE)$/iu;

function isHarmless(found: string, open: readonly (string | undefined)[]): boolean {
  if (found !== rangeMark) return found.startsWith('"') || !strange.test(found);
  return open.some((name) => name !== undefined && reducers.has(name));
}

/** A cell in the middle of the grid, so that relative references stay on it. */
const somewhere = { row: 500_000, column: 8_000 };
const checked = new WeakMap<Dictionary, { formulaCount: number; arePlain: boolean }>();

/** Returns whether no known formula can fill other cells than its own. */
export function* fillsNoOthers({ dictionary, formulas }: CellCoding): Generator<void, boolean> {
  const known = checked.get(dictionary) ?? { formulaCount: 0, arePlain: true };
  checked.set(dictionary, known);
  while (known.arePlain && known.formulaCount < dictionary.formulaCount) {
    const { r1c1, array, legacy } = dictionary.formula(known.formulaCount++);
    const text = formulas.fromR1C1(r1c1, somewhere.row, somewhere.column);
    const isPlain = legacy || isPlainFormula(text, formulas.references(text));
    known.arePlain = isPlain && array === undefined;
    yield;
  }
  return known.arePlain;
}

const rangeMark = '\u0000';

/** Replaces references to one cell by numbers, and others by a mark. */
function withoutReferences(text: string, references: readonly FormulaReference[]): string {
  let rest = '';
  let at = 0;
  for (const { start, end, flags } of references) {
    rest += text.slice(at, start) + ((flags & oneCellFlag) === 0 ? rangeMark : '0');
    at = end;
  }
  return rest + text.slice(at);
}
