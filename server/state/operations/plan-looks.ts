import {
  normalStyle,
  orderedStyle,
  patchStyle,
  plainStyle,
  readColor,
  readStyle,
} from '../../model/cell-style.ts';
import { foldName } from '../../model/names.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import type { Operation, Payload } from '../../model/operation.ts';
import { Rejection } from '../../model/rejection.ts';
import { settingDefaults } from '../../model/settings.ts';
import {
  sheetPropertyDefaults,
  sheetPropertyKeys,
  type SheetPropertyKey,
  type SheetPropertyValue,
} from '../../model/sheet-properties.ts';
import type { LineChange, Plan, PlanContext, Planned, SettingChange } from '../plan/plan.ts';
import { mapLines, respelledSpans, submittedSpans } from './plan-lines.ts';
import { findSheet } from '../plan/plan-target.ts';
import { flatten } from '../plan/resolved.ts';
import type { Axis } from '../structure/structure.ts';

const lookKinds = new Set<string>([
  'style.define',
  'style.delete',
  'rows.size',
  'rows.hide',
  'rows.group',
  'cols.size',
  'cols.hide',
  'cols.group',
  'sheet.props',
  'props.set',
] satisfies LookKind[]);

type LookKind =
  | `style.${'define' | 'delete'}`
  | `${'rows' | 'cols'}.${'size' | 'hide' | 'group'}`
  | 'sheet.props'
  | 'props.set';
export type LookOperation = Extract<Operation, { kind: LookKind }>;

export function isLookOperation(operation: Operation): operation is LookOperation {
  return lookKinds.has(operation.kind);
}

export function planLook(operation: LookOperation, context: PlanContext): Planned {
  switch (operation.kind) {
    case 'style.define':
      return planStyleDefine(operation.payload, context);
    case 'style.delete':
      return planStyleDelete(operation.payload, context);
    case 'sheet.props':
      return planSheetProperties(operation.payload, context);
    case 'props.set':
      return planWorkbookProperties(operation.payload);
    case 'rows.size':
    case 'rows.hide':
    case 'rows.group':
      return planLineProperties('row', operation, context);
    case 'cols.size':
    case 'cols.hide':
    case 'cols.group':
      return planLineProperties('column', operation, context);
    default:
      return operation satisfies never;
  }
}

type LineOperation = Extract<LookOperation, { kind: `${'rows' | 'cols'}.${string}` }>;

function planLineProperties(axis: Axis, operation: LineOperation, context: PlanContext): Planned {
  const { payload } = operation;
  const sheet = findSheet(payload.sheet, context);
  const submitted = submittedSpans(payload, axis);
  const { spans, ids } = mapLines(sheet, axis, submitted);
  if (spans.length === 0) throw new Rejection('target_deleted', `the ${axis}s were deleted`);
  const respelled = respelledSpans(spans, submitted);
  const rebased = respelled !== undefined || sheet.argument !== payload.sheet;
  const { from: _from, count: _count, spans: _spans, ...values } = payload;
  const moved = { ...values, sheet: sheet.argument ?? sheet.head.id };
  return {
    plan: { type: 'lines', axis, sheet: sheet.head, spans, change: changeOf(operation) },
    kind: operation.kind,
    payload: rebased ? { ...moved, ...(respelled ?? spansOf(payload)) } : payload,
    resolved: { sheet: sheet.head.id, lines: flatten(ids) },
    rebased,
    clipped: [],
  };
}

function spansOf({ from, count, spans }: LineOperation['payload']) {
  return spans ? { spans } : { from, ...(count !== undefined && { count }) };
}

function changeOf(operation: LineOperation): LineChange {
  switch (operation.kind) {
    case 'rows.size':
    case 'cols.size':
      return sizeOf(operation.payload);
    case 'rows.hide':
    case 'cols.hide': {
      const { hidden = true } = operation.payload;
      // Showing a line also expands it.
      return hidden ? { hidden } : { hidden: null, collapsed: null };
    }
    default:
      return groupOf(operation.payload);
  }
}

/** Rounds a size to a thousandth of a pixel, which returns points unchanged. */
function sizeOf({ px, auto }: Pick<Payload<'rows.size'>, 'px' | 'auto'>): LineChange {
  if ((px === undefined) === (auto === undefined)) {
    throw new Rejection('value_missing', 'give either px or auto');
  }
  return { px: px === undefined ? null : Math.round(px * 1_000) / 1_000 };
}

function groupOf({
  level,
  collapsed,
}: Pick<Payload<'rows.group'>, 'level' | 'collapsed'>): LineChange {
  if (level === undefined && collapsed === undefined) {
    throw new Rejection('value_missing', 'give level, collapsed, or both');
  }
  const folded = collapsed === undefined ? {} : fold(collapsed);
  return level === undefined ? folded : { level: level === 0 ? null : level, ...folded };
}

function fold(collapsed: boolean): LineChange {
  return collapsed ? { collapsed, hidden: true } : { collapsed: null, hidden: null };
}

function planSheetProperties(payload: Payload<'sheet.props'>, context: PlanContext): Planned {
  const sheet = findSheet(payload.sheet, context);
  const changes: [SheetPropertyKey, SheetPropertyValue][] = [];
  for (const key of sheetPropertyKeys) {
    const value = payload[key];
    if (value === undefined) continue;
    const isColor = key === 'tabColor' && value !== null && typeof value !== 'boolean';
    const read = isColor && typeof value !== 'number' ? readColor(value) : value;
    changes.push([key, read ?? sheetPropertyDefaults[key]]);
  }
  if (changes.length === 0) throw new Rejection('value_missing', 'no property is named');
  const { head } = sheet;
  if (changes.some(([key, value]) => key === 'hidden' && value !== false)) {
    checkStaysVisible(head.id, context);
  }
  const rebased = sheet.argument !== payload.sheet;
  return {
    plan: { type: 'properties', sheet: head, changes },
    kind: 'sheet.props',
    payload: rebased ? { ...payload, sheet: head.id } : payload,
    resolved: { sheet: head.id },
    rebased,
    clipped: [],
  };
}

/** Throws a rejection if a sheet to be hidden or deleted is the only visible one. */
export function checkStaysVisible(sheetId: string, { head, looks }: PlanContext): void {
  const isVisible = (id: string) => looks.properties.get(id, 'hidden') === false;
  if (head.sheets.some(({ id }) => id !== sheetId && isVisible(id))) return;
  throw new Rejection('last_visible_sheet', 'it is the only sheet that can be seen');
}

function planStyleDefine(payload: Payload<'style.define'>, { looks }: PlanContext): Planned {
  const known = looks.styles.get(payload.id);
  if (!known && looks.styles.size >= limits.styleCount) {
    const most = limits.styleCount;
    throw new Rejection('too_many_styles', `a workbook has at most ${most} named styles`);
  }
  const isNormal = foldName(payload.id) === foldName(normalStyle);
  const written = readStyle(payload.style);
  // In any other style a default is kept: it overrides Normal.
  const style = isNormal ? patchStyle(plainStyle, written, true) : orderedStyle({ ...written });
  const id = isNormal ? normalStyle : payload.id;
  return workbookPlan(
    { kind: 'style.define', payload },
    { type: 'styleDefine', style: { id, style } },
  );
}

function planStyleDelete(payload: Payload<'style.delete'>, { looks }: PlanContext): Planned {
  if (foldName(payload.id) === foldName(normalStyle)) {
    throw new Rejection('bad_style', 'Normal cannot be deleted');
  }
  const known = looks.styles.get(payload.id);
  if (!known) throw new Rejection('style_not_found', `there is no style ${payload.id}`);
  return workbookPlan({ kind: 'style.delete', payload }, { type: 'styleDelete', id: known.id });
}

function planWorkbookProperties(payload: Payload<'props.set'>): Planned {
  const { title, description, labels } = payload;
  const changes: SettingChange[] = [];
  if (title !== undefined) changes.push(['title', title ?? settingDefaults.title]);
  if (description !== undefined) {
    changes.push(['description', description ?? settingDefaults.description]);
  }
  if (labels !== undefined) changes.push(['labels', [...new Set(labels)].sort()]);
  if (changes.length === 0) throw new Rejection('value_missing', 'no property is named');
  return workbookPlan({ kind: 'props.set', payload }, { type: 'settings', changes });
}

function workbookPlan(operation: Pick<Planned, 'kind' | 'payload'>, plan: Plan): Planned {
  return { plan, ...operation, resolved: {}, rebased: false, clipped: [] };
}
