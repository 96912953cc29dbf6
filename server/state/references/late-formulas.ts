import { endsOfText, LeavingLines } from '../cells/end-spans.ts';
import { moveFormula, type FormulaMove } from '../formulas/formula-text.ts';
import { lineSteps } from '../structure/line-steps.ts';
import type { PlanContext } from '../plan/plan.ts';
import { StepReferences } from './step-references.ts';
import { orderOf } from '../structure/structure.ts';

/**
 * Carries a formula that was written against an older base to the head, as if it had been there
 * during the edits since. If none of these took an end of its ranges away, one step is enough.
 */
export function carryLate(text: string, sheetId: string | undefined, context: PlanContext): string {
  const { base, head, coding } = context;
  const { formulas } = coding;
  if (base.sheets === head.sheets) return text;
  const steps = stepsOf(context);
  const ends =
    steps.leaving.length > 0 ? endsOfText(text, { structure: base, sheetId }, formulas) : [];
  if (!steps.leaving.some((lines) => lines.meets(ends))) {
    return moveFormula(text, { from: base, to: head, sheetId }, formulas);
  }
  return steps.moves.reduce((at, move) => moveFormula(at, { ...move, sheetId }, formulas), text);
}

interface LateSteps {
  readonly moves: readonly Omit<FormulaMove, 'sheetId'>[];
  /** Lines that edits deleted or moved. */
  readonly leaving: readonly LeavingLines[];
}

const unknown: LateSteps = { moves: [], leaving: [] };
const known = new WeakMap<PlanContext, LateSteps>();

function stepsOf(context: PlanContext): LateSteps {
  let steps = known.get(context);
  if (!steps) {
    steps = readSteps(context);
    known.set(context, steps);
  }
  return steps;
}

function readSteps(context: PlanContext): LateSteps {
  const since = context.stepsSince();
  if (!since) return unknown;
  const { branch } = context.next();
  const moves: Omit<FormulaMove, 'sheetId'>[] = [];
  const leaving: LeavingLines[] = [];
  let from = context.base;
  for (const { structure, sequence, edits } of since) {
    for (const step of edits.flatMap((edit) => lineSteps(edit, { branch, sequence }))) {
      const move = new StepReferences(from, step).moveOn(undefined);
      const order = orderOf(step.before, step.axis);
      const ids = step.leaving.flatMap((span) => order.spansAt(span.from, span.count));
      if (ids.length > 0) leaving.push(new LeavingLines(step.before.id, step.axis, ids));
      moves.push(move);
      from = move.to;
    }
    moves.push({ from, to: structure });
    from = structure;
  }
  return { moves, leaving };
}
