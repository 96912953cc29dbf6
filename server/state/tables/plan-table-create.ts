import { foldName, definedNameFault, sheetNameFault } from '../../model/names.ts';
import type { Input } from '../../model/cell-value.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import type { Payload } from '../../model/operation.ts';
import { columnCount, quoteSheet, rangeName, rowCount, type Range } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { plainColumn, type ColumnDefinition } from '../../model/table-column.ts';
import type { PlanContext, Planned, Planning } from '../plan/plan.ts';
import { allDeleted, findRange, resolveAreas } from '../plan/plan-target.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { tableMeeting } from './table-cells.ts';
import { checkCells } from './table-check.ts';
import { idsAt, TableDraft } from './table-draft.ts';
import { lineAt } from './table-execute.ts';
import { carryShape, ColumnNames, type TableShape } from '../references/table-follow.ts';
import {
  badTable,
  checkColumnName,
  checkedColumn,
  checkKeyColumn,
  checkNames,
} from './table-schema.ts';
import { plannedTable } from './table-target.ts';
import { WriteList } from './table-writes.ts';
import {
  columnNamed,
  keyColumnOf,
  type StoredColumn,
  type StoredTable,
} from '../structure/tables.ts';

type TablePayload = Payload<'table.create'>;
type Shape = TableShape<ColumnDefinition>;

export function* planTableCreate(payload: TablePayload, context: PlanContext): Planning {
  checkTableName(payload.name, undefined, context);
  if (context.head.tables.size >= limits.tableCount) {
    throw new Rejection('too_many_tables', `a workbook has at most ${limits.tableCount} tables`);
  }
  return payload.sheetRange === undefined
    ? planOwnSheet(payload, context)
    : yield* planOverCells({ ...payload, sheetRange: payload.sheetRange }, context);
}

/**
 * Throws a rejection when a name cannot be given to `own`, or to a new table when that is
 * undefined.
 */
export function checkTableName(name: string, own: StoredTable | undefined, context: PlanContext) {
  const fault = definedNameFault(name);
  if (fault !== undefined) throw new Rejection('bad_name', fault, undefined, '/name');
  const table = context.head.tables.named(name);
  if ((table && table.id !== own?.id) || context.names.get(name, undefined)) {
    const message = `there is a table or a name ${name} already`;
    throw new Rejection('name_taken', message, undefined, '/name');
  }
}

/** Plans a table without a range: it gets a sheet of its own with a header and one blank row. */
function planOwnSheet(payload: TablePayload, context: PlanContext): Planned {
  const { name, headerRow = true, totalsRow = false, schema } = payload;
  if (!schema) throw badTable('a table needs a schema, or the sheetRange of its cells');
  if (context.head.sheets.length >= limits.sheetCount) {
    throw new Rejection('too_many_sheets', `a workbook has at most ${limits.sheetCount} sheets`);
  }
  const draft = new TableDraft(context);
  const sheet = draft.addSheet(sheetNameFor(name, context));
  const columns = schema.columns.map((column) => checkedColumn(column, sheet.id, context));
  checkNames(columns);
  const row1 = Number(headerRow) + Number(totalsRow);
  const range = { row0: 0, column0: 0, row1, column1: columns.length - 1 };
  const shape = { range, columns, headerRow, totalsRow };
  const table = storedTable(payload, shape, { sheet, ownsSheet: true, context });
  draft.set(table);
  if (headerRow) writeHeader(draft, table, { range, held: [], context });
  fillColumns(draft, table, { range, context });
  return plannedTable(
    draft.finish({ sheet: undefined, ranges: [], names: [foldName(name)] }),
    { kind: 'table.create', payload },
    { resolved: { sheet: sheet.id, table: table.id }, rebased: false },
  );
}

/** Returns a free name for the sheet of a table, made from the table's name. */
function sheetNameFor(name: string, { head }: PlanContext): string {
  for (let count = 1; ; count++) {
    const suffix = count === 1 ? '' : ` ${count}`;
    const tried = name.replaceAll(/[?\\]/gu, '_').slice(0, 31 - suffix.length) + suffix;
    if (sheetNameFault(tried) === undefined && !head.named(tried)) return tried;
  }
}

interface Place {
  readonly sheet: SheetOutline;
  readonly ownsSheet: boolean;
  readonly context: PlanContext;
}

function storedTable(payload: TablePayload, shape: Shape, place: Place): StoredTable {
  const { sheet, ownsSheet, context } = place;
  const { range, headerRow, totalsRow } = shape;
  const { branch, sequence } = context.next();
  const ids = idsAt(sheet, 'column', { from: range.column0, count: columnCount(range) });
  const columns = shape.columns.map((column, index): StoredColumn => {
    const id = ids[index];
    if (!id) throw new Error('a column of the table has no column of the sheet');
    return { ...column, id: `${branch}.${sequence}.${index}`, line: id };
  });
  const table = {
    id: `t${branch}.${sequence}.0`,
    name: payload.name,
    sheetId: sheet.id,
    firstRow: sheet.rows.idAt(range.row0),
    lastRow: sheet.rows.idAt(range.row1),
    columns,
    key: undefined,
    headerRow,
    totalsRow,
    ownsSheet,
    ...(payload.style && { style: payload.style }),
  };
  if (payload.keyColumn === undefined) return table;
  const key = columnNamed(table, payload.keyColumn);
  if (!key) throw badTable(`no column is called ${payload.keyColumn}`);
  checkKeyColumn(key);
  return { ...table, key: key.id };
}

function* planOverCells(
  payload: TablePayload & { readonly sheetRange: string },
  context: PlanContext,
): Planning {
  const target = findRange({ range: payload.sheetRange }, context);
  const [area, ...more] = target.areas;
  if (!area || more.length > 0) throw badTable('a table is one rectangle of cells');
  const { headerRow = true, totalsRow = false, schema } = payload;
  const { base, head: sheet } = target.sheet;
  const given = schema && checkedColumns(schema.columns, area, { sheet, context });
  // Columns without names keep their number while the range is carried to the head.
  const columns = given ?? Array.from({ length: columnCount(area) }, () => ({ name: '' }));
  const sent: Shape = { range: area, columns, headerRow, totalsRow };
  const moved = carryShape(sent, { before: base, after: sheet }, (name) => ({ name }));
  if (!moved) throw allDeleted([payload.sheetRange]);
  checkRows(moved);
  const headers = headerTexts(moved, sheet, context);
  const shape = given ? moved : { ...moved, columns: namesOf(headers) };
  checkHeaders(shape, headers);
  checkPlace(shape.range, sheet, context);
  const { range } = shape;
  const table = storedTable(payload, shape, { sheet, ownsSheet: false, context });
  yield* checkCells({ sheet, data: dataOf(shape), columns: table.columns }, table.key, context);
  const draft = new TableDraft(context);
  draft.set(table);
  if (shape.headerRow) writeHeader(draft, table, { range, held: headers, context });
  fillColumns(draft, table, { range, context });
  return plannedTable(
    draft.finish({ sheet, ranges: [range], names: [foldName(payload.name)] }),
    { kind: 'table.create', payload: journalled(table, range, sheet) },
    {
      resolved: { sheet: sheet.id, table: table.id, areas: resolveAreas(sheet, [range]) },
      rebased: target.isRenamed || isMoved(sent, moved),
    },
  );
}

function isMoved(sent: Shape, moved: Shape): boolean {
  return (
    rangeName(sent.range) !== rangeName(moved.range) ||
    sent.headerRow !== moved.headerRow ||
    sent.totalsRow !== moved.totalsRow ||
    sent.columns.some((column, index) => column !== moved.columns[index])
  );
}

function dataOf({ range, headerRow, totalsRow }: Shape): Range {
  return {
    ...range,
    row0: range.row0 + Number(headerRow),
    row1: range.row1 - Number(totalsRow),
  };
}

/**
 * Throws a rejection if a table has no row left at the head, after moves and deletions of others.
 */
function checkRows({ range, headerRow, totalsRow }: Shape): void {
  if (rowCount(range) > Number(headerRow) + Number(totalsRow)) return;
  throw badTable('a table has at least one row besides those of header and totals');
}

function checkedColumns(
  columns: readonly ColumnDefinition[],
  area: Range,
  { sheet, context }: { sheet: SheetOutline; context: PlanContext },
): readonly ColumnDefinition[] {
  const count = columnCount(area);
  if (columns.length !== count) {
    throw badTable(`the range has ${count} columns and the schema ${columns.length}`);
  }
  checkNames(columns);
  return columns.map((column) => checkedColumn(column, sheet.id, context));
}

/** Returns the texts of the header cells; null for blank ones, or without a header. */
function headerTexts(
  { range, headerRow }: Shape,
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

function namesOf(headers: readonly (string | null)[]): ColumnDefinition[] {
  const names = new ColumnNames([]);
  return headers.map((text, index) => ({ name: names.fresh(text ?? `Column${index + 1}`) }));
}

function checkHeaders({ columns }: Shape, headers: readonly (string | null)[]): void {
  for (const [index, { name }] of columns.entries()) {
    checkColumnName(name);
    const text = headers[index] ?? null;
    if (text === null || isNumbered(foldName(name), foldName(text))) continue;
    throw badTable(`the header cell says ${text}, and the schema ${name}`);
  }
}

/** Returns whether a name is a text, or that with a number to make it unique. */
function isNumbered(name: string, text: string): boolean {
  return name.startsWith(text) && /^\d*$/u.test(name.slice(text.length));
}

function checkPlace(range: Range, sheet: SheetOutline, context: PlanContext): void {
  const [merge] = context.records.meeting('cellmerge', sheet, range);
  if (merge) {
    const [merged] = context.records.rangesOf(merge, sheet);
    const at = merged ? rangeName(merged) : 'there';
    throw new Rejection('merge_overlap', `${at} is merged, and a table has no merged cells`);
  }
  const other = tableMeeting(sheet, range, context);
  if (!other) return;
  const place = rangeName(other.range);
  throw new Rejection('table_overlap', `${other.table.name} lies at ${place} already`);
}

interface Header {
  readonly range: Range;
  /** Present texts of the header cells. */
  readonly held: readonly (string | null)[];
  readonly context: PlanContext;
}

/** Writes header cells that do not hold the name of their column yet. */
function writeHeader(draft: TableDraft, table: StoredTable, { range, held, context }: Header) {
  const sheet = draft.sheetOf(table);
  const row = lineAt(sheet, 'row', range.row0);
  const lines = table.columns.map(({ line }, index) => ({
    id: line,
    position: range.column0 + index,
  }));
  const list = new WriteList(sheet, lines);
  let isBegun = false;
  for (const [index, { name }] of table.columns.entries()) {
    const column = range.column0 + index;
    if (held[index] === name && context.inputAt(sheet, row.position, column) === name) continue;
    if (!isBegun) list.begin(row);
    isBegun = true;
    const at = { row: row.position, column };
    list.set(index, name, context.coding.encode(name, at, draft.structure));
  }
  draft.writes.push(list.finish());
}

/** Fills calculated columns in all rows. */
function fillColumns(
  draft: TableDraft,
  table: StoredTable,
  { range, context }: { range: Range; context: PlanContext },
): void {
  for (const index of table.columns.keys()) fillColumn(draft, table, { index, range, context });
}

export function fillColumn(
  draft: TableDraft,
  table: StoredTable,
  { index, range, context }: { index: number; range: Range; context: PlanContext },
): void {
  const column = table.columns[index];
  if (column?.formula === undefined) return;
  const sheet = draft.sheetOf(table);
  const row = range.row0 + Number(table.headerRow);
  const count = range.row1 - Number(table.totalsRow) - row + 1;
  const line = { id: column.line, position: range.column0 + index };
  const input = { formula: draft.carriedByRules(column.formula, sheet.id) };
  const coded = context.coding.encode(input, { row, column: line.position }, draft.structure);
  draft.fills.push({ sheet, column: line, row, rowCount: count, input, coded, format: -1 });
}

function journalled(table: StoredTable, range: Range, sheet: SheetOutline): TablePayload {
  const { name, columns, headerRow, totalsRow, style } = table;
  const key = keyColumnOf(table);
  return {
    name,
    sheetRange: `${quoteSheet(sheet.name)}!${rangeName(range)}`,
    ...(key && { keyColumn: key.name }),
    schema: { columns: columns.map((column) => sentColumn(column)) },
    headerRow,
    totalsRow,
    ...(style && { style }),
  };
}

type SentColumn = NonNullable<TablePayload['schema']>['columns'][number];

function sentColumn(column: ColumnDefinition): SentColumn {
  const { enum: allowed, ...rest } = plainColumn(column);
  return { ...rest, ...(allowed && { enum: [...allowed] }) };
}
