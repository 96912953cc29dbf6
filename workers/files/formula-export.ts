import { closingParenthesis, formulaTokens, type Token } from './formula-tokens.ts';
import { isOperand, operandEnd, operandStart } from './formula-operand.ts';
import { functionNames } from './function-names.ts';
import { fileSpelling, trimFunctions } from './future-functions.ts';

/** Context of a formula on which its spelling depends. */
export interface SpellingPlace {
  /** Table around the cell, for a bare `[@Column]`. */
  readonly table?: string | undefined;
  /** Defined names and tables in upper case, so that they are not taken for functions. */
  readonly taken?: ReadonlySet<string> | undefined;
}

/** An open LET or LAMBDA, with the names that it has declared. */
interface Frame {
  readonly form: 'LET' | 'LAMBDA' | undefined;
  readonly names: Set<string>;
  argument: number;
  atStart: boolean;
}

/** Returns the names of a workbook that may stand in a formula where a function's name may. */
export function takenNames(workbook: {
  readonly names: readonly { readonly name: string }[];
  readonly tables: readonly { readonly name: string }[];
}): ReadonlySet<string> {
  return new Set([...workbook.names, ...workbook.tables].map(({ name }) => name.toUpperCase()));
}

const marksOfFileForm = /[@#[(]|\.:|:\./;

/**
 * Returns the file's spelling of a formula as typed, without the leading `=`: the inverse of
 * formulaFromFile.
 */
export function formulaToFile(formula: string, place: SpellingPlace = {}): string {
  const text = formula.startsWith('=') ? formula.slice(1) : formula;
  if (!marksOfFileForm.test(text)) return text;
  return operatorsToCalls(namesToFile(formulaTokens(text), place))
    .map((token) => token.text)
    .join('');
}

function namesToFile(tokens: readonly Token[], { table, taken }: SpellingPlace): Token[] {
  const frames: Frame[] = [];
  return tokens.map((token, index) => {
    const frame = frames.at(-1);
    const previous = tokens[index - 1];
    const isDeclared = frame?.atStart === true && declares(frame, tokens, index);
    if (frame !== undefined && token.kind !== 'space') frame.atStart = false;
    if (token.kind === 'mark') {
      track(frames, token.text, previous);
      return token;
    }
    if (isDeclared) frame.names.add(token.text.replace(/^\[|\]$/g, '').toLowerCase());
    const next = tokens[index + 1];
    if (token.kind === 'bracket')
      return bracketToFile({ token, previous, next, table, isDeclared });
    if (token.kind !== 'name' && token.kind !== 'cell') return token;
    // A blank before the parenthesis of a call is ignored.
    const behind = next?.kind === 'space' ? tokens[index + 2] : next;
    const near = { previous, next: behind, taken };
    return { kind: token.kind, text: nameToFile(token, frames, near) };
  });
}

/** A name with its neighbouring tokens, and the names of the workbook. */
interface NamePlace {
  readonly previous: Token | undefined;
  readonly next: Token | undefined;
  readonly taken: ReadonlySet<string> | undefined;
}

function nameToFile(token: Token, frames: readonly Frame[], place: NamePlace): string {
  const { next } = place;
  const name = token.text;
  if (frames.some((frame) => frame.names.has(name.toLowerCase()))) return `_xlpm.${name}`;
  if (token.kind === 'name' && isHandedOn(name, place)) return `_xleta.${name.toUpperCase()}`;
  return next?.text === '(' ? (fileSpelling.get(name.toUpperCase()) ?? name) : name;
}

/** Returns whether a name is a function that is passed on, as `SUM` in `BYROW(A1:B9,SUM)`. */
function isHandedOn(text: string, { previous, next, taken }: NamePlace): boolean {
  const name = text.toUpperCase();
  if (!taken || taken.has(name) || !functionNames.has(name)) return false;
  const isPlaced = previous?.kind === 'sheet' || previous?.text === '!';
  return !isPlaced && next?.kind !== 'bracket' && !/^[(:!#]$/u.test(next?.text ?? '');
}

function track(frames: Frame[], mark: string, previous: Token | undefined): void {
  if (mark === '(' || mark === '{') {
    const name = mark === '(' && previous?.kind === 'name' ? previous.text.toUpperCase() : '';
    const form = name === 'LET' || name === 'LAMBDA' ? name : undefined;
    frames.push({ form, names: new Set(), argument: 0, atStart: true });
  } else if (mark === ')' || mark === '}') {
    frames.pop();
  } else if (mark === ',') {
    const frame = frames.at(-1);
    if (frame === undefined) return;
    frame.argument++;
    frame.atStart = true;
  }
}

/** Returns whether a name is a parameter: alone in its argument, with another argument after it. */
function declares(frame: Frame, tokens: readonly Token[], index: number): boolean {
  if (frame.form === undefined) return false;
  if (frame.form === 'LET' && frame.argument % 2 === 1) return false;
  const after = tokens[index + 1]?.kind === 'space' ? index + 2 : index + 1;
  return tokens[after]?.text === ',';
}

interface BracketContext {
  readonly token: Token;
  readonly previous: Token | undefined;
  readonly next: Token | undefined;
  readonly table: string | undefined;
  readonly isDeclared: boolean;
}

function bracketToFile({ token, previous, next, table, isDeclared }: BracketContext): Token {
  // `[1]Sheet!A1` refers to another file.
  if (next?.kind === 'sheet') return token;
  const text = token.text;
  if (isDeclared) return { kind: 'name', text: `_xlop.${text.slice(1, -1)}` };
  const owner = previous?.kind === 'name' || previous?.kind === 'cell' ? '' : (table ?? '');
  const inner = text.slice(1, -1).trim();
  if (!inner.startsWith('@')) return { kind: 'bracket', text: owner + text };
  const columns = inner.slice(1).trim();
  if (columns === '') return { kind: 'bracket', text: `${owner}[#This Row]` };
  const bracketed = columns.startsWith('[') ? columns : `[${columns}]`;
  return { kind: 'bracket', text: `${owner}[[#This Row],${bracketed}]` };
}

/** Turns `@x`, `A1#` and `A1.:.B9` into calls, from the right, so that inner ones come first. */
function operatorsToCalls(tokens: Token[]): Token[] {
  const result = [...tokens];
  for (let at = result.length - 1; at >= 0; at--) {
    const token = result[at];
    if (token?.text === '#' && token.kind === 'mark') wrapBefore(result, at);
    if (token?.text === '@' && token.kind === 'mark') wrapAfter(result, at);
    if (token?.kind === 'columns' || token?.kind === 'rows') result[at] = trimmedSpan(token);
  }
  return trimmedCells(result);
}

/** Replaces `operand #` by one token `_xlfn.ANCHORARRAY(operand)`. */
function wrapBefore(tokens: Token[], at: number): void {
  const start = operandStart(tokens, at);
  if (start < 0 || start === at) return;
  const operand = joined(tokens, start, at);
  tokens.splice(start, at - start + 1, { kind: 'name', text: `_xlfn.ANCHORARRAY(${operand})` });
}

/** Replaces `@ operand` by `_xlfn.SINGLE(operand)`; the operand may be a range. */
function wrapAfter(tokens: Token[], at: number): void {
  const end = operandEnd(tokens, at + 1);
  if (end === at + 1) return;
  let operand = joined(tokens, at + 1, end);
  const inner = tokens.slice(at + 2, end - 1);
  const isGroup = closingParenthesis(tokens, at + 1) === end - 1;
  // Parentheses that reading adds again are left out of the file.
  if (isGroup && !isOperand(inner) && !isList(inner)) operand = operand.slice(1, -1);
  tokens.splice(at, end - at, { kind: 'name', text: `_xlfn.SINGLE(${operand})` });
}

/** Returns whether the tokens are a union, which would be more than one argument. */
function isList(tokens: readonly Token[]): boolean {
  let depth = 0;
  for (const { kind, text } of tokens) {
    if (kind !== 'mark') continue;
    if (text === '(' || text === '{') depth++;
    if (text === ')' || text === '}') depth--;
    if (text === ',' && depth === 0) return true;
  }
  return false;
}

function joined(tokens: readonly Token[], start: number, end: number): string {
  return tokens
    .slice(start, end)
    .map((token) => token.text)
    .join('');
}

function trimmedSpan(token: Token): Token {
  const colon = /\.?:\.?/.exec(token.text)?.[0] ?? ':';
  const call = trimCall(colon);
  if (call === undefined) return token;
  return { kind: 'name', text: `${call}(${token.text.replace(colon, ':')})` };
}

function trimCall(colon: string): string | undefined {
  const name = Object.keys(trimFunctions).find((key) => trimFunctions[key] === colon);
  return name?.replace('_tro_', '_TRO_').replace(/(?<=_TRO_).*/, (word) => word.toUpperCase());
}

/** Turns `A1 .: B9`, in which the dots are separate tokens, into a call. */
function trimmedCells(tokens: Token[]): Token[] {
  for (let at = 1; at < tokens.length; at++) {
    const dotsBefore = tokens[at]?.text === '.' ? 1 : 0;
    if (tokens[at + dotsBefore]?.text !== ':') continue;
    const dotsAfter = tokens[at + dotsBefore + 1]?.text === '.' ? 1 : 0;
    const call = trimCall(`${'.'.repeat(dotsBefore)}:${'.'.repeat(dotsAfter)}`);
    const last = at + dotsBefore + dotsAfter + 1;
    const start = tokens[at - 2]?.kind === 'sheet' ? at - 2 : at - 1;
    if (call === undefined || tokens[last] === undefined) continue;
    const text = `${call}(${joined(tokens, start, at)}:${tokens[last].text})`;
    tokens.splice(start, last - start + 1, { kind: 'name', text });
    at = start;
  }
  return tokens;
}
