import { cellName, columnLimit, parseColumn } from '../../model/address.ts';
import type { Payload } from '../../model/operation.ts';
import { columnCount, rangeName, rowCount, type Range } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { cellTag } from '../cells/block.ts';
import { permuted, wholeLanes, type LaneColumn } from '../cells/lanes.ts';
import type { PlanContext, Planned, Planning } from '../plan/plan.ts';
import {
  carried,
  findRectangle,
  resolveArea,
  sheetArgument,
  type Rectangle,
} from './plan-rectangles.ts';
import { allDeleted } from '../plan/plan-target.ts';
import { checkSortable, sortedRecords } from '../references/record-copies.ts';
import { RewriteDraft } from '../references/rewrite-draft.ts';
import type { RewritePlan } from '../references/rewrite.ts';
import { sortWholeRows } from './sort-order.ts';
import { sortedRows, type KeyColumn } from './sort-rows.ts';

type SortPayload = Payload<'range.sort'>;
type SortKey = NonNullable<SortPayload['keys']>[number];

/** The sorted area: rows at the head without the header, to the last that is not blank. */
export interface SortArea {
  readonly found: Rectangle;
  readonly range: Range;
  /** Columns, each as high as the range. */
  readonly lanes: readonly LaneColumn[];
}

export function* planRangeSort(payload: SortPayload, context: PlanContext): Planning {
  const clipped: string[] = [];
  const draft = new RewriteDraft(context);
  const found = findRectangle(payload, context, []);
  if (!payload.keys && !payload.order) {
    throw new Rejection('position_missing', 'give keys, or order');
  }
  const keys = payload.order ? [] : (payload.keys ?? []).map((key) => placedKey(key, found));
  const sorting = { found, payload, draft, clipped };
  const base = withoutHeader(found.base, payload);
  const area = base && (yield* sortedArea(base, sorting));
  if (!base || !area) return planned(sorting, undefined);
  const rows = payload.order
    ? givenOrder(payload.order, area, base)
    : yield* keyedOrder(keys, area, context);
  if (rows.every((row, place) => row === place)) return planned(sorting, undefined);
  checkSortable(found.target.head, area.range, context);
  const plan = isWholeRows(found.base)
    ? yield* sortWholeRows(area, rows, { draft, context })
    : yield* sortBlock(area, rows, { draft, context });
  return planned(sorting, { plan, range: area.range, rows });
}

interface Sorting {
  readonly found: Rectangle;
  readonly payload: SortPayload;
  readonly draft: RewriteDraft;
  readonly clipped: string[];
}

function isWholeRows(range: Range): boolean {
  return columnCount(range) === columnLimit;
}

function withoutHeader(range: Range, { header }: SortPayload): Range | undefined {
  if (header !== true) return range;
  return range.row0 === range.row1 ? undefined : { ...range, row0: range.row0 + 1 };
}

interface Sorted {
  readonly plan: RewritePlan;
  readonly range: Range;
  readonly rows: Uint32Array;
}

function planned({ found, payload, draft, clipped }: Sorting, sorted: Sorted | undefined): Planned {
  const { target, isMoved, head } = found;
  return {
    plan: sorted?.plan ?? draft.finish({ written: [] }),
    kind: 'range.sort',
    payload: sorted ? journalled(payload, found, sorted) : payload,
    resolved: {
      sheet: target.head.id,
      areas: resolveArea(target.head, sorted?.range ?? head),
    },
    rebased: isMoved || clipped.length > 0,
    clipped,
  };
}

/**
 * Respells a sort for the journal with the resulting order, so that a replay compares no values.
 */
function journalled(
  { keys, order: sent }: SortPayload,
  { target, isMoved, head }: Rectangle,
  { range, rows }: Sorted,
): SortPayload {
  const order: number[] = [];
  for (const [place, row] of rows.entries()) if (row !== place) order.push(range.row0 + row + 1);
  const whole = { ...range, column0: 0, column1: columnLimit - 1 };
  return {
    sheet: sheetArgument(target),
    range: rangeName(isWholeRows(head) ? whole : range),
    ...(keys && !sent && !isMoved && { keys }),
    order,
  };
}

/**
 * Reads the rows to sort, to the last that is not blank or is named by the order; the rest stay.
 */
function* sortedArea(
  base: Range,
  { found, payload, draft, clipped }: Sorting,
): Generator<void, SortArea | undefined> {
  const sheet = found.target.head;
  const data = carried(found.target, base, clipped);
  if (!data) throw allDeleted(clipped);
  const held = yield* draft.read(sheet, data);
  let last = -1;
  for (const { row, tags } of held) last = Math.max(last, row + tags.length - 1);
  for (const number of payload.order ?? []) {
    last = Math.max(last, found.target.rows.position(number - 1) ?? -1);
  }
  if (last < data.row0) return undefined;
  const range = { ...data, row1: Math.min(last, data.row1) };
  return { found, range, lanes: wholeLanes(held, range) };
}

/** Puts the named rows into their own places in the order given. */
function givenOrder(
  order: readonly number[],
  { found, range }: SortArea,
  base: Range,
): Uint32Array {
  const named: number[] = [];
  const seen = new Set<number>();
  for (const number of order) {
    if (number - 1 < base.row0 || number - 1 > base.row1) {
      throw new Rejection('bad_order', `row ${number} is not among the rows to sort`);
    }
    if (seen.has(number)) throw new Rejection('bad_order', `row ${number} is named twice`);
    seen.add(number);
    const row = found.target.rows.position(number - 1);
    const isThere = row !== undefined && row >= range.row0 && row <= range.row1;
    if (isThere) named.push(row - range.row0);
  }
  const rows = Uint32Array.from({ length: rowCount(range) }, (_, row) => row);
  const places = named.toSorted((a, b) => a - b);
  for (const [index, place] of places.entries()) rows[place] = named[index] ?? place;
  return rows;
}

interface PlacedKey {
  readonly key: SortKey;
  /** Position at the head. */
  readonly column: number;
}

function placedKey(key: SortKey, { base, target }: Rectangle): PlacedKey {
  const { col } = key;
  const sent = typeof col === 'number' ? col - 1 : parseColumn(col);
  if (sent === undefined || sent < base.column0 || sent > base.column1) {
    throw new Rejection('bad_range', `the key ${col} is not a column of ${rangeName(base)}`);
  }
  const column = target.columns.position(sent);
  if (column === undefined) throw new Rejection('target_deleted', `column ${col} was deleted`);
  return { key, column };
}

function* keyedOrder(
  keys: readonly PlacedKey[],
  area: SortArea,
  context: PlanContext,
): Generator<void, Uint32Array> {
  const columns = keys.map((key) => keyColumn(key, area));
  return yield* sortedRows(rowCount(area.range), columns, context.coding.dictionary);
}

function keyColumn({ key, column }: PlacedKey, { lanes }: SortArea): KeyColumn {
  const held = lanes.find((lane) => lane.column === column);
  const formula = held?.tags.indexOf(cellTag.formula) ?? -1;
  if (held && formula >= 0) {
    const cell = cellName(held.row + formula, column);
    throw new Rejection('sort_needs_values', `${cell} is a formula, whose value is not known here`);
  }
  return { lanes: held, isDescending: key.desc === true, type: key.type ?? 'auto' };
}

/** Reorders the cells in each column; formulas shift as copies do. */
function* sortBlock(
  { found, range, lanes }: SortArea,
  rows: Uint32Array,
  { draft, context }: { draft: RewriteDraft; context: PlanContext },
): Generator<void, RewritePlan> {
  const sheet = found.target.head;
  yield* draft.clear(sheet, range, { lanes });
  yield* draft.atHead(lanes, sheet);
  yield* draft.write(
    sheet,
    lanes.map((lane) => permuted(lane, rows)),
  );
  const sorted = { sheet, range, rows };
  const records = sortedRecords(sorted, context);
  return draft.finish({ written: [{ sheet, range }], sorted, records });
}
