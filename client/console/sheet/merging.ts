import { cellName, type Address } from '../../../server/model/address.ts';
import { rangeName, type Range } from '../../../server/model/range.ts';
import type { Op } from '../store/overlay.ts';
import { FilledCells } from './filled-cells.ts';
import type { SheetSession } from './sheet-session.ts';

/** Merges cells; only the first value is kept, because hidden ones would still count. */
export async function mergeCells(session: SheetSession, range: Range): Promise<void> {
  const { row0, column0, row1, column1 } = range;
  if (row0 === row1 && column0 === column1) {
    session.clipboard.tell('Select the cells that are to be one first.');
    return;
  }
  const sheet = session.sheet?.id ?? '';
  const op = (kind: string, payload: Op['payload']): Op => ({
    kind,
    payload: { sheet, ...payload },
  });
  const filled = await filledIn(session, range);
  const [first] = filled;
  const isElsewhere = first && (first.row !== row0 || first.column !== column0);
  const to = cellName(row0, column0);
  const source = first && cellName(first.row, first.column);
  const others: readonly Range[] = [
    ...(column1 > column0 ? [{ ...range, row1: row0, column0: column0 + 1 }] : []),
    ...(row1 > row0 ? [{ ...range, row0: row0 + 1 }] : []),
  ];
  session.hand(
    ...(isElsewhere ? [op('range.move', { source, to })] : []),
    ...others.map((one) => op('range.clear', { range: rangeName(one), what: ['values'] })),
    op('cellmerge.add', { range: rangeName(range) }),
  );
  if (filled.length > 1) {
    session.clipboard.tell('The first value is kept, the others are cleared: Ctrl+Z undoes that.');
  }
}

/** Returns the cells of a range that hold something, row by row. */
async function filledIn(session: SheetSession, range: Range): Promise<readonly Address[]> {
  const { used } = session.shape ?? { used: range };
  const cells = new FilledCells(session, used);
  const filled: Address[] = [];
  for (let row = range.row0; row <= Math.min(range.row1, used.row1); row++) {
    for (
      let { column0: column } = range;
      column <= Math.min(range.column1, used.column1);
      column++
    ) {
      if (await cells.has(row, column)) filled.push({ row, column });
    }
  }
  return filled;
}
