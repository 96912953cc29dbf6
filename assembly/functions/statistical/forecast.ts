import { ERROR_NUMBER } from '../../abi';
import {
  answerError,
  answerNumber,
  fail,
  failed,
  given,
  numberArgument,
  omitted,
} from '../../vm/call';
import {
  deviationAt,
  fitModel,
  forecastAt,
  meanError,
  rootMeanSquare,
  weightLevel,
  weightSeason,
  weightTrend,
} from './forecast-model';
import {
  SEASON_LIMIT,
  detectSeason,
  inMonths,
  openSeries,
  placeOf,
  series,
  stepSize,
} from './forecast-series';
import { normalInverse } from './statistical-normal';

/** Rows: name, fewest arguments, most, kinds. The row number is the case of callForecast. */
export const FORECASTS: string = `
FORECAST.ETS 3 6 vaavvv;
FORECAST.ETS.CONFINT 3 7 vaavvvv;
FORECAST.ETS.SEASONALITY 2 4 aavv;
FORECAST.ETS.STAT 3 6 aavvvv;
`;

export function callForecast(index: u32): void {
  switch (index) {
    case 0:
      return evaluateForecast(false);
    case 1:
      return evaluateForecast(true);
    case 2:
      return evaluateSeasonality();
    default:
      return evaluateStatistic();
  }
}

function optionOr(index: u32, otherwise: f64): f64 {
  return given(index) && !omitted(index) ? trunc(numberArgument(index)) : otherwise;
}

/** Opens the series (values at `first`, options from `options` on) and fits; the season, or 0. */
function openModel(first: u32, options: u32): u32 {
  const wanted = optionOr(options, 1);
  const completion = optionOr(options + 1, 1);
  const aggregation = optionOr(options + 2, 1);
  if (!(wanted >= 0 && wanted <= <f64>SEASON_LIMIT)) fail(ERROR_NUMBER);
  if (failed() || !openSeries(first, completion, aggregation)) return 0;
  let season: u32 = wanted == 1 ? detectSeason() : <u32>max<f64>(wanted, 1);
  if (season * 2 > series.count) season = 1;
  fitModel(season);
  return season;
}

/** FORECAST.ETS(target, values, timeline, …) and its interval, which has a confidence level. */
function evaluateForecast(isInterval: bool): void {
  const target = numberArgument(0);
  let confidence: f64 = 0.95;
  if (isInterval && given(3) && !omitted(3)) confidence = numberArgument(3);
  if (!(confidence > 0 && confidence < 1)) fail(ERROR_NUMBER);
  if (failed() || !openModel(1, isInterval ? 4 : 3)) return;
  const place = placeOf(target);
  const ahead = place - <f64>(series.count - 1);
  if (!(place >= 0 && ahead < 1e6) || (isInterval && ahead <= 0)) {
    return answerError(ERROR_NUMBER);
  }
  if (!isInterval) answerNumber(forecastAt(ahead));
  else answerNumber(-normalInverse((1 - confidence) / 2) * deviationAt(ahead));
}

/** FORECAST.ETS.SEASONALITY(values, timeline, [completion], [aggregation]) */
function evaluateSeasonality(): void {
  const completion = optionOr(2, 1);
  const aggregation = optionOr(3, 1);
  if (failed() || !openSeries(0, completion, aggregation)) return;
  answerNumber(detectSeason());
}

/** FORECAST.ETS.STAT(values, timeline, statistic, [seasonality], [completion], [aggregation]) */
function evaluateStatistic(): void {
  const statistic = trunc(numberArgument(2));
  if (!(statistic >= 1 && statistic <= 8)) fail(ERROR_NUMBER);
  if (failed() || !openModel(0, 3)) return;
  if (statistic == 1) answerNumber(weightLevel);
  else if (statistic == 2) answerNumber(weightTrend);
  else if (statistic == 3) answerNumber(weightSeason);
  else if (statistic == 7) answerNumber(rootMeanSquare());
  else if (statistic == 8) answerNumber(inMonths ? 30 * stepSize : stepSize);
  else answerNumber(meanError(<u32>statistic - 4));
}
