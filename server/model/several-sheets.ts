/** A word and a colon: the first of several sheets. */
const firstOfSeveral = /(?<![\p{L}\p{N}_.\\!])[\p{L}_\\][\p{L}\p{N}_.\\]*:$/u;

/**
 * Returns the start of the first sheet where the one that begins at `start` is the last of several,
 * as in `One:Two!A1` and `One:'Two b'!A1`; else `start`. Behind a reference, which ends at
 * `referenceEnd`, the colon is an operator, as in `One!A1:Two!B2`.
 */
export function firstSheetStart(text: string, start: number, referenceEnd: number): number {
  if (text[start - 1] !== ':' || referenceEnd === start - 1) return start;
  const word = firstOfSeveral.exec(text.slice(0, start));
  return word ? word.index : start;
}
