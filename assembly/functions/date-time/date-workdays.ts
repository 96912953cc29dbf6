import {
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_BLANK,
  KIND_ERROR,
  KIND_NUMBER,
  KIND_OMITTED,
  KIND_STRING,
} from '../../abi';
import { scratch } from '../../memory/scratch';
import { lengthOf, unit } from '../../memory/text';
import { isSerial, serialLimit, weekdayOf } from '../../values/date-serial';
import { parseNumber, parsedNumber } from '../../values/typed-number';
import {
  answerError,
  answerNumber,
  argument,
  fail,
  failed,
  given,
  slotNumber,
} from '../../vm/call';
import { kindOf, wordOf } from '../../vm/slot';
import { itemKind, itemNumber, itemWord, nextItem, openScan } from '../../vm/view';
import { toolInteger } from '../shared/tool-number';

/** Days off in a week: bit 0 is Monday, bit 6 Sunday. */
let weekend: u32 = 0;

const SATURDAY_AND_SUNDAY: u32 = 0b1100000;

/** Holidays that fall on working days, sorted, each once. */
let holidays: usize = 0;
let holidayCount: u32 = 0;

/** 0 for Monday. */
function dayOfWeek(serial: f64): u32 {
  return <u32>((weekdayOf(serial) + 6) % 7);
}

function isDayOff(serial: f64): bool {
  return ((weekend >> dayOfWeek(serial)) & 1) != 0;
}

/** The weekend a text of seven digits spells, Monday first; anything else is #VALUE!. */
function weekendOfText(text: usize): u32 {
  let days: u32 = 0;
  if (lengthOf(text) != 7) fail(ERROR_VALUE);
  for (let index: u32 = 0; index < min(lengthOf(text), 7); index++) {
    const code = unit(text, index);
    if (code != 48 && code != 49) fail(ERROR_VALUE);
    if (code == 49) days |= 1 << index;
  }
  return days;
}

/** Reads a weekend: a number (1 to 7 two days, 11 to 17 one) or a text. */
function readWeekend(index: u32): void {
  weekend = SATURDAY_AND_SUNDAY;
  if (!given(index)) return;
  const slot = argument(index);
  if (kindOf(slot) == KIND_OMITTED) return;
  if (kindOf(slot) == KIND_STRING) {
    weekend = weekendOfText(wordOf(slot));
    return;
  }
  const number = trunc(slotNumber(slot));
  if (number >= 1 && number <= 7) {
    // 1 is Saturday and Sunday, 2 Sunday and Monday, and so on.
    const first = (<u32>number + 4) % 7;
    weekend = (1 << first) | (1 << ((first + 1) % 7));
  } else if (number >= 11 && number <= 17) weekend = 1 << ((<u32>number - 5) % 7);
  else fail(ERROR_NUMBER);
}

/** Days off and working days change by the week; how many work in the days up to a serial. */
function workdaysUpTo(serial: f64): f64 {
  const weeks = floor(serial / 7);
  let count = weeks * <f64>(7 - popcnt(weekend));
  for (let day = weeks * 7 + 1; day <= serial; day++) {
    if (!isDayOff(day)) count++;
  }
  return count;
}

/** Holidays at or before a serial. */
function holidaysUpTo(serial: f64): u32 {
  let low: u32 = 0;
  let high = holidayCount;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<f64>(holidays + ((<usize>middle) << 3)) <= serial) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Working days in the days after `from` up to `to`. */
function countBetween(from: f64, to: f64): f64 {
  const free = <f64>(holidaysUpTo(to) - holidaysUpTo(from));
  return workdaysUpTo(to) - workdaysUpTo(from) - free;
}

/** Puts a holiday into the sorted list unless it is there or a day off anyway. */
function addHoliday(serial: f64): void {
  if (!isSerial(serial)) {
    fail(ERROR_NUMBER);
    return;
  }
  if (isDayOff(serial)) return;
  const place = holidaysUpTo(serial);
  const bytes = holidays + ((<usize>place) << 3);
  if (place && load<f64>(bytes - 8) == serial) return;
  memory.copy(bytes + 8, bytes, (<usize>(holidayCount - place)) << 3);
  store<f64>(bytes, serial);
  holidayCount++;
}

/** Reads holidays from a value, array or range; texts must be dates. */
function readHolidays(index: u32): void {
  holidayCount = 0;
  holidays = 0;
  if (!given(index)) return;
  const counter = openScan(argument(index));
  let room: u32 = 1;
  while (nextItem(counter)) room++;
  holidays = scratch((room + 1) << 3);
  const scan = openScan(argument(index));
  while (nextItem(scan)) {
    if (itemKind == KIND_NUMBER) addHoliday(floor(itemNumber()));
    else if (itemKind == KIND_ERROR) fail(itemWord());
    else if (itemKind == KIND_STRING && parseNumber(itemWord())) addHoliday(floor(parsedNumber));
    else if (itemKind != KIND_BLANK) fail(ERROR_VALUE);
  }
}

/** NETWORKDAYS(start, end, [holidays]); .INTL has the weekend before the holidays. */
export function evaluateNetworkdays(international: bool): void {
  const start = toolInteger(0);
  const end = toolInteger(1);
  if (!isSerial(start) || !isSerial(end)) fail(ERROR_NUMBER);
  readWeekend(international ? 2 : 255);
  readHolidays(international ? 3 : 2);
  if (failed()) return;
  if (start <= end) answerNumber(countBetween(start - 1, end));
  else answerNumber(-countBetween(end - 1, start));
}

/** The first day after `start` by which `days` working days are over; past the limit if none. */
function workdayAfter(start: f64, days: f64): f64 {
  let low = start;
  let high = serialLimit();
  while (high - low > 1) {
    const middle = floor((low + high) / 2);
    if (countBetween(start, middle) >= days) high = middle;
    else low = middle;
  }
  return high;
}

/** The last day before `start` from which `days` working days lead up to it; -1 if none. */
function workdayBefore(start: f64, days: f64): f64 {
  let low: f64 = -1;
  let high = start;
  while (high - low > 1) {
    const middle = floor((low + high) / 2);
    if (countBetween(middle - 1, start - 1) >= days) low = middle;
    else high = middle;
  }
  return low;
}

/** WORKDAY(start, days, [holidays]); .INTL has the weekend before the holidays. */
export function evaluateWorkday(international: bool): void {
  const start = toolInteger(0);
  const days = toolInteger(1);
  if (!isSerial(start)) fail(ERROR_NUMBER);
  readWeekend(international ? 2 : 255);
  readHolidays(international ? 3 : 2);
  if (weekend == 0b1111111) fail(ERROR_VALUE);
  if (failed()) return;
  if (days == 0) return answerNumber(start);
  const found = days > 0 ? workdayAfter(start, days) : workdayBefore(start, -days);
  if (isSerial(found)) answerNumber(found);
  else answerError(ERROR_NUMBER);
}
