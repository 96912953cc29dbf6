import { format } from 'numfmt';

import { ERROR_VALUE } from '../assembly/abi.ts';

/** Excel's own bounds: no date before 1900 or after 9999, and the leap day that 1900 had not. */
const options = {
  locale: 'en-US',
  leap1900: true,
  dateSpanLarge: false,
  dateErrorThrows: true,
  dateErrorNumber: false,
} as const;

/** What the kernel takes for an error: the number of the error value, negated and minus one. */
export const formatFailed = -1 - ERROR_VALUE;

/**
 * A value as TEXT() writes it; undefined where Excel answers #VALUE!: a format that is none, or a
 * date outside of the calendar. numfmt keeps the formats it has parsed, the last thousand of them.
 */
export function formatValue(value: number | string, code: string): string | undefined {
  try {
    return format(code, value, options);
  } catch (error) {
    // The library says so by throwing; anything but its complaint about the format is a fault.
    if (error instanceof TypeError || error instanceof ReferenceError) throw error;
    return undefined;
  }
}
