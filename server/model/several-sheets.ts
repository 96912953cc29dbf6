import { quoteSheet } from './range.ts';

/** A word and a colon: the first of several sheets. */
const firstOfSeveral = /(?<![\p{L}\p{M}\p{N}_.\\!])[\p{L}_\\][\p{L}\p{M}\p{N}_.\\]*:$/u;

/**
 * Returns the start of the first sheet if the one that begins at `start` is the last of several, as
 * in `One:Two!A1` and `One:'Two b'!A1`; otherwise `start`. After a reference, which ends at
 * `referenceEnd`, the colon is an operator, as in `One!A1:Two!B2`.
 */
export function firstSheetStart(text: string, start: number, referenceEnd: number): number {
  if (text[start - 1] !== ':' || referenceEnd === start - 1) return start;
  const word = firstOfSeveral.exec(text.slice(0, start));
  return word ? word.index : start;
}

/** The names in `First:Last`, without quotes; undefined for that of one sheet, or of another file. */
export function severalSheets(name: string): readonly [first: string, last: string] | undefined {
  const [first, last, ...more] = name.split(':');
  if (first === undefined || last === undefined || more.length > 0) return undefined;
  return name.includes('[') ? undefined : [first, last];
}

/** `First:Last` as a formula has it: in quotes where one of the two needs them. */
export function quoteSheets(first: string, last: string): string {
  const isPlain = quoteSheet(first) === first && quoteSheet(last) === last;
  return isPlain ? `${first}:${last}` : `'${`${first}:${last}`.replaceAll("'", "''")}'`;
}
