import {
  canonicalPattern,
  normalStyle,
  readStyle,
  type StylePatch,
} from '../../model/cell-style.ts';
import { foldName } from '../../model/names.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import type { Operation, Payload } from '../../model/operation.ts';
import type { Range } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { formatsIn } from '../cells/format-lanes.ts';
import type { LineId } from '../ids/order.ts';
import { formatsOf, type PlanContext, type Planned } from '../plan/plan.ts';
import {
  areasText,
  findRange,
  isMoved,
  mapAreas,
  resolveAreas,
  type RangeTarget,
} from '../plan/plan-target.ts';
import {
  editFormats,
  freshCellCount,
  patchCell,
  patternAt,
  readFormats,
  type SheetFormats,
} from '../cells/sheet-formats.ts';
import type { SheetOutline } from '../structure/structure.ts';
import type { FormatPatch } from '../cells/style-list.ts';

export type FormatOperation = Extract<Operation, { kind: 'format.set' | 'numfmt.set' }>;

export function isFormatOperation(operation: Operation): operation is FormatOperation {
  const { kind } = operation;
  return kind === 'format.set' || kind === 'numfmt.set';
}

export function planFormats(operation: FormatOperation, context: PlanContext): Planned {
  return operation.kind === 'numfmt.set'
    ? planNumberFormat(operation.payload, context)
    : planFormatSet(operation.payload, context);
}

function planFormatSet(payload: Payload<'format.set'>, context: PlanContext): Planned {
  const written = readStyle(payload.style);
  const patch = { ...written, ...namedIn(written, context) };
  if (typeof patch.numberFormat === 'string') checkPattern(patch.numberFormat);
  const format = context.coding.dictionary.styles.patch(patch, payload.replace === true);
  return planFormat({ kind: 'format.set', payload }, format, context);
}

function planNumberFormat(payload: Payload<'numfmt.set'>, context: PlanContext): Planned {
  const format = numberFormatPatch(payload.pattern, context);
  return planFormat({ kind: 'numfmt.set', payload }, format, context);
}

/** Makes a style patch of an `fmt` member. */
export function numberFormatPatch(pattern: string, context: PlanContext): FormatPatch {
  checkPattern(pattern);
  return context.coding.dictionary.styles.numberFormatPatch(canonicalPattern(pattern));
}

/** Returns the style of a cell with a number format applied; undefined for nothing to change. */
export function numberFormatAt(
  pattern: string | undefined,
  at: { readonly sheet: SheetOutline; readonly row: LineId; readonly column: LineId },
  context: PlanContext,
): number | undefined {
  if (pattern === undefined) return undefined;
  return patchCell(formatsOf(context, at.sheet), at, numberFormatPatch(pattern, context));
}

interface PatternPlace {
  readonly sheet: SheetOutline;
  readonly row: LineId;
  readonly column: LineId;
  readonly fmt?: string | null | undefined;
}

/** Returns whether a cell has a number format, from an `fmt` member or from its own style. */
export function hasPattern(
  pattern: string,
  { fmt, ...at }: PatternPlace,
  context: PlanContext,
): boolean {
  return isPattern(pattern, fmt ?? patternAt(formatsOf(context, at.sheet), at));
}

export function isPattern(pattern: string, fmt: string): boolean {
  return canonicalPattern(fmt) === pattern;
}

/** Counts the cells of areas that have a number format. */
export function patternShare(
  pattern: string,
  formats: SheetFormats,
  areas: readonly Range[],
): 'none' | 'some' | 'all' {
  const found = new Set<boolean>();
  for (const area of areas) {
    for (const format of new Set(readFormats(formats, area))) {
      found.add(isPattern(pattern, formats.styles.pattern(format)));
    }
  }
  if (found.size === 2) return 'some';
  return found.has(true) ? 'all' : 'none';
}

export function clearingPatch({ coding }: Pick<PlanContext, 'coding'>): FormatPatch {
  return coding.dictionary.styles.patch({}, true);
}

function planFormat(operation: AreaOperation, format: FormatPatch, context: PlanContext): Planned {
  const target = findRange(operation.payload, context);
  return planOver(target, operation, (areas) => {
    const sheet = target.sheet.head;
    checkFormats(formatsOf(context, sheet), areas, format);
    return { type: 'format', sheet, areas, format };
  });
}

/** Throws a rejection if the formatted cells, or the new styles, are too many. */
export function checkFormats(
  formats: SheetFormats,
  areas: readonly Range[],
  patch: FormatPatch,
): void {
  const { styles, cells } = formats;
  // Each style may become another one, in a styled line or not.
  const isTight = !styles.hasRoomFor(2 * styles.size + 2);
  let fresh = 0;
  for (const area of areas) {
    fresh += freshCellCount(formats, area, patch);
    if (!isTight) continue;
    for (const piece of editFormats(formats, area, patch).pieces) {
      for (const format of formatsIn(cells, piece)) piece.change(format);
    }
  }
  if (fresh <= limits.cellsPerFill) return;
  const most = limits.cellsPerFill;
  throw new Rejection('range_too_large', `${fresh} cells; one operation takes at most ${most}`);
}

function checkPattern(pattern: string): void {
  if (!pattern.includes('\n')) return;
  throw new Rejection('bad_number_format', 'a number format stands on one line');
}

/** Returns the name of a named style as it was spelled in its definition. */
function namedIn({ named }: StylePatch, { looks }: PlanContext): StylePatch {
  if (named === undefined || named === null) return {};
  const known = looks.styles.get(named);
  if (known) return { named: known.id };
  if (foldName(named) === foldName(normalStyle)) return { named: normalStyle };
  throw new Rejection('style_not_found', `there is no style ${named}`);
}

interface AreaOperation {
  readonly kind: FormatOperation['kind'] | 'range.clear';
  readonly payload: FormatOperation['payload'] | Payload<'range.clear'>;
}

/** Plans one change for all cells of areas on a sheet. */
export function planOver(
  target: RangeTarget,
  { kind, payload }: AreaOperation,
  planOf: (areas: readonly Range[]) => Planned['plan'],
): Planned {
  const { sheet } = target;
  const clipped: string[] = [];
  const areas = mapAreas(target, clipped);
  const rebased = isMoved(target, areas);
  const moved = { ...payload, sheet: sheet.argument ?? sheet.head.id, range: areasText(areas) };
  return {
    plan: planOf(areas),
    kind,
    payload: rebased ? moved : payload,
    resolved: { sheet: sheet.head.id, areas: resolveAreas(sheet.head, areas) },
    rebased,
    clipped,
  };
}
