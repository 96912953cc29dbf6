import { date1904 } from '../vm/context';

/**
 * Serial numbers and civil dates. The 1900 system counts from 0 January 1900 and has a
 * 29 February 1900 (serial 60) that never was, so serials 1 to 59 are one day "early";
 * the 1904 system counts from 1 January 1904 = 0.
 */
export let civilYear: i32 = 0;
export let civilMonth: i32 = 0;
export let civilDay: i32 = 0;

/** Days between serial 0 of the 1900 system and of the 1904 system. */
export const DAYS_TO_1904: f64 = 1462;

/** The first serial past 31 December 9999. */
export function serialLimit(): f64 {
  return date1904 ? 2957004 : 2958466;
}

/** Returns whether a serial (with its time of day) is a date: 0 up to 31 December 9999. */
export function isSerial(serial: f64): bool {
  return serial >= 0 && serial < serialLimit();
}

export function isLeapYear(year: i32): bool {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/** Days of a month in the real calendar; month counts from 1. */
export function daysInMonth(year: i32, month: i32): i32 {
  if (month == 2) return isLeapYear(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/** Days from 1 March of year 0 to a real date (H. Hinnant, "chrono-compatible … algorithms"). */
function daysFromCivil(year: i32, month: i32, day: i32): i32 {
  const shifted = month <= 2 ? year - 1 : year;
  const era = (shifted >= 0 ? shifted : shifted - 399) / 400;
  const yearOfEra = shifted - era * 400;
  const monthFromMarch = (month + 9) % 12;
  const dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1;
  return era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
}

/** Days from 1 March of year 0 to 30 December 1899. */
const DAYS_TO_1899: i32 = 693899;

/**
 * Serial of a date. Month and day may lie outside their month and year and carry over; the year is
 * taken as it is. Below zero or past the limit when there is no such date: ask isSerial.
 */
export function serialFromCivil(year: i32, month: i32, day: f64): f64 {
  const months = <i64>year * 12 + month - 1;
  const monthStart = firstOfMonth(<i32>(months / 12), <i32>(months % 12) + 1);
  return monthStart + day - 1 - (date1904 ? DAYS_TO_1904 : 0);
}

/** Serial, in the 1900 system, of the first of a month; months of 1900 know the wrong leap day. */
function firstOfMonth(year: i32, month: i32): f64 {
  const days = daysFromCivil(year, month, 1) - DAYS_TO_1899;
  return <f64>(days < 61 ? days - 1 : days);
}

/**
 * Splits a serial's day into civilYear, civilMonth and civilDay; returns false when it is no date.
 */
export function splitSerial(serial: f64): bool {
  if (!isSerial(serial)) return false;
  const days = <i32>floor(serial) + (date1904 ? <i32>DAYS_TO_1904 : 0);
  if (days < 61) return splitEarly(days);
  const shifted = days + DAYS_TO_1899;
  const era = shifted / 146097;
  const dayOfEra = shifted - era * 146097;
  const yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const monthFromMarch = (5 * dayOfYear + 2) / 153;
  civilDay = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1;
  civilMonth = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  civilYear = yearOfEra + era * 400 + (civilMonth <= 2 ? 1 : 0);
  return true;
}

/** January and February of 1900, with day 0 and 29 February. */
function splitEarly(days: i32): bool {
  civilYear = 1900;
  civilMonth = days > 31 ? 2 : 1;
  civilDay = days > 31 ? days - 31 : days;
  return true;
}

/** Day of the week, 0 for Sunday; 1 January 1900 counts as a Sunday, as Excel has it. */
export function weekdayOf(serial: f64): i32 {
  const days = <i64>floor(serial) + (date1904 ? <i64>DAYS_TO_1904 : 0);
  return <i32>((days + 6) % 7);
}
