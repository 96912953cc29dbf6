import type { Operation } from '../model/operation.ts';
import { isRecordKind } from '../model/payload-records.ts';
import { planClear, planFill, planFormat } from './plan-areas.ts';
import { planBlock } from './plan-blocks.ts';
import { planCells, planFewCells } from './plan-cells.ts';
import { planDelete, planInsert, planMove } from './plan-lines.ts';
import { planRecord, type RecordOperation } from './plan-records.ts';
import {
  planNameDelete,
  planNameRename,
  planNameSet,
  planSheetAdd,
  planSheetDelete,
  planSheetMove,
  planSheetRename,
} from './plan-sheets.ts';
import { planSettingsSet, planTableCreate } from './plan-tables.ts';
import type { PlanContext, Planned, Planning } from './plan.ts';

/** As `planOperation`, for what is done without a pause; undefined for what may take long. */
export function planAtOnce(operation: Operation, context: PlanContext): Planned | undefined {
  switch (operation.kind) {
    case 'cells.set':
      return planFewCells(operation.payload, context);
    case 'range.set':
    case 'range.fill':
      return undefined;
    default:
      return planSmall(operation, context);
  }
}

/** What a kind and its payload come to; throws a Rejection when they cannot be done. */
export function* planOperation(operation: Operation, context: PlanContext): Planning {
  switch (operation.kind) {
    case 'cells.set':
      return yield* planCells(operation.payload, context);
    case 'range.set':
      return yield* planBlock(operation.payload, context);
    case 'range.fill':
      return yield* planFill(operation.payload, context);
    default:
      return planSmall(operation, context);
  }
}

type SmallOperation = Exclude<Operation, { kind: 'cells.set' | 'range.set' | 'range.fill' }>;
type LineOperation = Extract<SmallOperation, { kind: `rows.${string}` | `cols.${string}` }>;

function planSmall(operation: SmallOperation, context: PlanContext): Planned {
  return isRecordOperation(operation)
    ? planRecord(operation, context)
    : planRest(operation, context);
}

function isRecordOperation(operation: Operation): operation is RecordOperation {
  return isRecordKind(operation.kind);
}

function planRest(
  operation: Exclude<SmallOperation, RecordOperation>,
  context: PlanContext,
): Planned {
  switch (operation.kind) {
    case 'range.clear':
      return planClear(operation.payload, context);
    case 'numfmt.set':
      return planFormat(operation.payload, context);
    case 'sheet.add':
      return planSheetAdd(operation.payload, context);
    case 'sheet.rename':
      return planSheetRename(operation.payload, context);
    case 'sheet.delete':
      return planSheetDelete(operation.payload, context);
    case 'sheet.move':
      return planSheetMove(operation.payload, context);
    case 'name.set':
      return planNameSet(operation.payload, context);
    case 'name.delete':
      return planNameDelete(operation.payload, context);
    case 'name.rename':
      return planNameRename(operation.payload, context);
    case 'settings.set':
      return planSettingsSet(operation.payload);
    case 'table.create':
      return planTableCreate(operation.payload, context);
    default:
      return planLines(operation, context);
  }
}

function planLines(operation: LineOperation, context: PlanContext): Planned {
  switch (operation.kind) {
    case 'rows.insert':
      return planInsert('row', operation.payload, context);
    case 'cols.insert':
      return planInsert('column', operation.payload, context);
    case 'rows.delete':
      return planDelete('row', operation.payload, context);
    case 'cols.delete':
      return planDelete('column', operation.payload, context);
    case 'rows.move':
      return planMove('row', operation.payload, context);
    case 'cols.move':
      return planMove('column', operation.payload, context);
    default:
      return operation satisfies never;
  }
}
