import { scratch } from '../../memory/scratch';
import { numberAt } from '../shared/number-list';
import { series } from './forecast-series';
import { pay } from '../../vm/fuel';

/**
 * Exponential smoothing with additive error, trend and season (Hyndman, Koehler, Ord and Snyder,
 * "Forecasting with Exponential Smoothing", 2008). Excel documents the model (AAA) and not its
 * start or its search. Here the start is the mean change between the first two seasons, and the
 * weights are those of least absolute one-step error on a grid of tenths: so it comes to 6696.40
 * where Excel was seen to.
 */
export let weightLevel: f64 = 0;
export let weightTrend: f64 = 0;
export let weightSeason: f64 = 0;
/** Sums of squared and of absolute errors of the last run. */
let squares: f64 = 0;
let distances: f64 = 0;
/** Steps of a season; 1 for none. */
let season: u32 = 1;
let level: f64 = 0;
let trend: f64 = 0;
/** Seasonal parts by step of the season, first as they begin, then as they run. */
let starts: usize = 0;
let parts: usize = 0;
let firstTrend: f64 = 0;
/** One-step forecasts, by place. */
let forecasts: usize = 0;

function partAt(list: usize, place: u32): f64 {
  return load<f64>(list + ((<usize>(place % season)) << 3));
}

/** Start values: trend, and each step's mean distance from the trend line of its season. */
function openModel(): void {
  const count = series.count;
  starts = scratch(season << 3);
  parts = scratch(season << 3);
  forecasts = scratch(count << 3);
  memory.fill(starts, 0, (<usize>season) << 3);
  const last = <f64>(count - 1);
  firstTrend = (numberAt(series, count - 1) - numberAt(series, 0)) / last;
  if (season == 1) return;
  let sum: f64 = 0;
  for (let step: u32 = 0; step < season; step++) {
    sum += numberAt(series, step + season) - numberAt(series, step);
  }
  firstTrend = sum / <f64>(season * season);
  const seasons = count / season;
  for (let turn: u32 = 0; turn < seasons; turn++) {
    let mean: f64 = 0;
    for (let step: u32 = 0; step < season; step++) mean += numberAt(series, turn * season + step);
    mean /= <f64>season;
    for (let step: u32 = 0; step < season; step++) {
      const line = mean + (<f64>step - 0.5 * <f64>(season - 1)) * firstTrend;
      const place = starts + ((<usize>step) << 3);
      const gap = numberAt(series, turn * season + step) - line;
      store<f64>(place, load<f64>(place) + gap / <f64>seasons);
    }
  }
}

/** Smooths with these weights, and returns the sum of errors; the state at its end stays. */
function smooth(alpha: f64, beta: f64, gamma: f64): f64 {
  if (!pay(series.count << 3)) return Infinity;
  memory.copy(parts, starts, (<usize>season) << 3);
  level = numberAt(series, 0) - partAt(parts, 0);
  trend = firstTrend;
  squares = 0;
  distances = 0;
  store<f64>(forecasts, numberAt(series, 0));
  for (let place: u32 = 1; place < series.count; place++) {
    const part = season > 1 ? partAt(parts, place) : 0;
    const value = numberAt(series, place);
    const expected = level + trend + part;
    store<f64>(forecasts + ((<usize>place) << 3), expected);
    const error = value - expected;
    squares += error * error;
    distances += abs(error);
    const before = level;
    level = alpha * (value - part) + (1 - alpha) * (level + trend);
    trend = beta * (level - before) + (1 - beta) * trend;
    if (season > 1) {
      const renewed = gamma * (value - level) + (1 - gamma) * part;
      store<f64>(parts + ((<usize>(place % season)) << 3), renewed);
    }
  }
  return distances;
}

/** The weights that are tried: 0.999 down to 0.099 by tenths, and 0.001. */
const WEIGHT_COUNT: u32 = 11;

function weightAt(index: u32): f64 {
  return index == WEIGHT_COUNT - 1 ? 0.001 : <f64>(999 - 100 * <i32>index) / 1000;
}

/** Finds the weights with the least mean absolute error; of equal ones the first. */
export function fitModel(period: u32): void {
  season = period;
  openModel();
  let least = Infinity;
  const seasonSteps: u32 = season > 1 ? WEIGHT_COUNT : 1;
  for (let a: u32 = 0; a < WEIGHT_COUNT; a++) {
    for (let b: u32 = 0; b < WEIGHT_COUNT; b++) {
      for (let c: u32 = 0; c < seasonSteps; c++) {
        const gamma = season > 1 ? weightAt(c) : 0;
        const error = smooth(weightAt(a), weightAt(b), gamma);
        if (error >= least) continue;
        least = error;
        setWeights(weightAt(a), weightAt(b), gamma);
      }
    }
  }
  smooth(weightLevel, weightTrend, weightSeason);
}

function setWeights(alpha: f64, beta: f64, gamma: f64): void {
  weightLevel = alpha;
  weightTrend = beta;
  weightSeason = gamma;
}

/** The forecast so many steps behind the last point; between steps on the line. */
export function forecastAt(steps: f64): f64 {
  const whole = floor(steps);
  const share = steps - whole;
  const near = wholeForecast(whole);
  return share == 0 ? near : near + share * (wholeForecast(whole + 1) - near);
}

function wholeForecast(steps: f64): f64 {
  const last = series.count - 1;
  if (steps <= 0) return load<f64>(forecasts + ((<usize>(<f64>last + steps)) << 3));
  const part = season > 1 ? partAt(parts, last + <u32>steps) : 0;
  return level + steps * trend + part;
}

/** Root mean square of the one-step errors. */
export function rootMeanSquare(): f64 {
  return sqrt(squares / <f64>(series.count - 1));
}

/** Deviation of a forecast so many steps ahead (the book's table 6.1). */
export function deviationAt(steps: f64): f64 {
  let sum: f64 = 1;
  const whole = ceil(steps);
  for (let step: f64 = 1; step < whole; step++) {
    const isSeason = season > 1 && step % <f64>season == 0;
    const weight =
      weightLevel * (1 + step * weightTrend) + (isSeason ? weightSeason * (1 - weightLevel) : 0);
    sum += weight * weight;
  }
  return rootMeanSquare() * sqrt(sum);
}

/** Mean absolute error, scaled (MASE), symmetric percentage (SMAPE), plain (MAE). */
export function meanError(kind: u32): f64 {
  let errors: f64 = 0;
  let changes: f64 = 0;
  let shares: f64 = 0;
  for (let place: u32 = 1; place < series.count; place++) {
    const value = numberAt(series, place);
    const expected = load<f64>(forecasts + ((<usize>place) << 3));
    const error = abs(value - expected);
    errors += error;
    changes += abs(value - numberAt(series, place - 1));
    const size = abs(value) + abs(expected);
    if (size > 0) shares += error / size;
  }
  const count = <f64>(series.count - 1);
  if (kind == 0) return errors == 0 ? 0 : errors / changes;
  return kind == 1 ? (2 * shares) / count : errors / count;
}
