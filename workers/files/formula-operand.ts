import { closingParenthesis, type Token } from './formula-tokens.ts';

/**
 * Extent of the operands of `@` and `#` in the tokens of a formula as typed, by the kernel's
 * grammar (assembly/formula/parser.ts), in which references bind tightest.
 */

const single: ReadonlySet<string> = new Set([
  'cell',
  'columns',
  'rows',
  'name',
  'bracket',
  'number',
  'string',
  'error',
]);
const references: ReadonlySet<string> = new Set([
  'cell',
  'columns',
  'rows',
  'name',
  'bracket',
  'sheet',
]);

/** Returns the end of the operand of `@`: signs, ranges and intersections. */
export function operandEnd(tokens: readonly Token[], start: number): number {
  let at = skipSpace(tokens, start);
  while (isMark(tokens[at], '+') || isMark(tokens[at], '-') || isMark(tokens[at], '@')) {
    at = skipSpace(tokens, at + 1);
  }
  let end = suffixedEnd(tokens, at);
  if (end === at) return start;
  for (;;) {
    const next = joinedEnd(tokens, end);
    if (next === end) return end;
    end = next;
  }
}

/** Returns the end of a reference, value or call, with calls and `#` behind it. */
export function suffixedEnd(tokens: readonly Token[], start: number): number {
  const at = behindSheet(tokens, start);
  const end = operandOnlyEnd(tokens, at);
  if (end === at) return start;
  const isCell = tokens[at]?.kind === 'cell' && end === at + 1;
  return suffixesEnd(tokens, isCell ? areaEnd(tokens, end) : end);
}

function behindSheet(tokens: readonly Token[], start: number): number {
  const isFile = tokens[start]?.kind === 'bracket' && tokens[start + 1]?.kind === 'sheet';
  const at = isFile ? start + 1 : start;
  return tokens[at]?.kind === 'sheet' ? at + 1 : at;
}

function operandOnlyEnd(tokens: readonly Token[], at: number): number {
  const first = tokens[at];
  if (first === undefined) return at;
  if (isMark(first, '(') || isMark(first, '{')) return closed(tokens, at);
  if (!single.has(first.kind)) return at;
  if (!isNamed(first)) return at + 1;
  const end = tokens[at + 1]?.kind === 'bracket' ? at + 2 : at + 1;
  return isMark(tokens[end], '(') ? closed(tokens, end) : end;
}

/** Returns the index of the first token of the operand of `#` at `end`. */
export function operandStart(tokens: readonly Token[], end: number): number {
  const last = tokens[end - 1];
  if (isMark(last, '#')) return operandStart(tokens, end - 1);
  let start = end - 1;
  if (isMark(last, ')') || isMark(last, '}')) start = callStart(tokens, start);
  else if (last?.kind === 'bracket' && isNamed(tokens[start - 1])) start--;
  else if (last?.kind === 'cell') start = areaStart(tokens, start);
  return withSheet(tokens, start);
}

function withSheet(tokens: readonly Token[], start: number): number {
  if (tokens[start - 1]?.kind !== 'sheet') return start;
  return tokens[start - 2]?.kind === 'bracket' ? start - 2 : start - 1;
}

/** Returns where the group or call begins that a closing token ends. */
function callStart(tokens: readonly Token[], close: number): number {
  let start = opened(tokens, close);
  while (isMark(tokens[start], '(') && isMark(tokens[start - 1], ')')) {
    start = opened(tokens, start - 1);
  }
  return isMark(tokens[start], '(') && isNamed(tokens[start - 1]) ? start - 1 : start;
}

/** Returns whether `#` behind the tokens applies to all of them. */
export function isSuffixed(tokens: readonly Token[]): boolean {
  return tokens.length > 0 && suffixedEnd(tokens, 0) === tokens.length;
}

/** Returns whether `@` before the tokens applies to all of them. */
export function isOperand(tokens: readonly Token[]): boolean {
  return tokens.length > 0 && operandEnd(tokens, 0) === tokens.length;
}

/** Returns the end of a range or an intersection with what comes next. */
function joinedEnd(tokens: readonly Token[], end: number): number {
  let at = skipSpace(tokens, end);
  const hasSpace = at > end;
  if (isMark(tokens[at], ':')) {
    at = skipSpace(tokens, at + 1);
    const next = suffixedEnd(tokens, at);
    return next === at ? end : next;
  }
  const second = tokens[at];
  if (!hasSpace || second === undefined) return end;
  const isReference = references.has(second.kind) || isMark(second, '(') || isGone(second);
  const next = suffixedEnd(tokens, at);
  return isReference && next > at ? next : end;
}

/** Returns the end of `A1:B2` or `A1.:.B2`, which is one reference. */
function areaEnd(tokens: readonly Token[], end: number): number {
  let at = end;
  if (isMark(tokens[at], '.')) at++;
  if (!isMark(tokens[at], ':')) return end;
  at++;
  if (isMark(tokens[at], '.')) at++;
  return tokens[at]?.kind === 'cell' ? at + 1 : end;
}

function areaStart(tokens: readonly Token[], last: number): number {
  let at = last - 1;
  if (isMark(tokens[at], '.')) at--;
  if (!isMark(tokens[at], ':')) return last;
  at--;
  if (isMark(tokens[at], '.')) at--;
  return tokens[at]?.kind === 'cell' ? at : last;
}

function suffixesEnd(tokens: readonly Token[], start: number): number {
  let end = start;
  for (;;) {
    if (isMark(tokens[end], '#')) end++;
    else if (isMark(tokens[end], '(') && isMark(tokens[end - 1], ')')) end = closed(tokens, end);
    else return end;
  }
}

function closed(tokens: readonly Token[], open: number): number {
  if (isMark(tokens[open], '(')) return (closingParenthesis(tokens, open) ?? open - 1) + 1;
  const close = tokens.findIndex((token, at) => at > open && isMark(token, '}'));
  return close < 0 ? open : close + 1;
}

function opened(tokens: readonly Token[], close: number): number {
  const [opens, closes] = isMark(tokens[close], '}') ? ['{', '}'] : ['(', ')'];
  let depth = 0;
  for (let at = close; at >= 0; at--) {
    if (isMark(tokens[at], closes)) depth++;
    if (isMark(tokens[at], opens)) depth--;
    if (depth === 0) return at;
  }
  return 0;
}

function skipSpace(tokens: readonly Token[], from: number): number {
  let at = from;
  while (tokens[at]?.kind === 'space') at++;
  return at;
}

function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text;
}

function isNamed(token: Token | undefined): boolean {
  return token?.kind === 'name' || token?.kind === 'cell';
}

function isGone(token: Token): boolean {
  return token.kind === 'error' && token.text.toUpperCase() === '#REF!';
}
