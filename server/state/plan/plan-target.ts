import { parseAddress } from '../../model/address.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import {
  cellCount,
  columnCount,
  parseSheetRange,
  rangeName,
  rowCount,
  splitSheet,
  type Range,
} from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { LineMap } from '../structure/line-map.ts';
import type { Piece } from '../ids/order.ts';
import type { PlanContext } from './plan.ts';
import { flatten, type ResolvedArea } from './resolved.ts';
import type { SheetOutline } from '../structure/structure.ts';

/** A sheet as the client saw it, and at the head. */
export interface SheetTarget {
  readonly base: SheetOutline;
  readonly head: SheetOutline;
  readonly rows: LineMap;
  readonly columns: LineMap;
  readonly unchanged: boolean;
  /**
   * The sheet argument to journal: as sent, or the id when the name as sent means something else at
   * the head.
   */
  readonly argument: string | undefined;
}

/** A part of a submitted area, carried to the head. */
export interface MappedArea {
  readonly range: Range;
  /** Position of its first cell in the submitted area. */
  readonly skippedRows: number;
  readonly skippedColumns: number;
}

export function findSheet(argument: string | undefined, context: PlanContext): SheetTarget {
  let target = context.targets.get(argument);
  if (!target) {
    target = lookUpSheet(argument, context);
    context.targets.set(argument, target);
  }
  return target;
}

function lookUpSheet(argument: string | undefined, context: PlanContext): SheetTarget {
  const { base, head } = context;
  const seen = argument === undefined ? base.sheets[0] : base.find(argument);
  if (!seen) {
    const isNewer = argument !== undefined && head.find(argument) !== undefined;
    const why = isNewer ? ' at baseSeq' : '';
    throw new Rejection('sheet_not_found', `there is no sheet ${argument ?? ''}${why}`);
  }
  const now = head.withId(seen.id);
  if (!now) throw new Rejection('target_deleted', `the sheet ${seen.name} was deleted`);
  const isStillMeant =
    argument === undefined ? head.sheets[0]?.id === seen.id : head.find(argument)?.id === seen.id;
  const rows = new LineMap(seen, now, 'row');
  const columns = new LineMap(seen, now, 'column');
  return {
    base: seen,
    head: now,
    rows,
    columns,
    unchanged: rows.unchanged && columns.unchanged,
    argument: isStillMeant ? argument : seen.id,
  };
}

export interface RangeTarget {
  readonly sheet: SheetTarget;
  /** Areas as submitted, in the addresses of the base. */
  readonly areas: readonly Range[];
  /** True when the sheet's name as sent means nothing, or another sheet, at the head. */
  readonly isRenamed: boolean;
}

/** Reads the `sheet` and `range` of a payload. */
export function findRange(
  payload: { readonly sheet?: string | undefined; readonly range: string },
  context: PlanContext,
): RangeTarget {
  const parsed = parseSheetRange(payload.range);
  if (!parsed) throw new Rejection('bad_range', `${payload.range} is not a range`);
  const sheet = findSheet(parsed.sheet ?? payload.sheet, context);
  if (parsed.sheet !== undefined && payload.sheet !== undefined) {
    if (findSheet(payload.sheet, context).base.id !== sheet.base.id) {
      throw new Rejection('bad_range', `${payload.range} is not on the sheet ${payload.sheet}`);
    }
  }
  if (parsed.areas.length > limits.areasPerRange) {
    throw new Rejection('range_too_large', `a range has at most ${limits.areasPerRange} areas`);
  }
  const isRenamed = sheet.argument !== (parsed.sheet ?? payload.sheet);
  return { sheet, areas: parsed.areas, isRenamed };
}

export function checkCellCount(areas: readonly Range[], maximum: number): void {
  const count = areas.reduce((sum, area) => sum + cellCount(area), 0);
  if (count <= maximum) return;
  throw new Rejection('range_too_large', `${count} cells; one operation takes at most ${maximum}`);
}

/** Carries the cells of an area to the head. Deleted parts are added to `clipped`. */
export function mapArea(sheet: SheetTarget, area: Range, clipped: string[]): MappedArea[] {
  if (sheet.unchanged) return [{ range: area, skippedRows: 0, skippedColumns: 0 }];
  const rowPieces = sheet.rows.pieces(area.row0, rowCount(area));
  const columnPieces = sheet.columns.pieces(area.column0, columnCount(area));
  for (const gap of gaps(rowPieces, rowCount(area))) {
    const row0 = area.row0 + gap.skipped;
    clipped.push(rangeName({ ...area, row0, row1: row0 + gap.length - 1 }));
  }
  for (const gap of gaps(columnPieces, columnCount(area))) {
    const column0 = area.column0 + gap.skipped;
    clipped.push(rangeName({ ...area, column0, column1: column0 + gap.length - 1 }));
  }
  return rowPieces.flatMap((row) =>
    columnPieces.map((column) => ({
      range: {
        row0: row.position,
        column0: column.position,
        row1: row.position + row.length - 1,
        column1: column.position + column.length - 1,
      },
      skippedRows: row.skipped,
      skippedColumns: column.skipped,
    })),
  );
}

/** Carries all areas to the head; rejects an operation whose cells are all deleted. */
export function mapAreas(target: RangeTarget, clipped: string[]): Range[] {
  const mapped = target.areas.flatMap((area) => mapArea(target.sheet, area, clipped));
  if (mapped.length === 0) throw allDeleted(clipped);
  return mapped.map(({ range }) => range);
}

export function allDeleted(clipped: readonly string[]): Rejection {
  return new Rejection('target_deleted', `${clipped.join(', ')} was deleted`);
}

export function areasText(areas: readonly Range[]): string {
  return areas.map(rangeName).join(',');
}

/** Returns whether the target reads differently at the head. */
export function isMoved(target: RangeTarget, areas: readonly Range[]): boolean {
  return target.isRenamed || areasText(areas) !== areasText(target.areas);
}

/** Returns areas as ids, for the journal. */
export function resolveAreas(sheet: SheetOutline, areas: readonly Range[]): ResolvedArea[] {
  return areas.map((area) => ({
    rows: flatten(sheet.rows.spansAt(area.row0, rowCount(area))),
    columns: flatten(sheet.columns.spansAt(area.column0, columnCount(area))),
  }));
}

function gaps(pieces: readonly Piece[], count: number): { skipped: number; length: number }[] {
  const covered = pieces.toSorted((a, b) => a.skipped - b.skipped);
  const found: { skipped: number; length: number }[] = [];
  let next = 0;
  for (const { skipped, length } of covered) {
    if (skipped > next) found.push({ skipped: next, length: skipped - next });
    next = skipped + length;
  }
  if (next < count) found.push({ skipped: next, length: count - next });
  return found;
}

interface Found {
  readonly sheet: SheetTarget;
  /** True when the sheet's name as sent means nothing, or another sheet, at the head. */
  readonly isRenamed: boolean;
  readonly row: number;
  readonly column: number;
}

/** Finds a cell, written `B7` or `Plan!B7` in addresses of the base. */
export function findCell(a1: string, sheet: string | undefined, context: PlanContext): Found {
  const split = a1.includes('!') ? splitSheet(a1) : undefined;
  const address = parseAddress(split?.rest ?? a1);
  if (!address) throw new Rejection('bad_range', `${a1} is not the address of a cell`);
  const argument = split?.sheet ?? sheet;
  const target = findSheet(argument, context);
  const isRenamed = target.argument !== argument;
  return { sheet: target, isRenamed, row: address.row, column: address.column };
}
