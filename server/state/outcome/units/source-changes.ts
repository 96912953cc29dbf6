import { columnOf, rowOf } from '../../diff/changed-cells.ts';
import type { SheetDiff, StateDiff } from '../../diff/diff.ts';
import type { StructureChange } from '../../diff/structure-changes.ts';
import type { ScopedChange } from '../../merge/scope.ts';
import { recordKey } from '../../records/stored-record.ts';
import type { LineId } from '../../ids/order.ts';
import type { SheetOutline } from '../../structure/structure.ts';

/** One entry of the source's changes; `count` cells where many are one entry. */
export interface SourceChange extends ScopedChange {
  readonly count: number;
  /** Position of its cell in the source; undefined for one that is gone, or is none. */
  readonly at?: { readonly row: number; readonly column: number };
}

/** Lists the changes from the base to the source, entry by entry. */
export function* sourceChanges(diff: StateDiff): Generator<SourceChange> {
  for (const sheet of diff.sheets) yield* sheetChanges(sheet);
  for (const { was, is } of diff.names) {
    yield { kind: 'name', place: { name: (is ?? was)?.name ?? '' }, count: 1 };
  }
  for (const { path } of diff.settings) yield { kind: 'setting', place: { name: path }, count: 1 };
  for (const { id } of diff.styles) yield { kind: 'style', place: { name: id }, count: 1 };
}

function* sheetChanges(diff: SheetDiff): Generator<SourceChange> {
  const { id: sheetId, was, is } = diff.pair;
  const sheet = is ?? was;
  if (!sheet) return;
  for (const change of diff.structure) yield structureChange(change, sheetId, sheet);
  yield* cellChanges(diff, sheet);
  for (const { range } of diff.formats) {
    const place = placeAt(sheet, range.row0, range.column0);
    yield { kind: 'format.cell', place: { sheetId, ...place }, count: 1 };
  }
  for (const { was: then, is: now } of diff.names) {
    const place = { name: (now ?? then)?.name ?? '', scopeId: sheetId };
    yield { kind: 'name', place, count: 1 };
  }
  for (const { id, change, schema } of diff.tables) {
    // Rows of a table are cells, which are told by themselves.
    if (change === 'modified' && schema.length === 0) continue;
    yield { kind: 'table', place: { sheetId, tableId: id }, count: 1 };
  }
  yield* lookChanges(diff, sheet);
}

function* cellChanges({ pair, cells, collapsed }: SheetDiff, sheet: SheetOutline) {
  const { id: sheetId, was } = pair;
  for (const cell of cells) {
    const isThere = cell.run.toRow >= 0;
    const at = { row: rowOf(cell), column: columnOf(cell) };
    const place = placeAt(isThere ? sheet : (was ?? sheet), at.row, at.column);
    const change = { kind: 'cell.input' as const, place: { sheetId, ...place }, count: 1 };
    yield isThere ? { ...change, at } : change;
  }
  for (const { range, count, first } of collapsed) {
    const isThere = first.toRow >= 0;
    const at = { row: range.row0, column: range.column0 };
    const place = placeAt(isThere ? sheet : (was ?? sheet), at.row, at.column);
    const change = { kind: 'cell.input' as const, place: { sheetId, ...place }, count };
    yield isThere ? { ...change, at } : change;
  }
}

function* lookChanges(diff: SheetDiff, sheet: SheetOutline): Generator<SourceChange> {
  const { id: sheetId } = diff.pair;
  for (const { type, was, is } of diff.records) {
    const record = is ?? was;
    if (record) {
      const place = { sheetId, record: recordKey(record), ...cellOf(record.areas[0]) };
      yield { kind: `record.${type}`, place, count: 1 };
    }
  }
  if (diff.orders.length > 0) yield { kind: 'record.cforder', place: { sheetId }, count: 1 };
  for (const { axis, position } of diff.lines) {
    const place =
      axis === 'row'
        ? { row: sheet.rows.idAt(position) }
        : { column: sheet.columns.idAt(position) };
    yield { kind: 'format.lines', place: { sheetId, ...place }, count: 1 };
  }
  for (const { key } of diff.properties) {
    yield { kind: 'sheet.property', place: { sheetId, name: key }, count: 1 };
  }
}

type RecordArea = { rows?: { first: LineId } | undefined; columns?: { first: LineId } | undefined };

function cellOf(area: RecordArea | undefined) {
  const [row, column] = [area?.rows?.first, area?.columns?.first];
  return { ...(row && { row }), ...(column && { column }) };
}

function placeAt(sheet: SheetOutline, row: number, column: number) {
  return { row: sheet.rows.idAt(row), column: sheet.columns.idAt(column) };
}

const sheetKinds = {
  add: 'sheet.add',
  delete: 'sheet.delete',
  rename: 'sheet.rename',
  place: 'sheet.order',
} as const;

function structureChange(
  change: StructureChange,
  sheetId: string,
  sheet: SheetOutline,
): SourceChange {
  if (!('axis' in change)) {
    const place = change.op === 'place' ? {} : { sheetId };
    return { kind: sheetKinds[change.op], place, count: 1 };
  }
  const { axis, count } = change;
  const line =
    'ids' in change && change.ids[0]
      ? change.ids[0]
      : (axis === 'row' ? sheet.rows : sheet.columns).idAt(
          'position' in change ? change.position : change.to,
        );
  const place = { sheetId, ...(axis === 'row' ? { row: line } : { column: line }) };
  return { kind: axis === 'row' ? 'structure.rows' : 'structure.cols', place, count };
}
