import type { Payload } from '../../model/operation.ts';
import {
  cellCount,
  columnCount,
  holdsRange,
  rangeName,
  rowCount,
  type Range,
} from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { LineSeries, type Filled, type SeriesCell } from './autofill-series.ts';
import { cellTag } from '../cells/block.ts';
import { checkTransfer, emptyLanes, wholeLanes, type LaneColumn } from '../cells/lanes.ts';
import type { PlanContext, Planning } from '../plan/plan.ts';
import {
  carried,
  findRectangle,
  resolveArea,
  sheetArgument,
  type Rectangle,
} from './plan-rectangles.ts';
import { allDeleted } from '../plan/plan-target.ts';
import { spanOf, withSpan } from '../formulas/reference-map.ts';
import { RewriteDraft } from '../references/rewrite-draft.ts';
import { constantOf } from '../references/rewrite-mutations.ts';
import type { Axis, SheetOutline } from '../structure/structure.ts';

type AutofillPayload = Payload<'range.autofill'>;

const cellsBetweenPauses = 1_024;

/** The side on which a source is continued. */
interface Direction {
  readonly axis: Axis;
  readonly isBackward: boolean;
}

interface Fill extends Direction {
  readonly sheet: SheetOutline;
  readonly source: Range;
  /** The filled area, next to the source. */
  readonly area: Range;
}

export function* planAutofill(payload: AutofillPayload, context: PlanContext): Planning {
  const clipped: string[] = [];
  const { sheet: argument, source: sourceText, target: targetText, series } = payload;
  const source = findRectangle({ sheet: argument, range: sourceText }, context, clipped);
  const here = targetText.includes('!') ? argument : (source.target.argument ?? argument);
  const target = findRectangle({ sheet: here, range: targetText }, context, []);
  if (target.target.base.id !== source.target.base.id) {
    throw new Rejection('bad_target', 'the target lies on another sheet than the source');
  }
  const { direction, whole } = directionOf(source.base, target.base);
  const head = carried(source.target, whole, clipped);
  const area = head && beyond(source.head, head, direction);
  if (!area) throw allDeleted(clipped);
  checkTransfer(cellCount(area));
  const sheet = source.target.head;
  const fill: Fill = { ...direction, sheet, source: source.head, area };
  const draft = new RewriteDraft(context);
  const held = yield* draft.read(sheet, area);
  const lanes = yield* filledLanes(fill, { held, draft, context, series });
  yield* draft.clear(sheet, area, { lanes: yield* draft.read(sheet, area) });
  yield* draft.write(sheet, lanes);
  const rebased = isMoved(source, target, rangeName(head) !== rangeName(whole));
  const moved = {
    sheet: sheetArgument(source.target),
    source: rangeName(source.head),
    target: rangeName(area),
    ...(series && { series }),
  };
  return {
    plan: draft.finish({ written: [{ sheet, range: area }] }),
    kind: 'range.autofill',
    payload: rebased ? moved : payload,
    resolved: { sheet: sheet.id, areas: resolveArea(sheet, area) },
    rebased,
    clipped,
  };
}

function isMoved(source: Rectangle, target: Rectangle, isWholeMoved: boolean): boolean {
  return source.isMoved || target.isMoved || isWholeMoved;
}

/**
 * Finds the direction of a fill: the target contains the source, or lies next to it on one side.
 */
function directionOf(source: Range, target: Range): { direction: Direction; whole: Range } {
  for (const axis of ['row', 'column'] as const) {
    const across = axis === 'row' ? 'column' : 'row';
    const [cross, wanted] = [spanOf(source, across), spanOf(target, across)];
    if (cross[0] !== wanted[0] || cross[1] !== wanted[1]) continue;
    const [[low, high], [from, to]] = [spanOf(source, axis), spanOf(target, axis)];
    const isAround = holdsRange(target, source);
    const isForward = isAround ? from === low && to > high : from === high + 1;
    const isBackward = isAround ? to === high && from < low : to === low - 1;
    if (!isForward && !isBackward) continue;
    const whole = withSpan(source, axis, [Math.min(low, from), Math.max(high, to)]);
    return { direction: { axis, isBackward }, whole };
  }
  const name = rangeName(source);
  throw new Rejection('bad_target', `the target goes on from ${name} down, up, right or left`);
}

function beyond(source: Range, whole: Range, { axis, isBackward }: Direction): Range | undefined {
  const [[low, high], [from, to]] = [spanOf(source, axis), spanOf(whole, axis)];
  if (isBackward) return from < low ? withSpan(whole, axis, [from, low - 1]) : undefined;
  return to > high ? withSpan(whole, axis, [high + 1, to]) : undefined;
}

interface Sources {
  readonly held: readonly LaneColumn[];
  readonly draft: RewriteDraft;
  readonly context: PlanContext;
  readonly series: AutofillPayload['series'];
}

/** Yields the columns of the filled area, with the values and formulas that continue the source. */
function* filledLanes(
  fill: Fill,
  { held, draft, context, series = {} }: Sources,
): Generator<void, LaneColumn[]> {
  const { sheet, source, area, axis, isBackward } = fill;
  const sources = wholeLanes(yield* draft.read(sheet, source), source);
  const kept = wholeLanes(held, area);
  checkSeries(sources, series);
  yield* draft.atHead(sources, sheet);
  yield* draft.atHead(kept, sheet);
  const grid = new FillGrid(fill, { sources, kept });
  const isFrom1904 = context.settings.get('dateSystem') === 1904;
  const across = axis === 'row' ? columnCount(area) : rowCount(area);
  const along = axis === 'row' ? rowCount(area) : columnCount(area);
  for (let line = 0; line < across; line++) {
    const cells = grid.line(line, context);
    if (!cells) continue;
    const next = new LineSeries(cells, { options: series, isBackward, isFrom1904 });
    for (let distance = 0; distance < along; distance++) {
      grid.set(line, distance, next.at(distance), context);
      if (distance % cellsBetweenPauses === 0) yield;
    }
  }
  return grid.lanes;
}

function checkSeries(
  sources: readonly LaneColumn[],
  { type }: NonNullable<AutofillPayload['series']>,
): void {
  if (type !== 'linear' && type !== 'growth' && type !== 'date') return;
  if (sources.some(({ tags }) => tags.includes(cellTag.number))) return;
  throw new Rejection('bad_series', `there is no number that a ${type} series could go on from`);
}

/** Collects the cells of a fill by line (column or row) and distance from the source. */
class FillGrid {
  readonly #fill: Fill;
  readonly #sources = new Map<number, LaneColumn>();
  readonly #kept = new Map<number, LaneColumn>();
  readonly #filled = new Map<number, LaneColumn>();

  constructor(
    fill: Fill,
    { sources, kept }: { sources: readonly LaneColumn[]; kept: readonly LaneColumn[] },
  ) {
    this.#fill = fill;
    for (const lanes of sources) this.#sources.set(lanes.column, lanes);
    for (const lanes of kept) this.#kept.set(lanes.column, lanes);
  }

  get lanes(): LaneColumn[] {
    return [...this.#filled.values()].sort((a, b) => a.column - b.column);
  }

  /** Returns the cells of the source in a line; undefined when all of them are blank. */
  line(line: number, { coding }: PlanContext): SeriesCell[] | undefined {
    const { source, axis } = this.#fill;
    const along = axis === 'row' ? rowCount(source) : columnCount(source);
    const cells: SeriesCell[] = [];
    let isBlank = true;
    for (let at = 0; at < along; at++) {
      const { lanes, index } = this.#source(line, at);
      const tag = lanes?.tags[index] ?? cellTag.blank;
      const number = lanes?.numbers[index] ?? 0;
      const format = lanes?.formats[index] ?? 0;
      if (tag !== cellTag.blank || format !== 0) isBlank = false;
      const input = constantOf({ tag, number }, coding.dictionary);
      cells.push({ input, format: coding.dictionary.format(format) });
    }
    return isBlank ? undefined : cells;
  }

  set(line: number, distance: number, filled: Filled, { coding, head }: PlanContext): void {
    const { area, axis, isBackward } = this.#fill;
    const along = axis === 'row' ? rowCount(area) : columnCount(area);
    const at = isBackward ? along - 1 - distance : distance;
    const column = axis === 'row' ? area.column0 + line : area.column0 + at;
    const index = axis === 'row' ? at : line;
    const lanes = this.#lanes(column);
    if (!filled) return copyLane(this.#kept.get(column), index, lanes, index);
    const from = this.#source(line, filled.like);
    copyLane(from.lanes, from.index, lanes, index);
    if (filled.value === undefined) return;
    const coded = coding.encode(filled.value, { row: 0, column: 0 }, head);
    lanes.tags[index] = coded.tag;
    lanes.numbers[index] = coded.number;
  }

  #source(line: number, at: number): { lanes: LaneColumn | undefined; index: number } {
    const { source, axis } = this.#fill;
    const column = axis === 'row' ? source.column0 + line : source.column0 + at;
    return { lanes: this.#sources.get(column), index: axis === 'row' ? at : line };
  }

  #lanes(column: number): LaneColumn {
    let lanes = this.#filled.get(column);
    if (!lanes) {
      lanes = emptyLanes(this.#fill.area.row0, column, rowCount(this.#fill.area));
      this.#filled.set(column, lanes);
    }
    return lanes;
  }
}

function copyLane(
  from: LaneColumn | undefined,
  fromIndex: number,
  to: LaneColumn,
  index: number,
): void {
  if (!from) return;
  to.tags[index] = from.tags[fromIndex] ?? cellTag.blank;
  to.numbers[index] = from.numbers[fromIndex] ?? 0;
  to.formats[index] = from.formats[fromIndex] ?? 0;
}
