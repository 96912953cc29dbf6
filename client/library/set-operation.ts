import { cellCount, parseSheetRange } from '../../server/model/range.ts';
import { op, type Operation } from './operations.ts';
import type { Input } from './options.ts';

/**
 * Makes the operation that sets a range: rows are a block, one input is for each cell of the range.
 */
export function setOf(range: string, input: Input | Input[][]): Operation {
  if (Array.isArray(input)) return op.rangeSet({ range, inputs: input });
  const areas = parseSheetRange(range)?.areas ?? [];
  const isCell = areas.length === 1 && areas[0] !== undefined && cellCount(areas[0]) === 1;
  return isCell ? op.cellsSet({ cells: [{ a1: range, input }] }) : op.rangeFill({ range, input });
}
