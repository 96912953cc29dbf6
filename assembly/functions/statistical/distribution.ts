import {
  evaluateBetaDist,
  evaluateBetaInv,
  evaluateConfidenceT,
  evaluateFDist,
  evaluateFInv,
  evaluateOldTDist,
  evaluateTDist,
  evaluateTInv,
  evaluateTTail,
} from './distribution-beta';
import {
  evaluateBinomDist,
  evaluateBinomInv,
  evaluateBinomRange,
  evaluateHypgeomDist,
  evaluateNegbinomDist,
  evaluatePoissonDist,
} from './distribution-count';
import {
  evaluateChisqDist,
  evaluateChisqInv,
  evaluateChisqTail,
  evaluateExponDist,
  evaluateGamma,
  evaluateGammaDist,
  evaluateGammaInv,
  evaluateGammaln,
  evaluateLognormDist,
  evaluateLognormInv,
  evaluateWeibullDist,
} from './distribution-gamma';
import {
  evaluateChisqTest,
  evaluateFTest,
  evaluateProb,
  evaluateTTest,
  evaluateZTest,
} from './distribution-test';

/** Rows: name, fewest arguments, most, kinds. The row number is the case of callDistribution. */
export const DISTRIBUTIONS: string = `
GAMMA 1 1 v;
GAMMALN 1 1 v;
GAMMALN.PRECISE 1 1 v;
GAMMA.DIST 4 4 v;
GAMMADIST 4 4 v;
GAMMA.INV 3 3 v;
GAMMAINV 3 3 v;
CHISQ.DIST 3 3 v;
CHISQ.DIST.RT 2 2 v;
CHIDIST 2 2 v;
CHISQ.INV 2 2 v;
CHISQ.INV.RT 2 2 v;
CHIINV 2 2 v;
EXPON.DIST 3 3 v;
EXPONDIST 3 3 v;
WEIBULL.DIST 4 4 v;
WEIBULL 4 4 v;
LOGNORM.DIST 4 4 v;
LOGNORMDIST 3 3 v;
LOGNORM.INV 3 3 v;
LOGINV 3 3 v;
BETA.DIST 4 6 v;
BETADIST 3 5 v;
BETA.INV 3 5 v;
BETAINV 3 5 v;
T.DIST 3 3 v;
T.DIST.RT 2 2 v;
T.DIST.2T 2 2 v;
TDIST 3 3 v;
T.INV 2 2 v;
T.INV.2T 2 2 v;
TINV 2 2 v;
F.DIST 4 4 v;
F.DIST.RT 3 3 v;
FDIST 3 3 v;
F.INV 3 3 v;
F.INV.RT 3 3 v;
FINV 3 3 v;
CONFIDENCE.T 3 3 v;
BINOM.DIST 4 4 v;
BINOMDIST 4 4 v;
BINOM.DIST.RANGE 3 4 v;
BINOM.INV 3 3 v;
CRITBINOM 3 3 v;
NEGBINOM.DIST 4 4 v;
NEGBINOMDIST 3 3 v;
HYPGEOM.DIST 5 5 v;
HYPGEOMDIST 4 4 v;
POISSON.DIST 3 3 v;
POISSON 3 3 v;
CHISQ.TEST 2 2 a;
CHITEST 2 2 a;
F.TEST 2 2 a;
FTEST 2 2 a;
T.TEST 4 4 aavv;
TTEST 4 4 aavv;
Z.TEST 2 3 avv;
ZTEST 2 3 avv;
PROB 3 4 aavv;
`;

export function callDistribution(index: u32): void {
  if (index < 21) callOfGamma(index);
  else if (index < 39) callOfBeta(index);
  else if (index < 50) callOfCount(index);
  else callTest(index);
}

function callOfGamma(index: u32): void {
  switch (index) {
    case 0:
      return evaluateGamma();
    case 1:
    case 2:
      return evaluateGammaln();
    case 3:
    case 4:
      return evaluateGammaDist();
    case 5:
    case 6:
      return evaluateGammaInv();
    case 7:
      return evaluateChisqDist();
    case 8:
    case 9:
      return evaluateChisqTail();
    case 10:
      return evaluateChisqInv(false);
    case 11:
    case 12:
      return evaluateChisqInv(true);
    case 13:
    case 14:
      return evaluateExponDist();
    case 15:
    case 16:
      return evaluateWeibullDist();
    case 17:
    case 18:
      return evaluateLognormDist();
    default:
      return evaluateLognormInv();
  }
}

function callOfBeta(index: u32): void {
  switch (index) {
    case 21:
      return evaluateBetaDist(true);
    case 22:
      return evaluateBetaDist(false);
    case 23:
    case 24:
      return evaluateBetaInv();
    case 25:
      return evaluateTDist();
    case 26:
      return evaluateTTail(1);
    case 27:
      return evaluateTTail(2);
    case 28:
      return evaluateOldTDist();
    case 29:
      return evaluateTInv(false);
    case 30:
    case 31:
      return evaluateTInv(true);
    case 32:
      return evaluateFDist(false);
    case 33:
    case 34:
      return evaluateFDist(true);
    case 35:
      return evaluateFInv(false);
    case 36:
    case 37:
      return evaluateFInv(true);
    default:
      return evaluateConfidenceT();
  }
}

function callOfCount(index: u32): void {
  switch (index) {
    case 39:
    case 40:
      return evaluateBinomDist();
    case 41:
      return evaluateBinomRange();
    case 42:
    case 43:
      return evaluateBinomInv();
    case 44:
      return evaluateNegbinomDist(true);
    case 45:
      return evaluateNegbinomDist(false);
    case 46:
      return evaluateHypgeomDist(true);
    case 47:
      return evaluateHypgeomDist(false);
    default:
      return evaluatePoissonDist();
  }
}

function callTest(index: u32): void {
  switch (index) {
    case 50:
    case 51:
      return evaluateChisqTest();
    case 52:
    case 53:
      return evaluateFTest();
    case 54:
    case 55:
      return evaluateTTest();
    case 56:
    case 57:
      return evaluateZTest();
    default:
      return evaluateProb();
  }
}
