import { isOperand, isSuffixed } from './formula-operand.ts';
import { closingParenthesis, formulaTokens, type Token } from './formula-tokens.ts';
import { trimFunctions } from './future-functions.ts';

/**
 * Returns a file's formula as a person types it, with `=` in front: `_xlfn.` and similar prefixes
 * are removed, `_xlfn.SINGLE(x)` is `@x`, `_xlfn.ANCHORARRAY(A1)` is `A1#`, `_xlpm.x` is `x`,
 * `Table[[#This Row],[Column]]` is `Table[@Column]`. Blanks around it are layout, unless the
 * element says that they count.
 */
export function formulaFromFile(text: string, keepsSpace = false): string {
  // Some programs store the `=` too, which is not part of a file's formula.
  const trimmed = ofThisBook((keepsSpace ? text : text.trim()).replace(/^\s*=\s*/, ''));
  if (!/_xl|#This Row|_TRO/i.test(trimmed)) return `=${trimmed}`;
  return `=${respell(formulaTokens(trimmed))}`;
}

/**
 * Removes the number 0, which stands for this workbook in `[0]!tax`, `[0]Plan!A1` and `'[0]My
 * plan'!A1`.
 */
function ofThisBook(text: string): string {
  if (!text.includes('[0]')) return text;
  const tokens = formulaTokens(text);
  const isBook = (token: Token | undefined, before: Token | undefined): boolean =>
    token?.text === '[0]' && before?.kind !== 'name' && before?.kind !== 'cell';
  return tokens
    .map(({ kind, text: spelled }, at) => {
      const [before, next] = [tokens[at - 1], tokens[at + 1]];
      if (isBook(tokens[at], before) && (next?.text === '!' || next?.kind === 'sheet')) return '';
      if (spelled === '!' && isBook(before, tokens[at - 2])) return '';
      return kind === 'sheet' ? spelled.replace(/^'\[0\]/, "'") : spelled;
    })
    .join('');
}

/**
 * Returns the formula of a cell within a table as Excel shows it there: files write `Table[@Price]`
 * for `[@Price]`.
 */
export function withinTable(formula: string, table: string): string {
  if (!formula.includes('[')) return formula;
  const tokens = formulaTokens(formula);
  const isOwn = ({ kind, text }: Token, at: number): boolean => {
    const [before, after] = [tokens[at - 1], tokens[at + 1]];
    const isName = kind === 'name' || kind === 'cell';
    const isOfTable = isName && text.toLowerCase() === table.toLowerCase();
    const isPlaced = before?.kind === 'sheet' || before?.text === '!';
    return isOfTable && !isPlaced && after?.kind === 'bracket' && after.text !== '[]';
  };
  return tokens
    .filter((token, at) => !isOwn(token, at))
    .map(({ text }) => text)
    .join('');
}

function respell(tokens: readonly Token[]): string {
  let result = '';
  let at = 0;
  while (at < tokens.length) {
    const token = tokens[at];
    if (token === undefined) break;
    const call = operatorCall(tokens, at);
    if (call !== undefined) {
      result += call.text;
      at = call.next;
      continue;
    }
    if (token.kind === 'name' || token.kind === 'cell') result += plainName(token.text);
    else if (token.kind === 'bracket') result += thisRow(token.text);
    else result += token.text;
    at++;
  }
  return result;
}

/**
 * Removes two prefixes: `_xlop.x` declares an optional parameter, which a person writes in
 * brackets; `_xleta.SUM` is a function that is passed on by name.
 */
function plainName(name: string): string {
  const optional = /^_xlop\.(.+)$/i.exec(name);
  if (optional?.[1] !== undefined) return `[${optional[1]}]`;
  return name.replace(/^_xl(?:pm|eta)\./i, '').replace(/^_xlfn\.(?:_xlws\.)?|^_xlws\./i, '');
}

/** Turns a file's function that is an operator on screen into it, with its arguments. */
function operatorCall(
  tokens: readonly Token[],
  at: number,
): { text: string; next: number } | undefined {
  const name = tokens[at]?.text.toLowerCase() ?? '';
  const isSingle = name === '_xlfn.single';
  const isAnchor = name === '_xlfn.anchorarray';
  const trim = trimFunctions[name];
  if (!isSingle && !isAnchor && trim === undefined) return undefined;
  const close = closingParenthesis(tokens, at + 1);
  if (close === undefined) return undefined;
  const argument = tokens.slice(at + 2, close);
  const inner = respell(argument);
  const next = close + 1;
  if (trim !== undefined) return { text: trimmedRange(argument, trim), next };
  const spelled = formulaTokens(inner);
  if (isAnchor) return { text: `${isSuffixed(spelled) ? inner : `(${inner})`}#`, next };
  return { text: `@${isOperand(spelled) ? inner : `(${inner})`}`, next };
}

function trimmedRange(argument: readonly Token[], trim: string): string {
  return argument
    .map(({ kind, text }) => {
      const isColon = kind === 'mark' && text === ':';
      return isColon || kind === 'columns' || kind === 'rows' ? text.replace(':', trim) : text;
    })
    .join('');
}

/**
 * Shortens `[[#This Row],[Price]]` to `[@Price]`, and `[[#This Row],[Unit price]]` to `[@[Unit
 * price]]`.
 */
function thisRow(bracket: string): string {
  if (/^\[#This Row\]$/i.test(bracket)) return '[@]';
  const match = /^\[\s*\[#This Row\]\s*,\s*(\[.*\])\s*\]$/is.exec(bracket);
  const columns = match?.[1];
  if (columns === undefined) return bracket;
  const simple = /^\[([\p{L}\p{N}_]+)\]$/u.exec(columns)?.[1];
  return simple === undefined ? `[@${columns}]` : `[@${simple}]`;
}
