import type { Operation, Payload } from '../model/operation.ts';
import { planClear, planFill, planFormat } from './plan-areas.ts';
import { planBlock } from './plan-blocks.ts';
import { planCells, planFewCells } from './plan-cells.ts';
import { planDelete, planInsert, planMove, type LinesDelete } from './plan-lines.ts';
import {
  planNameDelete,
  planNameRename,
  planNameSet,
  planSheetAdd,
  planSheetDelete,
  planSheetMove,
  planSheetRename,
} from './plan-sheets.ts';
import { planTable, type TableOperation } from './plan-table.ts';
import { planSettingsSet } from './plan-tables.ts';
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
      return isTableOperation(operation) ? undefined : planSmall(operation, context);
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
      return isTableOperation(operation)
        ? yield* planTable(operation, context)
        : planSmall(operation, context);
  }
}

/** Of the kinds that tables have alone, and the one that rows of sheets have too. */
function isTableOperation<Kind extends Operation>(
  operation: Kind,
): operation is Kind & TableOperation {
  return operation.kind.startsWith('table.') || 'table' in operation.payload;
}

type LargeKind = 'cells.set' | 'range.set' | 'range.fill' | TableOnlyKind;
type TableOnlyKind = Extract<Operation['kind'], `table.${string}`> | 'rows.import' | 'rows.upsert';
type SmallOperation = Exclude<Operation, { kind: LargeKind }>;
type LineOperation = Extract<SmallOperation, { kind: `rows.${string}` | `cols.${string}` }>;

function planSmall(operation: SmallOperation, context: PlanContext): Planned {
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

function linesOf(payload: Payload<'rows.delete'>): LinesDelete {
  if (!('table' in payload)) return payload;
  throw new Error('rows of tables are deleted by key');
}
