import { definedNameFault, foldName } from '../model/names.ts';
import type { Input } from '../model/cell-value.ts';
import { operationLimits as limits } from '../model/operation-limits.ts';
import type { Payload } from '../model/operation.ts';
import { columnCount, quoteSheet, rangeName, rowCount } from '../model/range.ts';
import { Rejection } from '../model/rejection.ts';
import { isSettingPath, settingDefaults, settingFault, settingPaths } from '../model/settings.ts';
import type { PlanContext, Planned, PlannedCell } from './plan.ts';
import { allDeleted, findRange, resolveAreas } from './plan-target.ts';
import type { SheetOutline } from './structure.ts';
import { carryTable, ColumnNames, type TableColumn, type TableShape } from './tables.ts';

type TablePayload = Payload<'table.create'>;

const columnNameLength = 255;

export function planTableCreate(payload: TablePayload, context: PlanContext): Planned {
  checkTableName(payload.name, context);
  const target = findRange({ range: payload.sheetRange }, context);
  const [area, ...more] = target.areas;
  if (!area || more.length > 0) throw badTable('a table is one rectangle of cells');
  const { headerRow = true, totalsRow = false, keyColumn, schema } = payload;
  const given = schema && checkedColumns(schema.columns, columnCount(area));
  // Without names the columns still have to be counted while the range moves to the head.
  const columns = given ?? Array.from({ length: columnCount(area) }, () => ({ name: '' }));
  const sent: TableShape = { range: area, columns, keyColumn, headerRow, totalsRow };
  const { base, head: sheet } = target.sheet;
  const moved = carryTable(sent, base, sheet);
  if (!moved) throw allDeleted([payload.sheetRange]);
  checkRows(moved);
  const headers = headerTexts(moved, sheet, context);
  const shape = given ? moved : { ...moved, columns: namesOf(headers) };
  checkHeaders(shape, headers);
  checkPlace(shape, sheet, context);
  const table = { ...shape, name: payload.name, sheetId: sheet.id, keyColumn };
  checkKey(table);
  const cells = headerCells(shape, headers, { sheet, context });
  return {
    plan: { type: 'tableCreate', sheet, table, cells },
    kind: 'table.create',
    payload: journalled(payload.name, table, sheet),
    resolved: {
      sheet: sheet.id,
      areas: resolveAreas(sheet, [shape.range]),
      ...(cells.length > 0 && { cells: cells.flatMap(idsOf) }),
    },
    rebased: target.isRenamed || moved !== sent,
    clipped: [],
  };
}

function checkTableName(name: string, context: PlanContext): void {
  const fault = definedNameFault(name);
  if (fault !== undefined) throw new Rejection('bad_name', fault);
  if (context.tables.named(name) ?? context.names.get(name, undefined)) {
    throw new Rejection('name_taken', `there is a table or a name ${name} already`);
  }
  if (context.tables.size < limits.tableCount) return;
  throw new Rejection('too_many_tables', `a workbook has at most ${limits.tableCount} tables`);
}

/** Of the head: what was moved or deleted meanwhile may have left too few. */
function checkRows({ range, headerRow, totalsRow }: TableShape): void {
  if (rowCount(range) > Number(headerRow) + Number(totalsRow)) return;
  throw badTable('a table has at least one row besides those of header and totals');
}

function checkedColumns(columns: readonly TableColumn[], count: number): readonly TableColumn[] {
  if (columns.length !== count) {
    throw badTable(`the range has ${count} columns and the schema ${columns.length}`);
  }
  const seen = new Set<string>();
  for (const { name } of columns) {
    const folded = foldName(name);
    if (seen.has(folded)) throw badTable(`two columns are called ${name}`);
    seen.add(folded);
  }
  return columns;
}

/** What the cells of the header say; null for blank ones and without a header. */
function headerTexts(
  { range, headerRow }: TableShape,
  sheet: SheetOutline,
  context: PlanContext,
): (string | null)[] {
  return Array.from({ length: columnCount(range) }, (_, index) => {
    if (!headerRow) return null;
    return headerText(context.inputAt(sheet, range.row0, range.column0 + index));
  });
}

function headerText(input: Input): string | null {
  if (input === null || typeof input === 'string') return input;
  if (typeof input === 'boolean') return input ? 'TRUE' : 'FALSE';
  if (typeof input === 'number') return String(input);
  if ('error' in input) return input.error;
  throw badTable('the cells of a header hold texts, not formulas');
}

function namesOf(headers: readonly (string | null)[]): TableColumn[] {
  const names = new ColumnNames([]);
  return headers.map((text, index) => ({ name: names.fresh(text ?? `Column${index + 1}`) }));
}

function checkHeaders({ columns }: TableShape, headers: readonly (string | null)[]): void {
  for (const [index, { name }] of columns.entries()) {
    if (name.length > columnNameLength) {
      throw badTable(`the name of a column has at most ${columnNameLength} characters`);
    }
    const text = headers[index] ?? null;
    if (text === null || isNumbered(foldName(name), foldName(text))) continue;
    throw badTable(`the header cell says ${text}, and the schema ${name}`);
  }
}

/** Whether the name is the text, perhaps with the number that ours have behind one that was taken. */
function isNumbered(name: string, text: string): boolean {
  return name.startsWith(text) && /^\d*$/u.test(name.slice(text.length));
}

function checkPlace({ range }: TableShape, sheet: SheetOutline, context: PlanContext): void {
  const other = context.tables.meeting(sheet.id, range);
  if (!other) return;
  throw new Rejection('table_overlap', `${other.name} lies at ${rangeName(other.range)} already`);
}

function checkKey({ keyColumn, columns }: TableShape): void {
  if (keyColumn === undefined || columns.some(({ name }) => name === keyColumn)) return;
  throw badTable(`no column is called ${keyColumn}`);
}

/** Header cells that do not hold their column's name as a text yet. */
function headerCells(
  { range, columns, headerRow }: TableShape,
  headers: readonly (string | null)[],
  { sheet, context }: { sheet: SheetOutline; context: PlanContext },
): PlannedCell[] {
  if (!headerRow) return [];
  const cells: PlannedCell[] = [];
  const row = range.row0;
  for (const [index, { name }] of columns.entries()) {
    const column = range.column0 + index;
    const isSo = headers[index] === name && context.inputAt(sheet, row, column) === name;
    if (isSo) continue;
    const coded = context.coding.encode(name, { row, column }, context.head);
    const ids = { rowId: sheet.rows.idAt(row), columnId: sheet.columns.idAt(column) };
    cells.push({ sheet, row, column, ...ids, input: name, coded, format: undefined });
  }
  return cells;
}

/** As the journal keeps the ids of a cell. */
function idsOf({ rowId, columnId }: PlannedCell): number[] {
  const row = [rowId.branch, rowId.sequence, rowId.offset];
  return [...row, columnId.branch, columnId.sequence, columnId.offset];
}

function journalled(name: string, table: TableShape, sheet: SheetOutline): TablePayload {
  const { range, columns, keyColumn, headerRow, totalsRow } = table;
  return {
    name,
    sheetRange: `${quoteSheet(sheet.name)}!${rangeName(range)}`,
    ...(keyColumn !== undefined && { keyColumn }),
    schema: { columns: [...columns] },
    headerRow,
    totalsRow,
  };
}

function badTable(message: string): Rejection {
  return new Rejection('bad_table', message);
}

export function planSettingsSet(payload: Payload<'settings.set'>): Planned {
  const { path, value: sent } = payload;
  if (!isSettingPath(path)) {
    throw new Rejection('bad_setting', `${path} is none of ${settingPaths.join(', ')}`);
  }
  const value = sent ?? settingDefaults[path];
  const fault = settingFault(path, value);
  if (fault !== undefined) throw new Rejection('bad_setting', fault);
  return {
    plan: { type: 'settings', changes: [[path, value]] },
    kind: 'settings.set',
    payload,
    resolved: {},
    rebased: false,
    clipped: [],
  };
}
