import {
  evaluateAvedev,
  evaluateDevsq,
  evaluateGeomean,
  evaluateHarmean,
  evaluateKurt,
  evaluateSkew,
  evaluateSpread,
  evaluateTrimmean,
} from './statistical-moments';
import {
  evaluateConfidence,
  evaluateFisher,
  evaluateGauss,
  evaluateNormDist,
  evaluateNormInv,
  evaluateNormSDist,
  evaluateNormSInv,
  evaluateOldNormSDist,
  evaluatePhi,
  evaluateStandardize,
} from './statistical-normal';
import {
  evaluateFrequency,
  evaluateLarge,
  evaluateMedian,
  evaluateModeMany,
  evaluateModeSingle,
  evaluatePercentile,
  evaluatePercentRank,
  evaluateQuartile,
  evaluateRank,
  evaluateSmall,
} from './statistical-order';

/** Rows: name, fewest arguments, most, kinds. The row number is the case of callStatistical. */
export const STATISTICAL: string = `
MEDIAN 1 255 +r R;
MODE 1 255 +a R;
MODE.SNGL 1 255 +a R;
MODE.MULT 1 255 +a A;
LARGE 2 2 rv R;
SMALL 2 2 rv R;
RANK 2 3 vrv R;
RANK.EQ 2 3 vrv R;
RANK.AVG 2 3 vrv R;
PERCENTILE 2 2 rv R;
PERCENTILE.INC 2 2 rv R;
PERCENTILE.EXC 2 2 rv R;
QUARTILE 2 2 rv R;
QUARTILE.INC 2 2 rv R;
QUARTILE.EXC 2 2 rv R;
PERCENTRANK 2 3 rvv R;
PERCENTRANK.INC 2 3 rvv R;
PERCENTRANK.EXC 2 3 rvv R;
FREQUENCY 2 2 aa A;
STDEV 1 255 +r R;
STDEV.S 1 255 +r R;
STDEVP 1 255 +r R;
STDEV.P 1 255 +r R;
STDEVA 1 255 +r R;
STDEVPA 1 255 +r R;
VAR 1 255 +r R;
VAR.S 1 255 +r R;
VARP 1 255 +r R;
VAR.P 1 255 +r R;
VARA 1 255 +r R;
VARPA 1 255 +r R;
GEOMEAN 1 255 +r R;
HARMEAN 1 255 +r R;
TRIMMEAN 2 2 rv R;
AVEDEV 1 255 +r R;
DEVSQ 1 255 +r R;
KURT 1 255 +r R;
SKEW 1 255 +r R;
SKEW.P 1 255 +r R;
STANDARDIZE 3 3 v;
NORM.DIST 4 4 v;
NORMDIST 4 4 v;
NORM.S.DIST 2 2 v;
NORMSDIST 1 1 v;
NORM.INV 3 3 v;
NORMINV 3 3 v;
NORM.S.INV 1 1 v;
NORMSINV 1 1 v;
CONFIDENCE 3 3 v;
CONFIDENCE.NORM 3 3 v;
PHI 1 1 v;
GAUSS 1 1 v;
FISHER 1 1 v;
FISHERINV 1 1 v`;

export function callStatistical(index: u32): void {
  if (index < 19) return callOrder(index);
  if (index < 31) return callSpread(index);
  if (index < 39) return callMoments(index);
  return callNormal(index);
}

function callOrder(index: u32): void {
  switch (index) {
    case 0:
      return evaluateMedian();
    case 1:
    case 2:
      return evaluateModeSingle();
    case 3:
      return evaluateModeMany();
    case 4:
      return evaluateLarge();
    case 5:
      return evaluateSmall();
    case 6:
    case 7:
      return evaluateRank(false);
    case 8:
      return evaluateRank(true);
    case 9:
    case 10:
      return evaluatePercentile(false);
    case 11:
      return evaluatePercentile(true);
    case 12:
    case 13:
      return evaluateQuartile(false);
    case 14:
      return evaluateQuartile(true);
    case 15:
    case 16:
      return evaluatePercentRank(false);
    case 17:
      return evaluatePercentRank(true);
    default:
      return evaluateFrequency();
  }
}

/** Deviations come first, then variances: sample twice, population twice, A, PA. */
function callSpread(index: u32): void {
  const root = index < 25;
  const form = root ? index - 19 : index - 25;
  const sample = form < 2 || form == 4;
  evaluateSpread(sample, root, form >= 4);
}

function callMoments(index: u32): void {
  switch (index) {
    case 31:
      return evaluateGeomean();
    case 32:
      return evaluateHarmean();
    case 33:
      return evaluateTrimmean();
    case 34:
      return evaluateAvedev();
    case 35:
      return evaluateDevsq();
    case 36:
      return evaluateKurt();
    case 37:
      return evaluateSkew(true);
    default:
      return evaluateSkew(false);
  }
}

function callNormal(index: u32): void {
  switch (index) {
    case 39:
      return evaluateStandardize();
    case 40:
    case 41:
      return evaluateNormDist();
    case 42:
      return evaluateNormSDist();
    case 43:
      return evaluateOldNormSDist();
    case 44:
    case 45:
      return evaluateNormInv();
    case 46:
    case 47:
      return evaluateNormSInv();
    case 48:
    case 49:
      return evaluateConfidence();
    case 50:
      return evaluatePhi();
    case 51:
      return evaluateGauss();
    default:
      return evaluateFisher(index == 53);
  }
}
