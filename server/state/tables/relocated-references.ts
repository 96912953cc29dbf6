import { placesAfter } from './table-layout.ts';
import { rowLimit } from '../../model/address.ts';
import { holdsRange, intersection, type Range } from '../../model/range.ts';
import type { RecordType } from '../../model/record.ts';
import { FormulaRuns } from '../cells/formula-runs.ts';
import type { ReferenceMap, SheetArea } from '../formulas/reference-map.ts';
import { without } from '../ids/range-index.ts';
import type { PlanContext } from '../plan/plan.ts';
import { RecordDraft } from '../references/record-draft.ts';
import { Retargeting } from '../references/retarget.ts';
import { RewriteDraft } from '../references/rewrite-draft.ts';
import type { TableDraft } from './table-draft.ts';

// When contents move between cells of a table whose lines stay, everything elsewhere that refers to
// them follows, as if lines of the sheet had been deleted.

/** Maps the ends of a stretch of lines to its new ends; undefined when nothing is left. */
export type LineEnds = (first: number, last: number) => readonly [number, number] | undefined;

/** Contents of an area that moved, with the maps of its lines. */
export interface MovedContents {
  readonly area: SheetArea;
  readonly rows: LineEnds;
  readonly columns: LineEnds;
  /** Rows at which the map changes direction; formulas between two of them change alike. */
  readonly rowBreaks: readonly number[];
  /** Cells whose formulas the plan writes itself. */
  readonly written: Range;
}

export const sameLines: LineEnds = (first, last) => [first, last];

/** Returns the map of lines that close up after others were removed; `removed` is sorted. */
export function closedUp(removed: readonly number[]): LineEnds {
  const placeOf = placesAfter(removed);
  return (first, last) => {
    const [from, end] = [placeOf(first), placeOf(last + 1)];
    return from < end ? [from, end - 1] : undefined;
  };
}

/** Returns the map of lines from `first` on in another order; a line without a place is removed. */
export function rearranged(first: number, order: readonly number[]): LineEnds {
  const places = new Map(order.map((from, to) => [from + first, to + first]));
  return (from, to) => {
    let ends: readonly [number, number] | undefined;
    for (let at = from; at <= to; at++) {
      const place = places.get(at);
      if (place === undefined) continue;
      ends = [Math.min(ends?.[0] ?? place, place), Math.max(ends?.[1] ?? place, place)];
    }
    return ends;
  };
}

class ContentsMap implements ReferenceMap {
  readonly interest: readonly SheetArea[];
  readonly rowBreaks: readonly number[];
  readonly #moved: MovedContents;

  constructor(moved: MovedContents) {
    this.interest = [moved.area];
    const { row0, row1 } = moved.area.range;
    this.rowBreaks = [1, rowLimit - 1, row0, row1 + 1, ...moved.rowBreaks];
    this.#moved = moved;
  }

  /** Maps a range; one that reaches beyond the area does not change. */
  map({ sheetId, range }: SheetArea): SheetArea | 'gone' | undefined {
    const { area, rows, columns } = this.#moved;
    if (sheetId !== area.sheetId || !holdsRange(area.range, range)) return undefined;
    const down = rows(range.row0, range.row1);
    const across = columns(range.column0, range.column1);
    if (!down || !across) return 'gone';
    const [[row0, row1], [column0, column1]] = [down, across];
    const isSame =
      row0 === range.row0 &&
      row1 === range.row1 &&
      column0 === range.column0 &&
      column1 === range.column1;
    return isSame ? undefined : { sheetId, range: { row0, row1, column0, column1 } };
  }
}

/** Rewrites formulas, names, records and calculated columns that refer to moved contents. */
export function* followContents(
  draft: TableDraft,
  moved: MovedContents,
  context: PlanContext,
): Generator<void, void> {
  const { structure } = draft;
  draft.keepsTables = true;
  const head = { ...context, head: structure };
  const runs = new FormulaRuns(context.coding, structure);
  const retargeting = new Retargeting(new ContentsMap(moved), runs);
  const rewrite = new RewriteDraft(head);
  const { sheetId } = moved.area;
  const names = yield* rewrite.retarget(retargeting, [{ sheetId, range: moved.written }]);
  const records = movedRecords(moved, retargeting, head);
  const { runs: changed, mutations } = rewrite.finish({ written: [] });
  draft.retarget(retargeting);
  if (changed.length + names.length === 0 && !records) return;
  draft.followed = { structure, runs: changed, names, records, mutations };
}

/** Types of records that can be split when a part of their cells moves. */
const divisible: readonly RecordType[] = ['note', 'thread', 'validation', 'cf', 'hyperlink'];

function movedRecords(moved: MovedContents, retargeting: Retargeting, context: PlanContext) {
  const draft = new RecordDraft(context, (text, homeId, sheetId) => {
    return retargeting.name(text, homeId, sheetId) ?? text;
  });
  const sheet = context.head.withId(moved.area.sheetId);
  for (const type of sheet ? divisible : []) {
    for (const record of sheet ? context.records.meeting(type, sheet, moved.area.range) : []) {
      const ranges = draft.rangesOf(record);
      const placed = ranges.flatMap((range) => placedParts(range, moved));
      const isLost = placed.length === 0 && type === 'thread';
      if (isLost) draft.change(record, (value) => ({ ...value, displaced: true }));
      else if (sheet) {
        draft.place(
          record,
          placed.map((range) => ({ sheet, range })),
        );
      }
    }
  }
  draft.carryOthers();
  return draft.finish();
}

/** Returns the new places of the cells of a range. */
function placedParts(range: Range, { area, rows, columns }: MovedContents): Range[] {
  const inside = intersection(range, area.range);
  if (!inside) return [range];
  const down = rows(inside.row0, inside.row1);
  const moved = down ? stretchesOf(inside, columns) : [];
  const placed = moved.map(([column0, column1]): Range => {
    return { row0: down?.[0] ?? 0, row1: down?.[1] ?? 0, column0, column1 };
  });
  const [first] = placed;
  const isSame = first !== undefined && placed.length === 1 && holdsRange(first, inside);
  return isSame && holdsRange(inside, first) ? [range] : [...without(range, area.range), ...placed];
}

/** Returns the new places of columns, with neighbours joined. */
function stretchesOf({ column0, column1 }: Range, columns: LineEnds): [number, number][] {
  const places: number[] = [];
  for (let at = column0; at <= column1; at++) {
    const [place] = columns(at, at) ?? [];
    if (place !== undefined) places.push(place);
  }
  const stretches: [number, number][] = [];
  for (const place of places.sort((a, b) => a - b)) {
    const last = stretches.at(-1);
    if (last && last[1] + 1 === place) last[1] = place;
    else stretches.push([place, place]);
  }
  return stretches;
}
