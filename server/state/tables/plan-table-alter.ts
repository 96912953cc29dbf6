import type { Input } from '../../model/cell-value.ts';
import type { Payload } from '../../model/operation.ts';
import { rowCount } from '../../model/range.ts';
import {
  convertValue,
  formatOf,
  plainColumn,
  readColumnValue,
  typeOf,
  type ColumnDefinition,
  type ColumnValue,
} from '../../model/table-column.ts';
import { cellTag } from '../cells/block.ts';
import type { CodedCell } from '../cells/cell-coding.ts';
import { isKey } from '../cells/key-index.ts';
import { keyText } from '../cells/key-table.ts';
import { finish } from './plan-table-columns.ts';
import { fillColumn } from './plan-table-create.ts';
import type { PlanContext, Planning } from '../plan/plan.ts';
import { cellOf, plainInput, type ColumnCells } from './table-cells.ts';
import { invalid, isBlankRow, readArea } from './table-check.ts';
import { TableDraft } from './table-draft.ts';
import { lineAt } from './table-execute.ts';
import type { Line, TableWrite } from '../plan/table-plan.ts';
import { checkedColumn, checkKeyColumn } from './table-schema.ts';
import { findColumn, findTable, isKeyColumn, type TableTarget } from './table-target.ts';
import { WriteList } from './table-writes.ts';

type AlterPayload = Payload<'table.column.alter'>;

const rowsBetweenPauses = 1_024;

/** Changes the type of a column, and converts its values. */
export function* planColumnAlter(payload: AlterPayload, context: PlanContext): Planning {
  const target = findTable(payload.table, context);
  const found = findColumn(target, payload.column);
  const { column, index } = found;
  // An unchanged formula is in the addresses of the head already.
  const written = payload.formula === undefined ? { ...context, base: context.head } : context;
  const altered = checkedColumn(merged(column, payload), target.sheet.id, written);
  const isKeyed = isKeyColumn(target.table, column);
  if (isKeyed) checkKeyColumn(altered);
  const draft = new TableDraft(context);
  const isSame = JSON.stringify(altered) === JSON.stringify(plainColumn(column));
  if (!isSame) {
    const columns = target.table.columns.with(index, {
      ...altered,
      id: column.id,
      line: column.line,
    });
    draft.set({ ...target.table, columns });
    if (altered.formula === undefined) {
      draft.writes.push(yield* convert(target, { index, altered, isKeyed }, { draft, context }));
    } else {
      const { range } = target;
      fillColumn(draft, draft.table(target.table.id), { index, range, context });
    }
  }
  const isRespelled = found.isRenamed || target.argument !== payload.table;
  const isMoved = typeof payload.formula === 'string' && payload.formula !== altered.formula;
  const respelled = { ...payload, table: target.argument, column: column.name };
  return finish(draft, target, {
    kind: 'table.column.alter',
    payload: isMoved
      ? { ...respelled, formula: altered.formula }
      : isRespelled
        ? respelled
        : payload,
    isRespelled,
    column,
    resolved: {},
  });
}

/** Applies the payload to a column: an absent member stays, null removes it. */
function merged(column: ColumnDefinition, payload: AlterPayload): ColumnDefinition {
  const { type, nullable, default: value, enum: allowed, formula } = payload;
  return {
    name: column.name,
    type: type ?? column.type,
    nullable: nullable ?? column.nullable,
    default: value === undefined ? column.default : (value ?? undefined),
    enum: allowed === undefined ? column.enum : (allowed ?? undefined),
    formula: formula === undefined ? column.formula : (formula ?? undefined),
  };
}

interface Alteration {
  readonly index: number;
  readonly altered: ColumnDefinition;
  readonly isKeyed: boolean;
}

function* convert(
  target: TableTarget,
  { index: at, altered, isKeyed }: Alteration,
  { draft, context }: { readonly draft: TableDraft; readonly context: PlanContext },
): Generator<void, TableWrite> {
  const { sheet, data, table } = target;
  const area = { sheet, data, columns: table.columns };
  const held = yield* readArea(area, context);
  const [cells, column] = [held[at], table.columns[at]];
  if (!cells || !column) throw new Error('a column of the table is not among its columns');
  const conversion = conversionTo(altered, typeOf(column), context);
  const list = new WriteList(sheet, [{ id: column.line, position: data.column0 + at }]);
  const keys = isKeyed ? new Set<string>() : undefined;
  for (let index = 0; index < rowCount(data); index++) {
    if (index % rowsBetweenPauses === rowsBetweenPauses - 1) yield;
    const isLeft = cells.tags[index] === cellTag.formula;
    if (isLeft || isBlankRow(table.columns, held, index)) continue;
    const value = conversion(cells, index);
    if (!value) throw invalid({ area, index, at }, `cannot be what ${column.name} is to be`);
    const row = data.row0 + index;
    const place = { row, column: data.column0 + at };
    const coded = context.coding.encode(value.input, place, draft.structure);
    if (keys && !takesKey(keys, coded)) {
      throw invalid({ area, index, at }, 'would repeat the key of another row');
    }
    const change = changeOf(value, { coded, cells, index }, context);
    if (change) write(list, { ...change, line: lineAt(sheet, 'row', row), value, coded });
  }
  return list.finish();
}

interface CellChange {
  /** True when the value changes. */
  readonly isOther: boolean;
  /** Index of the number format; -1 to keep it. */
  readonly format: number;
}

function write(
  list: WriteList,
  change: CellChange & { line: Line; value: ColumnValue; coded: CodedCell },
): void {
  list.begin(change.line);
  if (change.isOther) list.set(0, change.value.input, change.coded);
  if (change.format >= 0) list.setFormat(0, change.format);
}

function takesKey(keys: Set<string>, coded: CodedCell): boolean {
  const key = keyText(coded);
  if (!isKey(coded) || keys.has(key)) return false;
  keys.add(key);
  return true;
}

/** Returns the change of a cell; undefined when it is right already. */
function changeOf(
  { format }: ColumnValue,
  { coded, cells, index }: { coded: CodedCell; cells: ColumnCells; index: number },
  { coding }: PlanContext,
): CellChange | undefined {
  const now = cellOf(cells, index);
  const isOther = coded.tag !== now.tag || coded.number !== now.number;
  const isShown = format === undefined || cells.formats[index] !== 0;
  if (!isOther && isShown) return undefined;
  return { isOther, format: isShown ? -1 : coding.dictionary.formatIndex(format) };
}

/**
 * Returns a function that converts cells to the altered column, and returns undefined for a value
 * that cannot be converted. Formulas stay.
 */
function conversionTo(
  altered: ColumnDefinition,
  from: ReturnType<typeof typeOf>,
  context: PlanContext,
): (cells: ColumnCells, index: number) => ColumnValue | undefined {
  const date1904 = context.settings.get('dateSystem') === 1904;
  const blank = blankValue(altered, date1904);
  const format = formatOf(typeOf(altered));
  return (cells, index) => {
    const cell = cellOf(cells, index);
    if (cell.tag === cellTag.blank) return blank;
    const input: Input = plainInput(cell, context);
    const value = convertValue(input, { from, to: altered }, date1904);
    return value && format !== undefined ? { ...value, format } : value;
  };
}

function blankValue(altered: ColumnDefinition, date1904: boolean): ColumnValue | undefined {
  if (altered.nullable !== false) return { input: null };
  if (altered.default === undefined) return undefined;
  const read = readColumnValue(altered.default, altered, { raw: false, date1904 });
  return typeof read === 'string' ? undefined : read;
}
