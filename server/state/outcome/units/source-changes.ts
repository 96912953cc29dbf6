import { columnOf, rowOf } from '../../diff/changed-cells.ts';
import type { ChangedCell, CollapsedCells } from '../../diff/cell-list.ts';
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
  yield* diff.names.map(ofName);
  yield* diff.settings.map(ofSetting);
  yield* diff.styles.map(ofStyle);
}

/** Changes of the workbook as a whole. */
export const ofName = ({ was, is }: StateDiff['names'][number]): SourceChange => {
  return { kind: 'name', place: { name: (is ?? was)?.name ?? '' }, count: 1 };
};
export const ofSetting = ({ path }: StateDiff['settings'][number]): SourceChange => {
  return { kind: 'setting', place: { name: path }, count: 1 };
};
export const ofStyle = ({ id }: StateDiff['styles'][number]): SourceChange => {
  return { kind: 'style', place: { name: id }, count: 1 };
};

function* sheetChanges(diff: SheetDiff): Generator<SourceChange> {
  const on = SheetChanges.of(diff);
  if (!on) return;
  yield* diff.structure.map((change) => on.structure(change));
  // One by one, as there may be a million.
  for (const cell of diff.cells) yield on.cell(cell);
  for (const cells of diff.collapsed) yield on.collapsed(cells);
  for (const format of diff.formats) yield on.format(format);
  yield* diff.names.map((name) => on.name(name));
  yield* diff.tables.filter(isOwnChange).map((table) => on.table(table));
  for (const record of diff.records) yield* on.record(record);
  if (diff.orders.length > 0) yield on.order();
  yield* diff.lines.map((lines) => on.lines(lines));
  yield* diff.properties.map((property) => on.property(property));
}

/** Returns whether a table changed itself: its rows are cells, which are told by themselves. */
export function isOwnChange({ change, schema }: SheetDiff['tables'][number]): boolean {
  return change !== 'modified' || schema.length > 0;
}

/** The changes of one sheet as those of the source. */
export class SheetChanges {
  readonly #id: string;
  readonly #was: SheetOutline | undefined;
  /** The sheet in the source, or in the base where it is gone. */
  readonly #sheet: SheetOutline;

  private constructor(id: string, was: SheetOutline | undefined, sheet: SheetOutline) {
    this.#id = id;
    this.#was = was;
    this.#sheet = sheet;
  }

  static of({ pair: { id, was, is } }: SheetDiff): SheetChanges | undefined {
    const sheet = is ?? was;
    return sheet && new SheetChanges(id, was, sheet);
  }

  structure(change: StructureChange): SourceChange {
    const [sheetId, sheet] = [this.#id, this.#sheet];
    if (!('axis' in change)) {
      const place = change.op === 'place' ? {} : { sheetId };
      return { kind: sheetKinds[change.op], place, count: 1 };
    }
    const { axis, count } = change;
    const order = axis === 'row' ? sheet.rows : sheet.columns;
    const own = 'ids' in change ? change.ids[0] : undefined;
    const line = own ?? order.idAt('position' in change ? change.position : change.to);
    const place = { sheetId, ...(axis === 'row' ? { row: line } : { column: line }) };
    return { kind: axis === 'row' ? 'structure.rows' : 'structure.cols', place, count };
  }

  cell(cell: ChangedCell): SourceChange {
    const at = { row: rowOf(cell), column: columnOf(cell) };
    return this.#cells(at, { count: 1, isThere: cell.run.toRow >= 0 });
  }

  collapsed({ range, count, first }: CollapsedCells): SourceChange {
    const at = { row: range.row0, column: range.column0 };
    return this.#cells(at, { count, isThere: first.toRow >= 0 });
  }

  format({ range }: SheetDiff['formats'][number]): SourceChange {
    const place = placeAt(this.#sheet, range.row0, range.column0);
    return { kind: 'format.cell', place: { sheetId: this.#id, ...place }, count: 1 };
  }

  name({ was, is }: SheetDiff['names'][number]): SourceChange {
    const place = { name: (is ?? was)?.name ?? '', scopeId: this.#id };
    return { kind: 'name', place, count: 1 };
  }

  table({ id }: SheetDiff['tables'][number]): SourceChange {
    return { kind: 'table', place: { sheetId: this.#id, tableId: id }, count: 1 };
  }

  *record({ type, was, is }: SheetDiff['records'][number]): Generator<SourceChange> {
    const record = is ?? was;
    if (!record) return;
    const place = { sheetId: this.#id, record: recordKey(record), ...cellOf(record.areas[0]) };
    yield { kind: `record.${type}`, place, count: 1 };
  }

  order(): SourceChange {
    return { kind: 'record.cforder', place: { sheetId: this.#id }, count: 1 };
  }

  lines({ axis, position }: SheetDiff['lines'][number]): SourceChange {
    const { rows, columns } = this.#sheet;
    const place =
      axis === 'row' ? { row: rows.idAt(position) } : { column: columns.idAt(position) };
    return { kind: 'format.lines', place: { sheetId: this.#id, ...place }, count: 1 };
  }

  property({ key }: SheetDiff['properties'][number]): SourceChange {
    return { kind: 'sheet.property', place: { sheetId: this.#id, name: key }, count: 1 };
  }

  #cells(
    at: { readonly row: number; readonly column: number },
    { count, isThere }: { readonly count: number; readonly isThere: boolean },
  ): SourceChange {
    const sheet = isThere ? this.#sheet : (this.#was ?? this.#sheet);
    const place = { sheetId: this.#id, ...placeAt(sheet, at.row, at.column) };
    const change = { kind: 'cell.input' as const, place, count };
    return isThere ? { ...change, at } : change;
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
