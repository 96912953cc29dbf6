import type { Token } from './section.ts';

/** Placeholders and literals on one side of a decimal point, in order. */
export type Places = readonly Token[];

export function digitCount(places: Places): number {
  return places.filter(({ kind }) => kind === 'digit').length;
}

/** Returns the text of a placeholder without a digit. */
function blankOf({ raw }: Token): string {
  return raw === '0' ? '0' : raw === '?' ? ' ' : '';
}

/**
 * Fills placeholders with digits from the right; surplus digits go before the first placeholder. A
 * thousands separator is put next to the digit on its left, before literals.
 */
export function layWhole(places: Places, digits: string, isGrouped: boolean): string {
  let shown = '';
  let placed = 0;
  let left = digitCount(places);
  const put = (digit: string) => {
    const isThird = isGrouped && placed > 0 && placed % 3 === 0 && digit !== '';
    shown = digit + (isThird ? (digit === ' ' ? ' ' : ',') : '') + shown;
    placed++;
  };
  const putRest = () => {
    for (; placed < digits.length;) put(digits[digits.length - 1 - placed] ?? '');
  };
  if (left === 0) putRest();
  for (const token of places.toReversed()) {
    if (token.kind !== 'digit') {
      shown = token.shown + shown;
      continue;
    }
    put(digits[digits.length - 1 - placed] ?? blankOf(token));
    if (--left === 0) putRest();
  }
  return shown;
}

/** Fills placeholders with decimal places from the left; trailing zeros may be left out. */
export function layPart(places: Places, digits: string): string {
  const last = digits.replace(/0+$/u, '').length;
  let index = 0;
  let shown = '';
  for (const token of places) {
    if (token.kind !== 'digit') shown += token.shown;
    else {
      shown += index < last ? (digits[index] ?? '') : blankOf(token);
      index++;
    }
  }
  return shown;
}
