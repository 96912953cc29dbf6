import {
  ERROR_DIVISION,
  ERROR_NOT_AVAILABLE,
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_BOOLEAN,
  KIND_STRING,
} from '../../abi';
import {
  answerError,
  answerNumber,
  argument,
  fail,
  failed,
  failure,
  given,
  isScalarKind,
  numberArgument,
  numberOr,
  omitted,
} from '../../vm/call';
import { at } from '../../memory/pointer';
import { isSerial } from '../../values/date-serial';
import { kindOf } from '../../vm/slot';
import { itemKind, nextItem, openScan } from '../../vm/view';
import { findRoot } from './financial-root';
import {
  append,
  collect,
  gather,
  gatherOne,
  newList,
  NumberList,
  numberAt,
  ONLY_NUMBERS,
  setNumberAt,
  strictNumber,
} from '../shared/number-list';

/** NPV(rate, value, …): the first value is one period away. */
export function evaluateNpv(): void {
  const rate = numberArgument(0);
  const list = gather(1, ONLY_NUMBERS);
  if (failed()) return;
  if (rate == -1) {
    answerError(ERROR_DIVISION);
    return;
  }
  let sum: f64 = 0;
  for (let index: u32 = 0; index < list.count; index++) {
    sum += numberAt(list, index) / Math.pow(1 + rate, <f64>index + 1);
  }
  answerNumber(sum);
}

/** Flows and their distances in periods: the equation of IRR and XIRR. */
let flows: NumberList = newEmpty();
let times: NumberList = newEmpty();
let worthSlope: f64 = 0;

function newEmpty(): NumberList {
  return at<NumberList>(0);
}

/** Present worth at a rate, and its derivative in worthSlope. */
function worth(rate: f64): f64 {
  let sum: f64 = 0;
  worthSlope = 0;
  for (let index: u32 = 0; index < flows.count; index++) {
    const time = numberAt(times, index);
    const term = numberAt(flows, index) / Math.pow(1 + rate, time);
    sum += term;
    worthSlope -= (time * term) / (1 + rate);
  }
  return sum;
}

/** Returns whether money flows both in and out, without which no rate solves the equation. */
function bothWays(): bool {
  let inflow = false;
  let outflow = false;
  for (let index: u32 = 0; index < flows.count; index++) {
    inflow = inflow || numberAt(flows, index) > 0;
    outflow = outflow || numberAt(flows, index) < 0;
  }
  return inflow && outflow;
}

/** Newton's method from a guess; NaN when it does not settle within so many steps. */
function solveRate(guess: f64, steps: u32): f64 {
  let rate = guess;
  for (let step: u32 = 0; step < steps; step++) {
    let next = rate - worth(rate) / worthSlope;
    if (next - next != 0) return NaN;
    // A step beyond -100 % goes half way there instead.
    if (next <= -1) next = (rate - 1) / 2;
    const change = abs(next - rate);
    rate = next;
    if (change < 1e-7) {
      const last = rate - worth(rate) / worthSlope;
      return last > -1 ? last : rate;
    }
  }
  return NaN;
}

/** Returns the rate near a guess, if there is one above a loss of all but a millionth. */
function rateNear(guess: f64, steps: u32): f64 {
  let rate = solveRate(guess, steps);
  if (isNaN(rate)) rate = findRoot(worth, guess);
  return rate > -0.999999 ? rate : NaN;
}

/** Guess of XIRR where none is given. */
const USUAL_GUESS: f64 = 0.1;
/** Share of a rate and 1 that its last step may have, as far as known answers of Excel tell. */
const LAST_STEP: f64 = 5.85e-9;

/**
 * The place where Excel's search for a rate ends, which halves the span around it: from the usual
 * guess upwards, of which it takes twice as much each time, or below its negative. Its help has
 * 0.373362535 where the rate is 0.3733625335. Other rates are left as they are.
 */
function whereHalvingEnds(rate: f64): f64 {
  const isGuess = abs(rate - USUAL_GUESS) < 1e-12;
  if (isGuess || !(rate > 0 || rate < -USUAL_GUESS)) return rate;
  let low: f64 = rate > 0 ? 0 : -1;
  let high = rate > 0 ? USUAL_GUESS : -USUAL_GUESS;
  while (high < rate) {
    low = high;
    high *= 2;
  }
  let middle = rate;
  do {
    middle = (low + high) / 2;
    if (middle < rate) low = middle;
    else high = middle;
  } while (high - low > LAST_STEP * (1 + abs(middle)));
  return middle;
}

function isList(slot: usize): bool {
  return !isScalarKind(kindOf(slot));
}

/** IRR(values, [guess]) */
export function evaluateIrr(): void {
  const guess = numberOr(1, 0.1);
  if (failed()) return;
  flows = gatherOne(0);
  // An error among the values is #VALUE!, whatever it is; one in their place is the answer.
  if (failure >= 0) return answerError(isList(argument(0)) ? ERROR_VALUE : failure);
  times = newList();
  for (let index: u32 = 0; index < flows.count; index++) append(times, index);
  if (!bothWays() || guess <= -1) answerError(ERROR_NUMBER);
  else answerNumber(rateNear(guess, 20));
}

/** Reads flows and dates; the dates become years since the first. */
function openDated(first: u32, mismatch: u32): void {
  flows = gatherOne(first);
  times = gatherOne(first + 1);
  if (flows.count != times.count || flows.count == 0) {
    fail(mismatch);
    return;
  }
  const start = trunc(numberAt(times, 0));
  for (let index: u32 = 0; index < times.count; index++) {
    const date = trunc(numberAt(times, index));
    if (!isSerial(date) || date < start) fail(ERROR_NUMBER);
    setNumberAt(times, index, (date - start) / 365);
  }
}

/** Flows or dates that are left empty are #N/A, as in all functions of the Analysis ToolPak. */
function demandLists(first: u32): void {
  if (omitted(first) || omitted(first + 1)) fail(ERROR_NOT_AVAILABLE);
}

/** XNPV(rate, values, dates) */
export function evaluateXnpv(): void {
  const rate = strictNumber(0);
  demandLists(1);
  openDated(1, ERROR_NUMBER);
  if (rate <= -1) fail(ERROR_NUMBER);
  if (failed()) return;
  answerNumber(worth(rate));
}

/** A text or boolean among values or dates is #VALUE! to XIRR; different sizes are #NUM!. */
function xirrMismatch(): u32 {
  for (let index: u32 = 0; index < 2; index++) {
    const scan = openScan(argument(index));
    while (nextItem(scan)) {
      if (itemKind == KIND_STRING || itemKind == KIND_BOOLEAN) return ERROR_VALUE;
    }
  }
  return ERROR_NUMBER;
}

/** XIRR(values, dates, [guess]) */
export function evaluateXirr(): void {
  demandLists(0);
  openDated(0, xirrMismatch());
  const guess = given(2) && !omitted(2) ? strictNumber(2) : USUAL_GUESS;
  if (failed()) return;
  if (!bothWays() || guess <= -1) answerError(ERROR_NUMBER);
  else {
    const rate = rateNear(guess, 100);
    answerNumber(guess == USUAL_GUESS ? whereHalvingEnds(rate) : rate);
  }
}

/** MIRR(values, finance rate, reinvestment rate) */
export function evaluateMirr(): void {
  const list = newList();
  collect(list, argument(0), ONLY_NUMBERS);
  const finance = numberArgument(1);
  const reinvestment = numberArgument(2);
  if (failed()) return;
  let inflow: f64 = 0;
  let outflow: f64 = 0;
  const last = <f64>list.count - 1;
  for (let index: u32 = 0; index < list.count; index++) {
    const value = numberAt(list, index);
    if (value > 0) inflow += value * Math.pow(1 + reinvestment, last - index);
    else outflow -= value / Math.pow(1 + finance, index);
  }
  if (outflow == 0 || last < 1) answerError(ERROR_DIVISION);
  else answerNumber(Math.pow(inflow / outflow, 1 / last) - 1);
}
