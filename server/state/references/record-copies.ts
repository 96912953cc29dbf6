import {
  columnCount,
  holdsRange,
  intersection,
  overlaps,
  rangeName,
  rowCount,
  type Range,
} from '../../model/range.ts';
import type { RecordType } from '../../model/record.ts';
import { Rejection } from '../../model/rejection.ts';
import type { PlanContext } from '../plan/plan.ts';
import { without } from '../ids/range-index.ts';
import { RecordDraft, type Placed } from './record-draft.ts';
import { checkMerges, cutting } from './record-moves.ts';
import { shifted } from '../formulas/reference-map.ts';
import type { SortedRows } from './rewrite.ts';
import type { RecordChange, StoredRecord } from '../records/stored-record.ts';
import type { SheetOutline } from '../structure/structure.ts';

/** Types of records that are copied when formats are pasted, and when everything is. */
const withFormats: readonly RecordType[] = ['cellmerge', 'cf'];
const withAll: readonly RecordType[] = [...withFormats, 'note', 'validation', 'hyperlink'];

/** A block that is repeated to fill the target. */
interface Copy {
  readonly from: Placed;
  readonly to: Placed;
  /** Parts to paste; undefined for all. */
  readonly paste: readonly string[] | undefined;
}

/** Copies the records on the source; they replace records of the same types on the target. */
export function copiedRecords(
  { from, to, paste }: Copy,
  context: PlanContext,
): RecordChange | undefined {
  const types = paste === undefined ? withAll : paste.includes('formats') ? withFormats : [];
  const draft = new RecordDraft(context);
  const sheets = from.sheet === to.sheet ? [from.sheet] : [from.sheet, to.sheet];
  for (const sheet of sheets) {
    for (const type of types) {
      for (const record of context.records.on(type, sheet)) copyRecord(record, { from, to }, draft);
    }
  }
  const change = draft.finish();
  checkMerges(change, context.head);
  return change;
}

function copyRecord(record: StoredRecord, { from, to }: Omit<Copy, 'paste'>, draft: RecordDraft) {
  const ranges = draft.rangesOf(record);
  const isAtSource = record.sheetId === from.sheet.id;
  const isAtTarget = record.sheetId === to.sheet.id;
  const home = isAtSource ? from.sheet : to.sheet;
  const stays = isAtTarget ? ranges.flatMap((range) => uncovered(record, range, to)) : ranges;
  const copies = isAtSource ? ranges.flatMap((range) => copiesOf(record, range, { from, to })) : [];
  draft.place(record, [
    ...stays.map((range) => ({ sheet: home, range })),
    ...copies.map((range) => ({ sheet: to.sheet, range })),
  ]);
}

/**
 * Returns the parts of a range outside the target. Throws a rejection for merged cells that the
 * target would cut.
 */
function uncovered({ type }: StoredRecord, range: Range, to: Placed): Range[] {
  const left = without(range, to.range);
  const isCut = left.length > 0 && overlaps(range, to.range);
  if (type === 'cellmerge' && isCut) throw cutting(range, 'pasting there');
  return left;
}

function copiesOf(
  { type, id }: StoredRecord,
  range: Range,
  { from, to }: { from: Placed; to: Placed },
): Range[] {
  const inside = intersection(range, from.range);
  if (!inside || (type === 'cellmerge' && !holdsRange(from.range, range))) return [];
  return [...tiles(inside, { from: from.range, to: to.range, isJoined: id !== '' })];
}

interface Tiling {
  readonly from: Range;
  readonly to: Range;
  /** True when adjoining copies may become one range. */
  readonly isJoined: boolean;
}

/** Yields the ranges of all copies of a part of the source. */
function* tiles(part: Range, { from, to, isJoined }: Tiling): Generator<Range> {
  const isWholeHeight = isJoined && part.row0 === from.row0 && part.row1 === from.row1;
  const isWholeWidth = isJoined && part.column0 === from.column0 && part.column1 === from.column1;
  const height = isWholeHeight ? rowCount(to) : rowCount(from);
  const width = isWholeWidth ? columnCount(to) : columnCount(from);
  for (let row = to.row0; row <= to.row1; row += height) {
    for (let column = to.column0; column <= to.column1; column += width) {
      const copy = shifted(part, row - from.row0, column - from.column0);
      yield {
        ...copy,
        row1: isWholeHeight ? to.row1 : copy.row1,
        column1: isWholeWidth ? to.column1 : copy.column1,
      };
    }
  }
}

/** Moves notes, threads and links along with sorted rows; a link is split by rows. */
export function sortedRecords(
  { sheet, range, rows }: SortedRows,
  context: PlanContext,
): RecordChange | undefined {
  const draft = new RecordDraft(context);
  const places = new Uint32Array(rows.length);
  for (const [place, row] of rows.entries()) places[row] = place;
  const sorted = (row: number) => range.row0 + (places[row - range.row0] ?? 0);
  for (const type of ['note', 'thread'] as const) {
    for (const record of context.records.on(type, sheet)) {
      const [own, ...more] = draft.rangesOf(record);
      if (!own || more.length > 0 || own.row0 !== own.row1 || !holdsRange(range, own)) continue;
      const row = sorted(own.row0);
      draft.place(record, [{ sheet, range: { ...own, row0: row, row1: row } }]);
    }
  }
  for (const link of context.records.on('hyperlink', sheet)) {
    const placed = draft.rangesOf(link).flatMap((own) => {
      const inside = intersection(own, range);
      const parts = inside ? sortedParts(inside, sorted) : [];
      const stays = !inside || (parts.length === 1 && parts[0]?.row0 === inside.row0);
      return stays ? [own] : [...without(own, range), ...parts];
    });
    draft.place(
      link,
      placed.map((part) => ({ sheet, range: part })),
    );
  }
  return draft.finish();
}

/** Returns the ranges of rows after a sort; neighbours are joined. */
function sortedParts(range: Range, sorted: (row: number) => number): Range[] {
  const rows = Uint32Array.from({ length: rowCount(range) }, (_, at) => sorted(range.row0 + at));
  const parts: Range[] = [];
  let start = 0;
  rows.sort().forEach((row, at) => {
    if (rows[at + 1] === row + 1) return;
    parts.push({ ...range, row0: rows[start] ?? row, row1: row });
    start = at + 1;
  });
  return parts;
}

/** Throws a rejection if rows of a sort have different merged cells, as Excel does. */
export function checkSortable(sheet: SheetOutline, range: Range, { records }: PlanContext): void {
  const merged = records.meeting('cellmerge', sheet, range).flatMap((merge) => {
    return records.rangesOf(merge, sheet);
  });
  const counts = new Map<string, number>();
  for (const own of merged) {
    const columns = `${own.column0}:${own.column1}`;
    const isInRow = own.row0 === own.row1 && holdsRange(range, own);
    counts.set(columns, isInRow ? (counts.get(columns) ?? 0) + 1 : Number.NaN);
  }
  const uneven = merged.find(({ column0, column1 }) => {
    return counts.get(`${column0}:${column1}`) !== rowCount(range);
  });
  if (!uneven) return;
  const message = `${rangeName(uneven)} is merged, and not alike in all rows to sort`;
  throw new Rejection('merge_overlap', message);
}
