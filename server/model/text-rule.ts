/**
 * Rules for texts that come from outside. None may have U+0000: PostgreSQL cannot store it, and
 * Excel refuses it in a cell. Half of a surrogate pair has no UTF-8, so that another text would be
 * stored: `unicode` refuses it. Cells may hold texts that a program cut in the middle of a
 * character, so that `cells` reads U+FFFD in its place.
 */
export type TextRule = 'unicode' | 'cells';

const halfPair = /\p{Surrogate}/u;

/** A sentence about what the text may not hold, or undefined. */
export function textFault(text: string, rule: TextRule): string | undefined {
  if (text.includes('\u0000')) return 'This has the character U+0000, which no text may have.';
  if (rule === 'unicode' && halfPair.test(text)) {
    return 'This has half of a surrogate pair, which is no character.';
  }
  return undefined;
}
