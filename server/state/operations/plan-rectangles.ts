import { columnLimit, rowLimit } from '../../model/address.ts';
import { rangeName, type Range } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import type { LineMap } from '../structure/line-map.ts';
import type { PlanContext } from '../plan/plan.ts';
import {
  allDeleted,
  findRange,
  mapArea,
  resolveAreas,
  type SheetTarget,
} from '../plan/plan-target.ts';
import type { ResolvedArea } from '../plan/resolved.ts';
import type { SheetArea } from '../formulas/reference-map.ts';
import type { SheetOutline } from '../structure/structure.ts';

/** A rectangle of a payload, at the base and at the head. */
export interface Rectangle {
  readonly target: SheetTarget;
  readonly base: Range;
  readonly head: Range;
  /** True if its address differs at the head. */
  readonly isMoved: boolean;
}

interface RangeArgument {
  readonly sheet?: string | undefined;
  readonly range: string;
}

/**
 * Finds a rectangle at the base. At the head it spans its first to its last line that is left, with
 * the lines inserted in between, as a reference does.
 */
export function findRectangle(
  argument: RangeArgument,
  context: PlanContext,
  clipped: string[],
): Rectangle {
  const { sheet: target, areas, isRenamed } = findRange(argument, context);
  const [base, ...more] = areas;
  if (!base || more.length > 0) {
    throw new Rejection('bad_range', `${argument.range} is not one rectangle`);
  }
  const head = carried(target, base, clipped);
  if (!head) throw allDeleted(clipped);
  return { target, base, head, isMoved: isRenamed || rangeName(head) !== rangeName(base) };
}

/** Carries a rectangle to the head; undefined if nothing of it is left. */
export function carried(target: SheetTarget, base: Range, clipped: string[]): Range | undefined {
  if (target.unchanged) return base;
  mapArea(target, base, clipped);
  const rows = lines(target.rows, base.row0, base.row1, rowLimit);
  const columns = lines(target.columns, base.column0, base.column1, columnLimit);
  if (!rows || !columns) return undefined;
  return { row0: rows[0], row1: rows[1], column0: columns[0], column1: columns[1] };
}

function lines(map: LineMap, from: number, to: number, limit: number) {
  return from === 0 && to === limit - 1 ? ([from, to] as const) : map.range(from, to);
}

export function areaAt(sheet: SheetOutline, range: Range): SheetArea {
  return { sheetId: sheet.id, range };
}

/** Spells the sheet for the journal. */
export function sheetArgument(target: SheetTarget): string {
  return target.argument ?? target.head.id;
}

export function resolveArea(sheet: SheetOutline, area: Range): ResolvedArea[] {
  return resolveAreas(sheet, [area]);
}
