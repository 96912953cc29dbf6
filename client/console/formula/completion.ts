import { tokensOf, type Token } from './tokens.ts';

/** A function as its hint shows it. */
export interface FunctionHint {
  readonly name: string;
  readonly arguments: readonly string[];
}

export interface Candidate {
  readonly kind: 'function' | 'name' | 'table' | 'sheet' | 'column';
  readonly label: string;
  /** The text that comes in the place of the word. */
  readonly text: string;
  readonly hint?: string;
}

/** Names that a formula of the workbook can contain. */
export interface Vocabulary {
  readonly functions: readonly FunctionHint[];
  readonly names: readonly string[];
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[];
  readonly sheets: readonly string[];
}

export const noVocabulary: Vocabulary = { functions: [], names: [], tables: [], sheets: [] };

export interface Completion {
  /** Position of the typed word, which a candidate replaces. */
  readonly start: number;
  readonly end: number;
  readonly candidates: readonly Candidate[];
}

/** Number of offered words, which need no scrolling. */
const most = 8;
const plainSheet = /^[\p{L}_][\p{L}\p{N}_.]*$/u;

/** Returns completions at the caret of a formula; undefined if no word is being typed. */
export function completionAt(
  text: string,
  caret: number,
  known: Vocabulary,
): Completion | undefined {
  const column = columnAt(text.slice(0, caret), known);
  if (column) return { ...column, end: caret };
  const token = tokensOf(text).find((one) => one.start < caret && one.end >= caret);
  if (!token || !isWord(token) || token.end !== caret) return undefined;
  const word = token.text.toLowerCase();
  const candidates = allOf(known)
    .filter(({ label }) => label.toLowerCase().startsWith(word) && label.toLowerCase() !== word)
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .slice(0, most);
  return candidates.length === 0 ? undefined : { start: token.start, end: token.end, candidates };
}

/** Common functions, which are offered before all others in this order. */
const usual: readonly string[] = (
  'SUM IF AVERAGE COUNT MAX MIN VLOOKUP XLOOKUP SUMIF SUMIFS COUNTIF COUNTIFS COUNTA ' +
  'INDEX MATCH ROUND IFERROR AND OR NOT TODAY NOW DATE YEAR MONTH DAY LEFT RIGHT MID LEN TRIM ' +
  'TEXT CONCAT TEXTJOIN UPPER LOWER FILTER SORT UNIQUE ABS SQRT MOD MEDIAN RANK SUBTOTAL'
).split(' ');

function rankOf({ kind, label }: Candidate): number {
  const rank = kind === 'function' ? usual.indexOf(label) : -1;
  if (rank >= 0) return rank;
  // Names and tables of the workbook come before all other functions.
  return usual.length + (kind === 'function' || kind === 'sheet' ? 1 : 0);
}

/**
 * Returns whether a token may be an unfinished word: `LOG10` and the first letters of most
 * functions look like references.
 */
function isWord({ kind, text }: Token): boolean {
  return kind === 'name' || (kind === 'reference' && /^[a-z]+\d*$/iu.test(text));
}

function allOf({ functions, names, tables, sheets }: Vocabulary): readonly Candidate[] {
  return [
    ...names.map<Candidate>((name) => ({ kind: 'name', label: name, text: name })),
    ...tables.map<Candidate>(({ name }) => ({ kind: 'table', label: name, text: `${name}[` })),
    ...functions.map<Candidate>(({ name, arguments: given }) => ({
      kind: 'function',
      label: name,
      text: `${name}(`,
      hint: given.join(', '),
    })),
    ...sheets.map<Candidate>((name) => {
      const quoted = plainSheet.test(name) ? name : `'${name.replaceAll("'", "''")}'`;
      return { kind: 'sheet', label: name, text: `${quoted}!` };
    }),
  ];
}

/** Returns the columns of a table behind its bracket. */
function columnAt(before: string, { tables }: Vocabulary): Omit<Completion, 'end'> | undefined {
  const open = /([\p{L}_][\p{L}\p{N}_.]*)\[\[?@?([^[\]]*)$/u.exec(before);
  const [, name = '', word = ''] = open ?? [];
  const table = tables.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (!open || !table || !before.startsWith('=')) return undefined;
  const candidates = table.columns
    .filter((column) => column.toLowerCase().startsWith(word.toLowerCase()))
    .slice(0, most)
    .map<Candidate>((column) => ({ kind: 'column', label: column, text: `${column}]` }));
  return candidates.length === 0 ? undefined : { start: before.length - word.length, candidates };
}

export interface Hint extends FunctionHint {
  /** Index of the argument that is being typed. */
  readonly current: number;
}

/** Returns the innermost call around the caret, with the argument that is being typed. */
export function hintAt(
  text: string,
  caret: number,
  functions: readonly FunctionHint[],
): Hint | undefined {
  const calls: { readonly name: string; argument: number }[] = [];
  let name = '';
  for (const token of tokensOf(text)) {
    if (token.start >= caret) break;
    if (token.kind === 'open') calls.push({ name, argument: 0 });
    else if (token.kind === 'close') calls.pop();
    else if (token.kind === 'separator') {
      const call = calls.at(-1);
      if (call) call.argument++;
    }
    if (token.kind !== 'blank') name = token.kind === 'function' ? token.text.toUpperCase() : '';
  }
  const call = calls.at(-1);
  const known = functions.find((one) => one.name === call?.name);
  if (!call || !known) return undefined;
  return { ...known, current: argumentAt(known.arguments, call.argument) };
}

/** Returns the argument at an index; the last ones of a variadic function repeat. */
function argumentAt(names: readonly string[], index: number): number {
  const isEndless = names.at(-1)?.includes('…') === true || names.at(-1)?.includes('...') === true;
  return isEndless ? Math.min(index, names.length - 1) : index;
}
