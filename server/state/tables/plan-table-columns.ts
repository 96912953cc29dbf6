import { operationLimits as limits } from '../../model/operation-limits.ts';
import type { Payload } from '../../model/operation.ts';
import { rowCount } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import {
  formatOf,
  readColumnValue,
  typeOf,
  type ColumnDefinition,
} from '../../model/table-column.ts';
import { blankCell } from '../cells/cell-coding.ts';
import { renameInFormulas } from '../references/formula-renames.ts';
import type { LineId } from '../ids/order.ts';
import { fillColumn } from './plan-table-create.ts';
import type { PlanContext, Planned, Planning } from '../plan/plan.ts';
import type { Resolved } from '../plan/resolved.ts';
import { arrangeColumns, makeColumnRoom, ownsColumns } from './table-column-layout.ts';
import { isBlankRow, readArea } from './table-check.ts';
import { spansOfPositions, TableDraft } from './table-draft.ts';
import { lineAt } from './table-execute.ts';
import { columnChange } from './table-renames.ts';
import { badTable, checkColumnName, checkedColumn } from './table-schema.ts';
import {
  columnSchemaName,
  findColumn,
  findTable,
  isKeyColumn,
  plannedTable,
  seekColumn,
  type ColumnTarget,
  type TableTarget,
} from './table-target.ts';
import { columnNamed, sameLine, type StoredColumn, type StoredTable } from '../structure/tables.ts';
import { WriteList } from './table-writes.ts';

type AddPayload = Payload<'table.column.add'>;

/** The place of a column in a payload. */
interface ColumnPlace {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** The new place: before the column with this index, or behind the last one. */
interface FoundPlace {
  readonly index: number;
  /** The place as journalled. */
  readonly spelled: ColumnPlace;
  readonly isRespelled: boolean;
}

/**
 * Finds the place beside the named column; behind the last one when that was dropped since the
 * base.
 */
function findPlace({ before, after }: ColumnPlace, target: TableTarget): FoundPlace {
  const { length } = target.table.columns;
  if (before !== undefined && after !== undefined) {
    throw new Rejection('position_missing', 'give either before or after');
  }
  const name = before ?? after;
  if (name === undefined) return { index: length, spelled: {}, isRespelled: false };
  const found = seekColumn(target, name);
  if (!found) return { index: length, spelled: {}, isRespelled: true };
  const { column, index, isRenamed } = found;
  const spelled = before === undefined ? { after: column.name } : { before: column.name };
  return { index: before === undefined ? index + 1 : index, spelled, isRespelled: isRenamed };
}

function checkFree(name: string, table: StoredTable, own?: StoredColumn): void {
  checkColumnName(name);
  const other = columnNamed(table, name);
  if (!other || other === own) return;
  throw new Rejection('name_taken', `${table.name} has a column ${other.name} already`);
}

export function* planColumnAdd(payload: AddPayload, context: PlanContext): Planning {
  const { table: argument, column: name, before, after, ...definition } = payload;
  const target = findTable(argument, context);
  const { table } = target;
  checkFree(name, table);
  if (table.columns.length >= limits.columnsPerTable) {
    throw badTable(`a table has at most ${limits.columnsPerTable} columns`);
  }
  const place = findPlace({ before, after }, target);
  const column = checkedColumn({ ...definition, name }, target.sheet.id, context);
  const rows = takesRows(column) ? yield* filledRows(target, context) : [];
  const draft = new TableDraft(context);
  const position = makeColumnRoom(draft, target, place.index, context);
  const { id: line } = lineAt(draft.sheetOf(table), 'column', position);
  const { branch, sequence } = context.next();
  const stored = { ...column, id: `${branch}.${sequence}.0`, line };
  const columns = table.columns.toSpliced(place.index, 0, stored);
  draft.set({ ...draft.table(table.id), columns });
  const added = { target, column: stored, position };
  writeHeader(draft, added, context);
  fillDefault(draft, { ...added, rows }, context);
  const range = { ...target.range, column0: target.range.column0 };
  fillColumn(draft, draft.table(table.id), { index: place.index, range, context });
  const isRespelled = place.isRespelled || target.argument !== argument;
  const { formula } = column;
  const respelled = {
    ...definition,
    ...(formula !== undefined && { formula }),
    table: target.argument,
    column: name,
    ...place.spelled,
  };
  const isMoved = formula !== undefined && definition.formula !== formula;
  return finish(draft, target, {
    kind: 'table.column.add',
    payload: isRespelled || isMoved ? respelled : payload,
    isRespelled,
    column: added.column,
    resolved: { added: spanOf(line), ...keptWhole(draft) },
  });
}

interface AddedColumn {
  readonly target: TableTarget;
  readonly column: StoredColumn;
  readonly position: number;
}

function writeHeader(
  draft: TableDraft,
  { target, column, position }: AddedColumn,
  context: PlanContext,
): void {
  if (!target.table.headerRow) return;
  const sheet = draft.sheetOf(target.table);
  const at = { row: target.range.row0, column: position };
  const list = new WriteList(sheet, [{ id: column.line, position }]);
  list.begin(lineAt(sheet, 'row', at.row));
  list.set(0, column.name, context.coding.encode(column.name, at, draft.structure));
  draft.writes.push(list.finish());
}

/** Returns whether a new column fills existing rows, or forbids blanks in them. */
function takesRows(column: ColumnDefinition): boolean {
  if (column.formula !== undefined) return false;
  const isAsked = column.default !== undefined || column.nullable === false;
  return isAsked || formatOf(typeOf(column)) !== undefined;
}

const rowsBetweenPauses = 8_192;

/** Yields positions of the rows, without the blank one of an empty table. */
function* filledRows(
  { sheet, data, table }: TableTarget,
  context: PlanContext,
): Generator<void, number[]> {
  const held = yield* readArea({ sheet, data, columns: table.columns }, context);
  const rows: number[] = [];
  for (let index = 0; index < rowCount(data); index++) {
    if (index % rowsBetweenPauses === rowsBetweenPauses - 1) yield;
    if (!isBlankRow(table.columns, held, index)) rows.push(data.row0 + index);
  }
  return rows;
}

function fillDefault(
  draft: TableDraft,
  { target, column, position, rows }: AddedColumn & { rows: readonly number[] },
  context: PlanContext,
): void {
  const { coding, settings } = context;
  const reading = { raw: false, date1904: settings.get('dateSystem') === 1904 };
  if (column.default === undefined && column.nullable === false && rows.length > 0) {
    const message = `${column.name} is not nullable and has no default for the rows there are`;
    throw new Rejection('row_invalid', message, undefined, '/default').advise(
      'Give it a default, or let it be nullable.',
    );
  }
  const read = readColumnValue(column.default ?? null, { ...column, nullable: true }, reading);
  const input = typeof read === 'string' ? null : read.input;
  const format = formatOf(typeOf(column));
  if (column.formula !== undefined || (input === null && format === undefined)) return;
  const sheet = draft.sheetOf(target.table);
  const line = { id: column.line, position };
  const coded =
    input === null ? blankCell : coding.encode(input, { row: 0, column: 0 }, context.head);
  const formatIndex = format === undefined ? -1 : coding.dictionary.formatIndex(format);
  for (const { from: row, count } of spansOfPositions(rows)) {
    draft.fills.push({
      sheet,
      column: line,
      row,
      rowCount: count,
      input,
      coded,
      format: formatIndex,
    });
  }
}

export function* planColumnDrop(
  payload: Payload<'table.column.drop'>,
  context: PlanContext,
): Planning {
  const target = findTable(payload.table, context);
  const found = findColumn(target, payload.column);
  const { table, range } = target;
  const { column, index } = found;
  if (isKeyColumn(table, column)) {
    throw new Rejection('key_needed', `${column.name} is the key of ${table.name}`);
  }
  if (table.columns.length === 1) throw badTable('a table has at least one column');
  const draft = new TableDraft(context);
  const position = range.column0 + index;
  const isOwn = ownsColumns(target, { from: position, to: position }, context);
  if (isOwn) draft.delete('column', target.sheet, [{ from: position, count: 1 }]);
  else yield* dropContents(draft, target, { index, context });
  return finish(draft, target, {
    ...respelledColumn('table.column.drop', payload, { target, found }),
    column,
    resolved: isOwn ? { lines: spanOf(column.line) } : keptWhole(draft),
  });
}

/** Drops a column but not the sheet column, because something stands above or below the table. */
function* dropContents(
  draft: TableDraft,
  target: TableTarget,
  { index, context }: { index: number; context: PlanContext },
): Generator<void, void> {
  const { table, sheet, range } = target;
  const order = [...table.columns.keys()].toSpliced(index, 1);
  if (index > 0) {
    yield* arrangeColumns(draft, target, order, context);
    return;
  }
  const [column, ...columns] = table.columns;
  if (!column) return;
  const line = { id: column.line, position: range.column0 };
  const size = { row: range.row0, rowCount: rowCount(range) };
  draft.fills.push({ sheet, column: line, ...size, input: null, coded: blankCell, format: 0 });
  draft.set({ ...table, columns });
}

export function* planColumnMove(
  payload: Payload<'table.column.move'>,
  context: PlanContext,
): Planning {
  const target = findTable(payload.table, context);
  const found = findColumn(target, payload.column);
  const place = findPlace(payload, target);
  const { sheet, range, table } = target;
  const { column, index } = found;
  const draft = new TableDraft(context);
  const isThere = place.index === index || place.index === index + 1;
  const to = place.index > index ? place.index - 1 : place.index;
  const ends = {
    from: range.column0 + Math.min(index, to),
    to: range.column0 + Math.max(index, to),
  };
  const isOwn = !isThere && ownsColumns(target, ends, context);
  if (isOwn) {
    const span = { from: range.column0 + index, count: 1 };
    draft.move('column', sheet, { span, before: range.column0 + place.index });
  } else if (!isThere) {
    const order = [...table.columns.keys()].toSpliced(index, 1).toSpliced(to, 0, index);
    yield* arrangeColumns(draft, target, order, context);
  }
  const {
    kind,
    payload: spelled,
    isRespelled,
  } = respelledColumn('table.column.move', payload, {
    target,
    found,
  });
  const isAnew = isRespelled || place.isRespelled;
  const { table: argument, column: name } = isRespelled ? { ...spelled } : payload;
  return finish(draft, target, {
    kind,
    payload: isAnew ? { table: argument, column: name, ...place.spelled } : payload,
    isRespelled: isAnew,
    column,
    resolved: keptWhole(draft),
  });
}

/** Notes in the journal that the rule `keepsTables` made a difference to the plan. */
function keptWhole({ keepsTables }: TableDraft): Resolved {
  return keepsTables ? { keepsTables } : {};
}

export function* planColumnRename(
  payload: Payload<'table.column.rename'>,
  context: PlanContext,
): Planning {
  const target = findTable(payload.table, context);
  const found = findColumn(target, payload.column);
  const { table, range } = target;
  const { column, index } = found;
  checkFree(payload.name, table, column);
  const draft = new TableDraft(context);
  if (payload.name !== column.name) {
    const renamed = { ...column, name: payload.name };
    draft.set({ ...table, columns: table.columns.with(index, renamed) });
    writeHeader(draft, { target, column: renamed, position: range.column0 + index }, context);
    const change = columnChange(table, column.name, renamed.name);
    yield* renameInFormulas(draft, change, context);
  }
  return finish(draft, target, {
    ...respelledColumn('table.column.rename', payload, { target, found }),
    column,
    resolved: {},
  });
}

type ColumnKind = 'table.column.drop' | 'table.column.move' | 'table.column.rename';

function respelledColumn<P extends { table: string; column: string }>(
  kind: ColumnKind,
  payload: P,
  { target, found }: { target: TableTarget; found: ColumnTarget },
) {
  const isRespelled = found.isRenamed || target.argument !== payload.table;
  const respelled = { ...payload, table: target.argument, column: found.column.name };
  return { kind, payload: isRespelled ? respelled : payload, isRespelled };
}

interface Finished {
  readonly kind: ColumnKind | 'table.column.add' | 'table.column.alter';
  readonly payload: unknown;
  readonly isRespelled: boolean;
  readonly column: StoredColumn;
  readonly resolved: Resolved;
}

/**
 * Finishes a plan for columns, with a footprint by which changes of a column collide with each
 * other and with writes to it.
 */
export function finish(
  draft: TableDraft,
  target: TableTarget,
  { kind, payload, isRespelled, column, resolved }: Finished,
): Planned {
  const { table, range, sheet } = target;
  const writesCells = kind === 'table.column.drop' || kind === 'table.column.alter';
  const after = draft.table(table.id).columns;
  const ranges = table.columns.flatMap(({ id, line }, index) => {
    const now = after.find((other) => other.id === id);
    // The content may have moved to another sheet column.
    const isMoved = now !== undefined && !sameLine(line, now.line);
    const isWritten = isMoved || (writesCells && id === column.id);
    const position = range.column0 + index;
    return isWritten ? [{ ...range, column0: position, column1: position }] : [];
  });
  return plannedTable(
    draft.finish({ sheet, ranges, names: [columnSchemaName(table, column)] }),
    { kind, payload },
    { resolved: { sheet: sheet.id, table: table.id, ...resolved }, rebased: isRespelled },
  );
}

function spanOf({ branch, sequence, offset }: LineId): number[] {
  return [branch, sequence, offset, 1];
}
