import type { Address } from '../../../server/model/address.ts';
import type { Range } from '../../../server/model/range.ts';
import { grownRegion, type Arrow } from '../grid/edge.ts';
import { FilledCells } from './filled-cells.ts';
import type { SheetSession } from './sheet-session.ts';

/**
 * Returns the block of cells around one, bordered by blank cells or the end of the sheet, which
 * Excel sorts and filters for a single selected cell. It is loaded as far as needed.
 */
export async function currentRegion(session: SheetSession, from: Address): Promise<Range> {
  const { row, column } = from;
  if (!session.shape) return { row0: row, row1: row, column0: column, column1: column };
  const cells = new FilledCells(session, session.shape.used);
  // For long runs through the cell itself, only their ends are looked up.
  const endOf = async (arrow: Arrow): Promise<Address> => {
    const [down, right] = arrow;
    const isRun = (await cells.has(row, column)) && (await cells.has(row + down, column + right));
    return isRun ? session.edgeOf(from, arrow, new AbortController().signal) : from;
  };
  const [up, down] = [await endOf([-1, 0]), await endOf([1, 0])];
  const [left, right] = [await endOf([0, -1]), await endOf([0, 1])];
  let region = { row0: up.row, row1: down.row, column0: left.column, column1: right.column };
  for (;;) {
    const { range, isWhole } = grownRegion(region, cells);
    if (isWhole) return range;
    region = range;
    await cells.loadMissing();
  }
}
