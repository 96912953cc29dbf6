/** The part of a number that its format shows: an amount, or parts of a date or a time. */
export type FormatKind = 'number' | 'day' | 'month' | 'year' | 'time';

/** Returns the unit of a series by its number format: months for a format without days. */
export function formatKind(pattern: string): FormatKind {
  if (pattern === 'General') return 'number';
  const letters = shownLetters(pattern);
  const shows = (letter: string) => letters.includes(letter);
  if (shows('d')) return 'day';
  if (shows('y')) return shows('m') ? 'month' : 'year';
  if (shows('h') || shows('s')) return 'time';
  return shows('m') ? 'month' : 'number';
}

/** Letters of the first section, in lower case, without literal text. */
function shownLetters(pattern: string): string {
  let letters = '';
  for (let at = 0; at < pattern.length; at++) {
    const sign = pattern.charAt(at);
    if (sign === ';') break;
    if (sign === '\\' || sign === '_' || sign === '*') at++;
    else if (sign === '"') at = closing(pattern, '"', at);
    else if (sign === '[') {
      const end = closing(pattern, ']', at);
      const inner = pattern.slice(at + 1, end).toLowerCase();
      // Hours, minutes or seconds that run on: [h]:mm.
      if (/^(?:h+|m+|s+)$/u.test(inner)) letters += 'h';
      at = end;
    } else letters += sign.toLowerCase();
  }
  return letters.replaceAll('am/pm', 'h').replaceAll('a/p', 'h').replaceAll('general', '');
}

function closing(pattern: string, mark: string, from: number): number {
  const end = pattern.indexOf(mark, from + 1);
  return end < 0 ? pattern.length : end;
}
