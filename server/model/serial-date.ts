/** Day numbers as Excel counts them: fractions are times of the day. */

const millisecondsPerDay = 86_400_000;
/** The day that never was: 29 February 1900. */
const leapDay = 60;

interface CalendarDay {
  readonly year: number;
  /** Month counted from zero. */
  readonly month: number;
  readonly day: number;
}

/** Returns undefined before the first day of the calendar. */
function calendarDay(days: number, isFrom1904: boolean): CalendarDay | undefined {
  if (days < 0 || (days === 0 && !isFrom1904)) return undefined;
  if (!isFrom1904 && days === leapDay) return { year: 1900, month: 1, day: 29 };
  const moment = new Date(epoch(days, isFrom1904) + days * millisecondsPerDay);
  const [year, month] = [moment.getUTCFullYear(), moment.getUTCMonth()];
  return { year, month, day: moment.getUTCDate() };
}

/** Midnight of day 0, which in the 1900 system is one earlier after the leap day. */
function epoch(days: number, isFrom1904: boolean): number {
  if (isFrom1904) return Date.UTC(1904, 0, 1);
  return days > leapDay ? Date.UTC(1899, 11, 30) : Date.UTC(1899, 11, 31);
}

function dayNumber({ year, month, day }: CalendarDay, isFrom1904: boolean): number {
  if (isFrom1904) return (Date.UTC(year, month, day) - epoch(0, true)) / millisecondsPerDay;
  if (year === 1900 && month === 1 && day === 29) return leapDay;
  const days = (Date.UTC(year, month, day) - epoch(0, false)) / millisecondsPerDay;
  return days >= leapDay ? days + 1 : days;
}

function lastDay(year: number, month: number, isFrom1904: boolean): number {
  if (!isFrom1904 && year === 1900 && month === 1) return 29;
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
}

/**
 * Adds months as EDATE does: the same day some months on, or the last of its month; undefined off
 * the calendar.
 */
export function addMonths(serial: number, months: number, isFrom1904: boolean): number | undefined {
  const days = Math.floor(serial);
  const from = calendarDay(days, isFrom1904);
  if (!from) return undefined;
  const total = from.year * 12 + from.month + months;
  const year = Math.floor(total / 12);
  if (year < (isFrom1904 ? 1904 : 1900) || year > 9999) return undefined;
  const month = total - year * 12;
  const day = Math.min(from.day, lastDay(year, month, isFrom1904));
  return dayNumber({ year, month, day }, isFrom1904) + (serial - days);
}

/** Months from one day to another. */
export function monthsBetween(from: number, to: number, isFrom1904: boolean): number | undefined {
  const first = calendarDay(Math.floor(from), isFrom1904);
  const second = calendarDay(Math.floor(to), isFrom1904);
  return first && second && (second.year - first.year) * 12 + second.month - first.month;
}

/** Day of the week as WEEKDAY counts, with Sunday for 0. */
function weekday(days: number, isFrom1904: boolean): number {
  return (((days + (isFrom1904 ? 5 : -1)) % 7) + 7) % 7;
}

/** Some days on, counting from Monday to Friday only. */
export function addWeekdays(serial: number, count: number, isFrom1904: boolean): number {
  const direction = Math.sign(count);
  let rest = Math.abs(count);
  // Five weekdays are always a week.
  let days = serial + direction * 7 * Math.floor(rest / 5);
  rest %= 5;
  while (rest > 0 || isWeekend(days, isFrom1904)) {
    days += direction === 0 ? 1 : direction;
    if (rest > 0 && !isWeekend(days, isFrom1904)) rest--;
  }
  return days;
}

function isWeekend(serial: number, isFrom1904: boolean): boolean {
  const day = weekday(Math.floor(serial), isFrom1904);
  return day === 0 || day === 6;
}

/** Days from the epoch of 1900 to that of 1904. */
export const epochDays1904 = 1_462;

/** Returns the moment of a day number as ISO 8601 writes it, without a zone: `2026-01-31T14:30:00`. */
export function isoText(serial: number, isFrom1904: boolean): string {
  const days = isFrom1904 ? serial + epochDays1904 : serial;
  // Day 60 of 1900 does not exist, and the days before it are shifted by one.
  const start = Date.UTC(1899, 11, days < leapDay ? 31 : 30);
  return new Date(start + Math.round(days * millisecondsPerDay)).toISOString().slice(0, 19);
}
