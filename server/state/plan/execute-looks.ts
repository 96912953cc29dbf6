import type { Mutation } from '../../model/mutation.ts';
import type { Range } from '../../model/range.ts';
import type { SheetPropertyKey, SheetPropertyValue } from '../../model/sheet-properties.ts';
import { mapFormats } from '../cells/format-lanes.ts';
import type { LineProperties } from '../structure/line-properties.ts';
import { lineValue, type LineValue } from '../structure/line-value.ts';
import type { Looks } from '../structure/looks.ts';
import { formatsOf, type FormatParts, type LineChange, type LookPlan } from './plan.ts';
import { styleText } from '../../model/cell-style.ts';
import { editFormats } from '../cells/sheet-formats.ts';
import { orderOf, type SheetOutline } from '../structure/structure.ts';
import type { FormatPatch } from '../cells/style-list.ts';

/**
 * Patches the formats of areas. Areas may overlap, because applying a patch twice changes nothing.
 */
export function* formatAreas(
  { sheet, areas }: { readonly sheet: SheetOutline; readonly areas: readonly Range[] },
  format: FormatPatch,
  parts: FormatParts,
): Generator<void, void> {
  let formats = formatsOf(parts, sheet);
  for (const area of areas) {
    const { rows, columns, pieces } = editFormats(formats, area, format);
    for (const piece of pieces) yield* mapFormats(formats.cells, piece);
    if (rows === formats.rows && columns === formats.columns) continue;
    parts.looks.lines.set(sheet.id, 'row', rows);
    parts.looks.lines.set(sheet.id, 'column', columns);
    formats = formatsOf(parts, sheet);
  }
}

/**
 * Applies a change of looks. A kernel only needs to know of hidden rows, which the caller tells it.
 */
export function executeLook(plan: LookPlan, looks: Looks): Mutation[] {
  switch (plan.type) {
    case 'lines':
      looks.lines.set(plan.sheet.id, plan.axis, changedLines(plan, looks));
      return [];
    case 'properties':
      for (const [key, value] of plan.changes) looks.properties.set(plan.sheet.id, key, value);
      return [];
    case 'styleDefine':
      looks.styles.set(plan.style);
      return [];
    default:
      looks.styles.delete(plan.id);
      return [];
  }
}

export function lookIsSo(plan: LookPlan, { looks }: { readonly looks: Looks }): boolean {
  switch (plan.type) {
    case 'lines':
      return changedLines(plan, looks).equals(looks.lines.of(plan.sheet.id, plan.axis));
    case 'properties':
      return plan.changes.every(([key, value]) => isProperty(plan.sheet.id, key, value, looks));
    case 'styleDefine': {
      const known = looks.styles.get(plan.style.id);
      const { id, style } = plan.style;
      return known?.id === id && styleText(known.style) === styleText(style);
    }
    default:
      return false;
  }
}

function isProperty(
  sheetId: string,
  key: SheetPropertyKey,
  value: SheetPropertyValue,
  { properties }: Looks,
): boolean {
  return JSON.stringify(properties.get(sheetId, key)) === JSON.stringify(value);
}

type LinesPlan = Extract<LookPlan, { type: 'lines' }>;

/** Results by plan: a plan is first asked whether it changes anything, and then applied. */
const changedBy = new WeakMap<LinesPlan, Record<'from' | 'to', LineProperties>>();

function changedLines(plan: LinesPlan, { lines }: Looks): LineProperties {
  const { sheet, axis, spans, change } = plan;
  const from = lines.of(sheet.id, axis);
  const known = changedBy.get(plan);
  if (known?.from === from) return known.to;
  const order = orderOf(sheet, axis);
  const ids = spans.flatMap(({ from: first, count }) => order.spansAt(first, count));
  // Most lines of a plan had the same, and then have one value that they share.
  const last: { was?: LineValue; is?: LineValue } = {};
  const to = from.update(ids, (value) => {
    if (last.is && last.was === value) return last.is;
    last.is = changedLine(value, change);
    last.was = value;
    return last.is;
  });
  changedBy.set(plan, { from, to });
  return to;
}

function changedLine(value: LineValue, change: LineChange): LineValue {
  const changed: Record<string, unknown> = { ...value };
  for (const [key, written] of Object.entries(change)) {
    if (written === null) delete changed[key];
    else changed[key] = written;
  }
  return lineValue(changed);
}
