import { columnLimit, rowLimit } from '../../model/address.ts';
import { Rejection } from '../../model/rejection.ts';
import { blankCell } from '../cells/cell-coding.ts';
import type { PlanContext } from '../plan/plan.ts';
import type { TableWrite } from '../plan/table-plan.ts';
import { followContents, rearranged, sameLines } from './relocated-references.ts';
import { isBlankArea, isFreeArea, neighbours } from './table-cells.ts';
import type { TableDraft } from './table-draft.ts';
import { lineAt } from './table-execute.ts';
import { relocated } from './table-relocation.ts';
import type { TableTarget } from './table-target.ts';
import { HeldColumn, WriteList } from './table-writes.ts';

// Columns of a table are inserted, deleted and moved as columns of the sheet. Only when that would
// tear other cells do contents move within the rows of the table instead.

/** Makes room for a column before the one at `index`, or behind the last; returns its position. */
export function makeColumnRoom(
  draft: TableDraft,
  target: TableTarget,
  index: number,
  context: PlanContext,
): number {
  const { table, sheet, range } = target;
  const position = range.column0 + index;
  const others = neighbours(table, context).map((other) => other.range);
  const lastUsed = context.used(sheet)?.column1 ?? -1;
  const last = Math.max(range.column1, lastUsed, ...others.map(({ column1 }) => column1));
  const isLast = index === table.columns.length;
  if (isLast && last > range.column1 && position < columnLimit) {
    const right = { ...range, column0: position, column1: position };
    if (isFreeArea(sheet, right, context)) return position;
  }
  if (others.some(({ column0, column1 }) => column0 < position && column1 >= position)) {
    throw new Rejection('no_room', `another table stands above or below ${table.name}`);
  }
  if (last + 1 >= columnLimit) {
    throw new Rejection('grid_full', 'there is no room for one more column');
  }
  draft.insert('column', sheet, { from: position, count: 1 });
  return position;
}

/** Returns whether nothing else stands in these columns of the sheet, above or below the table. */
export function ownsColumns(
  { table, sheet, range }: TableTarget,
  { from, to }: { from: number; to: number },
  context: PlanContext,
): boolean {
  const others = neighbours(table, context);
  if (others.some((other) => other.range.column0 <= to && other.range.column1 >= from))
    return false;
  const used = context.used(sheet);
  if (!used || (used.row0 >= range.row0 && used.row1 <= range.row1)) return true;
  const cells = context.cellsOf(sheet);
  const columns = { column0: from, column1: to };
  const above = { ...columns, row0: 0, row1: range.row0 - 1 };
  const below = { ...columns, row0: range.row1 + 1, row1: rowLimit - 1 };
  const isAboveBlank = range.row0 === 0 || isBlankArea(sheet, above, cells);
  return isAboveBlank && (below.row0 >= rowLimit || isBlankArea(sheet, below, cells));
}

/**
 * Moves contents between columns of a table. `order` lists, for each place, the column whose
 * content it gets; places beyond it are blanked.
 */
export function* arrangeColumns(
  draft: TableDraft,
  target: TableTarget,
  order: readonly number[],
  context: PlanContext,
): Generator<void, void> {
  const { table, sheet, range } = target;
  const changed = table.columns.map((_, at) => at).filter((at) => order[at] !== at);
  const [first, last] = [changed[0], changed.at(-1)];
  if (first === undefined || last === undefined) return;
  if (context.keepsTables) {
    const written = { ...range, column0: range.column0 + first, column1: range.column0 + last };
    yield* followContents(
      draft,
      {
        area: { sheetId: sheet.id, range },
        rows: sameLines,
        columns: rearranged(range.column0, order),
        rowBreaks: [],
        written,
      },
      context,
    );
  }
  draft.writes.push(arrangedWrite(draft, target, { order, changed }, context));
  const { columns: carried } = draft.table(table.id);
  const columns = order.flatMap((from, to) => {
    const [column, place] = [carried[from], table.columns[to]];
    return column && place ? [{ ...column, line: place.line }] : [];
  });
  draft.set({ ...draft.table(table.id), columns });
}

interface Arrangement {
  readonly order: readonly number[];
  /** Places whose content changes. */
  readonly changed: readonly number[];
}

function arrangedWrite(
  draft: TableDraft,
  { table, sheet, range }: TableTarget,
  { order, changed }: Arrangement,
  context: PlanContext,
): TableWrite {
  const places = new Map(order.map((from, to) => [from, to]));
  const columns = (position: number): number | undefined => {
    const to = places.get(position - range.column0);
    return to === undefined ? undefined : range.column0 + to;
  };
  const relocation = { sheet, area: range, rows: (at: number) => at, columns };
  const lines = changed.map((at) => lineAt(sheet, 'column', range.column0 + at));
  const list = new WriteList(sheet, lines);
  const cells = context.cellsOf(sheet);
  const sources = changed.map((at) => table.columns[order[at] ?? -1]);
  const held = sources.map((column) => column && new HeldColumn(cells, column.line));
  for (let row = range.row0; row <= range.row1; row++) {
    const line = lineAt(sheet, 'row', row);
    list.begin(line);
    for (const [at, to] of changed.entries()) {
      const from = order[to];
      if (from === undefined) {
        list.set(at, null, blankCell);
        continue;
      }
      const input = context.inputAt(sheet, row, range.column0 + from);
      const shift = { relocation, rowShift: 0, columnShift: to - from };
      const moved = relocated(input, shift, context);
      const place = { row, column: range.column0 + to };
      list.set(at, moved, context.coding.encode(moved, place, draft.structure));
      list.setFormat(at, held[at]?.at(line.id).format ?? 0);
    }
  }
  return list.finish();
}
