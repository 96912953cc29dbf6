import { FormatFault, quote } from './fault.ts';

/**
 * A whole number in decimal: digits, no sign, no leading zero. Logs may count to 2^63; here the end
 * is at 2^53 - 1, which a log that takes a million entries a second reaches in 285 years.
 */
export function parseDecimal(text: string, what: string): number {
  if (!/^(?:0|[1-9][0-9]*)$/.test(text)) {
    throw new FormatFault(`${what} is not a decimal number without leading zeros: ${quote(text)}`);
  }
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new FormatFault(`${what} is larger than ${Number.MAX_SAFE_INTEGER}: ${quote(text)}`);
}

/** Fails for what cannot be a size, an index or a time. */
export function checkCount(value: number, what: string): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw new RangeError(`${what} is ${value}, not a whole number from 0 to 2^53 - 1`);
}
