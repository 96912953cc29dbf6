import { MemoryReader } from './decode.ts';
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
  buffer: SharedArrayBuffer,
  value: number | string,
  [code, codeLength, out, outCapacity, date1904]: TextPlaces,
): number {
  const pattern = new MemoryReader(buffer).units(code >>> 0, codeLength);
  const text = formatValue(value, pattern, date1904 !== 0);
  if (text === undefined || text.length > outCapacity) return formatFailed;
  const units = new Uint16Array(buffer, out >>> 0, text.length);
  for (let index = 0; index < text.length; index++) units[index] = text.charCodeAt(index);
  return text.length;
}
