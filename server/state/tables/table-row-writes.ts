import { inputsEqual } from '../../model/input.ts';
import { formatOf, typeOf } from '../../model/table-column.ts';
import { cellTag } from '../cells/block.ts';
import { blankCell, type CodedCell } from '../cells/cell-coding.ts';
import { lineAt } from './table-execute.ts';
import type { Line, TableWrite } from '../plan/table-plan.ts';
import { columnLine, type PlacedRow, type RowsParts } from './table-row-parts.ts';
import type { ReadValue } from './table-rows.ts';
import { moveEnd } from './table-shift.ts';
import { HeldColumn, WriteList, type HeldCell } from './table-writes.ts';

const rowsBetweenPauses = 64;

/** Cells of rows that are there, where they hold something else. */
export function* updateWrite(
  rows: readonly PlacedRow[],
  named: readonly number[],
  parts: RowsParts,
): Generator<void, TableWrite> {
  const { target, draft, context } = parts;
  const columns = named.filter((index) => !isKnownKey(index, parts));
  const lines = columns.map((index) => columnLine(parts, index));
  const cells = context.cellsOf(target.sheet);
  const held = lines.map(({ id }) => new HeldColumn(cells, id));
  const list = new WriteList(draft.sheetOf(target.table), lines);
  const update: Update = { columns, lines, held, list };
  // Between pauses an iterator would make two objects for each row.
  for (let index = 0; index < rows.length; index++) {
    if (index % rowsBetweenPauses === rowsBetweenPauses - 1) yield;
    const row = rows[index];
    if (row) updateRow(row, update, parts);
  }
  return list.finish();
}

/** Returns whether rows that are there hold the column as it was sent: they were found by it. */
function isKnownKey(index: number, { target: { table }, layout }: RowsParts): boolean {
  const column = table.columns[index];
  if (!column || column.id !== table.key || layout.isShifted) return false;
  return formatOf(typeOf(column)) === undefined;
}

interface Update {
  readonly columns: readonly number[];
  readonly lines: readonly Line[];
  readonly held: readonly HeldColumn[];
  readonly list: WriteList;
}

function updateRow(row: PlacedRow, { columns, lines, held, list }: Update, parts: RowsParts): void {
  let isBegun = false;
  for (let at = 0; at < columns.length; at++) {
    const value = row.values[columns[at] ?? 0];
    const column = lines[at];
    if (value === undefined || !column) continue;
    const there = held[at]?.at(row.line.id);
    const change = there && changeOf(value, { there, row: row.line, column }, parts);
    if (!change) continue;
    if (!isBegun) list.begin(row.line);
    isBegun = true;
    if (change.coded) list.set(at, value.input, change.coded);
    if (change.format !== undefined) list.setFormat(at, change.format);
  }
}

interface Place {
  readonly there: HeldCell;
  readonly row: Line;
  readonly column: Line;
}

interface Change {
  readonly coded: CodedCell | undefined;
  readonly format: number | undefined;
}

/**
 * Returns the content and format that a cell lacks to hold the value; undefined when it holds it.
 */
function changeOf(
  value: ReadValue,
  { there, row, column }: Place,
  { context, draft, target }: RowsParts,
): Change | undefined {
  const { coding } = context;
  const at = { row: row.position, column: column.position };
  const coded = coding.encode(value.input, at, draft.structure);
  const isNumber = value.format !== undefined && there.format === 0;
  const format = isNumber ? coding.dictionary.formatIndex(value.format) : undefined;
  const { tag } = coded;
  let isSame = tag === there.tag && coded.number === there.number;
  if (!isSame && tag === cellTag.formula && there.tag === cellTag.formula) {
    const place = { sheetId: target.sheet.id, row: row.id, column: column.id };
    isSame = inputsEqual(coding.decode(there, place, context.head), value.input);
  }
  if (isSame && format === undefined) return undefined;
  return { coded: isSame ? undefined : coded, format };
}

/** Writes all cells of new rows; number formats go on as those of the last row. */
export function* addedWrite(
  rows: readonly PlacedRow[],
  parts: RowsParts,
): Generator<void, TableWrite> {
  const { target, draft } = parts;
  const { table } = target;
  const plain = [...table.columns.keys()].filter(
    (index) => table.columns[index]?.formula === undefined,
  );
  const lines = plain.map((index) => columnLine(parts, index));
  const formats = plain.map((index) => rowFormat(index, parts));
  const added: Added = { plain, lines, formats, list: new WriteList(draft.sheetOf(table), lines) };
  for (let index = 0; index < rows.length; index++) {
    if (index % rowsBetweenPauses === rowsBetweenPauses - 1) yield;
    const row = rows[index];
    if (row) addRow(row, added, parts);
  }
  return added.list.finish();
}

interface Added {
  /** Columns that are not calculated, by their place in the table. */
  readonly plain: readonly number[];
  readonly lines: readonly Line[];
  readonly formats: readonly number[];
  readonly list: WriteList;
}

function addRow(row: PlacedRow, { plain, lines, formats, list }: Added, parts: RowsParts): void {
  const { draft, layout, context } = parts;
  list.begin(row.line);
  for (let at = 0; at < plain.length; at++) {
    const value = row.values[plain[at] ?? 0];
    const format = formats[at] ?? 0;
    if (format !== 0) list.setFormat(at, format);
    const input = value?.input ?? null;
    // The old content of the row must be blanked where contents moved and rows did not.
    if (input === null && !layout.isShifted) continue;
    const place = { row: row.line.position, column: lines[at]?.position ?? 0 };
    list.set(at, input, context.coding.encode(input, place, draft.structure));
  }
}

/** The number format of a column's last row, or the one that its type needs; 0 is General. */
function rowFormat(columnIndex: number, { target, context }: RowsParts): number {
  const column = target.table.columns[columnIndex];
  if (!column) return 0;
  const cells = context.cellsOf(target.sheet);
  const last = target.sheet.rows.idAt(target.data.row1);
  const { format } = new HeldColumn(cells, column.line).at(last);
  const needed = formatOf(typeOf(column));
  if (format !== 0 || needed === undefined) return format;
  return context.coding.dictionary.formatIndex(needed);
}

/** Fills the calculated columns of new rows that stand together. */
export function fillCalculated(rows: readonly Line[], parts: RowsParts): void {
  const { target, draft, context } = parts;
  const [first] = rows;
  if (!first) return;
  const sheet = draft.sheetOf(target.table);
  for (const [index, column] of target.table.columns.entries()) {
    if (column.formula === undefined) continue;
    const line = columnLine(parts, index);
    const at = { row: first.position, column: line.position };
    const input = { formula: draft.carriedByRules(column.formula, sheet.id) };
    const coded = context.coding.encode(input, at, draft.structure);
    const format = rowFormat(index, parts) || -1;
    const place = { sheet, column: line, row: at.row, rowCount: rows.length };
    draft.fills.push({ ...place, input, coded, format });
  }
}

/** Rows that lost their content and are still there, and the blank one of a table without others. */
export function emptyRows(parts: RowsParts): void {
  const { draft, layout } = parts;
  if (layout.blankAt !== undefined) addBlank(layout.blankAt, parts);
  if (layout.isShifted) draft.writes.push(...moveEnd(parts));
  if (layout.blanked !== undefined) draft.writes.push(blankRows([layout.blanked], parts));
}

/** Number formats go on as those of the last row. */
function addBlank(position: number, parts: RowsParts): void {
  const { target, draft } = parts;
  const sheet = draft.sheetOf(target.table);
  const row = lineAt(sheet, 'row', position);
  const columns = [...target.table.columns.keys()];
  const list = new WriteList(
    sheet,
    columns.map((index) => columnLine(parts, index)),
  );
  list.begin(row);
  for (const index of columns) {
    const format = rowFormat(index, parts);
    if (format !== 0) list.setFormat(index, format);
  }
  draft.writes.push(list.finish());
  fillCalculated([row], parts);
}

/** Writes blanks to rows at positions of the draft, but for their calculated cells. */
function blankRows(positions: readonly number[], parts: RowsParts): TableWrite {
  const { target, draft, context } = parts;
  const sheet = draft.sheetOf(target.table);
  const plain = [...target.table.columns.keys()].filter(
    (index) => target.table.columns[index]?.formula === undefined,
  );
  const lines = plain.map((index) => columnLine(parts, index));
  const cells = context.cellsOf(target.sheet);
  const held = lines.map(({ id }) => new HeldColumn(cells, id));
  const list = new WriteList(sheet, lines);
  for (const position of positions) {
    const row = lineAt(sheet, 'row', position);
    const filled = held.map((column) => column.at(row.id).tag !== cellTag.blank);
    if (!filled.includes(true)) continue;
    list.begin(row);
    for (const [at, isFilled] of filled.entries()) if (isFilled) list.set(at, null, blankCell);
  }
  return list.finish();
}
