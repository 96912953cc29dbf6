/** The size of a number as Excel shows it, with at most 15 significant digits. */
export interface Decimal {
  /** Significant digits without zeros at either end; empty for zero. */
  readonly digits: string;
  /** Power of ten: the number is 0.digits × 10^power. */
  readonly power: number;
}

/** Returns the 15 significant digits of a number, without its sign. */
export function decimalOf(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = Math.abs(value).toExponential(14).split('e');
  const digits = mantissa.replace('.', '').replace(/0+$/u, '');
  return digits === '' ? { digits, power: 0 } : { digits, power: Number(exponent) + 1 };
}

/** Digits before and after the decimal point. */
export interface PlacedDigits {
  /** Digits before the point, without leading zeros; empty for zero. */
  readonly whole: string;
  /** Digits after the point, as many as were asked for. */
  readonly part: string;
}

/** Rounds half away from zero to a number of decimal places. */
export function roundTo({ digits, power }: Decimal, places: number): PlacedDigits {
  const kept = power + places;
  let all = kept <= 0 ? '0' : digits.slice(0, kept).padEnd(kept, '0');
  const next = kept < 0 ? '0' : (digits[kept] ?? '0');
  if (next >= '5') all = increment(all);
  all = all.padStart(places + 1, '0');
  const end = all.length - places;
  return { whole: all.slice(0, end).replace(/^0+/u, ''), part: all.slice(end) };
}

function increment(digits: string): string {
  const nines = /9*$/u.exec(digits)?.[0].length ?? 0;
  const head = digits.slice(0, digits.length - nines);
  const raised = head === '' ? '1' : head.slice(0, -1) + String(Number(head.slice(-1)) + 1);
  return raised + '0'.repeat(nines);
}
