import type { Operation } from '../../model/operation.ts';
import { planAutofill } from './plan-autofill.ts';
import { planRangeCopy } from './plan-copy.ts';
import { planRangeMove } from './plan-move.ts';
import { planShift } from './plan-shift.ts';
import { planRangeSort } from './plan-sort.ts';
import type { PlanContext, Planning } from '../plan/plan.ts';

const kinds = [
  'range.autofill',
  'range.move',
  'range.copy',
  'range.sort',
  'range.insert',
  'range.delete',
] as const;

/** Operations on ranges whose plans depend on the content of cells. */
export type RangeEdit = Extract<Operation, { kind: (typeof kinds)[number] }>;

const kindSet: ReadonlySet<string> = new Set(kinds);

export function isRangeEdit(operation: Operation): operation is RangeEdit {
  return kindSet.has(operation.kind);
}

export function planRangeEdit(operation: RangeEdit, context: PlanContext): Planning {
  switch (operation.kind) {
    case 'range.autofill':
      return planAutofill(operation.payload, context);
    case 'range.move':
      return planRangeMove(operation.payload, context);
    case 'range.copy':
      return planRangeCopy(operation.payload, context);
    case 'range.sort':
      return planRangeSort(operation.payload, context);
    case 'range.insert':
      return planShift('insert', operation.payload, context);
    case 'range.delete':
      return planShift('delete', operation.payload, context);
  }
}
