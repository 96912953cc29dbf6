import { unitsOf } from '../memory/pointer';
import { useFunctions } from '../vm/function-entries';
import { BLOCKED, callBlocked } from './blocked';
import { BONDS, callBond } from './financial/bond';
import { COMPLEX_NUMBERS, callComplex } from './engineering/complex';
import { DATABASE, callDatabase } from './database/database';
import { DATE_TIME, callDateTime } from './date-time/date-time';
import { DISTRIBUTIONS, callDistribution } from './statistical/distribution';
import { DYNAMIC, callDynamic } from './array/dynamic';
import { ENGINEERING, callEngineering } from './engineering/engineering';
import { FINANCIAL, callFinancial } from './financial/financial';
import { FORECASTS, callForecast } from './statistical/forecast';
import { GROUPINGS, callGrouping } from './array/grouping';
import { INFORMATION, callInformation } from './information/information';
import { LAMBDA_HELPERS, callLambdaHelper } from './logical/lambda-helpers';
import { LOGICAL, callLogical } from './logical/logical';
import {
  FUNCTION_TAKES_EACH,
  FUNCTION_TAKES_SPANS,
  FUNCTION_TAKES_WHOLE,
  markFunctions,
  openFunctionTable,
  readTable,
} from './function-record';
import { LAZY, stepLazy } from './logical/lazy';
import { SPAN_FUNCTIONS } from '../vm/sheet-span';
import { LOOKUP, callLookup } from './lookup/lookup';
import { MATH, callMath } from './math/math';
import { AGGREGATES, EACH_FUNCTIONS, WHOLE_FUNCTIONS, callAggregate } from './math/math-aggregates';
import { MATRICES, callMatrix } from './math/math-matrix';
import { TRIGONOMETRY, callTrigonometry } from './math/math-trigonometry';
import { RARE, callRare } from './rare';
import { REGRESSION, callRegression } from './statistical/regression';
import { STATISTICAL, callStatistical } from './statistical/statistical';
import { TEXT, callText } from './text/text';

/**
 * Every worksheet function by number: its family in the upper half, its row in the family's table
 * in the lower. The tables are read once into the model's memory, because constant strings may
 * not be taken apart into managed objects at run time.
 */
const FAMILY_COUNT: u32 = 24;
function tableOf(family: u32): string {
  switch (family) {
    case 0:
      return LAZY;
    case 1:
      return LOGICAL;
    case 2:
      return MATH;
    case 3:
      return TRIGONOMETRY;
    case 4:
      return AGGREGATES;
    case 5:
      return MATRICES;
    case 6:
      return STATISTICAL;
    case 7:
      return REGRESSION;
    case 8:
      return FINANCIAL;
    case 9:
      return TEXT;
    case 10:
      return LOOKUP;
    case 11:
      return DYNAMIC;
    case 12:
      return LAMBDA_HELPERS;
    case 13:
      return DATE_TIME;
    case 14:
      return INFORMATION;
    case 15:
      return ENGINEERING;
    case 16:
      return DATABASE;
    case 17:
      return DISTRIBUTIONS;
    case 18:
      return BONDS;
    case 19:
      return COMPLEX_NUMBERS;
    case 20:
      return RARE;
    case 21:
      return GROUPINGS;
    case 22:
      return FORECASTS;
    default:
      return BLOCKED;
  }
}

/** Enters a function that takes its arguments as values (vm/call.ts is open). */
function enterFunction(id: u32): void {
  const row = id & 0xffff;
  switch (id >> 16) {
    case 1:
      return callLogical(row);
    case 2:
      return callMath(row);
    case 3:
      return callTrigonometry(row);
    case 4:
      return callAggregate(row);
    case 5:
      return callMatrix(row);
    case 6:
      return callStatistical(row);
    case 7:
      return callRegression(row);
    case 8:
      return callFinancial(row);
    case 9:
      return callText(row);
    case 10:
      return callLookup(row);
    case 11:
      return callDynamic(row);
    case 12:
      return callLambdaHelper(row);
    case 13:
      return callDateTime(row);
    case 14:
      return callInformation(row);
    case 15:
      return callEngineering(row);
    case 16:
      return callDatabase(row);
    case 17:
      return callDistribution(row);
    case 18:
      return callBond(row);
    case 19:
      return callComplex(row);
    case 20:
      return callRare(row);
    case 21:
      return callGrouping(row);
    case 22:
      return callForecast(row);
    default:
      return callBlocked(row);
  }
}

/** Reads the tables; once for a model. */
export function openRegistry(): void {
  openFunctionTable();
  for (let family: u32 = 0; family < FAMILY_COUNT; family++) {
    const table = tableOf(family);
    readTable(family, unitsOf(table), table.length);
  }
  markFunctions(unitsOf(SPAN_FUNCTIONS), SPAN_FUNCTIONS.length, FUNCTION_TAKES_SPANS);
  markFunctions(unitsOf(EACH_FUNCTIONS), EACH_FUNCTIONS.length, FUNCTION_TAKES_EACH);
  markFunctions(unitsOf(WHOLE_FUNCTIONS), WHOLE_FUNCTIONS.length, FUNCTION_TAKES_WHOLE);
}

// Runs when the module starts, in each thread: the machine has no other way to a function.
useFunctions(enterFunction, stepLazy);
