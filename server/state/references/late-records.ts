import type { JsonObject } from '../../model/plain-json.ts';
import { areaOf } from '../structure/area.ts';
import { lineSteps } from '../structure/line-steps.ts';
import type { RecordPlace } from '../plan/plan-record-target.ts';
import type { PlanContext } from '../plan/plan.ts';
import { asWritten, relative } from '../records/record-formulas.ts';
import { Records } from '../records/records.ts';
import { StepReferences } from './step-references.ts';
import type { StructureStep } from '../structure/structure-history.ts';
import { recordKey, type StoredRecord } from '../records/stored-record.ts';
import type { Structure } from '../structure/structure.ts';

/**
 * Carries a rule that was written against an older base to the head, as if it had been there during
 * the edits since. Its formulas then read as in its first cell. Undefined when it has no cell left.
 */
export function carryLateRule(
  value: JsonObject,
  { sheet, sent }: Pick<RecordPlace, 'sheet' | 'sent'>,
  context: PlanContext,
): JsonObject | undefined {
  const { base, head, coding } = context;
  const was = base.withId(sheet.id);
  const steps = context.stepsSince();
  const [first] = sent;
  if (!was || !steps || !first) return undefined;
  const cell = { row: first.row0, column: first.column0 };
  const record: StoredRecord = {
    type: 'cf',
    id: 'late',
    sheetId: sheet.id,
    areas: sent.map((range) => areaOf(was, range)),
    value: relative(value, cell, coding.formulas),
    structure: base,
  };
  const records = new Records();
  records.apply({ puts: [record], deletes: [] }, base);
  let from = base;
  for (const step of steps) {
    follow(records, { step, from }, context);
    from = step.structure;
  }
  const carried = records.get(recordKey(record));
  return carried && asWritten(carried, head, coding.formulas);
}

function follow(
  records: Records,
  { step, from }: { step: StructureStep; from: Structure },
  { coding, next }: PlanContext,
): void {
  const { formulas } = coding;
  if (step.edits.length === 0) {
    if (step.sort) records.followSort(step.sort, { structure: from, formulas });
    return;
  }
  const run = { branch: next().branch, sequence: step.sequence };
  let structure = from;
  for (const edit of step.edits) {
    for (const one of lineSteps(edit, run)) {
      const references = new StepReferences(structure, one);
      records.followStep(one, { references, formulas });
      structure = references.after;
    }
  }
}
