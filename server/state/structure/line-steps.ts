import type { LineId } from '../ids/order.ts';
import type { Plan } from '../plan/plan.ts';
import type { LineChange } from './area.ts';
import type { LineSpan } from './line-span.ts';
import { orderOf, withOrder, type Axis, type SheetOutline } from './structure.ts';

export type LinePlan = Extract<Plan, { type: 'insert' | 'delete' | 'move' }>;

export function isLinePlan(plan: Plan): plan is LinePlan {
  return plan.type === 'insert' || plan.type === 'delete' || plan.type === 'move';
}

/** Lines of one move, in positions before it. */
export interface MovedSpan {
  readonly sheetId: string;
  readonly axis: Axis;
  readonly span: LineSpan;
}

/** A single edit of the lines of a sheet, as a kernel applies it. */
export interface LineStep {
  readonly before: SheetOutline;
  readonly after: SheetOutline;
  readonly axis: Axis;
  /** Deleted or moved lines, in positions before; ranges may lose ends with them. */
  readonly leaving: readonly LineSpan[];
  /** Target of a move, in positions before; undefined for other edits. */
  readonly target: number | undefined;
}

/** Returns what the edit does to the lines of its sheet. */
export function lineChange(step: LineStep): LineChange {
  return { ...step, moved: step.target === undefined ? [] : step.leaving };
}

export function movedSpan({ before, axis, leaving, target }: LineStep): MovedSpan | undefined {
  const [span] = leaving;
  return target === undefined || !span ? undefined : { sheetId: before.id, axis, span };
}

/** Returns a sheet after an edit of lines; new ones get ids of `run`. */
export function editedSheet(plan: LinePlan, run: Omit<LineId, 'offset'>): SheetOutline {
  return lineSteps(plan, run).at(-1)?.after ?? plan.sheet;
}

/**
 * Splits a plan into single edits, in order; new lines get ids of `run`. Empty when nothing
 * changes.
 */
export function lineSteps(plan: LinePlan, run: Omit<LineId, 'offset'>): LineStep[] {
  if (plan.type === 'move') return moveSteps(plan);
  const { sheet: before, axis } = plan;
  const leaving = plan.type === 'delete' ? plan.spans : [];
  let order = orderOf(before, axis);
  if (plan.type === 'insert') {
    const ids = plan.ids ?? [{ ...run, offset: 0, length: plan.count }];
    order = order.insert(plan.position, ids);
  }
  order = order.deleteAll(leaving);
  return [{ before, after: withOrder(before, axis, order), axis, leaving, target: undefined }];
}

/** Splits a move into moves of contiguous lines, as mutations require. */
function moveSteps({ sheet, axis, spans, before }: Extract<LinePlan, { type: 'move' }>) {
  const first = orderOf(sheet, axis);
  const anchor = first.idAt(before);
  const pieces = joined(spans).map((span) => ({ id: first.idAt(span.from), count: span.count }));
  const steps: LineStep[] = [];
  let outline = sheet;
  for (const { id, count } of pieces) {
    const order = orderOf(outline, axis);
    const from = order.positionOf(id.branch, id.sequence, id.offset);
    const target = order.positionOf(anchor.branch, anchor.sequence, anchor.offset);
    if (from === undefined || target === undefined) throw new Error('a moved line has no position');
    const moved = order.move(from, count, target);
    if (moved === order) continue;
    const after = withOrder(outline, axis, moved);
    steps.push({ before: outline, after, axis, leaving: [{ from, count }], target });
    outline = after;
  }
  return steps;
}

/** Joins adjoining spans. */
function joined(spans: readonly LineSpan[]): LineSpan[] {
  const found: LineSpan[] = [];
  for (const span of spans) {
    const last = found.at(-1);
    if (last && last.from + last.count === span.from) {
      found[found.length - 1] = { from: last.from, count: last.count + span.count };
    } else {
      found.push(span);
    }
  }
  return found;
}
