import { rangeName, type Range } from '../model/range.ts';
import { Rejection } from '../model/rejection.ts';
import {
  contains,
  overlaps,
  shifted,
  spanOf,
  type SheetArea,
  type Shift,
} from './reference-map.ts';
import { orderOf, withOrder, type SheetOutline, type Structure } from './structure.ts';
import { carryTable, type StoredTable, type TableList } from './tables.ts';

/** A table that goes with the cells it lies on; undefined when none of them is left. */
export interface TableChange {
  readonly before: StoredTable;
  readonly after: StoredTable | undefined;
  /** Where it lies afterwards, or lay. */
  readonly sheet: SheetOutline;
}

/** Tables that lie in the source as a whole go along; those that lie there in part stay. */
export function moveTables(
  tables: TableList,
  { source, target }: { source: SheetArea; target: SheetArea },
  head: Structure,
): TableChange[] {
  const sheet = head.withId(target.sheetId);
  if (!sheet) throw new Error(`no sheet ${target.sheetId}`);
  const rows = target.range.row0 - source.range.row0;
  const columns = target.range.column0 - source.range.column0;
  const [moved, kept] = [new Map<string, StoredTable>(), [] as StoredTable[]];
  for (const table of tables.list()) {
    const isMoved = table.sheetId === source.sheetId && contains(source.range, table.range);
    if (!isMoved) kept.push(table);
    else {
      const range = shifted(table.range, rows, columns);
      moved.set(table.id, { ...table, sheetId: target.sheetId, range });
    }
  }
  for (const { name, sheetId, range } of moved.values()) {
    const other = kept.find((table) => table.sheetId === sheetId && overlaps(table.range, range));
    if (!other) continue;
    throw new Rejection('table_overlap', `${name} would lie over ${other.name}`);
  }
  return tables.list().flatMap((before) => {
    const after = moved.get(before.id);
    return after ? [{ before, after, sheet }] : [];
  });
}

/** Tables in the band shift, grow or shrink as if whole rows or columns came or went. */
export function shiftTables(tables: TableList, shift: Shift, sheet: SheetOutline): TableChange[] {
  const { area, axis, type } = shift;
  const across = axis === 'row' ? 'column' : 'row';
  const [at, last] = spanOf(area.range, axis);
  const [cross0, cross1] = spanOf(area.range, across);
  const order = orderOf(sheet, axis);
  // Ids that no line has: only where those of the table stand is looked at.
  const fresh = { branch: 0, sequence: 2 ** 36, offset: 0, length: last - at + 1 };
  const edited = type === 'insert' ? order.insert(at, [fresh]) : order.delete(at, last - at + 1);
  const after = withOrder(sheet, axis, edited);
  return tables.list().flatMap((table) => {
    const [low, high] = spanOf(table.range, across);
    const isBeside = table.sheetId !== sheet.id || high < cross0 || low > cross1;
    if (isBeside || spanOf(table.range, axis)[1] < at) return [];
    if (low < cross0 || high > cross1) throw inTheWay(table.name, table.range);
    const carried = carryTable(table, sheet, after);
    return carried === table ? [] : [{ before: table, after: carried, sheet }];
  });
}

function inTheWay(name: string, range: Range): Rejection {
  const message = `the cells to shift are only a part of the table ${name} at ${rangeName(range)}`;
  return new Rejection('table_in_the_way', message);
}
