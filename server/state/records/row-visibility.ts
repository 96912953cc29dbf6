import { rowLimit } from '../../model/address.ts';
import type { Mutation, RowVisibility } from '../../model/mutation.ts';
import type { JsonObject, JsonValue } from '../../model/plain-json.ts';
import { rangeOf } from '../structure/area.ts';
import type { Looks } from '../structure/looks.ts';
import type { LineSpan } from '../structure/line-span.ts';
import type { Records } from './records.ts';
import type { StoredRecord } from './stored-record.ts';
import type { SheetOutline } from '../structure/structure.ts';

/** Parts of a state that decide which rows can be seen. */
export interface VisibilityParts {
  readonly looks: Looks;
  readonly records: Records;
}

/**
 * The rows below the header of the filter of a sheet, if it has criteria. Which of them those leave
 * out is for clients, which hide them: a row there that is hidden counts as hidden by the filter.
 */
export function filteredRows(sheet: SheetOutline, records: Records): LineSpan | undefined {
  const filter = records.get(filterKey(sheet));
  const [area] = filter?.areas ?? [];
  const range = filter && area && hasCriteria(filter) ? rangeOf(area, sheet) : undefined;
  if (!range || range.row0 === range.row1) return undefined;
  return { from: range.row0 + 1, count: range.row1 - range.row0 };
}

export const filterKeyPrefix = 'filter/';

/** Key of the one filter that a sheet has. */
function filterKey({ id }: SheetOutline): string {
  return `${filterKeyPrefix}${id}/`;
}

/** Returns whether a filter leaves rows out; criteria that only hide a button do not. */
function hasCriteria({ value: { criteria } }: StoredRecord): boolean {
  if (!Array.isArray(criteria)) return false;
  return criteria.some((criterion: JsonValue) => {
    const { column: _column, hideButton: _hideButton, ...rule } = criterion as JsonObject;
    return Object.keys(rule).length > 0;
  });
}

interface Hidden extends LineSpan {
  readonly hidden: RowVisibility;
}

const allRows: LineSpan = { from: 0, count: rowLimit };

/** The rows of a sheet that are hidden, or of a span of them, from the first on. */
export function* hiddenRows(
  sheet: SheetOutline,
  { looks, records }: VisibilityParts,
  { from, count }: LineSpan = allRows,
): Generator<Mutation> {
  const lines = looks.lines.of(sheet.id, 'row');
  if (!lines.hidesAny || count === 0) return;
  const filtered = filteredRows(sheet, records);
  let last: Hidden | undefined;
  for (const { skipped, length, value } of lines.stretches(sheet.rows.spansAt(from, count))) {
    if (value.hidden === undefined) continue;
    for (const next of pieces({ from: from + skipped, count: length }, filtered)) {
      if (last?.hidden === next.hidden && last.from + last.count === next.from) {
        last = { ...last, count: last.count + next.count };
        continue;
      }
      if (last) yield mutationOf(sheet, last);
      last = next;
    }
  }
  if (last) yield mutationOf(sheet, last);
}

/** Hidden rows, cut where what a filter hides begins and ends. */
export function* pieces(span: LineSpan, filtered: LineSpan | undefined): Generator<Hidden> {
  const { from, count } = filtered ?? { from: 0, count: 0 };
  const cuts = [0, from, from + count, Infinity];
  for (const [at, hidden] of (['hand', 'filter', 'hand'] as const).entries()) {
    const first = Math.max(span.from, cuts[at] ?? 0);
    const end = Math.min(span.from + span.count, cuts[at + 1] ?? 0);
    if (first < end) yield { from: first, count: end - first, hidden };
  }
}

export function mutationOf(sheet: SheetOutline, { from, count, hidden }: Hidden): Mutation {
  return { kind: 'rowsHidden', sheet: sheet.key, from, count, hidden };
}
