import {
  evaluateIrr,
  evaluateMirr,
  evaluateNpv,
  evaluateXirr,
  evaluateXnpv,
} from './financial-flows';
import {
  evaluateCumulative,
  evaluateDollarDecimal,
  evaluateDollarFraction,
  evaluateEffect,
  evaluateFv,
  evaluateFvSchedule,
  evaluateInterest,
  evaluateIspmt,
  evaluateNominal,
  evaluateNper,
  evaluatePduration,
  evaluatePmt,
  evaluatePrincipal,
  evaluatePv,
  evaluateRate,
  evaluateRri,
} from './financial-annuity';
import {
  evaluateDb,
  evaluateDdb,
  evaluateSln,
  evaluateSyd,
  evaluateVdb,
} from './financial-depreciation';

/** Rows: name, fewest arguments, most, kinds. The row number is the case of callFinancial. */
export const FINANCIAL: string = `
PMT 3 5 v;
PV 3 5 v;
FV 3 5 v;
NPER 3 5 v;
RATE 3 6 v;
IPMT 4 6 v;
PPMT 4 6 v;
CUMIPMT 6 6 t;
CUMPRINC 6 6 t;
NPV 2 255 v+r;
IRR 1 2 av;
XNPV 3 3 trr;
XIRR 2 3 rrt;
MIRR 3 3 avv;
SLN 3 3 v;
SYD 4 4 v;
DB 4 5 v;
DDB 4 5 v;
VDB 5 7 v;
EFFECT 2 2 t;
NOMINAL 2 2 t;
RRI 3 3 v;
PDURATION 3 3 v;
ISPMT 4 4 v;
FVSCHEDULE 2 2 tr;
DOLLARDE 2 2 t;
DOLLARFR 2 2 t`;

export function callFinancial(index: u32): void {
  if (index < 9) return callAnnuity(index);
  switch (index) {
    case 9:
      return evaluateNpv();
    case 10:
      return evaluateIrr();
    case 11:
      return evaluateXnpv();
    case 12:
      return evaluateXirr();
    case 13:
      return evaluateMirr();
    case 14:
      return evaluateSln();
    case 15:
      return evaluateSyd();
    case 16:
      return evaluateDb();
    case 17:
      return evaluateDdb();
    case 18:
      return evaluateVdb();
    case 19:
      return evaluateEffect();
    case 20:
      return evaluateNominal();
    case 21:
      return evaluateRri();
    case 22:
      return evaluatePduration();
    case 23:
      return evaluateIspmt();
    case 24:
      return evaluateFvSchedule();
    case 25:
      return evaluateDollarDecimal();
    default:
      return evaluateDollarFraction();
  }
}

function callAnnuity(index: u32): void {
  switch (index) {
    case 0:
      return evaluatePmt();
    case 1:
      return evaluatePv();
    case 2:
      return evaluateFv();
    case 3:
      return evaluateNper();
    case 4:
      return evaluateRate();
    case 5:
      return evaluateInterest();
    case 6:
      return evaluatePrincipal();
    case 7:
      return evaluateCumulative(true);
    default:
      return evaluateCumulative(false);
  }
}
