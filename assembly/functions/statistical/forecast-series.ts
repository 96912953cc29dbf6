import { ERROR_NOT_AVAILABLE, ERROR_NUMBER, ERROR_VALUE, KIND_ERROR, KIND_NUMBER } from '../../abi';
import { suspended } from '../../grid/sheet';
import { at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import {
  civilDay,
  civilMonth,
  civilYear,
  daysInMonth,
  splitSerial,
} from '../../values/date-serial';
import { argument, fail, failed } from '../../vm/call';
import { sortItems } from '../../vm/sort';
import { View, itemKind, itemNumber, itemWord, openView, viewItem } from '../../vm/view';
import { NumberList, append, newList, numberAt, sortList } from '../shared/number-list';
import { pay } from '../../vm/fuel';

/** The series of FORECAST.ETS: one value a step, without gaps. */
export let series: NumberList = at<NumberList>(0);
let firstTime: f64 = 0;
export let stepSize: f64 = 0;
/** True when the timeline counts months: every date has the same day. */
export let inMonths: bool = false;

/** Most of the points that may be missing. */
const MISSING_SHARE: f64 = 0.3;
/** Most points of a series: the search for a season compares all with all. */
const POINT_LIMIT: u32 = 100_000;
/** Longest season: the hours of a year. */
export const SEASON_LIMIT: u32 = 8760;
/** How far a time may lie beside its step. */
const STEP_TOLERANCE: f64 = 1e-6;

/** The months of a date since year 0, parts of a month as its days. */
function monthsOf(time: f64): f64 {
  splitSerial(time);
  const whole = <f64>(civilYear * 12 + civilMonth);
  return whole + <f64>(civilDay - 1) / <f64>daysInMonth(civilYear, civilMonth);
}

/** A target's place in the series, in steps from the first point. */
export function placeOf(target: f64): f64 {
  if (!inMonths) return (target - firstTime) / stepSize;
  splitSerial(target);
  const day = civilDay;
  const whole = <f64>(civilYear * 12 + civilMonth);
  const length = <f64>daysInMonth(civilYear, civilMonth);
  return (whole + <f64>(day - monthDay) / length - firstTime) / stepSize;
}

/** The day that all dates of a timeline in months have. */
let monthDay: i32 = 0;

function readPair(view: View, place: u32): f64 {
  viewItem(view, place / view.columns, place % view.columns);
  if (itemKind == KIND_ERROR) fail(itemWord());
  else if (itemKind != KIND_NUMBER) fail(ERROR_VALUE);
  return itemNumber();
}

/** Reads values and timeline in time order; returns false when it failed. */
export function openSeries(first: u32, completion: f64, aggregation: f64): bool {
  const values = openView(argument(first));
  const timeline = openView(argument(first + 1));
  if (values.rows * values.columns != timeline.rows * timeline.columns) fail(ERROR_NOT_AVAILABLE);
  if (!(aggregation >= 1 && aggregation <= 7)) fail(ERROR_NUMBER);
  if (completion != 0 && completion != 1) fail(ERROR_NUMBER);
  const count = values.usedRows * values.columns;
  const times = newList();
  const numbers = newList();
  for (let place: u32 = 0; place < count && !suspended; place++) {
    append(numbers, readPair(values, place));
    append(times, readPair(timeline, place));
    if (failed()) return false;
  }
  if (count < 2 || count > POINT_LIMIT) fail(ERROR_NUMBER);
  if (failed()) return false;
  const order = orderOf(times);
  inMonths = sharesDay(times);
  fillSeries(times, numbers, order, completion == 1, aggregation);
  return !failed();
}

/** The times that compareTimes looks at. */
let timeline: NumberList = at<NumberList>(0);

function compareTimes(left: u32, right: u32): i32 {
  const a = numberAt(timeline, left);
  const b = numberAt(timeline, right);
  return (a > b ? 1 : 0) - (a < b ? 1 : 0);
}

/** Places of the times in ascending order, equal ones as they come. */
function orderOf(times: NumberList): usize {
  const count = times.count;
  const places = scratch(count << 2);
  for (let index: u32 = 0; index < count; index++) {
    store<u32>(places + ((<usize>index) << 2), index);
  }
  timeline = times;
  sortItems(places, scratch(count << 2), count, compareTimes);
  return places;
}

/** Returns whether all times are dates on the same day of different months. */
function sharesDay(times: NumberList): bool {
  for (let index: u32 = 0; index < times.count; index++) {
    const time = numberAt(times, index);
    if (time != floor(time) || !splitSerial(time)) return false;
    if (index == 0) monthDay = civilDay;
    if (civilDay != monthDay) return false;
    const gap = index > 0 ? abs(time - numberAt(times, index - 1)) : 28;
    if (gap != 0 && gap < 28) return false;
  }
  return true;
}

function timeAt(times: NumberList, order: usize, index: u32): f64 {
  const time = numberAt(times, load<u32>(order + ((<usize>index) << 2)));
  return inMonths ? floor(monthsOf(time)) : time;
}

/** Puts the values on the grid of steps: equal times are joined, missing ones are filled in. */
function fillSeries(
  times: NumberList,
  numbers: NumberList,
  order: usize,
  isFilled: bool,
  aggregation: f64,
): void {
  const count = times.count;
  firstTime = timeAt(times, order, 0);
  stepSize = Infinity;
  for (let index: u32 = 1; index < count; index++) {
    const gap = timeAt(times, order, index) - timeAt(times, order, index - 1);
    if (gap > 0) stepSize = min(stepSize, gap);
  }
  if (stepSize == Infinity) return fail(ERROR_NUMBER);
  series = newList();
  let missing: f64 = 0;
  let index: u32 = 0;
  while (index < count) {
    const time = timeAt(times, order, index);
    const group = newList();
    while (index < count && timeAt(times, order, index) == time) {
      append(group, numberAt(numbers, load<u32>(order + ((<usize>index) << 2))));
      index++;
    }
    const place = (time - firstTime) / stepSize;
    const whole = nearest(place);
    if (abs(place - whole) > STEP_TOLERANCE * max(1, whole)) return fail(ERROR_NUMBER);
    const value = aggregateOf(group, aggregation);
    missing += whole - series.count;
    if (missing > MISSING_SHARE * (whole + 1)) return fail(ERROR_NUMBER);
    fillGap(<u32>whole, value, isFilled);
    append(series, value);
  }
}

/** Missing points are zeros, or lie on the line between their neighbours. */
function fillGap(to: u32, value: f64, isFilled: bool): void {
  const from = series.count;
  if (from >= to) return;
  const before = numberAt(series, from - 1);
  const share = (value - before) / <f64>(to - from + 1);
  for (let place = from; place < to; place++) {
    append(series, isFilled ? before + share * <f64>(place - from + 1) : 0);
  }
}

/** 1 average, 2 count, 3 count all, 4 maximum, 5 median, 6 minimum, 7 sum */
function aggregateOf(group: NumberList, aggregation: f64): f64 {
  const count = group.count;
  if (count == 1 && aggregation != 2 && aggregation != 3) return numberAt(group, 0);
  if (aggregation == 2 || aggregation == 3) return <f64>count;
  sortList(group);
  if (aggregation == 4) return numberAt(group, count - 1);
  if (aggregation == 6) return numberAt(group, 0);
  if (aggregation == 5) {
    return (numberAt(group, (count - 1) >> 1) + numberAt(group, count >> 1)) / 2;
  }
  let sum: f64 = 0;
  for (let index: u32 = 0; index < count; index++) sum += numberAt(group, index);
  return aggregation == 7 ? sum : sum / <f64>count;
}

/** The series' own period: the one after which its steps repeat best; 1 when none does. */
export function detectSeason(): u32 {
  const count = series.count;
  let best: u32 = 1;
  let least = Infinity;
  for (let period = min(count >> 1, SEASON_LIMIT); period >= 1 && pay(count << 2); period--) {
    const periods = count / period;
    const start = count - periods * period + 1;
    let sum: f64 = 0;
    for (let index = start; index + period < count; index++) {
      const step = numberAt(series, index) - numberAt(series, index - 1);
      sum += abs(step - numberAt(series, index + period) + numberAt(series, index + period - 1));
    }
    const mean = sum / (<f64>((periods - 1) * period) - 1);
    if (mean <= least || mean == 0) {
      least = mean;
      best = period;
    }
  }
  return best;
}
