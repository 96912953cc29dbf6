import { orderedStyle, type CellStyle } from '../../model/cell-style.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import type { JsonObject } from '../../model/plain-json.ts';
import { foldName } from '../../model/names.ts';
import { parseRange, parseSheetRange, type Range } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { parseArea, rangeOf } from '../structure/area.ts';
import { cellTag } from '../cells/block.ts';
import { homeOf } from '../cells/formula-identity.ts';
import { IdentityReader } from '../cells/identity-reader.ts';
import { orderFromSpans, type IdSpan, type LineId, type Order } from '../ids/order.ts';
import { checkRoom } from '../operations/plan-lines.ts';
import type { LineChange, Plan, PlanContext, PlannedCell } from '../plan/plan.ts';
import type { LineSpan } from '../structure/line-span.ts';
import { firstCell, formulasOf, readValue, relative } from '../records/record-formulas.ts';
import { nameFormula } from '../references/names.ts';
import { resolveAreas } from '../plan/plan-target.ts';
import { flatten, type FlatSpans, type Resolved } from '../plan/resolved.ts';
import type { StoredRecord, StoredType } from '../records/stored-record.ts';
import { orderOf, type Axis, type SheetOutline, type Structure } from '../structure/structure.ts';
import type { CellMove } from './cell-shifts.ts';
import { planNaming } from './renamed-cells.ts';
import type { TableFootprint } from '../plan/table-plan.ts';
import { schemaName } from '../tables/table-target.ts';
import { rangeOf as tableRange, TableList, type StoredTable } from '../structure/tables.ts';
import type { SectionEntry } from '../structure/section.ts';

/** A record with its areas as texts of ids. Formulas read as in its first cell. */
export interface RestoredRecord {
  readonly type: StoredType;
  readonly id: string;
  readonly sheet: string;
  readonly areas: readonly string[];
  readonly value: JsonObject;
  /** True when the formulas of the value are written in ids instead of addresses. */
  readonly inIds?: true;
}

/**
 * An operation that clients cannot submit, and that only occurs as a part of a merge or undo. It
 * writes what other operations cannot, above all deleted things under their old ids, so that
 * references to them are valid again.
 */
export type Restoration =
  | {
      readonly kind: 'restore.sheet';
      readonly payload: {
        /** The former id of the sheet. */
        readonly sheet: string;
        readonly name: string;
        readonly index: number;
        readonly rows: FlatSpans;
        readonly columns: FlatSpans;
      };
    }
  | {
      readonly kind: 'restore.lines';
      readonly payload: {
        readonly sheet: string;
        readonly axis: Axis;
        /** Number of the row or column to insert them before, from 1. */
        readonly before: number;
        readonly ids: FlatSpans;
      };
    }
  | {
      readonly kind: 'restore.lineProperties';
      readonly payload: {
        readonly sheet: string;
        readonly axis: Axis;
        readonly spans: readonly LineSpan[];
        readonly change: LineChange;
      };
    }
  | {
      readonly kind: 'restore.formats';
      readonly payload: {
        readonly sheet: string;
        readonly range: string;
        /** The cells' own style; null for none. */
        readonly style: CellStyle | null;
      };
    }
  | {
      readonly kind: 'restore.style';
      readonly payload: { readonly id: string; readonly style: CellStyle | null };
    }
  | {
      readonly kind: 'restore.records';
      readonly payload: {
        readonly sheet: string;
        readonly put: readonly RestoredRecord[];
        /** Keys of records. */
        readonly delete: readonly string[];
      };
    }
  | {
      readonly kind: 'restore.formulas';
      readonly payload: { readonly sheet: string; readonly cells: readonly RestoredFormula[] };
    }
  | {
      readonly kind: 'restore.name';
      readonly payload: {
        readonly name: string;
        /** Id of the sheet for a name of one sheet. */
        readonly scope?: string;
        /** The formula written in ids. */
        readonly formula: string;
        readonly comment?: string;
      };
    }
  | {
      readonly kind: 'restore.tables';
      readonly payload: {
        readonly put: readonly SectionEntry[1][];
        readonly delete: readonly string[];
      };
    }
  | {
      /** Names cells of the range `to` in the place of those of `from`. */
      readonly kind: 'restore.readers';
      readonly payload: { readonly sheet: string; readonly from: string; readonly to: string };
    }
  | {
      /** Writes nothing: a note for later merges of what the source had moved in what is kept. */
      readonly kind: 'restore.moves';
      readonly payload: { readonly moves: readonly CellMove[] };
    }
  | {
      /** Writes nothing: a note for later merges about a shift that this one took back. */
      readonly kind: 'restore.shift';
      readonly payload: {
        /** The place of the shift in the journals. */
        readonly of: string;
        /** Number of parts before this one that took it back; 0 if only the source had it. */
        readonly parts: number;
      };
    };

/** The formula of one cell in ids, as `cells/formula-identity.ts` writes it. */
export interface RestoredFormula {
  /** Row id and column id: branch, sequence and offset of each. */
  readonly cell: readonly number[];
  readonly formula: string;
  readonly legacy?: true;
}

type RestorationOf<Kind extends Restoration['kind']> = Extract<Restoration, { kind: Kind }>;

export interface PlannedRestoration {
  readonly plan: Plan;
  readonly resolved: Resolved;
}

export function* planRestoration(
  restoration: Restoration,
  context: PlanContext,
): Generator<void, PlannedRestoration> {
  if (restoration.kind !== 'restore.readers') return planAtOnce(restoration, context);
  const { from, to } = restoration.payload;
  const sheet = sheetOf(restoration.payload, context);
  const ranges = { from: rangeIn(from), to: rangeIn(to) };
  return { plan: yield* planNaming(sheet, ranges, context), resolved: { sheet: sheet.id } };
}

function planAtOnce(
  restoration: Exclude<Restoration, { kind: 'restore.readers' }>,
  context: PlanContext,
): PlannedRestoration {
  switch (restoration.kind) {
    case 'restore.sheet':
      return planSheet(restoration.payload, context);
    case 'restore.lines':
      return planLines(restoration.payload, context);
    case 'restore.lineProperties': {
      const { axis, spans, change } = restoration.payload;
      const sheet = sheetOf(restoration.payload, context);
      const order = orderOf(sheet, axis);
      const lines = flatten(spans.flatMap(({ from, count }) => order.spansAt(from, count)));
      const plan: Plan = { type: 'lines', axis, sheet, spans, change };
      return { plan, resolved: { sheet: sheet.id, lines } };
    }
    case 'restore.formats':
      return planFormats(restoration.payload, context);
    case 'restore.style': {
      const { id, style } = restoration.payload;
      const plan: Plan =
        style === null
          ? { type: 'styleDelete', id }
          : { type: 'styleDefine', style: { id, style: orderedStyle({ ...style }) } };
      return { plan, resolved: {} };
    }
    case 'restore.records':
      return planRecords(restoration.payload, context);
    case 'restore.formulas':
      return planFormulas(restoration.payload, context);
    case 'restore.name':
      return planName(restoration.payload, context);
    case 'restore.moves':
    case 'restore.shift':
      return { plan: { type: 'cells', cells: [] }, resolved: {} };
    default:
      return planTables(restoration.payload, context);
  }
}

function planSheet(
  { sheet: id, name, index, rows, columns }: RestorationOf<'restore.sheet'>['payload'],
  { head }: PlanContext,
): PlannedRestoration {
  if (head.sheets.length >= limits.sheetCount) {
    throw new Rejection('too_many_sheets', `a workbook has at most ${limits.sheetCount} sheets`);
  }
  const restored = { id, rows: readOrder(rows), columns: readOrder(columns) };
  const plan = { type: 'sheetAdd', name, index, copy: undefined, restored } as const;
  return { plan, resolved: { sheet: id } };
}

function planLines(
  { axis, before, ids, ...payload }: RestorationOf<'restore.lines'>['payload'],
  context: PlanContext,
): PlannedRestoration {
  const sheet = sheetOf(payload, context);
  const spans = readSpans(ids);
  const count = spans.reduce((sum, { length }) => sum + length, 0);
  const position = before - 1;
  checkRoom(axis, { position, count }, (from) => context.isFilledFrom(sheet, axis, from));
  return {
    plan: { type: 'insert', axis, sheet, position, count, ids: spans, inherit: undefined },
    resolved: { sheet: sheet.id, lines: ids },
  };
}

function planFormats(
  { range, style, ...payload }: RestorationOf<'restore.formats'>['payload'],
  context: PlanContext,
): PlannedRestoration {
  const sheet = sheetOf(payload, context);
  const { areas } = parseSheetRange(range) ?? { areas: [] };
  const { styles } = context.coding.dictionary;
  const format = style === null ? 0 : styles.indexOf(orderedStyle({ ...style }));
  return {
    plan: { type: 'lanes', sheet, areas, format },
    resolved: { sheet: sheet.id, areas: resolveAreas(sheet, areas) },
  };
}

function planRecords(
  { put, delete: deletes, ...payload }: RestorationOf<'restore.records'>['payload'],
  context: PlanContext,
): PlannedRestoration {
  const sheet = sheetOf(payload, context);
  const puts = put.map((record) => storedRecord(record, sheet, context));
  const areas = puts.flatMap((record) =>
    record.areas.flatMap((area) => rangeOf(area, sheet) ?? []),
  );
  const change = { puts, deletes };
  return { plan: { type: 'records', change, sheet, areas }, resolved: { sheet: sheet.id } };
}

function planFormulas(
  { cells: restored, ...payload }: RestorationOf<'restore.formulas'>['payload'],
  context: PlanContext,
): PlannedRestoration {
  const { coding, head } = context;
  const sheet = sheetOf(payload, context);
  const reader = new IdentityReader(coding.dictionary, (id) => head.withId(id)?.name);
  const cells = restored.map(({ cell, formula, legacy = false }): PlannedCell => {
    const [rowId, columnId] = [lineId(cell.slice(0, 3)), lineId(cell.slice(3))];
    const place = { sheetId: sheet.id, row: rowId, column: columnId };
    const read = reader.read(formula, { ...place, count: 1 });
    const index = coding.dictionary.formulaIndex({ ...read, legacy });
    const coded = { tag: cellTag.formula, number: index };
    const [row, column] = [positionOn(sheet.rows, rowId), positionOn(sheet.columns, columnId)];
    const input = coding.decode(coded, place, head);
    return { sheet, row, column, rowId, columnId, input, coded, format: undefined };
  });
  return { plan: { type: 'cells', cells }, resolved: { sheet: sheet.id } };
}

function planName(
  { name, scope: scopeId, formula: identity, comment }: RestorationOf<'restore.name'>['payload'],
  context: PlanContext,
): PlannedRestoration {
  const { head, coding } = context;
  const { formulas, dictionary } = coding;
  const reader = new IdentityReader(dictionary, (id) => head.withId(id)?.name);
  const read = reader.read(identity, { ...homeOf(scopeId), count: 1 });
  const written = { formula: formulas.fromR1C1(read.r1c1, 0, 0), structure: read.structure };
  const formula = nameFormula({ name, scopeId, comment, ...written }, head, formulas);
  const scope = scopeId === undefined ? undefined : sheetOf({ sheet: scopeId }, context);
  return { plan: { type: 'nameSet', name, scope, formula, comment, written }, resolved: {} };
}

function lineId([branch = 0, sequence = 0, offset = 0]: readonly number[]): LineId {
  return { branch, sequence, offset };
}

function positionOn(order: Order, { branch, sequence, offset }: LineId): number {
  const position = order.positionOf(branch, sequence, offset);
  if (position === undefined) throw new Error('a formula has no place to be restored at');
  return position;
}

function storedRecord(
  { type, id, areas: texts, value, inIds }: RestoredRecord,
  sheet: SheetOutline,
  { head, coding }: PlanContext,
): StoredRecord {
  const areas = texts.map(parseArea);
  const record = { type, id, sheetId: sheet.id, areas, value, structure: undefined };
  const [first] = areas;
  if (formulasOf(value).length === 0 || !first) return record;
  if (inIds) {
    const reader = new IdentityReader(coding.dictionary, (known) => head.withId(known)?.name);
    const home = firstCell(record, head);
    if (!home) throw new Error('a record has no place to be restored at');
    const read = readValue(value, home, (identity) => reader.read(identity, { ...home, count: 1 }));
    return { ...record, ...read };
  }
  const range = rangeOf(first, sheet);
  const cell = { row: range?.row0 ?? 0, column: range?.column0 ?? 0 };
  return { ...record, value: relative(value, cell, coding.formulas), structure: head };
}

function planTables(
  { put, delete: deletes }: RestorationOf<'restore.tables'>['payload'],
  { head }: PlanContext,
): PlannedRestoration {
  const restored = TableList.from(put.map((entry): SectionEntry => ['', entry])).all;
  const tables = head.tables.without(new Set(deletes)).with(...restored);
  const touched = [...deletes.flatMap((id) => head.tables.withId(id) ?? []), ...restored];
  const after = head.withTables(tables);
  const plan: Plan = {
    type: 'table',
    after,
    added: undefined,
    dropped: undefined,
    lines: [],
    writes: [],
    fills: [],
    names: [],
    keys: undefined,
    footprint: tablesFootprint(touched, after),
  };
  return { plan, resolved: {} };
}

/** The footprint of the first of some tables. Merges put and delete one at a time. */
function tablesFootprint([table]: readonly StoredTable[], structure: Structure): TableFootprint {
  if (!table) return { sheet: undefined, ranges: [], names: [] };
  return {
    sheet: structure.withId(table.sheetId),
    ranges: [tableRange(table, structure)],
    names: [foldName(table.name)],
    covers: schemaName(table),
  };
}

function rangeIn(text: string): Range {
  const range = parseRange(text);
  if (!range) throw new Error(`${text} is no range`);
  return range;
}

function sheetOf({ sheet: id }: { readonly sheet: string }, { head }: PlanContext): SheetOutline {
  const sheet = head.withId(id);
  if (!sheet) throw new Error(`there is no sheet ${id} to restore anything on`);
  return sheet;
}

/** Writes the spans of an order as numbers. The endless tail has no length. */
export function writeOrder(order: Order): number[] {
  const numbers: number[] = [];
  for (const { branch, sequence, offset, length } of order.spans()) {
    numbers.push(branch, sequence, offset);
    if (length !== Infinity) numbers.push(length);
  }
  return numbers;
}

function readOrder(numbers: FlatSpans): Order {
  return orderFromSpans(readSpans([...numbers, Infinity]));
}

export function readSpans(numbers: FlatSpans): IdSpan[] {
  const spans: IdSpan[] = [];
  for (let at = 0; at < numbers.length; at += 4) {
    const [branch = 0, sequence = 0, offset = 0, length = 0] = numbers.slice(at, at + 4);
    spans.push({ branch, sequence, offset, length });
  }
  return spans;
}
