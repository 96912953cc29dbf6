import { MODEL_VOLATILES, model } from '../grid/model';
import { at } from '../memory/pointer';
import { item, lengthOfVector, setItem } from '../memory/vector';
import { markRows } from './dirty';
import { RUN_DEAD, Run, letGo } from './run';
import { listRuns } from './watch';

/** Makes cells pending whose formulas depend on the clock or have computed references. */
export function markVolatile(): void {
  listRuns();
  let kept: u32 = 0;
  for (let index: u32 = 0; index < lengthOfVector(MODEL_VOLATILES); index++) {
    const address = item(MODEL_VOLATILES, index);
    const run = at<Run>(address);
    if (run.flags & RUN_DEAD) {
      letGo(address);
      continue;
    }
    setItem(MODEL_VOLATILES, kept++, address);
    markRows(address, run.row0, run.row1);
  }
  model().volatilesLength = kept;
}
