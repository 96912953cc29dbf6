import { KIND_ERROR, KIND_NUMBER } from '../../abi';
import { columnsOf, itemKindOf, itemPayloadOf, rowsOf } from '../../vm/array';
import { fail, failure } from '../../vm/call';
import { pay } from '../../vm/fuel';
import { spread } from '../../vm/sparse';
import { addToTotals } from './column-totals';

/** Items that are paid for together, and units of work for one. */
const PAID_ITEMS: u32 = 1024;
const ITEM_UNITS: u32 = 6;

/** Takes the numbers of an array into the totals; fails with its first error. */
export function totalItems(array: usize): void {
  spread(array);
  const count = rowsOf(array) * columnsOf(array);
  for (let index: u32 = 0; index < count && failure < 0; index++) {
    if (index % PAID_ITEMS == 0 && !pay(min(count - index, PAID_ITEMS) * ITEM_UNITS)) return;
    const kind = itemKindOf(array, index);
    const payload = itemPayloadOf(array, index);
    if (kind == KIND_NUMBER) addToTotals(reinterpret<f64>(payload));
    else if (kind == KIND_ERROR) fail(<u32>payload);
  }
}
