import { columnLimit, rowLimit } from '../../model/address.ts';
import type { Payload } from '../../model/operation.ts';
import { cellCount, columnCount, rangeName, rowCount, type Range } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import type { PlanContext, Planning } from '../plan/plan.ts';
import { without } from '../ids/range-index.ts';
import { areaAt, findRectangle, resolveArea, sheetArgument } from './plan-rectangles.ts';
import { movedRecords } from '../references/record-moves.ts';
import { MoveMap } from '../formulas/reference-map.ts';
import { RewriteDraft } from '../references/rewrite-draft.ts';
import { Retargeting } from '../references/retarget.ts';
import type { RewritePlan } from '../references/rewrite.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { moveTables, retargetTables } from '../references/table-carry.ts';

interface Place {
  readonly sheet: SheetOutline;
  readonly range: Range;
}

/** Plans `range.move`: cut and paste of a block. */
export function* planRangeMove(payload: Payload<'range.move'>, context: PlanContext): Planning {
  const clipped: string[] = [];
  const { sheet, source: range, toSheet, to } = payload;
  const source = findRectangle({ sheet, range }, context, clipped);
  const there = findRectangle(
    toArgument(source.target.argument, { sheet, toSheet, to }),
    context,
    [],
  );
  checkSize(source.base, there.base);
  const from = { sheet: source.target.head, range: source.head };
  const target = { sheet: there.target.head, range: placedAt(there.head, source.head) };
  const rebased = source.isMoved || there.isMoved;
  const moved = {
    sheet: sheetArgument(source.target),
    source: rangeName(source.head),
    toSheet: sheetArgument(there.target),
    to: rangeName(target.range),
  };
  return {
    plan: yield* planCut(from, target, context),
    kind: 'range.move',
    payload: rebased ? moved : payload,
    resolved: {
      sheet: from.sheet.id,
      areas: resolveArea(from.sheet, from.range),
      to: { sheet: target.sheet.id, areas: resolveArea(target.sheet, target.range) },
    },
    rebased,
    clipped,
  };
}

/** Reads `to`, which is on the sheet of the source unless it names another. */
export function toArgument(
  sourceSheet: string | undefined,
  { sheet, toSheet, to }: { sheet?: string | undefined; toSheet?: string | undefined; to: string },
) {
  if (toSheet !== undefined) return { sheet: toSheet, range: to };
  if (to.includes('!')) return { range: to };
  return { sheet: sourceSheet ?? sheet, range: to };
}

function checkSize(source: Range, to: Range): void {
  if (cellCount(to) === 1) return;
  if (rowCount(to) === rowCount(source) && columnCount(to) === columnCount(source)) return;
  const size = `${rowCount(source)} by ${columnCount(source)} cells`;
  throw new Rejection('bad_target', `give the first cell, or as many as the source: ${size}`);
}

/** Returns the range of the size of `size` at the first cell of `corner`. */
export function placedAt(corner: Range, size: Range): Range {
  const row1 = corner.row0 + rowCount(size) - 1;
  const column1 = corner.column0 + columnCount(size) - 1;
  if (row1 >= rowLimit || column1 >= columnLimit) {
    throw new Rejection('outside_grid', 'the cells would reach beyond the last row or column');
  }
  return { row0: corner.row0, column0: corner.column0, row1, column1 };
}

function* planCut(from: Place, to: Place, context: PlanContext): Generator<void, RewritePlan> {
  const draft = new RewriteDraft(context);
  const [source, target] = [areaAt(from.sheet, from.range), areaAt(to.sheet, to.range)];
  const rows = to.range.row0 - from.range.row0;
  const columns = to.range.column0 - from.range.column0;
  if (rows === 0 && columns === 0 && from.sheet === to.sheet) return draft.finish({ written: [] });
  const retargeting = new Retargeting(new MoveMap(source, target), draft.formulas);
  const lanes = yield* draft.read(from.sheet, from.range);
  yield* draft.clear(from.sheet, from.range, { lanes });
  const overwritten = from.sheet === to.sheet ? without(to.range, from.range) : [to.range];
  for (const area of overwritten) {
    yield* draft.clear(to.sheet, area, { lanes: yield* draft.read(to.sheet, area) });
  }
  yield* draft.atHead(lanes, from.sheet);
  yield* draft.paste(lanes, { from: from.sheet, to: to.sheet, rows, columns }, retargeting);
  const names = yield* draft.retarget(retargeting, [source, target]);
  const after = retargetTables(moveTables(context.head, { source, target }), retargeting);
  // Merged cells that a cut of a person crosses are refused before there is anything to journal.
  const isMerged = context.formulaOrigin === 'journal';
  return draft.finish({
    written: [from, to],
    map: retargeting.map,
    names,
    after,
    records: movedRecords({ from, to, retargeting, after, isMerged }, context),
  });
}
