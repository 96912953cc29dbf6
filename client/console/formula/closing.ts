import { readTyped } from '../../../server/model/typed-input.ts';
import { tokensOf } from './tokens.ts';

const ends: Readonly<Record<string, string>> = { '(': ')', '{': '}' };

/** Returns the input that a typed text means: `+1+2` and `-B2` are formulas, as in Excel. */
export function meantFormula(text: string): string {
  const trimmed = text.trim();
  if (!/^[+-]/u.test(trimmed)) return closedFormula(text);
  const { input } = readTyped(trimmed);
  const tokens = tokensOf(`=${trimmed}`).slice(1);
  const isWhole =
    tokens.every(({ kind }) => calculated.has(kind)) && tokens.at(-1)?.kind !== 'operator';
  return typeof input === 'string' && isWhole ? closedFormula(`=${trimmed}`) : text;
}

/** Tokens that can be calculated; words and blanks make a text. */
const calculated: ReadonlySet<string> = new Set(
  'reference function number open close separator operator'.split(' '),
);

/** Returns a formula with its missing closing quote and brackets. */
function closedFormula(text: string): string {
  const open: string[] = [];
  let quote = '';
  const tokens = tokensOf(text);
  // A final opening bracket was not forgotten: nothing was typed into it yet.
  if (tokens.at(-1)?.kind === 'open') return text;
  for (const token of tokens) {
    if (token.kind === 'open') open.push(ends[token.text] ?? '');
    else if (token.kind === 'close' && open.at(-1) === token.text) open.pop();
    else if (token.kind === 'text') quote = isClosed(token.text) ? '' : '"';
  }
  return text + quote + open.toReversed().join('');
}

/** Returns whether the quotes are even; a quote within a text is doubled. */
function isClosed(text: string): boolean {
  return (text.match(/"/gu)?.length ?? 0) % 2 === 0;
}
