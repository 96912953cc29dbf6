import { ERROR_VALUE } from '../../abi';
import { textIs } from '../../memory/text';
import {
  answerNumber,
  booleanOr,
  fail,
  failed,
  given,
  integerArgument,
  numberArgument,
  omitted,
  textArgument,
} from '../../vm/call';

/** Units of the old currency to a euro (Council Regulation (EC) 2866/98 and its amendments). */
let rate: f64 = 0;
/** Decimals that conversions into it keep. */
let decimals: i32 = 0;

function use(units: f64, digits: i32): void {
  rate = units;
  decimals = digits;
}

/** Finds a currency by its ISO code; fails with #VALUE! for another. */
function openCurrency(code: usize): void {
  if (textIs(code, 'EUR')) use(1, 2);
  else if (textIs(code, 'BEF') || textIs(code, 'LUF')) use(40.3399, 0);
  else if (textIs(code, 'DEM')) use(1.95583, 2);
  else if (textIs(code, 'ESP')) use(166.386, 0);
  else if (textIs(code, 'FRF')) use(6.55957, 2);
  else if (textIs(code, 'IEP')) use(0.787564, 2);
  else if (textIs(code, 'ITL')) use(1936.27, 0);
  else if (textIs(code, 'NLG')) use(2.20371, 2);
  else if (textIs(code, 'ATS')) use(13.7603, 2);
  else if (textIs(code, 'PTE')) use(200.482, 0);
  else if (textIs(code, 'FIM')) use(5.94573, 2);
  else if (textIs(code, 'GRD')) use(340.75, 0);
  else if (textIs(code, 'SIT')) use(239.64, 2);
  else fail(ERROR_VALUE);
}

function roundTo(value: f64, digits: i32): f64 {
  const scale = Math.pow(10, digits);
  const size = floor(abs(value) * scale * (1 + 2e-16) + 0.5) / scale;
  return value < 0 ? -size : size;
}

/** EUROCONVERT(number, source, target, [full precision], [triangulation precision]) */
export function evaluateEuroconvert(): void {
  const value = numberArgument(0);
  openCurrency(textArgument(1));
  const source = rate;
  openCurrency(textArgument(2));
  const isFull = booleanOr(3, false);
  const triangulation = given(4) && !omitted(4) ? integerArgument(4) : 0;
  if (triangulation != 0 && triangulation < 3) fail(ERROR_VALUE);
  if (failed()) return;
  let euros = value / source;
  if (triangulation >= 3) euros = roundTo(euros, <i32>min<f64>(triangulation, 15));
  const result = source == rate ? value : euros * rate;
  answerNumber(isFull ? result : roundTo(result, decimals));
}
