import { TEMPLATE_SUBTOTAL, Template } from '../../formula/template';
import { Run, runAt } from '../../graph/run';
import { columnAt } from '../../grid/sheet';
import { at } from '../../memory/pointer';

/**
 * Returns whether the formula of a cell calls SUBTOTAL or AGGREGATE, which leave such cells out.
 * Only cells with CELL_FORMULA may be asked for.
 */
export function holdsSubtotal(sheet: usize, row: u32, column: u32): bool {
  const record = columnAt(sheet, column);
  const run = record ? runAt(record, row) : 0;
  return run != 0 && (at<Template>(at<Run>(run).template).flags & TEMPLATE_SUBTOTAL) != 0;
}
