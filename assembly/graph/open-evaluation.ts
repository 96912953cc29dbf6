import { model } from '../grid/model';
import { openIndexes } from '../indexes/column-index';
import { DAYS_TO_1904 } from '../values/date-serial';
import { forgetAnswers } from '../vm/answer-cache';
import { setContext, setDateSystem } from '../vm/context';
import { openMachine } from '../vm/machine';

/** Makes ready to evaluate formulas; the clock is a serial number of the 1900 system. */
export function openEvaluation(clock: f64, seed: u64): void {
  const isFrom1904 = model().date1904 != 0;
  setDateSystem(isFrom1904);
  setContext(isFrom1904 ? clock - DAYS_TO_1904 : clock, seed);
  openMachine();
  openIndexes();
  forgetAnswers();
}
