import { KIND_OMITTED } from '../../abi';
import { civilDay, civilMonth, civilYear, isLeapYear, splitSerial } from '../../values/date-serial';
import { answerNumber, argument, argumentCount, booleanOr, failed } from '../../vm/call';
import { kindOf } from '../../vm/slot';
import {
  BASIS_365,
  BASIS_ACTUAL,
  BASIS_US,
  addMonths,
  americanDays,
  basisArgument,
  dateArgument,
  daysBetween,
  daysInYear,
  demand,
  frequencyArgument,
  isLastOfMonth,
  positiveArgument,
} from './bond-date';
import { strictNumber } from '../shared/number-list';
import { pay } from '../../vm/fuel';

/** The par value; 1000 when it is left out. */
function parArgument(index: u32): f64 {
  if (index >= argumentCount || kindOf(argument(index)) == KIND_OMITTED) return 1000;
  return positiveArgument(index);
}

/** ACCRINTM(issue, settlement, rate, [par], [basis]) */
export function evaluateAccrintm(): void {
  const issue = dateArgument(0);
  const settlement = dateArgument(1);
  const rate = positiveArgument(2);
  const par = parArgument(3);
  const basis = basisArgument(4);
  demand(issue < settlement);
  if (failed()) return;
  const days = daysBetween(issue, settlement, basis);
  answerNumber(par * rate * (days / daysInYear(issue, settlement, basis)));
}

/** The security whose interest is counted. */
let issued: f64 = 0;
let basisUsed: f64 = 0;
let months: i32 = 0;
let toEnd: bool = false;

/** Days of a whole period as its share is counted. */
function periodDays(start: f64, end: f64): f64 {
  if (basisUsed == BASIS_US) return americanDays(start, end, true);
  if (basisUsed == BASIS_365) return (365 * <f64>months) / 12;
  if (basisUsed == BASIS_ACTUAL) return end - start;
  return 30 * <f64>months;
}

/** The share of a period that lies behind the issue; a whole one counts as `whole`. */
function periodShare(start: f64, end: f64, whole: f64): f64 {
  if (issued <= start) return whole;
  return daysBetween(issued, end, basisUsed) / periodDays(start, end);
}

/** ACCRINT(issue, first, settlement, rate, par, frequency, [basis], [from issue]) */
export function evaluateAccrint(): void {
  issued = dateArgument(0);
  const first = dateArgument(1);
  const settlement = dateArgument(2);
  const rate = positiveArgument(3);
  const par = parArgument(4);
  const frequency = frequencyArgument(5);
  basisUsed = basisArgument(6);
  const fromIssue = booleanOr(7, true);
  demand(issued < settlement);
  if (failed()) return;
  months = <i32>(12 / frequency);
  toEnd = isLastOfMonth(first);
  let periods: i32 = -1;
  if (settlement > first && fromIssue) {
    while (addMonths(first, (periods + 1) * months, toEnd) < settlement && pay(40)) periods++;
  }
  let start = addMonths(first, periods * months, toEnd);
  const next = addMonths(first, (periods + 1) * months, toEnd);
  const period = basisUsed == BASIS_ACTUAL ? next - start : periodDays360();
  let shares = daysBetween(max(issued, start), settlement, basisUsed) / period;
  while (start > issued && pay(80)) {
    const end = start;
    periods--;
    start = addMonths(first, periods * months, toEnd);
    shares += periodShare(start, end, fromIssue ? 1 : 0);
  }
  answerNumber(((par * rate) / frequency) * shares);
}

/** Days of the period around the settlement, of a year of 360 or 365 days. */
function periodDays360(): f64 {
  return ((basisUsed == BASIS_365 ? 365 : 360) * <f64>months) / 12;
}

/** An asset that is written off, for AMORLINC and AMORDEGRC. */
let cost: f64 = 0;
let salvage: f64 = 0;
let wantedPeriod: f64 = 0;
let writeOff: f64 = 0;
/** Share of a year from purchase to the end of the first period. */
let firstShare: f64 = 0;

/** In the bases with true years a purchase on 29 February counts as one on the 28th. */
function withoutLeapDay(serial: f64, basis: f64): f64 {
  splitSerial(serial);
  const isLeapDay = civilMonth == 2 && civilDay == 29;
  return isLeapDay && (basis == BASIS_ACTUAL || basis == BASIS_365) ? serial - 1 : serial;
}

/** Reads (cost, purchased, first period, salvage, period, rate, [basis]). */
function openAsset(): void {
  cost = positiveArgument(0);
  const purchased = dateArgument(1);
  const first = dateArgument(2);
  salvage = strictNumber(3);
  wantedPeriod = trunc(strictNumber(4));
  writeOff = positiveArgument(5);
  const basis = basisArgument(6);
  demand(purchased <= first && salvage >= 0 && salvage <= cost);
  demand(wantedPeriod >= 0 && basis != 2);
  if (failed()) return;
  splitSerial(purchased);
  const actual: f64 = isLeapYear(civilYear) ? 366 : 365;
  const year = basis == BASIS_ACTUAL ? actual : basis == BASIS_365 ? 365 : 360;
  const from = withoutLeapDay(purchased, basis);
  firstShare = daysBetween(from, withoutLeapDay(first, basis), basis) / year;
  if (firstShare == 0) firstShare = 1;
}

/** AMORLINC(cost, purchased, first period, salvage, period, rate, [basis]) */
export function evaluateAmorlinc(): void {
  openAsset();
  if (failed()) return;
  const whole = cost * writeOff;
  const first = min(firstShare * whole, cost - salvage);
  if (wantedPeriod == 0) return answerNumber(first);
  const before = first + whole * (wantedPeriod - 1);
  const left = cost - salvage - before;
  answerNumber(max<f64>(0, min(whole, left)));
}

/** Rounds half away from zero. */
function rounded(value: f64): f64 {
  return floor(value + 0.5);
}

/** By how much the rate is raised for assets of this life in years. */
function degression(life: f64): f64 {
  if (life < 3) return 1;
  if (life < 5) return 1.5;
  return life <= 6 ? 2 : 2.5;
}

/** AMORDEGRC(cost, purchased, first period, salvage, period, rate, [basis]) */
export function evaluateAmordegrc(): void {
  openAsset();
  const life = 1 / writeOff;
  demand(life >= 3 && !(life > 4 && life < 5));
  if (failed()) return;
  const rate = writeOff * degression(life);
  let worth = cost;
  let depreciation = rounded(firstShare * rate * cost);
  worth -= depreciation;
  let rest = worth - salvage;
  for (let period: f64 = 1; period <= wantedPeriod && pay(8); period++) {
    depreciation = rounded(rate * worth);
    rest -= depreciation;
    if (rest < 0) {
      // The last two periods share what is left.
      const isNear = wantedPeriod - period < 2;
      return answerNumber(isNear ? rounded(worth * 0.5) : 0);
    }
    worth -= depreciation;
  }
  answerNumber(depreciation);
}
