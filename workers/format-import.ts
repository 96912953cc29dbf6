import type { MemoryTexts } from './memory-texts.ts';
import { formatFailed, formatValue } from './number-format.ts';

/** Addresses and lengths of the number format and of the result's room, and the date system. */
export type TextPlaces = [
  code: number,
  codeLength: number,
  out: number,
  outCapacity: number,
  date1904: number,
];

/**
 * Formats a value for the kernel, which imports this function. Returns the length of the text that
 * it wrote to `out`, or an error.
 */
export function formatInto(
  texts: MemoryTexts,
  value: number | string,
  [code, codeLength, out, outCapacity, date1904]: TextPlaces,
): number {
  const pattern = texts.read(code >>> 0, codeLength);
  const text = formatValue(value, pattern, date1904 !== 0);
  if (text === undefined || text.length > outCapacity) return formatFailed;
  texts.write(out >>> 0, text);
  return text.length;
}
