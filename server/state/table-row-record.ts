import type { Range } from '../model/range.ts';
import { isKey, keyText, type KeyedRow } from './key-index.ts';
import { pushSpan, type IdSpan, type LineId } from './order.ts';
import { flatten, type Resolved, type ResolvedArea } from './resolved.ts';
import { cellOf, readColumn } from './table-cells.ts';
import { spansOfPositions } from './table-draft.ts';
import type { TableFootprint } from './table-plan.ts';
import { columnLine, type PlacedRow, type RowsParts } from './table-row-parts.ts';
import { neededKey } from './table-rows.ts';
import { schemaName, type TableTarget } from './table-target.ts';

// What the journal, the key index and strict submissions are told of rows written.

/** The keys of rows at positions of the head. */
export function keysAt(positions: readonly number[], { target, context }: RowsParts): KeyedRow[] {
  if (positions.length === 0) return [];
  const { sheet, data } = target;
  const column = neededKey(target).line;
  const read = readColumn(context.cellsOf(sheet), sheet, { column, range: data });
  const keyed = positions.map((position) => ({
    key: cellOf(read, position - data.row0),
    row: sheet.rows.idAt(position),
  }));
  return keyed.filter(({ key }) => isKey(key));
}

/** Tells the index what it would else have to find out by reading the column. */
export function noteKeys(
  added: readonly PlacedRow[],
  removed: readonly KeyedRow[],
  { target, draft, layout }: RowsParts,
): void {
  if (layout.isShifted) return;
  const changes = { added: added.map(({ key, line }) => ({ key, row: line.id })), removed };
  draft.keys = { sheet: target.sheet, column: neededKey(target).line, changes };
}

/** The rows written, in the order of the payload, by the columns that they have in common. */
export function resolvedRows(rows: readonly PlacedRow[], parts: RowsParts): Resolved {
  const { target, layout } = parts;
  const { table, sheet } = target;
  const groups = new Map<string, { columns: IdSpan[]; rows: IdSpan[] }>();
  for (const { values, line } of rows) {
    const written = [...values.keys()].filter((index) => values[index] !== undefined);
    const name = written.join();
    const group = groups.get(name) ?? { columns: columnSpans(written, parts), rows: [] };
    groups.set(name, group);
    pushSpan(group.rows, { ...line.id, length: 1 });
  }
  const areas = [...groups.values()].map((group): ResolvedArea => ({
    rows: flatten(group.rows),
    columns: flatten(group.columns),
  }));
  const added = rows.filter(({ known }) => known === undefined);
  const gone = spansOf(layout.deleted.map((position) => sheet.rows.idAt(position)));
  return {
    sheet: sheet.id,
    table: table.id,
    ...(areas.length > 0 && { areas }),
    ...(added.length > 0 && { added: flatten(spansOf(added.map(({ line }) => line.id))) }),
    ...(gone.length > 0 && { lines: flatten(gone) }),
  };
}

function columnSpans(indexes: readonly number[], parts: RowsParts): IdSpan[] {
  return spansOf(indexes.map((index) => columnLine(parts, index).id));
}

function spansOf(ids: readonly LineId[]): IdSpan[] {
  const spans: IdSpan[] = [];
  for (const { branch, sequence, offset } of ids) {
    pushSpan(spans, { branch, sequence, offset, length: 1 });
  }
  return spans;
}

/** More keys than this count as all of the table's. */
const exactKeyCount = 1_024;

/** Cells of rows that were there, new rows as a whole, and the keys that came or went. */
export function footprintOf(
  rows: readonly PlacedRow[],
  removed: readonly KeyedRow[],
  parts: RowsParts,
): TableFootprint {
  const { target, draft } = parts;
  const added = rows.filter(({ known }) => known === undefined);
  const keys = [...added, ...removed].map(({ key }) => key);
  const covers = keys.length > exactKeyCount ? keysName(target) : undefined;
  return {
    sheet: draft.sheetOf(target.table),
    ranges: writtenRanges(rows, parts),
    names: covers === undefined ? keys.map((key) => keysName(target) + keyText(key)) : [],
    covers,
  };
}

function keysName({ table }: TableTarget): string {
  return `${schemaName(table)}key `;
}

/** Rows that stand together, by the columns from the first to the last written. */
function writtenRanges(rows: readonly PlacedRow[], parts: RowsParts): Range[] {
  const byPlace = rows.toSorted((a, b) => a.line.position - b.line.position);
  const used = new Set(
    byPlace.flatMap(({ values }) => [...values.keys()].filter((at) => values[at])),
  );
  if (used.size === 0) return [];
  const column0 = columnLine(parts, Math.min(...used)).position;
  const column1 = columnLine(parts, Math.max(...used)).position;
  const spans = spansOfPositions(byPlace.map(({ line }) => line.position));
  return spans.map(({ from, count }) => ({ row0: from, row1: from + count - 1, column0, column1 }));
}
