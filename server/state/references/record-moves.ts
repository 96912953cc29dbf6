import {
  cellCount,
  holdsRange,
  intersection,
  overlaps,
  rangeName,
  type Range,
} from '../../model/range.ts';
import { recordTypes } from '../../model/record.ts';
import { Rejection } from '../../model/rejection.ts';
import { lineText, parseLine, rangeOf as areaRange } from '../structure/area.ts';
import type { PlanContext } from '../plan/plan.ts';
import { without } from '../ids/range-index.ts';
import { RecordDraft, type Placed } from './record-draft.ts';
import { shifted, withSpan, type Shift } from '../formulas/reference-map.ts';
import type { Retargeting } from './retarget.ts';
import type { RecordChange, StoredRecord, StoredType } from '../records/stored-record.ts';
import { limitOf, type SheetOutline, type Structure } from '../structure/structure.ts';
import { rangeOf } from '../structure/tables.ts';

/**
 * Types of records that can be split when a part of their cells moves; others move as a whole or
 * stay.
 */
const divisible: ReadonlySet<StoredType> = new Set([
  'cellmerge',
  'note',
  'thread',
  'validation',
  'cf',
  'hyperlink',
]);

interface Cut {
  readonly from: Placed;
  readonly to: Placed;
  readonly retargeting: Retargeting;
  /** The structure after the operation. */
  readonly after: Structure;
  /** True for a cut of one side that a merge makes on the other. */
  readonly isMerged: boolean;
}

/** Moves records along with cells that are cut and pasted; they replace those of the target. */
export function movedRecords(cut: Cut, context: PlanContext): RecordChange | undefined {
  const { from, to, retargeting } = cut;
  const draft = new RecordDraft(context, (text, homeId, sheetId) => {
    return retargeting.name(text, homeId, sheetId) ?? text;
  });
  const sheets = from.sheet === to.sheet ? [from.sheet] : [from.sheet, to.sheet];
  for (const sheet of sheets) {
    for (const type of recordTypes) {
      for (const record of context.records.on(type, sheet)) moveRecord(record, cut, draft);
    }
  }
  draft.carryOthers();
  const change = draft.finish();
  checkMerges(change, cut.after);
  return change;
}

function moveRecord(record: StoredRecord, cut: Cut, draft: RecordDraft): void {
  const { from, to } = cut;
  const ranges = draft.rangesOf(record);
  const isHere = record.sheetId === from.sheet.id;
  const rows = to.range.row0 - from.range.row0;
  const columns = to.range.column0 - from.range.column0;
  const moved = (range: Range): Placed => {
    return { sheet: to.sheet, range: shifted(range, rows, columns) };
  };
  if (!divisible.has(record.type) || record.type === 'thread') {
    // A sheet has at most one filter, so it does not move to another sheet.
    const mayGo = isHere && (record.type !== 'filter' || from.sheet === to.sheet);
    const isInside = mayGo && ranges.every((range) => holdsRange(from.range, range));
    if (!isInside) return coverThread(record, ranges, { to, draft });
    draft.place(record, ranges.map(moved));
    if (record.type === 'filter') carryCriteria(record, { from, to, columns }, draft);
    return;
  }
  const home = isHere ? from.sheet : to.sheet;
  const placed = ranges.flatMap((range): Placed[] => {
    const inside = isHere ? intersection(range, from.range) : undefined;
    const left = isHere ? without(range, from.range) : [range];
    const own = home === to.sheet ? left.flatMap((part) => without(part, to.range)) : left;
    const isCut = own.length > 0 && (inside !== undefined || !isSame(own, range));
    if (record.type === 'cellmerge' && isCut) {
      // Nobody may cut merged cells; a merge meets those of the other side, which stay whole.
      if (!cut.isMerged || isOverlaid(range, home, { from, moved }, draft)) {
        throw cutting(range, 'moving these cells');
      }
      return [{ sheet: home, range }];
    }
    const stays = own.map((part) => ({ sheet: home, range: part }));
    return inside ? [...stays, moved(inside)] : stays;
  });
  draft.place(record, placed);
}

/** Returns whether other merged cells that go with the block would come to lie on merged cells. */
function isOverlaid(
  range: Range,
  sheet: SheetOutline,
  { from, moved }: { readonly from: Placed; readonly moved: (range: Range) => Placed },
  draft: RecordDraft,
): boolean {
  return draft.mergedOn(from.sheet).some((other) => {
    const there = moved(other);
    return holdsRange(from.range, other) && there.sheet === sheet && overlaps(there.range, range);
  });
}

/**
 * Marks a thread as displaced when its cells are pasted over: a conversation outlives its cells.
 */
function coverThread(
  record: StoredRecord,
  ranges: readonly Range[],
  { to, draft }: { to: Placed; draft: RecordDraft },
): void {
  const isCovered = ranges.length > 0 && ranges.every((range) => holdsRange(to.range, range));
  if (record.type !== 'thread' || record.sheetId !== to.sheet.id || !isCovered) return;
  draft.change(record, (value) => ({ ...value, displaced: true }));
}

/** Rewrites filter criteria, which name columns by id. */
function carryCriteria(
  filter: StoredRecord,
  { from, to, columns }: { from: Placed; to: Placed; columns: number },
  draft: RecordDraft,
): void {
  const { criteria } = filter.value;
  if (!Array.isArray(criteria)) return;
  const carried = criteria.map((criterion) => {
    const { column } = criterion as { column: string };
    const { branch, sequence, offset } = parseLine(column);
    const position = from.sheet.columns.positionOf(branch, sequence, offset) ?? 0;
    const id = to.sheet.columns.idAt(position + columns);
    return { ...(criterion as object), column: lineText(id) };
  });
  const moved = { ...filter, sheetId: to.sheet.id };
  draft.change(moved, (value) => ({ ...value, criteria: carried }));
}

function isSame(parts: readonly Range[], range: Range): boolean {
  const [part] = parts;
  return parts.length === 1 && part !== undefined && rangeName(part) === rangeName(range);
}

export function cutting(range: Range, what: string): Rejection {
  return new Rejection('merge_overlap', `${what} would cut the merged cells ${rangeName(range)}`);
}

/** Throws a rejection if merged cells come to lie on a table. */
export function checkMerges(change: RecordChange | undefined, after: Structure): void {
  for (const { type, sheetId, areas } of change?.puts ?? []) {
    const sheet = type === 'cellmerge' ? after.withId(sheetId) : undefined;
    for (const table of sheet ? after.tables.onSheet(sheetId) : []) {
      const own = rangeOf(table, after);
      const merged = sheet && areas.flatMap((area) => areaRange(area, sheet) ?? []);
      if (!merged?.some((range) => overlaps(range, own))) continue;
      const message = `merged cells would lie on the table ${table.name}`;
      throw new Rejection('merge_overlap', message);
    }
  }
}

/** Moves records along with shifted cells, as if whole rows or columns were inserted or deleted. */
export function shiftedRecords(
  shift: Shift,
  sheet: SheetOutline,
  { retargeting, context }: { retargeting: Retargeting; context: PlanContext },
): RecordChange | undefined {
  const draft = new RecordDraft(context, (text, homeId) => {
    return retargeting.name(text, homeId) ?? text;
  });
  const band = bandOf(shift);
  for (const type of recordTypes) {
    for (const record of context.records.on(type, sheet)) {
      const ranges = draft.rangesOf(record);
      if (!ranges.some((range) => overlaps(range, band))) continue;
      const placed = ranges.flatMap((range) => {
        return shiftedParts(record, range, { shift, retargeting });
      });
      if (placed.length > 0 || record.type !== 'thread') {
        draft.place(
          record,
          placed.map((range) => ({ sheet, range })),
        );
      } else draft.change(record, (value) => ({ ...value, displaced: true }));
    }
  }
  draft.carryOthers();
  return draft.finish();
}

/** Returns the band of the sheet in which a shift moves cells. */
function bandOf({ area, axis }: Shift): Range {
  return withSpan(area.range, axis, [0, limitOf(axis) - 1]);
}

function shiftedParts(
  { type, sheetId }: StoredRecord,
  range: Range,
  { shift, retargeting }: { shift: Shift; retargeting: Retargeting },
): Range[] {
  const band = bandOf(shift);
  const inside = intersection(range, band);
  if (!inside) return [range];
  const left = without(range, band);
  const isFixed = type === 'filter' && shift.axis === 'column';
  if (isFixed || (left.length > 0 && !divisible.has(type))) return [range];
  const placed = retargeting.map.map({ sheetId, range: inside });
  if (placed === undefined) return [range];
  if (type === 'cellmerge' && left.length > 0) throw cutting(range, 'shifting these cells');
  if (placed === 'gone') return left;
  const isOne = type === 'cellmerge' && cellCount(placed.range) === 1;
  return isOne ? left : [...left, placed.range];
}
