import { columnLimit, rowLimit } from '../../model/address.ts';
import type { Payload } from '../../model/operation.ts';
import { columnCount, rangeName, rowCount, type Range } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { areaOf } from '../cells/formula-runs.ts';
import { filledBounds } from '../cells/lanes.ts';
import type { PlanContext, Planned, Planning } from '../plan/plan.ts';
import { planDelete, planInsert } from './plan-lines.ts';
import {
  areaAt,
  findRectangle,
  resolveArea,
  sheetArgument,
  type Rectangle,
} from './plan-rectangles.ts';
import { calculatedRuns, keptShift, type KeptShift } from '../references/shifted-tables.ts';
import { shiftedRecords } from '../references/record-moves.ts';
import { ShiftMap, spanOf, withSpan, type Shift } from '../formulas/reference-map.ts';
import { Retargeting } from '../references/retarget.ts';
import { RewriteDraft } from '../references/rewrite-draft.ts';
import type { RewritePlan } from '../references/rewrite.ts';
import { limitOf, type Axis, type SheetOutline } from '../structure/structure.ts';
import { retargetTables, shiftTables } from '../references/table-carry.ts';

type ShiftPayload = Payload<'range.insert'> | Payload<'range.delete'>;

/** Inserts or deletes cells, and shifts the cells to the right of them or below. */
export function* planShift(
  type: Shift['type'],
  payload: ShiftPayload,
  context: PlanContext,
): Planning {
  const clipped: string[] = [];
  const found = findRectangle(payload, context, clipped);
  const axis: Axis = payload.shift === 'down' || payload.shift === 'up' ? 'row' : 'column';
  if (isWholeLines(found.base, axis)) return planWhole(type, { found, axis, context });
  const sheet = found.target.head;
  const kept = keptShift({ area: areaAt(sheet, found.head), axis, type }, sheet, context);
  const moves = movesOf(kept.shift);
  const areas = resolveArea(sheet, moves?.source ?? found.head);
  const to = moves && { sheet: sheet.id, areas: resolveArea(sheet, moves.target) };
  const { plan, entered } = yield* planShifted(kept, sheet, context);
  const wrote = [kept.blank ?? [], ...entered].flat().flatMap((range) => resolveArea(sheet, range));
  return {
    plan,
    kind: type === 'insert' ? 'range.insert' : 'range.delete',
    payload: found.isMoved
      ? { sheet: sheetArgument(found.target), range: rangeName(found.head), shift: payload.shift }
      : payload,
    resolved: {
      sheet: sheet.id,
      areas,
      ...(to && { to }),
      ...(wrote.length > 0 && { wrote, keepsTables: true }),
    },
    rebased: found.isMoved,
    clipped,
  };
}

/** Returns whether the shifted cells are whole rows (or columns), which then move as lines. */
function isWholeLines(range: Range, axis: Axis): boolean {
  return axis === 'row' ? columnCount(range) === columnLimit : rowCount(range) === rowLimit;
}

function planWhole(
  type: Shift['type'],
  { found, axis, context }: { found: Rectangle; axis: Axis; context: PlanContext },
): Planned {
  const [first, last] = spanOf(found.base, axis);
  const sheet = sheetArgument(found.target);
  const count = last - first + 1;
  if (type === 'insert') return planInsert(axis, { sheet, before: first + 1, count }, context);
  return planDelete(axis, { sheet, from: first + 1, count }, context);
}

interface Moves {
  readonly source: Range;
  readonly target: Range;
  /** Number of rows or columns by which each cell moves. */
  readonly count: number;
}

/**
 * Returns the cells that move and their new places; undefined if none are behind the area, or there
 * is no room.
 */
function movesOf({ area, axis, type }: Shift): Moves | undefined {
  const [at, last] = spanOf(area.range, axis);
  const end = limitOf(axis) - 1;
  const count = last - at + 1;
  if (last === end || count === 0) return undefined;
  const near = withSpan(area.range, axis, [at, end - count]);
  const far = withSpan(area.range, axis, [last + 1, end]);
  if (type === 'delete') return { source: far, target: near, count: -count };
  return { source: near, target: far, count };
}

/** A plan, and the cells that got formulas from tables. */
interface Shifted {
  readonly plan: RewritePlan;
  readonly entered: readonly Range[];
}

function* planShifted(
  { shift, blank }: KeptShift,
  sheet: SheetOutline,
  context: PlanContext,
): Generator<void, Shifted> {
  const draft = new RewriteDraft(context);
  const { area, axis } = shift;
  if (blank) yield* blankOut(blank, draft, sheet);
  const [at, last] = spanOf(area.range, axis);
  // Blanking the only row of a table shifts nothing.
  const shifted = last < at ? undefined : yield* shiftCells(shift, { draft, sheet, context });
  const after = shifted?.after ?? context.head;
  const fresh = isComing(shift) ? area.range : blank;
  const runs = calculatedRuns(fresh, { sheet, structure: after }, context);
  yield* draft.enter(runs);
  const band = shifted?.band ?? area.range;
  const range = blank ? { ...band, row0: blank.row0 } : band;
  const names = shifted && (yield* draft.retarget(shifted.retargeting, [areaAt(sheet, range)]));
  const plan = draft.finish({
    written: [{ sheet, range }],
    after,
    ...(names && { names }),
    ...(shifted && {
      map: shifted.retargeting.map,
      records: shiftedRecords(shift, sheet, { ...shifted, context }),
    }),
  });
  return { plan, entered: runs.map(areaOf) };
}

function isComing({ axis, type }: Shift): boolean {
  return axis === 'row' && type === 'insert';
}

/** Clears the content of cells and keeps their formats. */
function* blankOut(area: Range, draft: RewriteDraft, sheet: SheetOutline): Generator<void, void> {
  const lanes = yield* draft.read(sheet, area);
  yield* draft.clear(sheet, area, { lanes, what: { values: true, formats: false } });
}

interface ShiftParts {
  readonly draft: RewriteDraft;
  readonly sheet: SheetOutline;
  readonly context: PlanContext;
}

/** Moves the cells behind the area, and returns the range that they and the area cover. */
function* shiftCells(shift: Shift, { draft, sheet, context }: ShiftParts) {
  const { area, axis, type } = shift;
  const moves = movesOf(shift);
  const [at, last] = spanOf(area.range, axis);
  const end = limitOf(axis) - 1;
  const band = withSpan(area.range, axis, [at, end]);
  const retargeting = new Retargeting(new ShiftMap(shift), draft.formulas);
  const after = retargetTables(shiftTables(context.head, shift, sheet), retargeting);
  const all = yield* draft.read(sheet, band);
  if (type === 'insert') {
    const bounds = filledBounds(all);
    const used = bounds && spanOf(bounds, axis)[1];
    if (used !== undefined && used > end - (last - at + 1)) {
      throw new Rejection('grid_full', `${rangeName(bounds ?? band)} leaves no room to shift`);
    }
  }
  const lanes = moves ? yield* draft.read(sheet, moves.source) : [];
  yield* draft.clear(sheet, band, { lanes: all });
  yield* draft.atHead(lanes, sheet);
  const by = moves?.count ?? 0;
  const [rows, columns] = axis === 'row' ? [by, 0] : [0, by];
  yield* draft.paste(lanes, { from: sheet, to: sheet, rows, columns }, retargeting);
  return { band, after, retargeting };
}
