import { dayMilliseconds } from '../../server/model/durations.ts';

const time = /(\d{2}):(\d{2})(?::(\d{2})([.,]\d+)?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?/;
const isoDate = new RegExp(`^(\\d{4})-(\\d{2})-(\\d{2})(?:[T ]${time.source})?Z?$`);
const isoTime = new RegExp(`^T?${time.source}$`);

/**
 * Returns the serial number of an ISO 8601 date, time or both, as cells with `t="d"` hold them. A
 * zone does not move it: serial numbers have none, and show what the text says.
 */
export function serialOfDate(text: string, date1904: boolean): number | undefined {
  const timeOnly = isoTime.exec(text);
  if (timeOnly !== null) return dayFraction(timeOnly.slice(1));
  const parts = isoDate.exec(text);
  if (parts === null) return undefined;
  const [year = 0, month = 0, day = 0] = parts.slice(1, 4).map(Number);
  const date = Date.UTC(year, month - 1, day);
  if (new Date(date).getUTCDate() !== day) return undefined;
  const fraction = dayFraction(parts.slice(4));
  if (fraction === undefined) return undefined;
  return wholeDays(date, date1904) + fraction;
}

function wholeDays(date: number, date1904: boolean): number {
  if (date1904) return (date - Date.UTC(1904, 0, 1)) / dayMilliseconds;
  const days = (date - Date.UTC(1899, 11, 30)) / dayMilliseconds;
  // The 1900 system counts a 29 February 1900, so earlier days are one lower.
  return days < 61 ? days - 1 : days;
}

function dayFraction(parts: readonly (string | undefined)[]): number | undefined {
  const [hour = 0, minute = 0, second = 0] = parts.slice(0, 3).map((part) => Number(part ?? 0));
  if (hour > 24 || minute > 59 || second > 60) return undefined;
  const seconds = hour * 3600 + minute * 60 + second + Number((parts[3] ?? '0').replace(',', '.'));
  return seconds / 86_400;
}
