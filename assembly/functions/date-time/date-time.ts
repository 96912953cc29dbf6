import { evaluateDatedif, evaluateDays, evaluateDays360, evaluateYearfrac } from './date-count';
import { evaluateDate, evaluateDatePart, evaluateDateValue, evaluateEdate } from './date-part';
import { evaluateEomonth, evaluateIsoWeeknum, evaluateNow, evaluateTime } from './date-part';
import { evaluateTimePart, evaluateTimeValue, evaluateToday, evaluateWeekday } from './date-part';
import { evaluateWeeknum } from './date-part';
import { evaluateNetworkdays, evaluateWorkday } from './date-workdays';

/** Rows: name, fewest arguments, most, kinds, flags. The row number is the case of callDateTime. */
export const DATE_TIME: string = `
DATE 3 3 v;
DATEVALUE 1 1 v;
DAY 1 1 v;
DAYS 2 2 v;
DAYS360 2 3 v;
EDATE 2 2 t;
EOMONTH 2 2 t;
HOUR 1 1 v;
ISOWEEKNUM 1 1 v;
MINUTE 1 1 v;
MONTH 1 1 v;
NETWORKDAYS 2 3 ttr;
NETWORKDAYS.INTL 2 4 ttvr;
NOW 0 0 v V;
SECOND 1 1 v;
TIME 3 3 v;
TIMEVALUE 1 1 v;
TODAY 0 0 v V;
WEEKDAY 1 2 v;
WEEKNUM 1 2 t;
WORKDAY 2 3 ttr;
WORKDAY.INTL 2 4 ttvr;
YEAR 1 1 v;
YEARFRAC 2 3 t;
DATEDIF 3 3 v;
`;

export function callDateTime(index: u32): void {
  if (index < 13) callFirstHalf(index);
  else callSecondHalf(index);
}

function callFirstHalf(index: u32): void {
  switch (index) {
    case 0:
      return evaluateDate();
    case 1:
      return evaluateDateValue();
    case 2:
      return evaluateDatePart(2);
    case 3:
      return evaluateDays();
    case 4:
      return evaluateDays360();
    case 5:
      return evaluateEdate();
    case 6:
      return evaluateEomonth();
    case 7:
      return evaluateTimePart(0);
    case 8:
      return evaluateIsoWeeknum();
    case 9:
      return evaluateTimePart(1);
    case 10:
      return evaluateDatePart(1);
    case 11:
      return evaluateNetworkdays(false);
    default:
      return evaluateNetworkdays(true);
  }
}

function callSecondHalf(index: u32): void {
  switch (index) {
    case 13:
      return evaluateNow();
    case 14:
      return evaluateTimePart(2);
    case 15:
      return evaluateTime();
    case 16:
      return evaluateTimeValue();
    case 17:
      return evaluateToday();
    case 18:
      return evaluateWeekday();
    case 19:
      return evaluateWeeknum();
    case 20:
      return evaluateWorkday(false);
    case 21:
      return evaluateWorkday(true);
    case 22:
      return evaluateDatePart(0);
    case 23:
      return evaluateYearfrac();
    default:
      return evaluateDatedif();
  }
}
