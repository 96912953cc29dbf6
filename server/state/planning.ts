import {
  isParted,
  type Operation,
  type PartedOperation,
  type Payload,
} from '../model/operation.ts';
import { isRecordKind } from '../model/payload-records.ts';
import { planFill } from './operations/plan-areas.ts';
import { planBlock } from './operations/plan-blocks.ts';
import { planCells, planFewCells } from './operations/plan-cells.ts';
import { planClear } from './operations/plan-clear.ts';
import { isFormatOperation, planFormats, type FormatOperation } from './operations/plan-formats.ts';
import { planDelete, planInsert, planMove, type LinesDelete } from './operations/plan-lines.ts';
import { isLookOperation, planLook, type LookOperation } from './operations/plan-looks.ts';
import { isRangeEdit, planRangeEdit, type RangeEdit } from './operations/plan-ranges.ts';
import { planRecord, type RecordOperation } from './operations/plan-records.ts';
import { planNameRename } from './tables/plan-name-rename.ts';
import { planPolicySet } from './records/policy-document.ts';
import {
  planNameDelete,
  planNameSet,
  planSheetAdd,
  planSheetCopyOf,
  planSheetDelete,
  planSheetMove,
  planSheetRename,
} from './operations/plan-sheets.ts';
import { needsTables, withTables } from './tables/line-tables.ts';
import { planTable, type TableOperation } from './tables/plan-table.ts';
import { planSettingsSet } from './tables/plan-tables.ts';
import type { PlanContext, Planned, Planning } from './plan/plan.ts';

/**
 * Does as `planOperation` without pauses; returns undefined for an operation that may take long.
 */
export function planAtOnce(operation: Operation, context: PlanContext): Planned | undefined {
  if (isParted(operation)) return undefined;
  switch (operation.kind) {
    case 'cells.set':
      return planFewCells(operation.payload, context);
    case 'policy.set':
      return planPolicySet(operation.payload);
    case 'commit':
      return planCommit(operation.payload);
    case 'range.set':
    case 'range.fill':
    case 'name.rename':
      return undefined;
    case 'sheet.add':
      return operation.payload.copyOf === undefined ? planSmall(operation, context) : undefined;
    default:
      if (isRangeEdit(operation) || isTableOperation(operation)) return undefined;
      return planShort(operation, context);
  }
}

/** Plans an operation by its kind; throws a `Rejection` when it is not possible. */
export function* planOperation(operation: Operation, context: PlanContext): Planning {
  if (isParted(operation)) throw new Error('what has parts is planned part by part');
  switch (operation.kind) {
    case 'cells.set':
      return yield* planCells(operation.payload, context);
    case 'range.set':
      return yield* planBlock(operation.payload, context);
    case 'range.fill':
      return yield* planFill(operation.payload, context);
    case 'sheet.add':
      if (operation.payload.copyOf === undefined) return planSmall(operation, context);
      return yield* planSheetCopyOf(operation.payload, operation.payload.copyOf, context);
    case 'name.rename':
      return yield* planNameRename(operation.payload, context);
    case 'policy.set':
      return planPolicySet(operation.payload);
    case 'commit':
      return planCommit(operation.payload);
    default:
      if (isTableOperation(operation)) return yield* planTable(operation, context);
      return yield* withTables(
        isRangeEdit(operation)
          ? yield* planRangeEdit(operation, context)
          : planSmall(operation, context),
        context,
      );
  }
}

/** Returns whether an operation concerns a table; `rows.delete` does so when it names one. */
function isTableOperation<Kind extends Operation>(
  operation: Kind,
): operation is Kind & TableOperation {
  return operation.kind.startsWith('table.') || 'table' in operation.payload;
}

type LargeKind =
  | 'cells.set'
  | 'range.set'
  | 'range.fill'
  | 'name.rename'
  | 'policy.set'
  | 'commit'
  | PartedOperation['kind']
  | RangeEdit['kind']
  | Extract<Operation['kind'], `table.${string}`>
  | 'rows.import'
  | 'rows.upsert';
type SmallOperation = Exclude<Operation, { kind: LargeKind }>;
type LineOperation = Extract<
  Exclude<SmallOperation, LookOperation>,
  { kind: `rows.${string}` | `cols.${string}` }
>;

function planSmall(operation: SmallOperation, context: PlanContext): Planned {
  if (isFormatOperation(operation)) return planFormats(operation, context);
  if (isLookOperation(operation)) return planLook(operation, context);
  return isRecordOperation(operation)
    ? planRecord(operation, context)
    : planRest(operation, context);
}

/** Plans a small operation; undefined when changes to tables may take long. */
function planShort(operation: SmallOperation, context: PlanContext): Planned | undefined {
  const planned = planSmall(operation, context);
  return needsTables(planned, context) ? undefined : planned;
}

function isRecordOperation(operation: Operation): operation is RecordOperation {
  return isRecordKind(operation.kind);
}

function planRest(
  operation: Exclude<SmallOperation, RecordOperation | FormatOperation | LookOperation>,
  context: PlanContext,
): Planned {
  switch (operation.kind) {
    case 'sheet.add':
      return planSheetAdd(operation.payload, context);
    case 'range.clear':
      return planClear(operation.payload, context);
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
    case 'settings.set':
      return planSettingsSet(operation.payload);
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
      return planDelete('row', linesOf(operation.payload), context);
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

/** Plans a commit, which names a position and changes nothing. */
function planCommit(payload: Payload<'commit'>): Planned {
  const plan = { type: 'commit', tag: payload.tag } as const;
  return { plan, kind: 'commit', payload, resolved: {}, rebased: false, clipped: [] };
}

function linesOf(payload: Payload<'rows.delete'>): LinesDelete {
  if (!('table' in payload)) return payload;
  throw new Error('rows of tables are deleted by key');
}
