/**
 * References as R1C1 spells them, whole rows and columns too, and what is between two of a range.
 * Letters of names go along, in every formula alike.
 */
const references = /[RC](?:\[-?\d+\]|\d*)|[:.]|#REF!/gu;

/**
 * Returns whether two formulas in R1C1 differ in more than references, and so wherever they stand.
 * Nothing is said of those that name sheets, which may be called otherwise by now.
 */
export function sayOther(a: string, b: string): boolean {
  if (a === b) return false;
  const [one, other] = [a.replaceAll(references, ''), b.replaceAll(references, '')];
  return one !== other && !one.includes('!') && !other.includes('!');
}
