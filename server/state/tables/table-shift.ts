import { blankCell } from '../cells/cell-coding.ts';
import { readColumn } from './table-cells.ts';
import { spansOfPositions } from './table-draft.ts';
import { lineAt } from './table-execute.ts';
import type { TableWrite } from '../plan/table-plan.ts';
import { closedUp, followContents, sameLines, type LineEnds } from './relocated-references.ts';
import { relocated, type LinePlace } from './table-relocation.ts';
import { columnLine, type RowsParts } from './table-row-parts.ts';
import { WriteList } from './table-writes.ts';

// Where other cells stand beside a table its rows stay, and their contents move up instead.

interface Shift {
  readonly from: number;
  readonly to: number;
}

/** Carries formulas, names and records along that name cells of rows which close up. */
export function* followShift(
  removed: readonly number[],
  { layout, target, draft, context }: RowsParts,
): Generator<void, void> {
  if (!layout.isShifted || !context.keepsTables) return;
  const { data, range, sheet } = target;
  const gone = removed.filter((row) => row !== layout.blanked);
  const inData = closedUp(gone);
  // A row of totals that rows came in before has gone down with its own row.
  const down = Math.min(0, layout.growth);
  const area = { ...range, row0: data.row0, row1: down < 0 ? range.row1 : data.row1 };
  const rows: LineEnds = (first, last) => {
    const ends = inData(first, Math.min(last, data.row1));
    if (last <= data.row1) return ends;
    return [first > data.row1 ? first + down : (ends?.[0] ?? last + down), last + down];
  };
  yield* followContents(
    draft,
    {
      area: { sheetId: sheet.id, range: area },
      rows,
      columns: sameLines,
      rowBreaks: [data.row1 + 1, ...endsOfStretches(gone)],
      written: area,
    },
    context,
  );
}

/** Rows at which others begin to go, or to stay: formulas of a stretch of them are one run. */
function endsOfStretches(gone: readonly number[]): number[] {
  return spansOfPositions(gone).flatMap(({ from, count }) => [from, from + count]);
}

/** The contents of all rows below the first one removed. */
export function moveContents(removed: readonly number[], parts: RowsParts): TableWrite {
  const { layout, target } = parts;
  const gone = new Set(removed);
  const shifts: Shift[] = [];
  for (let from = target.data.row0; from <= target.data.row1; from++) {
    const to = layout.placeOf(from);
    if (from !== to && !gone.has(from)) shifts.push({ from, to });
  }
  return shiftedWrite(shifts, { gone, blanks: [] }, parts);
}

/** The row of totals, and the rows that the table has no more. */
export function moveEnd(parts: RowsParts): TableWrite[] {
  const { layout, target } = parts;
  if (layout.growth >= 0) return [];
  const last = target.range.row1;
  const end = last + layout.growth;
  const shifts = target.table.totalsRow ? [{ from: last, to: end }] : [];
  const blanks = Array.from({ length: -layout.growth }, (_, index) => end + 1 + index);
  return [shiftedWrite(shifts, { gone: new Set(), blanks }, parts)];
}

function shiftedWrite(
  shifts: readonly Shift[],
  { gone, blanks }: { gone: ReadonlySet<number>; blanks: readonly number[] },
  parts: RowsParts,
): TableWrite {
  const { target, draft, context, layout } = parts;
  const { table, range, data } = target;
  const sheet = draft.sheetOf(table);
  const indexes = [...table.columns.keys()];
  const list = new WriteList(
    sheet,
    indexes.map((index) => columnLine(parts, index)),
  );
  const cells = context.cellsOf(target.sheet);
  const held = table.columns.map(({ line }) =>
    readColumn(cells, target.sheet, { column: line, range }),
  );
  const rows: LinePlace = (row) => {
    if (gone.has(row)) return undefined;
    return row > data.row1 ? row + layout.growth : layout.placeOf(row);
  };
  const area = { ...range, row0: data.row0 };
  const relocation = { sheet: target.sheet, area, rows, columns: (at: number) => at };
  for (const { from, to } of shifts) {
    list.begin(lineAt(sheet, 'row', to));
    for (const at of indexes) {
      const column = range.column0 + at;
      const input = context.inputAt(target.sheet, from, column);
      const moved = relocated(input, { relocation, rowShift: to - from, columnShift: 0 }, context);
      list.set(at, moved, context.coding.encode(moved, { row: to, column }, draft.structure));
      list.setFormat(at, held[at]?.formats[from - range.row0] ?? 0);
    }
  }
  for (const row of blanks) {
    list.begin(lineAt(sheet, 'row', row));
    for (const at of indexes) list.set(at, null, blankCell);
  }
  return list.finish();
}
