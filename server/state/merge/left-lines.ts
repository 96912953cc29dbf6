import { columnLimit, rowLimit } from '../../model/address.ts';
import type { LineId } from '../ids/order.ts';
import { sheetOfTable } from '../structure/tables.ts';
import { spansOfPositions } from '../tables/table-draft.ts';
import { isBareArea } from './bare-areas.ts';
import type { OperationParts } from './parts.ts';
import { areaAt, positionIn, tableIn, type OwnLines } from './relocation.ts';

const wholeSheet = { row0: 0, column0: 0, row1: rowLimit - 1, column1: columnLimit - 1 };

/** Deletes lines that are not in the base, but for those with something on them. */
export function* deleteOwn(
  parts: OperationParts,
  { tableId, axis, base }: OwnLines,
  lines: readonly LineId[],
): Generator<void, void> {
  const { state } = parts;
  const sheet = sheetOfTable(tableIn(state, tableId), state.structure);
  const was = base.structure.withId(sheet.id);
  const positions = lines.flatMap((line) => {
    const at = positionIn(sheet, axis, line);
    if (at === undefined || !was || positionIn(was, axis, line) !== undefined) return [];
    const area = areaAt(wholeSheet, axis, { from: at, count: 1 });
    return isBareArea(state, sheet, area) ? at : [];
  });
  if (positions.length === 0) return;
  const spans = spansOfPositions(positions.sort((a, b) => a - b)).map(({ from, count }) => ({
    from: from + 1,
    count,
  }));
  const kind = axis === 'row' ? 'rows.delete' : 'cols.delete';
  yield* parts.add({ kind, payload: { sheet: sheet.id, spans } });
}
