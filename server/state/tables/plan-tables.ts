import { foldName } from '../../model/names.ts';
import type { Payload } from '../../model/operation.ts';
import type { Range } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import {
  isSettingPath,
  settingDefaults,
  settingFault,
  settingPaths,
} from '../../model/settings.ts';
import { blankCell } from '../cells/cell-coding.ts';
import { renameInFormulas } from '../references/formula-renames.ts';
import { checkTableName } from './plan-table-create.ts';
import type { PlanContext, Planned, Planning } from '../plan/plan.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { checkCells } from './table-check.ts';
import { TableDraft } from './table-draft.ts';
import { tableChange } from './table-renames.ts';
import { checkKeyColumn } from './table-schema.ts';
import { findColumn, findTable, isKeyColumn, plannedTable, schemaName } from './table-target.ts';
import type { StoredTable } from '../structure/tables.ts';

export function planTableDrop(payload: Payload<'table.drop'>, context: PlanContext): Planned {
  const { table, sheet, range, argument } = findTable(payload.table, context);
  const keepCells = payload.keepCells ?? !table.ownsSheet;
  const draft = new TableDraft(context);
  draft.drop(table);
  const isShared = context.head.tables.onSheet(sheet.id).length > 1;
  if (!keepCells) {
    if (table.ownsSheet && !isShared) dropSheetOf(draft, sheet, context);
    else clearCells(draft, { table, sheet, range });
  }
  const isRespelled = argument !== payload.table;
  return plannedTable(
    draft.finish({
      sheet: keepCells ? undefined : sheet,
      ranges: [range],
      names: [titleName(table)],
      covers: schemaName(table),
    }),
    { kind: 'table.drop', payload: isRespelled ? { ...payload, table: argument } : payload },
    { resolved: { sheet: sheet.id, table: table.id }, rebased: isRespelled },
  );
}

function dropSheetOf(draft: TableDraft, sheet: SheetOutline, { head }: PlanContext): void {
  if (head.sheets.length === 1) {
    const message = `${sheet.name} is the only sheet; keepCells: true drops the table alone`;
    throw new Rejection('last_sheet', message);
  }
  draft.dropSheet(sheet);
}

/** Blanks the cells of a table, and keeps their formats. */
function clearCells(
  draft: TableDraft,
  { table, sheet, range }: { table: StoredTable; sheet: SheetOutline; range: Range },
): void {
  const size = { row: range.row0, rowCount: range.row1 - range.row0 + 1 };
  for (const [index, { line }] of table.columns.entries()) {
    const column = { id: line, position: range.column0 + index };
    draft.fills.push({ sheet, column, ...size, input: null, coded: blankCell, format: -1 });
  }
}

export function* planTableRename(payload: Payload<'table.rename'>, context: PlanContext): Planning {
  const target = findTable(payload.table, context);
  const { table, argument } = target;
  checkTableName(payload.name, table, context);
  const draft = new TableDraft(context);
  if (payload.name !== table.name) {
    draft.set({ ...table, name: payload.name });
    yield* renameInFormulas(draft, tableChange(table, payload.name, context), context);
  }
  const isRespelled = argument !== payload.table;
  const names = [titleName(table), foldName(payload.name)];
  return plannedTable(
    draft.finish({ sheet: undefined, ranges: [], names }),
    { kind: 'table.rename', payload: isRespelled ? { ...payload, table: argument } : payload },
    { resolved: { sheet: table.sheetId, table: table.id }, rebased: isRespelled },
  );
}

export function* planKeyChange(
  payload: Payload<'table.key.change'>,
  context: PlanContext,
): Planning {
  const target = findTable(payload.table, context);
  const { table, sheet, data, range, argument } = target;
  const { column } = findColumn(target, payload.keyColumn);
  checkKeyColumn(column);
  const draft = new TableDraft(context);
  if (!isKeyColumn(table, column)) {
    yield* checkCells({ sheet, data, columns: table.columns }, column.id, context);
    draft.set({ ...table, key: column.id });
  }
  const isRespelled =
    argument !== payload.table || foldName(column.name) !== foldName(payload.keyColumn);
  const respelled = { table: argument, keyColumn: column.name };
  return plannedTable(
    draft.finish({ sheet, ranges: [range], names: [], covers: schemaName(table) }),
    { kind: 'table.key.change', payload: isRespelled ? respelled : payload },
    { resolved: { sheet: sheet.id, table: table.id }, rebased: isRespelled },
  );
}

/** Returns the register of a table's name in footprints; it is separate from the schema. */
function titleName({ id }: StoredTable): string {
  return `name of table ${id}`;
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
