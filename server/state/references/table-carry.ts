import { holdsRange, overlaps, rangeName, type Range } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { shifted, spanOf, type SheetArea, type Shift } from '../formulas/reference-map.ts';
import type { Retargeting } from './retarget.ts';
import { orderOf, withOrder, type SheetOutline, type Structure } from '../structure/structure.ts';
import { carryShape, freshId } from './table-follow.ts';
import { rangeOf, type StoredColumn, type StoredTable } from '../structure/tables.ts';

// Tables lie on rows and columns by id. Operations that move cells to other rows and columns move
// tables with them.

/** Moves tables that lie completely in the source; others stay. */
export function moveTables(
  head: Structure,
  { source, target }: { source: SheetArea; target: SheetArea },
): Structure {
  const sheet = head.withId(target.sheetId);
  if (!sheet) throw new Error(`no sheet ${target.sheetId}`);
  const rows = target.range.row0 - source.range.row0;
  const columns = target.range.column0 - source.range.column0;
  const placed = head.tables.all.map((table) => ({ table, range: rangeOf(table, head) }));
  const isMoved = ({ table, range }: { table: StoredTable; range: Range }) =>
    table.sheetId === source.sheetId && holdsRange(source.range, range);
  const kept = placed.filter((place) => !isMoved(place));
  let { tables } = head;
  for (const { table, range } of placed.filter(isMoved)) {
    const moved = shifted(range, rows, columns);
    const other = kept.find(
      (place) => place.table.sheetId === sheet.id && overlaps(place.range, moved),
    );
    if (other) {
      throw new Rejection('table_overlap', `${table.name} would lie over ${other.table.name}`);
    }
    tables = tables.with({
      ...placedAt(table, sheet, moved),
      ownsSheet: table.ownsSheet && table.sheetId === sheet.id,
    });
  }
  return head.withTables(tables);
}

/**
 * Moves, extends or shortens tables in the band of a shift, as if whole lines were inserted or
 * deleted.
 */
export function shiftTables(head: Structure, shift: Shift, sheet: SheetOutline): Structure {
  const { area, axis, type } = shift;
  const across = axis === 'row' ? 'column' : 'row';
  const [at, last] = spanOf(area.range, axis);
  const [cross0, cross1] = spanOf(area.range, across);
  const order = orderOf(sheet, axis);
  // Made-up ids: only the positions of the table's own lines are read from this order.
  const fresh = { branch: 0, sequence: 2 ** 36, offset: 0, length: last - at + 1 };
  const edited = type === 'insert' ? order.insert(at, [fresh]) : order.delete(at, last - at + 1);
  const after = withOrder(sheet, axis, edited);
  let { tables } = head;
  for (const table of head.tables.onSheet(sheet.id)) {
    const range = rangeOf(table, head);
    const [low, high] = spanOf(range, across);
    const isBeside = high < cross0 || low > cross1;
    if (isBeside || spanOf(range, axis)[1] < at) continue;
    if (low < cross0 || high > cross1) throw inTheWay(table.name, range);
    const carried = shiftTable(table, range, { before: sheet, after });
    tables = carried ? tables.with(carried) : tables.without(new Set([table.id]));
  }
  return head.withTables(tables);
}

function shiftTable(
  table: StoredTable,
  range: Range,
  edit: { readonly before: SheetOutline; readonly after: SheetOutline },
): StoredTable | undefined {
  const make = (name: string, position: number): StoredColumn => {
    const line = edit.before.columns.idAt(position);
    return { name, id: freshId(table, line), line };
  };
  const carried = carryShape({ ...table, range }, edit, make);
  if (!carried) return undefined;
  const { columns, headerRow, totalsRow } = carried;
  const key = columns.some(({ id }) => id === table.key) ? table.key : undefined;
  const shape = { ...table, columns, headerRow, totalsRow, key };
  return placedAt(shape, edit.before, carried.range);
}

/** Puts a table on the lines of a range; its columns keep their ids. */
function placedAt(table: StoredTable, sheet: SheetOutline, range: Range): StoredTable {
  const columns = table.columns.map((column, index) => {
    return { ...column, line: sheet.columns.idAt(range.column0 + index) };
  });
  const firstRow = sheet.rows.idAt(range.row0);
  return { ...table, sheetId: sheet.id, firstRow, lastRow: sheet.rows.idAt(range.row1), columns };
}

/** Keeps tables at their positions after rows were reordered, as references do. */
export function keepTables(before: Structure, after: Structure, sheetId: string): Structure {
  const sheet = after.withId(sheetId);
  let { tables } = before;
  for (const table of sheet ? tables.onSheet(sheetId) : []) {
    if (sheet) tables = tables.with(placedAt(table, sheet, rangeOf(table, before)));
  }
  return after.withTables(tables);
}

/** Rewrites the formulas of calculated columns that refer to moved cells. */
export function retargetTables(structure: Structure, retargeting: Retargeting): Structure {
  let { tables } = structure;
  for (const table of tables.all) {
    const columns = table.columns.map((column) => {
      const formula = column.formula && retargeting.name(column.formula, table.sheetId);
      return formula ? { ...column, formula } : column;
    });
    const isSame = columns.every((column, index) => column === table.columns[index]);
    if (!isSame) tables = tables.with({ ...table, columns });
  }
  return structure.withTables(tables);
}

export function inTheWay(name: string, range: Range): Rejection {
  const message = `the cells to shift are only a part of the table ${name} at ${rangeName(range)}`;
  return new Rejection('table_in_the_way', message);
}
