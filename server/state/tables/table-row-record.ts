import type { Range } from '../../model/range.ts';
import { isKey, type KeyedRow } from '../cells/key-index.ts';
import { keyText } from '../cells/key-table.ts';
import type { LineId } from '../ids/order.ts';
import type { PlanRules } from '../plan/plan.ts';
import type { FlatSpans, Resolved, ResolvedArea } from '../plan/resolved.ts';
import { cellOf, readColumn } from './table-cells.ts';
import type { CodedCell } from '../cells/cell-coding.ts';
import type { LineSpan } from '../structure/line-span.ts';
import { spansOfPositions } from './table-draft.ts';
import type { TableFootprint } from '../plan/table-plan.ts';
import { columnLine, type PlacedRow, type RowsParts } from './table-row-parts.ts';
import { neededKey } from './table-rows.ts';
import { schemaName, type TableTarget } from './table-target.ts';

// Reports of the rows written: for the journal, the key index and strict submissions.

/** The keys of rows at positions of the head, which are in order. */
export function keysAt(positions: readonly number[], { target, context }: RowsParts): KeyedRow[] {
  if (positions.length === 0) return [];
  const { sheet, data } = target;
  const column = neededKey(target).line;
  const cells = context.cellsOf(sheet);
  const keyed: KeyedRow[] = [];
  for (const { from, count } of spansOfPositions(positions)) {
    const range = { ...data, row0: from, row1: from + count - 1 };
    const read = readColumn(cells, sheet, { column, range });
    for (let index = 0; index < count; index++) {
      const key = cellOf(read, index);
      if (isKey(key)) keyed.push({ key, row: sheet.rows.idAt(from + index) });
    }
  }
  return keyed;
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
  const { target, layout, draft } = parts;
  const { table, sheet } = target;
  const groups = new Map<string, Group>();
  let group: Group | undefined;
  for (const { values, line } of rows) {
    if (!group || !sameColumns(values, group.values)) group = groupOf(groups, values, parts);
    group.rows.push(line.id);
  }
  const areas = [...groups.values()].map(({ rows: written, columns }): ResolvedArea => ({
    rows: written.flat,
    columns,
  }));
  const added: LineId[] = [];
  for (const { known, line } of rows) if (known === undefined) added.push(line.id);
  if (layout.blankAt !== undefined) added.push(draft.sheetOf(table).rows.idAt(layout.blankAt));
  const gone = spansOf(layout.deleted.map((position) => sheet.rows.idAt(position)));
  return {
    sheet: sheet.id,
    table: table.id,
    ...(areas.length > 0 && { areas }),
    ...(added.length > 0 && newRows(spansOf(added), parts)),
    ...(gone.length > 0 && { lines: gone }),
    ...rulesUsed(parts),
  };
}

/** Marks by which a replay comes to the same plan. */
function rulesUsed({ layout, draft }: RowsParts): Pick<Resolved, keyof PlanRules> {
  return {
    ...(layout.isMinted && { newRows: draft.followed ? 'carried' : 'minted' }),
    ...(draft.keepsTables && { keepsTables: true }),
  };
}

/** New rows with all columns as written: a column that was not sent has a default or a formula. */
function newRows(rows: FlatSpans, parts: RowsParts): Pick<Resolved, 'added' | 'wrote'> {
  const columns = columnSpans([...parts.target.table.columns.keys()], parts);
  return { added: rows, wrote: [{ rows, columns }] };
}

/** Rows that have the same columns. */
interface Group {
  readonly values: PlacedRow['values'];
  readonly columns: FlatSpans;
  readonly rows: SpanList;
}

function sameColumns(a: PlacedRow['values'], b: PlacedRow['values']): boolean {
  for (let index = 0; index < a.length; index++) {
    if ((a[index] === undefined) !== (b[index] === undefined)) return false;
  }
  return true;
}

function groupOf(groups: Map<string, Group>, values: PlacedRow['values'], parts: RowsParts): Group {
  const written = [...values.keys()].filter((index) => values[index] !== undefined);
  const name = written.join(' ');
  const group = groups.get(name) ?? {
    values,
    columns: columnSpans(written, parts),
    rows: new SpanList(),
  };
  groups.set(name, group);
  return group;
}

function columnSpans(indexes: readonly number[], parts: RowsParts): FlatSpans {
  return spansOf(indexes.map((index) => columnLine(parts, index).id));
}

function spansOf(ids: readonly LineId[]): FlatSpans {
  const spans = new SpanList();
  for (const id of ids) spans.push(id);
  return spans.flat;
}

/** Ids one after another, those that go on from one another as one span. */
class SpanList {
  /** Branch, sequence, offset and length, over and over. */
  readonly flat: number[] = [];

  push({ branch, sequence, offset }: LineId): void {
    const { flat } = this;
    const end = flat.length;
    const length = flat[end - 1] ?? 0;
    const continues =
      flat[end - 2] === offset - length && flat[end - 3] === sequence && flat[end - 4] === branch;
    if (continues) flat[end - 1] = length + 1;
    else flat.push(branch, sequence, offset, 1);
  }
}

/** Keys above which all keys of the table count. */
const exactKeyCount = 64;
/** Pieces above which the rectangle around them counts. */
const exactSpanCount = 64;

interface FootprintRows {
  readonly rows: readonly PlacedRow[];
  readonly columns: readonly number[];
  /** Positions of the rows that go, and their keys. */
  readonly removed: readonly number[];
  readonly removedKeys: readonly KeyedRow[];
}

/** Cells of rows that were there, new rows, and the keys that come or go. */
export function footprintOf(
  { rows, columns, removed, removedKeys }: FootprintRows,
  parts: RowsParts,
): TableFootprint {
  const { target, draft, layout } = parts;
  const { range, sheet } = target;
  const { keys, here, there, fresh } = placesOf(rows);
  for (const { key } of removedKeys) keys.push(key);
  const covers = keys.length > exactKeyCount ? keysName(target) : undefined;
  const runs = writtenRuns(columns, target);
  const whole = { from: range.column0, to: range.column1 };
  const gone = stretchesOf(removed);
  const [first] = gone;
  const goneRanges =
    layout.isShifted && first !== undefined
      ? [{ ...range, row0: first.from }]
      : rangesOf(gone, whole);
  const [stretchesHere, stretchesThere] = [stretchesOf(here), stretchesOf(there)];
  return {
    sheet,
    ranges: runs.flatMap((run) => rangesOf(stretchesHere, run)),
    removed: goneRanges,
    done: {
      sheet: draft.sheetOf(target.table),
      ranges: runs.flatMap((run) => rangesOf(stretchesThere, run)),
      // Rows of the sheet that stay hold what was in others.
      added: [...rangesOf(stretchesOf(fresh), whole), ...(layout.isShifted ? goneRanges : [])],
    },
    names: covers === undefined ? keys.map((key) => keysName(target) + keyText(key)) : [],
    covers,
    within: schemaName(target.table),
    extent: fresh.length > 0 ? range : undefined,
  };
}

/** Columns that stand together, without the key: the rows that are there have it already. */
function writtenRuns(columns: readonly number[], target: TableTarget) {
  const key = neededKey(target);
  const written = columns.filter((index) => target.table.columns[index]?.id !== key.id);
  const runs = spansOfPositions(written.toSorted((a, b) => a - b));
  const { column0 } = target.range;
  return runs.map(({ from, count }) => ({ from: column0 + from, to: column0 + from + count - 1 }));
}

function keysName({ table }: TableTarget): string {
  return `${schemaName(table)}key `;
}

/** Positions of rows that are there, before and after, and positions and keys of the new ones. */
function placesOf(rows: readonly PlacedRow[]) {
  const [keys, here, there, fresh]: [CodedCell[], number[], number[], number[]] = [[], [], [], []];
  for (const { key, known, line } of rows) {
    if (known) {
      here.push(known.position);
      there.push(line.position);
    } else {
      keys.push(key);
      fresh.push(line.position);
    }
  }
  return { keys, here, there, fresh };
}

/** Rows that stand together; all from the first to the last where there would be many pieces. */
function stretchesOf(positions: readonly number[]): LineSpan[] {
  const sorted = Uint32Array.from(positions).sort();
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return [];
  const spans = spansOfPositions(sorted);
  return spans.length > exactSpanCount ? [{ from: first, count: last - first + 1 }] : spans;
}

function rangesOf(
  stretches: readonly LineSpan[],
  columns: { readonly from: number; readonly to: number },
): Range[] {
  return stretches.map(({ from, count }) => ({
    row0: from,
    row1: from + count - 1,
    column0: columns.from,
    column1: columns.to,
  }));
}
