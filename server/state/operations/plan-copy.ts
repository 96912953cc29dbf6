import type { Payload } from '../../model/operation.ts';
import { columnCount, rangeName, rowCount, type Range } from '../../model/range.ts';
import { cellName } from '../../model/address.ts';
import { Rejection } from '../../model/rejection.ts';
import { cellTag } from '../cells/block.ts';
import { checkTransfer, emptyLanes, wholeLanes, type LaneColumn } from '../cells/lanes.ts';
import type { PlanContext, Planning } from '../plan/plan.ts';
import { placedAt, toArgument } from './plan-move.ts';
import { findRectangle, resolveArea, sheetArgument } from './plan-rectangles.ts';
import { copiedRecords } from '../references/record-copies.ts';
import { RewriteDraft } from '../references/rewrite-draft.ts';

type CopyPayload = Payload<'range.copy'>;

/** The number of copies of the source in the target, downward and across. */
interface Tiling {
  readonly down: number;
  readonly across: number;
}

export function* planRangeCopy(payload: CopyPayload, context: PlanContext): Planning {
  const clipped: string[] = [];
  const { sheet, source: range, toSheet, to, paste } = payload;
  const source = findRectangle({ sheet, range }, context, clipped);
  const there = findRectangle(
    toArgument(source.target.argument, { sheet, toSheet, to }),
    context,
    [],
  );
  const tiling = tilingOf(source.base, there.base);
  const target = placedAt(there.head, tiled(source.head, tiling));
  const [from, into] = [source.target.head, there.target.head];
  const what = pasted(paste);
  const draft = new RewriteDraft(context);
  const lanes = selected(yield* draft.read(from, source.head), what);
  if (paste && !paste.includes('formulas') && what.values) checkConstant(lanes);
  yield* draft.atHead(lanes, from);
  yield* draft.clear(into, target, { lanes: yield* draft.read(into, target), what });
  yield* draft.write(into, yield* copies(lanes, source.head, { target, tiling }));
  const rebased = source.isMoved || there.isMoved;
  const moved: CopyPayload = {
    sheet: sheetArgument(source.target),
    source: rangeName(source.head),
    toSheet: sheetArgument(there.target),
    to: rangeName(target),
    ...(paste && { paste }),
  };
  return {
    plan: draft.finish({
      written: [{ sheet: into, range: target }],
      records: copiedRecords(
        { from: { sheet: from, range: source.head }, to: { sheet: into, range: target }, paste },
        context,
      ),
    }),
    kind: 'range.copy',
    payload: rebased ? moved : payload,
    resolved: {
      sheet: from.id,
      areas: resolveArea(from, source.head),
      to: { sheet: into.id, areas: resolveArea(into, target) },
    },
    rebased,
    clipped,
  };
}

/**
 * Finds the copies: a target of several times the size of the source is filled, any other is a
 * corner.
 */
function tilingOf(source: Range, to: Range): Tiling {
  const times = (have: number, need: number) => (have % need === 0 ? have / need : 1);
  return {
    down: times(rowCount(to), rowCount(source)),
    across: times(columnCount(to), columnCount(source)),
  };
}

function tiled(source: Range, { down, across }: Tiling): Range {
  return {
    ...source,
    row1: source.row0 + rowCount(source) * down - 1,
    column1: source.column0 + columnCount(source) * across - 1,
  };
}

/** Names the parts that are pasted: `values` and `formulas` write constants alike. */
function pasted(paste: CopyPayload['paste']) {
  const values = !paste || paste.includes('values') || paste.includes('formulas');
  return { values, formats: !paste || paste.includes('formats') };
}

function selected(
  lanes: readonly LaneColumn[],
  { values, formats }: { values: boolean; formats: boolean },
): LaneColumn[] {
  for (const column of lanes) {
    if (!values) column.tags.fill(cellTag.blank);
    if (!formats) column.formats.fill(0);
  }
  return [...lanes];
}

/** Throws a rejection if there is a formula, whose result is not known here. */
function checkConstant(lanes: readonly LaneColumn[]): void {
  for (const { row, column, tags } of lanes) {
    const at = tags.indexOf(cellTag.formula);
    if (at < 0) continue;
    const cell = cellName(row + at, column);
    throw new Rejection('copy_needs_values', `${cell} holds a formula, whose value is not stored`);
  }
}

/** Returns the columns of the source, placed in the target. */
function* copies(
  lanes: readonly LaneColumn[],
  source: Range,
  { target, tiling }: { target: Range; tiling: Tiling },
): Generator<void, LaneColumn[]> {
  const height = rowCount(source);
  const width = columnCount(source);
  const rows = target.row0 - source.row0;
  const columns = tiling.down === 1 ? lanes : wholeLanes(lanes, source);
  const filled = columns.reduce((sum, { tags }) => sum + tags.length, 0);
  checkTransfer(filled * tiling.down * tiling.across);
  const found: LaneColumn[] = [];
  for (let index = 0; index < tiling.across; index++) {
    const by = target.column0 - source.column0 + index * width;
    for (const lane of columns) {
      const at = { row: lane.row + rows, column: lane.column + by };
      found.push(repeated(lane, { ...at, times: tiling.down, height }));
      yield;
    }
  }
  return found;
}

function repeated(
  { tags, numbers, formats }: LaneColumn,
  to: { row: number; column: number; times: number; height: number },
): LaneColumn {
  const { row, column, times, height } = to;
  const lanes = emptyLanes(row, column, times === 1 ? tags.length : times * height);
  for (let index = 0; index < times; index++) {
    lanes.tags.set(tags, index * height);
    lanes.numbers.set(numbers, index * height);
    lanes.formats.set(formats, index * height);
  }
  return lanes;
}
